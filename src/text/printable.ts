/**
 * Escapes text from outside for terminals, so that it cannot move the cursor, change colours, ring the bell, reorder text or hide
 * it.
 */

const PLAIN = /^[\x20-\x7e]*$/;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Scripts in which the zero-width joiner and non-joiner change the form of letters. */
const JOINING = [
  'Arab',
  'Syrc',
  'Mong',
  'Deva',
  'Beng',
  'Guru',
  'Gujr',
  'Orya',
  'Taml',
  'Telu',
  'Knda',
  'Mlym',
]
  .concat(['Sinh', 'Mymr', 'Khmr'])
  .map(script => `\\p{Script=${script}}`)
  .join('');

const VISIBLE = [
  // Emoji come first: many contain a joiner, a variation selector or tag characters, which are escaped elsewhere.
  String.raw`\p{RGI_Emoji}`,
  String.raw`\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)+`,
  `(?<=[${JOINING}]\\p{M}*)[\\u200c\\u200d](?=[${JOINING}])`,
  // A variation selector directly after the character it applies to.
  String.raw`(?<=[\p{L}\p{N}\p{P}\p{S}])[\ufe00-\ufe0f]`,
  String.raw`(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]`,
].join('|');

/** Format characters that are displayed: number and verse signs of Arabic, Syriac and Kaithi. */
const DRAWN = String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`;

/** Controls (C0, DEL, C1), format characters (bidi, zero-width, tags), lone surrogates, line separators, fillers, noncharacters. */
const HIDDEN = String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]--${DRAWN}]`;

let scan: RegExp | undefined;

/** Compiled on first use, because that takes as long as starting Node. */
function scanner(): RegExp {
  scan ??= new RegExp(`${VISIBLE}|(${HIDDEN})`, 'gv');
  return scan;
}

/**
 * The text for one line or one cell, with control, bidi, zero-width and invalid characters as visible escapes (`\x1b`, `\u202e`,
 * `\n`). Letters of all scripts, combining marks and emoji do not change.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(scanner(), (match: string, hidden: string | undefined) =>
    hidden === undefined ? match : escaped(hidden),
  );
}

/** The index of the first character that `printable` would escape; undefined if there is none. */
export function firstHidden(text: string): number | undefined {
  if (PLAIN.test(text)) return undefined;
  for (const match of text.matchAll(scanner())) if (match[1] !== undefined) return match.index;
  return undefined;
}

/** Like `printable`, for text with several lines: line breaks (`\n`, `\r\n`) and tabs do not change. */
export function printableBlock(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, i) => (i % 2 === 1 ? part : printable(part)))
    .join('');
}

function escaped(char: string): string {
  const named = NAMED[char];
  if (named !== undefined) return named;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code > 0xffff) return `\\u{${hex}}`;
  return code <= 0xff ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
