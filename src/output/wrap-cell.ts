import { displayWidth, wrap } from '../terminal/width.ts';

/** Break points: after blanks and separators of URLs, lists and field paths, except in `https://`. */
const JOINTS = /(?<=[ ,;&?=])|(?<=[^/:]\/)(?!\/)|(?<=\.)(?=[A-Z])/;
/** Break points between the words of names: `engaged_time`, `SegmentName`. */
const NAME_JOINTS = /(?<=[ _./-])|(?<=[a-z])(?=[A-Z])/;

/** Wraps the text of a cell to `width` columns, dropping only blanks at the ends of lines. */
export function wrapCell(text: string, width: number): string[] {
  return fill(text, JOINTS, width);
}

/** The same for a heading. */
export function wrapTitle(text: string, width: number): string[] {
  return fill(text, NAME_JOINTS, width);
}

/** The width of the widest part that is not broken while it fits. */
export function widestPart(text: string): number {
  return widest(text.split(JOINTS));
}

/** The same for a heading. */
export function widestTitlePart(text: string): number {
  return widest(text.split(NAME_JOINTS));
}

function widest(parts: readonly string[]): number {
  return parts.reduce((most, part) => Math.max(most, displayWidth(part.trimEnd())), 0);
}

function fill(text: string, joints: RegExp, width: number): string[] {
  if (displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const part of text.split(joints)) {
    if (displayWidth(line + part.trimEnd()) <= width) {
      line += part;
      continue;
    }
    if (line.trimEnd() !== '') lines.push(line.trimEnd());
    const broken = wrap(part, width);
    line = broken.pop() ?? '';
    for (const one of broken) lines.push(one);
  }
  return line.trimEnd() === '' ? lines : [...lines, line.trimEnd()];
}
