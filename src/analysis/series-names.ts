import { fieldOf, type JsonRecord, textOf } from '../json/index.ts';

/** A shorter beginning stays with each name. */
const LEAST_SHARED = 12;
const LONGEST_LINE_NAME = 100;
const DOTS = '...';

/** A long common prefix of several URLs, which is omitted from labels. */
export function sharedPath(names: readonly string[]): string {
  const [first = '', ...others] = names;
  if (others.length === 0) return '';
  let end = first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, end))) end -= 1;
  const path = first.slice(0, Math.max(0, first.lastIndexOf('/', end - 1)));
  return path.length >= LEAST_SHARED ? path : '';
}

/** The name of a line in a legend: of a long one its beginning and its end, which differ where addresses do. */
export function lineName(name: string): string {
  if (name.length <= LONGEST_LINE_NAME) return name;
  const half = (LONGEST_LINE_NAME - DOTS.length) / 2;
  return `${name.slice(0, Math.floor(half))}${DOTS}${name.slice(-Math.ceil(half))}`.toWellFormed();
}

/** The dimensions of a row as a label; an empty value is labelled as such. */
export function nameOf(row: JsonRecord, columns: readonly string[]): string {
  return columns.map(column => textOf(fieldOf(row, column)) || '(none)').join(', ');
}
