import { isList, isRecord, type Json } from '../../json/index.ts';
import { isMailAddress, maskEmail } from './reader.ts';

/** An address within other text, also percent-encoded. Lengths are limited, so that the time is linear. */
export const ADDRESS_IN_TEXT =
  /(?:"[^"\n]{1,64}"|[^\s<>()[\]{}",;:=&?/\\|@]{1,64})(@|%40)((?:[\p{L}\p{N}_-]{1,63}\.){0,8}[\p{L}\p{N}_-]{1,63})/giu;

/** The same, but only with a domain that ends with letters: the folders in the stack of an error may have `@` and a version. */
export const FULL_ADDRESS =
  /[^\s<>()[\]{}'",;:=&?/\\|@]{1,64}(?:@|%40)(?:[\p{L}\p{N}_-]{1,63}\.){1,8}\p{L}{2,63}/giu;

/** An address whose `@` is an escape of mail (quoted-printable), of HTML or of code. Only with a full domain: numbers stand in such places too. */
const ESCAPED_ADDRESS =
  /([^\s<>()[\]{}",;:=&?/\\|@]{1,64})(=40|&#64;|&#x40;|&commat;|\\x40|\\u0040)((?:[\p{L}\p{N}_-]{1,63}\.){1,8}\p{L}{2,63})/giu;

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
  return withoutCodedAddresses(text).replaceAll(
    ADDRESS_IN_TEXT,
    (address, at: string, host: string) => `${[...address][0]}***${at}${host}`,
  );
}

const MASK = '***';
/** Parts of an address of a page, of which one may have an address of mail in it. */
const PARTS = /[^\s/?&=#"'<>]+/g;

/** A text without the addresses that are in it in another form than as they are, or percent-encoded once: these remain. */
export function withoutCodedAddresses(text: string): string {
  const isHidden = (part: string) => {
    // What is encoded once is masked as it is.
    const plain = decoded(part);
    const twice = decoded(plain);
    return (
      hasCodedAddress(plain) ||
      hasCodedAddress(twice) ||
      (twice !== plain && twice.search(ADDRESS_IN_TEXT) >= 0)
    );
  };
  const readable = text
    .replaceAll(
      ESCAPED_ADDRESS,
      (_, name: string, at: string, host: string) => `${[...name][0]}***${at}${host}`,
    )
    .replaceAll(QUOTED, coded => (quotedText(coded).search(FULL_ADDRESS) >= 0 ? MASK : coded))
    .replaceAll(HEX, coded => (isAddressIn(coded, 'hex') ? MASK : coded));
  return BASE64.reduce(
    (shown, pattern) => shown.replaceAll(pattern, coded => (isAddressIn(coded, 'base64') ? MASK : coded)),
    readable,
  ).replaceAll(PARTS, part => (part.includes('%') && isHidden(part) ? MASK : part));
}

/** Whether there is an address in a text: as it is, with escapes, or as base64 or hexadecimal digits in it. */
export function namesAddress(text: string): boolean {
  const plain = decoded(text);
  return [text, plain, decoded(plain)].some(
    reading => reading.search(ADDRESS_IN_TEXT) >= 0 || hasCodedAddress(reading),
  );
}

/** In a path, a slash is most likely no part of it. */
const BASE64 = [/[\w+/-]{8,}/g, /[\w+-]{8,}/g];
const HEX = /(?:[\da-f]{2}){6,}/gi;
/** A word with quoted-printable escapes in it. */
const QUOTED = /(?:[\w.+-]|=[\da-f]{2}){0,200}=[\da-f]{2}(?:[\w.+-]|=[\da-f]{2}){1,200}/gi;

function hasCodedAddress(text: string): boolean {
  const found = (pattern: RegExp, isAddress: (coded: string) => boolean) =>
    [...text.matchAll(pattern)].some(([coded]) => isAddress(coded));
  return (
    text.search(ESCAPED_ADDRESS) >= 0 ||
    found(QUOTED, coded => quotedText(coded).search(FULL_ADDRESS) >= 0) ||
    found(HEX, coded => isAddressIn(coded, 'hex')) ||
    BASE64.some(pattern => found(pattern, coded => isAddressIn(coded, 'base64')))
  );
}

/** Most words decode to bytes that are no text. */
function isAddressIn(coded: string, encoding: 'base64' | 'hex'): boolean {
  const text = Buffer.from(coded, encoding).toString();
  return !/[\ufffd\p{Cc}]/u.test(text) && text.search(FULL_ADDRESS) >= 0;
}

function quotedText(coded: string): string {
  return coded.replace(/=([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** A text without percent-escapes; unchanged where they are damaged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
