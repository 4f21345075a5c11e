import { maskAddresses } from '../../apis/subscriptions/mask-addresses.ts';
import { type PastedText, readPaste } from '../../apis/subscriptions/pasted-text.ts';
import { type Reader, readerByEmail } from '../../apis/subscriptions/reader.ts';
import { PartialError } from '../../errors/index.ts';
import { missingArgument } from '../../errors/usage.ts';
import type { Json } from '../../json/index.ts';
import type { ReaderAnswer } from '../../operations/access/answer-reader.ts';
import { printableBlock } from '../../text/printable.ts';
import type { Context, OutputSection } from '../framework/context.ts';
import { listSource } from '../framework/file-arguments.ts';
import { withoutReader } from '../framework/pasted-readers.ts';
import { languageNamed, redactReader, shownReader } from '../framework/reader-flags.ts';
import { answerSections } from './answer-sections.ts';
import type { SupportDesk } from './support-desk.ts';

/** What the workspace shows. */
interface Shown {
  readonly sections: readonly OutputSection[];
  /** What to send to the reader; undefined for a list. */
  readonly reply: string | undefined;
  /** What was taken from the text. */
  readonly taken: string | undefined;
}

type Question = Pick<PastedText, 'items' | 'products' | 'orders' | 'asksRefund'>;

/**
 * A place to work: one question after the other, about readers or lists. It knows the last one, in memory only, so that it can be asked
 * again, or asked about a page that is pasted later.
 */
export class Workspace {
  readonly #desk: SupportDesk;
  readonly #context: Context;
  #last: { readonly reader: Reader; readonly question: Question; answer: ReaderAnswer } | undefined;
  /** Whether the last answer is shown; not after a text that could not be answered. */
  #isShown = false;
  #list: { readonly sections: readonly OutputSection[] } | undefined;

  constructor(desk: SupportDesk, context: Context) {
    this.#desk = desk;
    this.#context = context;
  }

  get domain(): string {
    return this.#desk.site.domain;
  }

  get language(): string {
    return this.#desk.language;
  }

  /** The language of the replies from here on. Throws UsageError for no code of one. */
  speak(language: string): void {
    this.#desk.language = languageNamed(language);
  }

  /** Answers a text; an empty one asks the last question again. Throws UsageError for a text that names nothing, and errors of requests. */
  async ask(text: string, isMasked: boolean): Promise<Shown> {
    this.#isShown = false;
    this.#list = undefined;
    if (text.trim() === '') return await this.#again(isMasked);
    const path = text.includes('\n') ? undefined : listSource(text.trim());
    if (path !== undefined && path !== '-') return await this.list({ fromFile: path }, [], isMasked);
    const pasted = readPaste(text, this.domain);
    const { emails, taken, products, items } = pasted;
    if (emails.length > 1) {
      const content = Buffer.from(emails.join('\n'));
      return { ...(await this.list({ fromFile: 'the text', content }, products, isMasked)), taken };
    }
    const reader = emails[0] === undefined ? this.#last?.reader : readerByEmail(emails[0]);
    // An order number alone may be that of anybody.
    const isNamed = emails.length > 0 || [...items, ...products].length > 0;
    if (reader === undefined || !isNamed || pasted.problem !== undefined) throw withoutReader(pasted, text);
    redactReader(reader, this.#context);
    const isSame = emails.length === 0;
    const what = taken ?? products.map(product => `+${product}`).join(' ');
    return await this.#answer(reader, pasted, isMasked, isSame ? `${what}, for the same reader` : taken);
  }

  /** Looks up the readers of a list: of a file, or of its content. Throws UsageError for one that cannot be used. */
  async list(
    source: { readonly fromFile: string; readonly content?: Uint8Array },
    products: readonly string[],
    isMasked: boolean,
  ): Promise<Shown> {
    const { lookUpList } = await import('../framework/reader-list.ts');
    const nothing = { emailColumn: undefined, encoding: undefined, concurrency: undefined };
    const flags = { ...nothing, failedFile: undefined, out: undefined, columns: undefined };
    const list = await lookUpList(
      { ...flags, ...source, skipInvalid: true, mask: false },
      this.#desk.listQuestion(products),
      this.#context,
    );
    const rows: Json[] = [];
    for await (const row of list.rows) rows.push(row);
    // A reader that could not be looked up is a row with the reason.
    await list.finish().catch(error => {
      if (!(error instanceof PartialError)) throw error;
    });
    const { heading, columns } = list;
    const view = { columns, introduction: [...list.notes, ...list.sentences()] };
    this.#last = undefined;
    this.#isShown = true;
    this.#list = { sections: [{ title: heading, data: rows, view }] };
    return this.shown(isMasked) ?? { sections: [], reply: undefined, taken: undefined };
  }

  /** What is shown now, with addresses or without them; undefined if there is nothing. */
  shown(isMasked: boolean, taken?: string): Shown | undefined {
    if (this.#last !== undefined && this.#isShown) {
      const answer = isMasked ? maskAddresses(this.#last.answer) : this.#last.answer;
      const shown = shownReader(this.#last.reader, isMasked);
      return {
        sections: answerSections(answer, shown, this.#desk.dates),
        reply: printableBlock(answer.reply.text),
        taken,
      };
    }
    if (this.#list === undefined) return undefined;
    const sections = isMasked ? maskAddresses(this.#list.sections) : this.#list.sections;
    return { sections, reply: undefined, taken };
  }

  async #again(isMasked: boolean): Promise<Shown> {
    if (this.#last === undefined)
      throw missingArgument('there is no reader to look up again', 'type or paste an address');
    const { reader, question } = this.#last;
    return await this.#answer(reader, question, isMasked, undefined);
  }

  async #answer(
    reader: Reader,
    question: Question,
    isMasked: boolean,
    taken: string | undefined,
  ): Promise<Shown> {
    const answer = await this.#desk.answer(reader, question);
    this.#last = { reader, question, answer };
    this.#isShown = true;
    return this.shown(isMasked, taken) ?? { sections: [], reply: undefined, taken };
  }
}
