import { isList, isRecord, type Json } from '../../json/index.ts';
import { isMailAddress, maskEmail } from './reader.ts';

/** An address within other text, also percent-encoded. Lengths are limited, so that the time is linear. */
export const ADDRESS_IN_TEXT =
  /(?:"[^"\n]{1,64}"|[^\s<>()[\]{}",;:=&?/\\|@]{1,64})(@|%40)((?:[\p{L}\p{N}_-]{1,63}\.){0,8}[\p{L}\p{N}_-]{1,63})/giu;

/** Data with every e-mail address masked, also within longer texts and in names of fields. */
export function maskAddresses<T>(data: T): T;
export function maskAddresses(data: Json | undefined): Json | undefined {
  if (typeof data === 'string') return maskedText(data);
  if (isList(data)) return data.map(item => maskAddresses(item));
  if (!isRecord(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [maskedText(name), maskAddresses(value)]),
  );
}

function maskedText(text: string): string {
  if (isMailAddress(text)) return maskEmail(text);
  return text.replaceAll(
    ADDRESS_IN_TEXT,
    (address, at: string, host: string) => `${[...address][0]}***${at}${host}`,
  );
}
