import { type Io, isOnTerminal } from './io.ts';

const COLOURS = /\u001b\[[\d;]*m/g;
/** From here on most letters take two columns. Close enough for prose, and no tables have to be loaded to tell. */
const WIDE = /[\u1100-\u11ff\u2e80-\uffff]/g;

/**
 * Breaks a line of prose at blanks, so that none is wider than `width` columns. A word that is wider stays whole, to be copied.
 * The lines after the first begin with the blanks of the first and `hanging` more. Without a width it stays as it is.
 */
export function fold(line: string, width: number | undefined, hanging = 2): string {
  if (width === undefined || columnsOf(line) <= width) return line;
  const [indent = ''] = /^ */.exec(line) ?? [];
  const further = ' '.repeat(Math.min(indent.length + hanging, Math.floor(width / 2)));
  const lines: string[] = [];
  let current = indent;
  for (const word of line.slice(indent.length).match(/ *[^ ]+/g) ?? []) {
    if (current.trim() === '' || columnsOf(current) + columnsOf(word) <= width) current += word;
    else {
      lines.push(current);
      current = further + word.trimStart();
    }
  }
  return [...lines, current].join('\n');
}

/** Columns of the terminal that stderr is; undefined where it is none. */
export function stderrWidth({ stderr }: Pick<Io, 'stderr'>): number | undefined {
  return stderr.isTTY === true ? stderr.columns : undefined;
}

/** Columns of the terminal that stdout is; undefined where it is none. */
export function stdoutWidth(io: Pick<Io, 'stdout' | 'mayBeTerminal'>): number | undefined {
  return isOnTerminal(io) ? io.stdout.columns : undefined;
}

function columnsOf(text: string): number {
  const plain = text.replace(COLOURS, '');
  return plain.length + (plain.match(WIDE)?.length ?? 0);
}
