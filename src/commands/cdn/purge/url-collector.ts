import {
  assumedHttps,
  type CleanUrl,
  cleanUrl,
  hasNoScheme,
  mayBeSeveral,
} from '../../../apis/cdn/clean-url.ts';
import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { UsageError } from '../../../errors/index.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import { withoutPasteDamage } from '../../../terminal/paste-damage.ts';
import type { Context } from '../../framework/context.ts';

/** A URL to clear, as it was typed or listed. */
export interface UrlEntry {
  /** Where it stood, for messages: the number of its line, or `argument 7`. */
  readonly place: number | string;
  readonly text: string;
  /** Why it cannot be cleared, where that is known already. */
  readonly problem?: string;
  /** True where only its domain is the problem. */
  readonly elsewhere?: boolean;
}

const MAX_PROBLEMS_SHOWN = 20;

/** Cleans URLs, adds each to the journal once, and counts what was changed or rejected. */
export class UrlCollector {
  readonly #domain: string | undefined;
  readonly #journal: PurgeJournal;
  readonly #problems: string[] = [];
  #isRegisteredHost: ((host: string) => boolean) | undefined;
  #invalid = 0;
  #isElsewhere = false;
  #repeated = 0;
  #fragments = 0;
  #repaired = 0;
  #assumed = 0;
  #firstAssumed = '';
  #joined = 0;
  #firstJoined = '';

  /** `domain`, where set, is the only one that the URLs may be on. */
  constructor(domain: string | undefined, journal: PurgeJournal) {
    this.#domain = domain;
    this.#journal = journal;
  }

  /** Checks a block of entries and adds them to the journal. */
  async add(block: readonly UrlEntry[]): Promise<void> {
    if (this.#isRegisteredHost === undefined && block.some(({ text }) => hasNoScheme(text)))
      this.#isRegisteredHost = await this.#hostCheck();
    for (const entry of block) {
      const { problem, elsewhere = false } = entry;
      const clean: CleanUrl = problem === undefined ? this.#cleaned(entry.text) : { problem, elsewhere };
      if ('problem' in clean) {
        this.#reject(entry, clean);
        continue;
      }
      if (clean.droppedFragment) this.#fragments += 1;
      if (mayBeSeveral(clean.url)) {
        this.#firstJoined ||= shortened(clean.url);
        this.#joined += 1;
      }
      if (!this.#journal.add(clean.url)) this.#repeated += 1;
    }
  }

  /** Prints what was skipped or changed. Throws UsageError that lists the invalid entries, unless `skipInvalid`. */
  finish(skipInvalid: boolean, { log }: Context): void {
    if (this.#invalid > 0) {
      const hints = [...this.#problems];
      if (this.#invalid > hints.length) hints.push(`and ${this.#invalid - hints.length} more`);
      if (this.#isElsewhere) hints.push('URLs of other domains require --any-domain');
      const entries = pluralize(this.#invalid, 'invalid URL');
      if (!skipInvalid)
        throw new UsageError(`${entries}; nothing was sent`, { code: 'invalid_input', hints });
      log.warn(`skipped ${entries}`, hints);
    }
    if (this.#assumed > 0) {
      const more =
        this.#assumed > 1 ? ` and ${pluralize(this.#assumed - 1, 'more URL')} without a scheme` : '';
      log.note(`using ${this.#firstAssumed}${more}`);
    }
    if (this.#joined > 0) {
      const more = this.#joined > 1 ? ` and ${pluralize(this.#joined - 1, 'more URL')}` : '';
      log.warn(
        `${this.#firstJoined}${more} with ",/" counts as one URL; if it is a list, pass one URL per argument`,
      );
    }
    if (this.#repeated > 0) log.note(`skipped ${pluralize(this.#repeated, 'repeated URL')}`);
    if (this.#repaired > 0)
      log.note(`removed quotes, brackets or invisible characters around ${pluralize(this.#repaired, 'URL')}`);
    if (this.#fragments > 0)
      log.note(`removed ${pluralize(this.#fragments, 'fragment')}: fragments never reach a cache`);
  }

  /** Without a domain, only the list of public suffixes shows whether `news.html/a` begins with a host. */
  async #hostCheck(): Promise<(host: string) => boolean> {
    const domain = this.#domain;
    if (domain !== undefined) return host => host === domain || host.endsWith(`.${domain}`);
    const { isRegisteredHost } = await import('../../../apis/cdn/registered-host.ts');
    return isRegisteredHost;
  }

  #cleaned(text: string): CleanUrl {
    const pasted = withoutPasteDamage(text);
    if ('problem' in pasted) return pasted;
    if (pasted.removed.length > 0) this.#repaired += 1;
    if (this.#isRegisteredHost === undefined || !hasNoScheme(pasted.value))
      return cleanUrl(pasted.value, this.#domain);
    const clean = assumedHttps(pasted.value, this.#domain, this.#isRegisteredHost);
    if ('url' in clean) {
      this.#firstAssumed ||= clean.url;
      this.#assumed += 1;
    }
    return clean;
  }

  #reject(entry: UrlEntry, { problem, elsewhere }: Extract<CleanUrl, { problem: string }>): void {
    this.#invalid += 1;
    this.#isElsewhere ||= elsewhere === true;
    if (this.#problems.length === MAX_PROBLEMS_SHOWN) return;
    const place = typeof entry.place === 'number' ? `line ${entry.place}` : entry.place;
    this.#problems.push(`${place}: ${shortened(entry.text)} ${problem}`);
  }
}

/** For messages: without a password, and at most 120 characters long. */
function shortened(entry: string): string {
  const text = entry.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1***@');
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
