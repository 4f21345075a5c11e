import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import type { FileError } from '../../errors/index.ts';
import type { Sender } from '../../http/sender.ts';
import type { JsonRecord } from '../../json/index.ts';
import {
  type AnswerSource,
  answerReader,
  headline,
  nextSteps,
  type ReaderAnswer,
  type ReaderQuestion,
} from '../../operations/access/answer-reader.ts';
import { type Dates, localeFor, type Speech, withTerms } from '../../operations/access/decision-words.ts';
import {
  type Changes,
  changeLines,
  type Reply,
  replyIn,
  SeenBefore,
} from '../../operations/access/explain-reader.ts';
import { lookUpReader } from '../../operations/access/look-up-reader.ts';
import { languagesIn } from '../../operations/access/reply-templates.ts';
import type { Words } from '../../operations/access/words/words.ts';
import type { Context } from '../framework/context.ts';
import { gatewayName, lockMachine } from '../framework/lock-machine.ts';
import { handlesIn, languageNamed, siteFrom } from '../framework/reader-flags.ts';

/** Readers of a list that are remembered: a file each. */
const MOST_REMEMBERED = 1000;

/** What all answers of a command have in common. */
interface DeskFlags {
  readonly domain: string | undefined;
  readonly product: readonly string[];
  readonly item: readonly string[];
  readonly language: string | undefined;
}

/** The language of answers and replies: of `--language`, else of the locale where there are replies in it, else English. Throws UsageError. */
export async function languageFor(flag: string | undefined, { out, io }: Context): Promise<string> {
  if (flag !== undefined) return languageNamed(flag);
  const own = (await out.style()).locale?.tag.replace(/-.*$/, '') ?? '';
  return (await languagesIn(io)).includes(own) ? own : languageNamed();
}

/** Answers questions about readers, for a command line, for the prompt and for the page. */
export class SupportDesk {
  readonly site: Site;
  readonly sender: Sender;
  /** The language of the command line. */
  readonly language: string;
  readonly #flags: DeskFlags;
  readonly #context: Context;
  readonly #style: Pick<Dates, 'timeZone' | 'locale'>;
  readonly #gateway: string;
  #opened: Promise<SeenBefore> | undefined;
  #isWarned = false;

  private constructor(
    flags: DeskFlags,
    context: Context,
    parts: Pick<AnswerSource, 'site' | 'sender' | 'gateway' | 'language'> &
      Pick<Dates, 'timeZone' | 'locale'>,
  ) {
    this.#flags = flags;
    this.#context = context;
    this.site = parts.site;
    this.sender = parts.sender;
    this.language = parts.language;
    this.#gateway = parts.gateway;
    this.#style = { timeZone: parts.timeZone, locale: parts.locale };
  }

  /** Throws UsageError for bad flags. */
  static async open(flags: DeskFlags, context: Context): Promise<SupportDesk> {
    handlesIn(flags.product);
    const { timeZone, locale } = await context.out.style();
    return new SupportDesk(flags, context, {
      site: await siteFrom(flags.domain, context),
      sender: await context.gateway(),
      language: await languageFor(flags.language, context),
      gateway: await gatewayName(context),
      ...{ timeZone, locale },
    });
  }

