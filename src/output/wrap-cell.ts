import { displayWidth, wrap } from '../terminal/width.ts';

/** Behind blanks, and where addresses, lists and paths of fields have their joints; not within `https://`. */
const JOINTS = /(?<=[ ,;&?=])|(?<=[^/:]\/)(?!\/)|(?<=\.)(?=[A-Z])/;
/** Names come apart where their words do: `engaged_time`, `SegmentName`. */
const NAME_JOINTS = /(?<=[ _./-])|(?<=[a-z])(?=[A-Z])/;

/** A cell's text (one line) in lines of at most `width` columns. Nothing is lost but blanks at the ends of lines. */
export function wrapCell(text: string, width: number): string[] {
  return fill(text, JOINTS, width);
}

/** The same for a heading. */
export function wrapTitle(text: string, width: number): string[] {
  return fill(text, NAME_JOINTS, width);
}

/** The width of the widest part that would not be broken for want of room. */
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
    lines.push(...broken);
  }
  return line.trimEnd() === '' ? lines : [...lines, line.trimEnd()];
}
