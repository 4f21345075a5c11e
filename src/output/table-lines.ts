import CliTable from 'cli-table3';
import utils from 'cli-table3/src/utils.js';
import { displayWidth } from '../terminal/width.ts';
import { GAP } from './table-parts.ts';

utils.displayWidth = displayWidth;

/** A cell of the library takes some 500 bytes, and a response may have millions. */
const ROWS_AT_ONCE = 500;

/** Where the texts of a column are placed; `width` in terminal columns. */
interface Place {
  readonly width: number;
  readonly right?: boolean;
}

/** What separates and encloses the cells, and where the texts of a row begin that has cells of several lines. */
interface Frame {
  readonly left?: string;
  readonly middle?: string;
  readonly right?: string;
  readonly vertical?: 'top' | 'bottom';
}

/**
 * The lines of a table. A cell is a text that has been made printable and may be colored; its lines are separated by `\n`. A line that
 * is wider than its place is printed whole. Lines do not end in blanks. Each row has a cell for each place.
 */
export function tableLines(
  rows: Iterable<readonly string[]>,
  places: readonly Place[],
  { left = '', middle = GAP, right = '', vertical = 'top' }: Frame = {},
): string[] {
  const lines: string[] = [];
  let block: string[][] = [];
  const draw = () => {
    if (block.length === 0) return;
    const table = new CliTable({
      chars: { ...NO_RULES, left, middle, right },
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
      colWidths: places.map(({ width }) => width),
      colAligns: places.map(place => (place.right ? 'right' : 'left')),
      rowAligns: block.map(() => vertical),
    });
    for (const row of block) table.push(row);
    for (const line of table.toString().split('\n')) lines.push(line.trimEnd());
    block = [];
  };
  for (const row of rows) {
    block.push([...row]);
    if (block.length === ROWS_AT_ONCE) draw();
  }
  draw();
  return lines;
}

const NO_RULES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  mid: '',
  'mid-mid': '',
  'left-mid': '',
  'right-mid': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
};