  /** How answers are said now. */
  speech(words: Words): Speech {
    const { timeZone, locale } = this.#style;
    const dates = { timeZone, locale: localeFor(words, locale), now: this.#context.clock.now() };
    return { words, dates };
  }

  /** A reply in another language. Throws UsageError for a language without replies. */
  async replyIn(language: string, { about, product }: Reply): Promise<Reply> {
    const { domain } = this.site;
    return await replyIn(language, { about, product, domain }, lockMachine(this.#context));
  }

  /** The whole answer about a reader, with a reply in a language. Warns where the decisions cannot be remembered. */
  async answer(
    reader: Reader,
    {
      products = [],
      items = [],
      wrapped = new Map(),
      orders = [],
      asksRefund = false,
    }: Partial<ReaderQuestion>,
    language = this.language,
  ): Promise<ReaderAnswer> {
    const { product, item } = this.#flags;
    const named = [...new Set([...handlesIn(product), ...products])];
    const question = {
      products: named,
      items: [...new Set([...item, ...items])],
      named: [...named, ...item],
      ...{ wrapped, orders, asksRefund },
    };
    const answer = await answerReader(reader, question, {
      ...{ sender: this.sender, site: this.site, gateway: this.#gateway, language },
      machine: lockMachine(this.#context),
      now: this.#context.clock.now(),
    });
    await this.#warn(answer.changes.notStored);
    return answer;
  }

  async #warn(notStored: FileError | undefined): Promise<void> {
    if (notStored === undefined) return;
    const hints = await this.#context.hintsFor(notStored);
    this.#context.log.warn(`the decisions are not stored: ${notStored.message}`, hints);
  }

  async #warnOnce(notStored: FileError | undefined): Promise<void> {
    if (notStored === undefined || this.#isWarned) return;
    this.#isWarned = true;
    await this.#warn(notStored);
  }

  #seen(now: number): Promise<SeenBefore> {
    const about = { gateway: this.#gateway, domain: this.site.domain };
    this.#opened ??= SeenBefore.open(about, now, lockMachine(this.#context));
    return this.#opened;
  }

  /**
   * What is asked about each reader of a list: the answer in a sentence, what changed and what to do. A file is stored for each reader, so
   * that long lists are not remembered.
   */
  listQuestion(words: Words, more: readonly string[] = []) {
    const { product, item: items } = this.#flags;
    const { domain } = this.site;
    return {
      words,
      heading: words.list.readers(domain),
      look: async (reader: Reader, { size }: { readonly size: number }): Promise<ListedAnswer> => {
        const view = await lookUpReader(this.sender, this.site, reader, {
          products: [...handlesIn(product), ...more],
          items,
        });
        const nothing = { orders: [], asksRefund: false, isSession: false };
        const now = this.#context.clock.now();
        const changes =
          size > MOST_REMEMBERED ? undefined : await (await this.#seen(now)).explain(reader, view, now);
        await this.#warnOnce(changes?.notStored);
        return { ...nothing, domain, changes, view: withTerms(view, now) };
      },
      added: () => ({
        columns: [
          { key: 'products', title: words.labels.columns.products, kind: 'text' as const },
          { key: 'answer', title: words.labels.columns.answer, kind: 'text' as const },
          {
            key: 'changed',
            title: words.labels.columns.since,
            kind: 'text' as const,
            whenPresent: true,
          },
          { key: 'next', title: words.labels.columns.next, kind: 'text' as const },
        ],
        records: (answer: ListedAnswer): JsonRecord[] => [
          {
            products: answer.view.products.join(', '),
            answer: headline(answer, this.speech(words)).join(' '),
            changed: changedText(answer, words),
            next: nextSteps(answer, this.speech(words)).join('; '),
          },
        ],
      }),
      decisions: ({ view }: ListedAnswer) => [
        { name: null, reason: reasonWithout(view) },
        ...(view.isKnown ? view.decisions : []).map(({ product: name, access }) => ({
          name,
          reason: access.allowed ? undefined : (access.reasonCode ?? access.decision),
        })),
      ],
    };
  }
}

type ListedAnswer = Parameters<typeof nextSteps>[0] & { readonly changes: Changes | undefined };

/** What differs from the last time; null if nothing does, or nothing is known. */
function changedText({ changes }: ListedAnswer, words: Words): string | null {
  return changes === undefined || changes.changes.length === 0
    ? null
    : changeLines(changes, words).join('; ');
}

/** Undefined for a reader with access to any product that was asked about. */
function reasonWithout({ isKnown, decisions }: ListedAnswer['view']): string | undefined {
  if (decisions.some(({ access }) => access.allowed)) return undefined;
  return isKnown ? 'known' : 'unknown';
}
