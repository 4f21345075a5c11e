import { UsageError } from '../errors/index.ts';
import { firstHidden } from '../text/printable.ts';

/** A pasted value with its ends cleaned, or the problem inside it. */
type Pasted =
  | {
      readonly value: string;
      /** The removed characters, each listed once, without plain blanks. */
      readonly removed: readonly string[];
    }
  | {
      /** `contains U+200B (zero width space) at character 7`. */
      readonly problem: string;
    };

/** Printable ASCII that does not start with a quote or angle bracket. */
const UNDAMAGED = /^(?!["'`<])[\x21-\x7e]*$/;
const CURLY = '\\u2018-\\u201f\\u2039\\u203a\\xab\\xbb';
/** All Unicode spaces, and characters that are not displayed. */
const INVISIBLE = '\\p{Zs}\\p{Zl}\\p{Zp}\\p{Cc}\\p{Cf}';
const AT_START = new RegExp(`^[${CURLY}${INVISIBLE}]+`, 'u');
const AT_END = new RegExp(`[${CURLY}${INVISIBLE}]+$`, 'u');
const PAIRS = ['""', "''", '``', '<>'];
/** Special spaces and typographic double quotes. */
const FOREIGN = /[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000\u201c-\u201f]/u;

const NAMES: Readonly<Record<string, string>> = {
  '\xa0': 'no-break space',
  '\xad': 'soft hyphen',
  '\xab': 'left guillemet',
  '\xbb': 'right guillemet',
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2018': 'left single quotation mark',
  '\u2019': 'right single quotation mark',
  '\u201c': 'left double quotation mark',
  '\u201d': 'right double quotation mark',
  '\u201e': 'low double quotation mark',
  '\u202e': 'right-to-left override',
  '\u2060': 'word joiner',
  '\ufeff': 'byte order mark',
};

/**
 * The rule for all pasted values: addresses, URLs, domains, handles and keys. Removes curly quotes, invisible characters and paired
 * quotes or angle brackets from the ends. Inside the value they are a problem, because the intended value is unknown.
 */
export function withoutPasteDamage(text: string): Pasted {
  if (UNDAMAGED.test(text)) return { value: text, removed: [] };
  const removed = new Set<string>();
  let value = text;
  for (let before = ''; before !== value; ) {
    before = value;
    for (const end of [AT_START, AT_END])
      value = value.replace(end, damage => {
        for (const char of damage) if (!/[ \t\r\n]/.test(char)) removed.add(char);
        return '';
      });
    const pair = PAIRS.find(([open = '', close = '']) => value.startsWith(open) && value.endsWith(close));
    if (pair === undefined || value.length < 2) continue;
    for (const char of pair) removed.add(char);
    value = value.slice(1, -1);
  }
  const at = damageInside(value);
  if (at === undefined) return { value, removed: [...removed].map(named) };
  const char = String.fromCodePoint(value.codePointAt(at) ?? 0);
  return { problem: `contains ${named(char)} at character ${[...value.slice(0, at)].length + 1}` };
}

function damageInside(value: string): number | undefined {
  const foreign = value.search(FOREIGN);
  const hidden = firstHidden(value);
  if (foreign < 0 || hidden === undefined) return foreign < 0 ? hidden : foreign;
  return Math.min(foreign, hidden);
}

/** `U+200B (zero width space)`, or the character itself if it is ASCII. */
function named(char: string): string {
  if (/[\x21-\x7e]/.test(char)) return char;
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const name = NAMES[char];
  return name === undefined ? `U+${code}` : `U+${code} (${name})`;
}

/** The note about removed characters. It does not contain the value, which may be a secret. */
export function pasteNote(where: string, removed: readonly string[]): string {
  return `removed ${removed.join(', ')} around ${where}`;
}

/** The error for damage inside a value. */
export function pasteError(where: string, problem: string): UsageError {
  return new UsageError(`${where} ${problem}`, {
    code: 'invalid_value',
    reason: 'damaged_by_pasting',
  });
}
