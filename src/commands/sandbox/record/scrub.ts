import type { Pseudonyms } from './pseudonyms.ts';

/** Layers of encoding within one another that are decoded. */
const MAX_DEPTH = 5;

const PERCENT_PIECE = /[^/?&=;,#\s"'<>]*%[0-9a-f]{2}[^/?&=;,#\s"'<>]*/gi;
const BASE64_RUN = /[A-Za-z0-9+/_-]{8,}={0,2}/g;
const HEX_RUN = /(?:[0-9a-f]{2}){6,}/gi;
/** A word with escapes; a backslash before a quotation mark is not part of it. */
const ESCAPED_WORD =
  /[^\s"'<>\\]*(?:(?:\\+u[0-9a-f]{4}|\\+x[0-9a-f]{2}|\\+\/|&#x?[0-9a-f]+;|&\w+;|=[0-9A-F]{2})[^\s"'<>\\]*)+/gi;
/** The words around a line break. */
const FOLDED = /(?<!\S)\S+(?:[\r\n]\s*\S+)+/g;
/** Text, unlike most of what other bytes decode to. */
const READABLE = /[^\ufffd\p{Cc}]{6}/u;

/**
 * Replaces secrets in text: as they are, split by a line break, and within percent-encoding, base64, hexadecimal digits and escapes, in
 * any nesting.
 */
export function scrubText(text: string, pseudonyms: Pseudonyms, depth = 0): string {
  const replaced = pseudonyms.replace(text);
  if (depth === MAX_DEPTH) return replaced;
  const scrub = (inner: string) => scrubText(inner, pseudonyms, depth + 1);
  const isDirty = (decoded: string | undefined) => decoded !== undefined && scrub(decoded) !== decoded;
  const isSplit = (folded: string) => pseudonyms.hasSecret(folded.replaceAll(/[\r\n]\s*/g, ''));
  return replaced
    .replace(FOLDED, folded => (isSplit(folded) ? pseudonyms.opaque(folded) : folded))
    .replace(PERCENT_PIECE, piece => {
      const decoded = percentDecoded(piece);
      const clean = scrub(decoded);
      return clean === decoded ? piece : encodeURIComponent(clean);
    })
    .replace(ESCAPED_WORD, word => (unescaped(word).some(isDirty) ? pseudonyms.opaque(word) : word))
    .replace(BASE64_RUN, run => (base64Decoded(run).some(isDirty) ? pseudonyms.opaque(run) : run))
    .replace(HEX_RUN, run => (isDirty(Buffer.from(run, 'hex').toString()) ? pseudonyms.opaque(run) : run));
}

/** Replaces secrets and ids in a value by the name of its field. */
export function scrubField(name: string, value: string, pseudonyms: Pseudonyms): string {
  if (value === '') return value;
  if (SECRET_NAME.test(name)) return pseudonyms.token(value);
  if (EMAIL_NAME.test(name)) return pseudonyms.email(value);
  if (isId(name, value)) return pseudonyms.id(value);
  if (DOMAIN_NAME.test(name)) pseudonyms.addDomain(value);
  return scrubJson(value, pseudonyms) ?? scrubText(value, pseudonyms);
}

const SECRET_NAME =
  /(?:api|developer|access|private)[-_]?key$|token$|secret$|password$|^authorization$|^jwt$/i;
const EMAIL_NAME = /^(?:.*[-_])?e-?mail(?:[-_]?address)?$|Email$/i;
const DOMAIN_NAME = /^(?:domain|site|host)(?:[-_]?name)?$/i;
const ID_NAME = /^(?:[iI][dD]|ID)s?$|^u?uid$|_ids?$|[a-z]I[dD]s?$/;
/** A constant, such as BASE_LAST_7. */
const CONSTANT = /^[A-Za-z]+$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

function isId(name: string, value: string): boolean {
  return ID_NAME.test(name) && /\d/.test(value) && /^[\w-]+$/.test(value) && !CONSTANT.test(value);
}

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[[\]{}:,]/g;

/**
 * Replaces secrets and ids in JSON, and nothing else: numbers have all their digits, and blanks and the order of members stay. Undefined
 * for text that is no JSON object or list.
 */
export function scrubJson(text: string, pseudonyms: Pseudonyms): string | undefined {
  if (!/^\s*[[{]/.test(text) || !isJson(text)) return undefined;
  /** The name of the member whose value follows, for each open object or list. */
  const names: string[] = [];
  const isObject: boolean[] = [];
  let expectsName = false;
  return text.replaceAll(JSON_TOKEN, token => {
    const depth = names.length - 1;
    switch (token) {
      case '{':
      case '[':
        // The items of a list have the name of its member.
        names.push(names[depth] ?? '');
        isObject.push(token === '{');
        expectsName = token === '{';
        return token;
      case '}':
      case ']':
        names.pop();
        isObject.pop();
        return token;
      case ',':
        expectsName = isObject[depth] ?? false;
        return token;
      case ':':
        expectsName = false;
        return token;
    }
    if (!token.startsWith('"')) return scrubNumber(names[depth] ?? '', token, pseudonyms);
    const value: string = JSON.parse(token);
    if (!expectsName) return rewritten(token, value, scrubField(names[depth] ?? '', value, pseudonyms));
    names[depth] = value;
    // A member named by digits is that of a map by ids.
    return rewritten(token, value, /^\d+$/.test(value) ? pseudonyms.id(value) : scrubText(value, pseudonyms));
  });
}

const rewritten = (token: string, value: string, scrubbed: string) =>
  scrubbed === value ? token : JSON.stringify(scrubbed);

function scrubNumber(name: string, digits: string, pseudonyms: Pseudonyms): string {
  if (ID_NAME.test(name) && /^[1-9]\d*$/.test(digits)) return pseudonyms.id(digits);
  // A key may consist of digits.
  return pseudonyms.replace(digits) === digits ? digits : '0';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function percentDecoded(piece: string): string {
  const bytes = piece.replaceAll(/%([0-9a-f]{2})|[^%]/gi, (character, code: string | undefined) =>
    code === undefined
      ? Buffer.from(character).toString('latin1')
      : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  commat: '@',
  period: '.',
  plus: '+',
  lowbar: '_',
};

/** The texts that a word may encode, by the escapes of JSON, JavaScript and HTML, and by those of quoted-printable text. */
function unescaped(word: string): string[] {
  const character = (digits: string, radix: number) => {
    const code = Number.parseInt(digits, radix);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  };
  const plain = word
    .replaceAll(/\\+u([0-9a-f]{4})|\\+x([0-9a-f]{2})/gi, (_, one = '', two = '') => character(one + two, 16))
    .replaceAll(/\\+\//g, '/')
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, digits) => character(digits, 16))
    .replaceAll(/&#(\d+);/g, (_, digits) => character(digits, 10))
    .replaceAll(/&(\w+);/g, (entity, name) => ENTITIES[name] ?? entity);
  const printable = (text: string) =>
    text.replaceAll(/=([0-9A-F]{2})/g, (_, digits) => character(digits, 16));
  return [plain, printable(plain), printable(word)];
}

/**
 * The texts that a run of characters may encode in base64, as UTF-8 or as UTF-16, which programs for Windows write; the encoded text may
 * start up to three characters in, and UTF-16 at any byte.
 */
function base64Decoded(run: string): string[] {
  return [0, 1, 2, 3]
    .flatMap(offset => {
      const bytes = Buffer.from(run.slice(offset), 'base64');
      return [bytes.toString('utf8'), bytes.toString('utf16le'), bytes.subarray(1).toString('utf16le')];
    })
    .filter(decoded => READABLE.test(decoded));
}
