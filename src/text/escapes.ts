/**
 * The kinds of escapes in which servers, proxies and mail programs repeat a text. Each is undone by itself, in any nesting, because a text
 * may look like an escape of another kind.
 */
const KINDS: readonly RegExp[] = [
  // Percent-encoding.
  /%[0-7][\da-f]|(?:%[89a-f][\da-f])+/gi,
  // JSON, JavaScript and `printable`.
  /\\{1,8}(?:u\{[\da-f]{1,6}\}|u[\da-f]{4}|x[\da-f]{2}|["'\\/nrt])/gi,
  // HTML.
  /&(?:#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,6});/gi,
  // Quoted-printable.
  /=[0-7][\da-f]|(?:=[89a-f][\da-f])+|=\r?\n/gi,
  // Lines that were folded.
  /[\r\n]\s*/g,
];
/** Escapes within one another that are undone. */
const MAX_DEPTH = 5;
const MAX_READINGS = 64;

const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", commat: '@', period: '.', plus: '+', lowbar: '_' },
  ...{ sol: '/', equals: '=', num: '#', percnt: '%', colon: ':', excl: '!', dollar: '$', hyphen: '-' },
};
const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** A text as it may be meant, with the place of each part in the text that was read. */
interface Reading {
  readonly text: string;
  /** The range of the original that stands for `[from, to)`. */
  place(from: number, to: number): readonly [number, number];
}

/** The text itself, and every other text that it may stand for. */
export function readingsOf(text: string): readonly Reading[] {
  const readings: Reading[] = [{ text, place: (from, to) => [from, to] }];
  const known = new Set([text]);
  let newest: readonly Reading[] = readings;
  for (let depth = 0; depth < MAX_DEPTH && newest.length > 0; depth += 1) {
    const next = newest.flatMap(reading => KINDS.flatMap(kind => unescaped(reading, kind) ?? []));
    newest = next
      .filter(reading => !known.has(reading.text) && known.add(reading.text))
      .slice(0, MAX_READINGS - readings.length);
    readings.push(...newest);
  }
  return readings;
}

/** Undoes one kind of escapes; undefined if there is none. */
function unescaped(reading: Reading, kind: RegExp): Reading | undefined {
  const { text } = reading;
  /** Where each escape ends, in the new text and in the old one. */
  const ends: { readonly at: number; readonly before: number; readonly length: number }[] = [];
  let written = '';
  let from = 0;
  for (const { 0: found, index } of text.matchAll(kind)) {
    const meant = meaningOf(found);
    if (meant === undefined) continue;
    written += text.slice(from, index) + meant;
    from = index + found.length;
    ends.push({ at: written.length, before: from, length: meant.length });
  }
  if (ends.length === 0) return undefined;
  /** The range of the old text for one character of the new one. */
  const rangeOf = (offset: number): readonly [number, number] => {
    const next = firstAfter(ends, offset);
    const { at, before } = ends[next - 1] ?? { at: 0, before: 0 };
    const last = ends[next];
    const start = before + offset - at;
    if (last === undefined || offset < last.at - last.length) return [start, start + 1];
    return [before + last.at - last.length - at, last.before];
  };
  return {
    text: written + text.slice(from),
    place: (from, to) => reading.place(rangeOf(from)[0], rangeOf(to - 1)[1]),
  };
}

/** The index of the first escape that ends after an offset. */
function firstAfter(ends: readonly { readonly at: number }[], offset: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle]?.at ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

function textOfHex(digits: string): string {
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], pair => Number.parseInt(pair, 16));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function meaningOf(sequence: string): string | undefined {
  switch (sequence.charAt(0)) {
    case '%':
    case '=':
      return textOfHex(sequence.replaceAll(/[%=\r\n]/g, ''));
    case '\\': {
      const [, digits, letter = ''] = /^\\+(?:[ux]\{?([\da-f]+)\}?|(.))$/i.exec(sequence) ?? [];
      return digits === undefined ? (LETTERS[letter] ?? letter) : character(Number.parseInt(digits, 16));
    }
    case '&': {
      const [, hex, decimal, name = ''] = /^&(?:#x(.+)|#(.+)|(.+));$/i.exec(sequence) ?? [];
      if (hex !== undefined) return character(Number.parseInt(hex, 16));
      return decimal === undefined ? NAMED[name.toLowerCase()] : character(Number(decimal));
    }
    default:
      return '';
  }
}

function character(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
