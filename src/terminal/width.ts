import stringWidth from 'string-width';

/** A column each, and a character each: ASCII, Latin letters of all Europe, dashes, quotes and the ellipsis. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00a8\u00aa-\u00ac\u00af-\u024f\u2010-\u2019\u201c\u201d\u2026]*$/;

/** Made when a text needs it: it loads the tables of all scripts, which takes as long as starting Node. */
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Columns that the text takes on a terminal: CJK and emoji two, combining marks none; colour escapes count nothing. */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** Adds blanks after the text until it is `width` columns wide; a wider text stays as it is. Colours are allowed. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Adds blanks before the text until it is `width` columns wide; a wider text stays as it is. Colours are allowed. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

/**
 * The text in at most `width` columns: whole when it fits, else its beginning and `mark` (which must be narrower than
 * `width`, else the bare beginning). Never splits a character that a reader sees as one. Plain text only, no colours.
 */
export function cut(text: string, width: number, mark = '…'): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(mark);
  return room > 0 ? beginning(text, room) + mark : beginning(text, width);
}

/** As many whole characters from the front as fit into `width` columns. */
function beginning(text: string, width: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, width));
  let end = 0;
  let used = 0;
  for (const { segment, index } of graphemes(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/**
 * Lines of at most `width` columns, broken at blanks where there are any and inside a word where one is too long;
 * line breaks in the text are kept. A character wider than `width` gets a line of its own. Plain text only, no colours.
 */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap(line => wrapLine(line, Math.max(1, width)));
}

function wrapLine(text: string, width: number): string[] {
  if (displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (displayWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const parts = brokenWord(word, width);
    line = parts.pop() ?? '';
    for (const part of parts) lines.push(part);
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}

/** A word in parts of at most `width` columns, in one pass: a cell may be a megabyte long. A wider character is a part of its own. */
function brokenWord(word: string, width: number): string[] {
  if (PLAIN.test(word)) {
    const count = Math.ceil(word.length / width);
    return Array.from({ length: count }, (_, i) => word.slice(i * width, (i + 1) * width));
  }
  const parts: string[] = [];
  let [start, used] = [0, 0];
  for (const { segment, index } of graphemes(word)) {
    const columns = stringWidth(segment);
    if (used + columns > width && index > start) {
      parts.push(word.slice(start, index));
      [start, used] = [index, 0];
    }
    used += columns;
  }
  return [...parts, word.slice(start)];
}
