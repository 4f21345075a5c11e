import stringWidth from 'string-width';

/** Characters of one code unit and one column: ASCII, European Latin letters, dashes, quotes and the ellipsis. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00a8\u00aa-\u00ac\u00af-\u024f\u2010-\u2019\u201c\u201d\u2026]*$/;

/** Created on first use: it loads the Unicode tables, which takes as long as starting Node. */
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** The columns of a text on a terminal: two for CJK and emoji, none for combining marks and colour codes. */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** Pads the text with spaces to `width` columns; a wider text is returned unchanged. Colours are allowed. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Like `padEnd`, with the spaces before the text. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

/**
 * Truncates a text to `width` columns, including `mark` at its end; a mark that is too wide is omitted. Never splits a grapheme.
 * Plain text only, no colours.
 */
export function truncate(text: string, width: number, mark = '…'): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(mark);
  return room > 0 ? beginning(text, room) + mark : beginning(text, width);
}

/** Like `truncate`, with the mark at the start. */
export function truncateStart(text: string, width: number, mark = '…'): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(mark);
  return room > 0 ? mark + ending(text, room) : ending(text, width);
}

/** The longest start of a text that fits into `width` columns. */
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
 * Breaks a text into lines of at most `width` columns, at blanks where possible and else inside a word. Existing line breaks
 * remain. A character wider than `width` gets its own line. Plain text only, no colours.
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

/** Breaks a word into parts of at most `width` columns, in one pass, since a cell may be a megabyte long. */
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

/** A text of at most `width` columns without its middle: addresses differ at their ends. */
export function shortenedMiddle(text: string, width: number, mark = '…'): string {
  const room = width - displayWidth(mark);
  if (displayWidth(text) <= width || room < 2) return truncate(text, width, mark);
  const end = ending(text, Math.floor(room / 2));
  return beginning(text, room - displayWidth(end)) + mark + end;
}

/** The longest end of a text that fits into `width` columns. */
function ending(text: string, width: number): string {
  let [start, used] = [text.length, 0];
  for (const { segment, index } of [...graphemes(text)].reverse()) {
    used += stringWidth(segment);
    if (used > width) break;
    start = index;
  }
  return text.slice(start);
}
