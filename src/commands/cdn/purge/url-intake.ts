import { type CleanUrl, cleanUrl } from '../../../apis/cdn/clean-url.ts';
import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { UsageError } from '../../../errors/index.ts';
import { counted } from '../../../terminal/grouped.ts';
import { withoutPasteDamage } from '../../../terminal/paste-damage.ts';
import type { Context } from '../../framework/context.ts';

/** What was given as a URL to clear. */
export interface Given {
  /** Where it stood, for messages: the number of its line, or `argument 7`. */
  readonly place: number | string;
  readonly text: string;
  /** What is wrong with it, where that is known already. */
  readonly fault?: string;
  /** True where nothing but its site is wrong. */
  readonly elsewhere?: boolean;
}

const PROBLEMS_SHOWN = 20;

/** Cleans URLs and puts each into the journal, once, while it notes whatever is to be said of them in the end. */
export class UrlIntake {
  readonly #domain: string | undefined;
  readonly #journal: PurgeJournal;
  readonly #problems: string[] = [];
  #bad = 0;
  #isElsewhere = false;
  #repeated = 0;
  #fragments = 0;
  #pasted = 0;

  /** `domain`, where given, is the only one that they may be on. */
  constructor(domain: string | undefined, journal: PurgeJournal) {
    this.#domain = domain;
    this.#journal = journal;
  }

  /** Checks a block of entries and adds them to the journal. */
  take(block: readonly Given[]): void {
    for (const given of block) {
      const { fault, elsewhere = false } = given;
      const clean: CleanUrl = fault === undefined ? this.#cleaned(given.text) : { problem: fault, elsewhere };
      if ('problem' in clean) {
        this.#refuse(given, clean);
        continue;
      }
      if (clean.droppedFragment) this.#fragments += 1;
      if (!this.#journal.add(clean.url)) this.#repeated += 1;
    }
  }

  /** Tells what was left out or changed. Throws UsageError that lists what can't be cleared, unless that is to be left out. */
  conclude(skipInvalid: boolean, context: Context): void {
    if (this.#bad > 0) {
      const hints = [...this.#problems];
      if (this.#bad > hints.length) hints.push(`and ${this.#bad - hints.length} more`);
      if (this.#isElsewhere) hints.push('URLs of other domains need --any-domain');
      if (!skipInvalid) {
        throw new UsageError(`${counted(this.#bad, 'line')} can't be cleared, and nothing was sent`, {
          code: 'invalid_input',
          hints,
        });
      }
      context.log.warn(`${counted(this.#bad, 'line')} left out as no URL to clear`, hints);
    }
    if (this.#repeated > 0)
      context.log.note(`${counted(this.#repeated, 'URL')} named more than once, cleared once`);
    if (this.#pasted > 0)
      context.log.note(
        `removed quotes, brackets or invisible characters around ${counted(this.#pasted, 'URL')}`,
      );
    if (this.#fragments > 0)
      context.log.note(`${counted(this.#fragments, 'fragment')} dropped: a cache never sees them`);
  }

  #cleaned(text: string): CleanUrl {
    const pasted = withoutPasteDamage(text);
    if ('problem' in pasted) return pasted;
    if (pasted.removed.length > 0) this.#pasted += 1;
    return cleanUrl(pasted.value, this.#domain);
  }

  #refuse(given: Given, { problem, elsewhere }: Extract<CleanUrl, { problem: string }>): void {
    this.#bad += 1;
    this.#isElsewhere ||= elsewhere === true;
    if (this.#problems.length === PROBLEMS_SHOWN) return;
    const place = typeof given.place === 'number' ? `line ${given.place}` : given.place;
    this.#problems.push(`${place}: ${shortened(given.text)} ${problem}`);
  }
}

/** For messages: not too long, and without the password that it may be refused for. */
function shortened(given: string): string {
  const text = given.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1***@');
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
