import { columnsOf, type Io, isOnTerminal } from './io.ts';

const COLOURS = /\u001b\[[\d;]*m/g;
/** Mostly wide characters. An approximation that is sufficient for prose and requires no Unicode tables. */
const WIDE = /[\u1100-\u11ff\u2e80-\uffff]/g;

/**
 * Breaks a line of prose at blanks into lines of at most `width` columns. A wider word is not broken, so that it can be copied.
 * Further lines are indented like the first, plus `hanging`. Without a width the line is returned unchanged.
 */
export function fold(line: string, width: number | undefined, hanging = 2): string {
  if (width === undefined || plainWidth(line) <= width) return line;
  const [indent = ''] = /^ */.exec(line) ?? [];
  const further = ' '.repeat(Math.min(indent.length + hanging, Math.floor(width / 2)));
  const lines: string[] = [];
  let current = indent;
  for (const word of line.slice(indent.length).match(/ *[^ ]+/g) ?? []) {
    if (current.trim() === '' || plainWidth(current) + plainWidth(word) <= width) current += word;
    else {
      lines.push(current);
      current = further + word.trimStart();
    }
  }
  return [...lines, current].join('\n');
}

/** The columns of stderr; undefined if it is not a terminal. */
export function stderrWidth({ stderr }: Pick<Io, 'stderr'>): number | undefined {
  return stderr.isTTY === true ? columnsOf(stderr) : undefined;
}

/** The columns of stdout; undefined if it is not a terminal. */
export function stdoutWidth(io: Pick<Io, 'stdout' | 'mayBeTerminal'>): number | undefined {
  return isOnTerminal(io) ? columnsOf(io.stdout) : undefined;
}

function plainWidth(text: string): number {
  const plain = text.replace(COLOURS, '');
  return plain.length + (plain.match(WIDE)?.length ?? 0);
}
