import { isList, isRecord, type Json } from '../../json/index.ts';
import { isMailAddress, maskEmail } from './reader.ts';

/** An address within other text, also percent-encoded. Lengths are limited, so that the time is linear. */
export const ADDRESS_IN_TEXT =
  /(?:"[^"\n]{1,64}"|[^\s<>()[\]{}",;:=&?/\\|@]{1,64})(@|%40)((?:[\p{L}\p{N}_-]{1,63}\.){0,8}[\p{L}\p{N}_-]{1,63})/giu;

/** The same, but only with a domain that ends with letters: the folders in the stack of an error may have `@` and a version. */
export const FULL_ADDRESS =
  /[^\s<>()[\]{}'",;:=&?/\\|@]{1,64}(?:@|%40)(?:[\p{L}\p{N}_-]{1,63}\.){1,8}\p{L}{2,63}/giu;

/** Data with every e-mail address masked, also within longer texts and in names of fields. */
export function maskAddresses<T>(data: T): T;
export function maskAddresses(data: Json | undefined): Json | undefined {
  if (typeof data === 'string') return maskedText(data);
  if (isList(data)) return data.map(item => maskAddresses(item));
  if (!isRecord(data)) return data;
  const masked = new Map<string, Json | undefined>();
  for (const [name, value] of Object.entries(data))
    masked.set(unusedName(name, masked), maskAddresses(value));
  return Object.fromEntries(masked) as Json;
}

/** The masked name of a field: with a number, if another address has the same mask. */
function unusedName(name: string, used: ReadonlyMap<string, unknown>): string {
  const masked = maskedText(name);
  for (let number = 2, unused = masked; ; unused = `${masked} (${number++})`)
    if (!used.has(unused)) return unused;
}

function maskedText(text: string): string {
  if (isMailAddress(text)) return maskEmail(text);
  return text.replaceAll(
    ADDRESS_IN_TEXT,
    (address, at: string, host: string) => `${[...address][0]}***${at}${host}`,
  );
}
