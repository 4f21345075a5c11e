import { type PastedText, readPaste, withDecodedMail } from '../../apis/subscriptions/pasted-text.ts';
import { type Reader, readerByEmail } from '../../apis/subscriptions/reader.ts';
import { UsageError } from '../../errors/index.ts';
import { invalidValue, missingArgument } from '../../errors/usage.ts';
import { ENGLISH } from '../../operations/access/words/english.ts';
import type { Words } from '../../operations/access/words/words.ts';
import { pasteError } from '../../terminal/paste-damage.ts';
import type { Log } from './context.ts';
import { isRegularFile } from './file-arguments.ts';

/** Whom the command line names, and what else a pasted text has. */
export interface NamedReaders
  extends Pick<PastedText, 'items' | 'wrapped' | 'products' | 'orders' | 'asksRefund'> {
  readonly readers: readonly [Reader, ...Reader[]];
}

export type EmailReaders = readonly [ReturnType<typeof readerByEmail>, ...ReturnType<typeof readerByEmail>[]];

/** The readers of a text, with a note of what was taken from it. Throws UsageError where it has none. */
export async function readersInText(
  text: string,
  domain: string | undefined,
  { log }: { readonly log: Log },
  words: Words = ENGLISH,
): Promise<NamedReaders & { readonly readers: EmailReaders }> {
  const pasted = readPaste(await withDecodedMail(text), domain);
  const [first, ...others] = pasted.emails.map(email => readerByEmail(email));
  if (first === undefined) throw withoutReader(pasted, text, words);
  if (pasted.taken !== undefined) log.note(words.took(pasted.taken), words.note);
  return { ...pasted, readers: [first, ...others] };
}

/** Several words as one text. Throws UsageError for a word that names nothing. */
export function pastedWords(words: readonly string[]): string {
  const isSomething = (word: string) => {
    const { emails, items, products, orders, problem } = readPaste(word);
    return problem !== undefined || [...emails, ...items, ...products, ...orders].length > 0;
  };
  const at = words.findIndex(word => !isSomething(word));
  if (at < 0) return words.join(' ');
  throw invalidValue(
    `word ${at + 1} is neither an e-mail address nor a page`,
    'for a product, type --product HANDLE',
    'quote a text with blanks in it; for several readers, type @FILE',
  );
}

/** What to do about a text in which there is no address. */
export function withoutReader(
  { problem, items, orders, taken }: PastedText,
  text: string,
  { problems: said }: Words,
): Error {
  if (problem !== undefined) return pasteError('EMAIL', problem);
  const path = text.trim();
  if (isRegularFile(path)) return invalidValue(`${path} is a file`, `for the readers in it, type @${path}`);
  if (text.trim() === '') return invalidValue('EMAIL is empty', 'give it a value, or omit it');
  if (taken === undefined || (items.length === 0 && orders.length === 0)) return invalidReader(text, said);
  return missingArgument(said.namesNoReader(taken), orders.length > 0 ? said.askForAddress : said.addAddress);
}

function invalidReader(text: string, said: Words['problems']): Error {
  try {
    readerByEmail(text);
  } catch (error) {
    if (error instanceof UsageError && error.reason !== 'not_an_address') return error;
  }
  return invalidValue(said.notAnAddress, said.typeAddress);
}
