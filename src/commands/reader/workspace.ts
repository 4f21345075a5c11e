import { maskAddresses } from '../../apis/subscriptions/mask-addresses.ts';
import {
  type PastedText,
  readPaste,
  type Taken,
  withDecodedMail,
} from '../../apis/subscriptions/pasted-text.ts';
import { type Reader, readerByEmail } from '../../apis/subscriptions/reader.ts';
import { PartialError } from '../../errors/index.ts';
import { missingArgument } from '../../errors/usage.ts';
import type { Json } from '../../json/index.ts';
import type { ReaderAnswer } from '../../operations/access/answer-reader.ts';
import { wordsIn } from '../../operations/access/words/in-language.ts';
import type { Words } from '../../operations/access/words/words.ts';
import { printableBlock } from '../../text/printable.ts';
import type { Context } from '../framework/context.ts';
import { listSource } from '../framework/file-arguments.ts';
import { withoutReader } from '../framework/pasted-readers.ts';
import { languageNamed, redactReader, shownReader } from '../framework/reader-flags.ts';
import { type AnswerSection, answerSections } from './answer-sections.ts';
import type { SupportDesk } from './support-desk.ts';

/** What the workspace shows. */
export interface Shown {
  readonly sections: readonly AnswerSection[];
  /** What to send to the reader; undefined for a list. */
  readonly reply: string | undefined;
  /** What was taken from the text, in a sentence. */
  readonly taken: string | undefined;
}

type Question = Pick<PastedText, 'items' | 'wrapped' | 'products' | 'orders' | 'asksRefund'>;

/**
 * A place to work: one question after the other, about readers or lists. It knows the last one, in memory only, so that it can be asked
 * again, or asked about a page that is pasted later.
 */
export class Workspace {
  readonly #desk: SupportDesk;
  readonly #context: Context;
  #language: string;
  #words: Words;
  #last: { readonly reader: Reader; readonly question: Question; answer: ReaderAnswer } | undefined;
  /** Whether the last answer is shown; not after a text that could not be answered. */
  #isShown = false;
  #list: { readonly sections: readonly AnswerSection[] } | undefined;

  private constructor(desk: SupportDesk, context: Context, words: Words) {
    this.#desk = desk;
    this.#context = context;
    this.#language = desk.language;
    this.#words = words;
  }

  /** In the language of the command line. */
  static async open(desk: SupportDesk, context: Context): Promise<Workspace> {
    return new Workspace(desk, context, await wordsIn(desk.language));
  }

  get words(): Words {
    return this.#words;
  }

  /**
   * The language of the answer that is shown and of those from here on; a list that is shown keeps its own. Throws UsageError for no code
   * of a language, and for one without replies.
   */
  async speak(language: string): Promise<void> {
    const code = languageNamed(language);
    if (code === this.#language) return;
    if (this.#last !== undefined) {
      const { answer } = this.#last;
      this.#last = {
        ...this.#last,
        answer: { ...answer, reply: await this.#desk.replyIn(code, answer.reply) },
      };
    }
    this.#words = await wordsIn(code);
    this.#language = code;
  }

  /** Answers a text; an empty one asks the last question again. Throws UsageError for a text that names nothing, and errors of requests. */
  async ask(text: string, isMasked: boolean): Promise<Shown> {
    this.#isShown = false;
    this.#list = undefined;
    if (text.trim() === '') return await this.#again(isMasked);
    const path = text.includes('\n') ? undefined : listSource(text.trim());
    if (path !== undefined && path !== '-') return await this.list({ fromFile: path }, [], isMasked);
    const pasted = readPaste(await withDecodedMail(text), this.#desk.site.domain);
    const { emails, taken, products, items } = pasted;
    const said = this.#words;
    if (emails.length > 1) {
      const source = { fromFile: said.list.text, content: Buffer.from(emails.join('\n')) };
      return { ...(await this.list(source, products, isMasked)), taken: taken && said.took(taken) };
    }
    const reader = emails[0] === undefined ? this.#last?.reader : readerByEmail(emails[0]);
    // An order number alone may be that of anybody.
    const isNamed = emails.length > 0 || [...items, ...products].length > 0;
    if (reader === undefined || !isNamed || pasted.problem !== undefined)
      throw withoutReader(pasted, text, said);
    redactReader(reader, this.#context);
    return await this.#answer(reader, pasted, isMasked, this.#tookText(taken, products, emails.length === 0));
  }

  #tookText(taken: Taken | undefined, products: readonly string[], isSame: boolean): string | undefined {
    const { took, tookProducts, forSameReader } = this.#words;
    if (!isSame) return taken && took(taken);
    return forSameReader(taken === undefined ? tookProducts(products) : took(taken));
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
      this.#desk.listQuestion(this.#words, products),
      this.#context,
    );
    const rows: Json[] = [];
    for await (const row of list.rows) rows.push(row);
    // A reader that could not be looked up is a row with the reason.
    await list.finish().catch(error => {
      if (!(error instanceof PartialError)) throw error;
    });
    const { heading, columns, words } = list;
    const view = { columns, introduction: [...list.notes, ...list.sentences(words)] };
    this.#last = undefined;
    this.#isShown = true;
    this.#list = { sections: [{ title: heading, data: rows, view }] };
    return this.shown(isMasked) ?? NOTHING;
  }

  /** What is shown now, with addresses or without them; undefined if there is nothing. */
  shown(isMasked: boolean, taken?: string): Shown | undefined {
    if (this.#last !== undefined && this.#isShown) {
      const answer = isMasked ? maskAddresses(this.#last.answer) : this.#last.answer;
      const shown = shownReader(this.#last.reader, isMasked);
      return {
        sections: answerSections(answer, shown, this.#desk.speech(this.#words)),
        reply: printableBlock(answer.reply.text),
        taken,
      };
    }
    if (this.#list === undefined) return undefined;
    const sections = isMasked ? maskAddresses(this.#list.sections) : this.#list.sections;
    return { sections, reply: undefined, taken };
  }

  async #again(isMasked: boolean): Promise<Shown> {
    const { problems } = this.#words;
    if (this.#last === undefined) throw missingArgument(problems.nothingToRepeat, problems.pasteAddress);
    const { reader, question } = this.#last;
    return await this.#answer(reader, question, isMasked, undefined);
  }

  async #answer(
    reader: Reader,
    question: Question,
    isMasked: boolean,
    taken: string | undefined,
  ): Promise<Shown> {
    const answer = await this.#desk.answer(reader, question, this.#language);
    this.#last = { reader, question, answer };
    this.#isShown = true;
    return this.shown(isMasked, taken) ?? NOTHING;
  }
}

const NOTHING: Shown = { sections: [], reply: undefined, taken: undefined };
