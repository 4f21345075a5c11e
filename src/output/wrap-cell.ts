import { displayWidth, wrap } from '../terminal/width.ts';

/** After blanks, and at the separators of URLs, lists and field paths; not within `https://`. */
const JOINTS = /(?<=[ ,;&?=])|(?<=[^/:]\/)(?!\/)|(?<=\.)(?=[A-Z])/;
/** Between the words of names: `engaged_time`, `SegmentName`. */
const NAME_JOINTS = /(?<=[ _./-])|(?<=[a-z])(?=[A-Z])/;

/** A cell's text (one line) in lines of at most `width` columns. Only blanks at the ends of lines are dropped. */
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
