import type { Column } from '../columns.ts';
import { type DayRange, dayText } from '../days.ts';
import { type Comparison, type Condition, comparisonsOf } from '../query-engine/condition.ts';
import { CHUNK_BYTES } from '../query-engine/encode.ts';
import {
  COUNTER_WIDTH,
  REVENUE_FRACTION,
  rowTemplates,
  type Slot,
  TEMPLATES,
  type Template,
} from './template.ts';

const ZERO = 48;
const NINE = 57;

/** A decimal counter of fixed width as ASCII digits, incremented in position. */
class DigitCounter {
  readonly bytes: Buffer;

  /** @throws RangeError if `start` has more than `width` digits. */
  constructor(start: number, width: number) {
    const text = String(start).padStart(width, '0');
    if (text.length > width) throw new RangeError(`${start} has more than ${width} digits`);
    this.bytes = Buffer.from(text, 'latin1');
  }

  /** Adds one. */
  step(): void {
    const { bytes } = this;
    let at = bytes.length - 1;
    while (bytes[at] === NINE) {
      bytes[at] = ZERO;
      at -= 1;
    }
    bytes[at] = (bytes[at] ?? ZERO) + 1;
  }
}

/** `size` pseudo-random digits. */
function digitRing(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = (seed ^ 0x2545f491) >>> 0;
  for (let index = 0; index < size; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = ZERO + ((state >>> 16) % 10);
  }
  return bytes;
}

/** 400 days have ten million rows. */
const BULK_ROWS_PER_DAY = 25_000;

const RING_BYTES = 65_536;

const WIDTH: Readonly<Record<Slot, number>> = {
  row_id: COUNTER_WIDTH,
  report_day: 10,
  visits: 1,
  pageviews: 2,
  engaged_time: 3,
  revenue: REVENUE_FRACTION,
};

interface BulkQuery {
  readonly columns: readonly Column[];
  /** Days with data. */
  readonly days: DayRange;
  /** All must match. */
  readonly conditions: readonly Condition[];
  readonly offset: number;
  readonly limit: number;
}

function setDay(templates: readonly Template[], day: number): void {
  const text = dayText(day);
  for (const { bytes, slots } of templates) {
    for (const { slot, at } of slots) if (slot === 'report_day') bytes.write(text, at, 'latin1');
  }
}

/** Writes the changing digits of a row, without its day, into the copy of its template at `start`. */
function fillDigits(
  bytes: Buffer,
  start: number,
  template: Template,
  digits: { readonly counter: Buffer; readonly ring: Buffer; readonly chance: number },
): void {
  for (const { slot, at } of template.slots) {
    if (slot === 'report_day') continue;
    const source = slot === 'row_id' ? digits.counter : digits.ring;
    const from = slot === 'row_id' ? 0 : (digits.chance >>> 6) % RING_BYTES;
    const target = start + at;
    for (let digit = 0; digit < WIDTH[slot]; digit += 1) bytes[target + digit] = source[from + digit] ?? 0;
  }
}

/** Reads the cells that conditions compare, from templates of single columns; constant cells are cached. */
function filterCells(conditions: readonly Condition[], domains: readonly string[]) {
  const columns = [...new Set(conditions.flatMap(comparisonsOf).map(({ column }) => column))];
  const cells = new Map(
    columns.map(column => [
      column,
      rowTemplates([column], domains).map(template => ({
        template,
        constant: undefined as string | undefined,
      })),
    ]),
  );
  return {
    setDay(day: number): void {
      for (const all of cells.values())
        setDay(
          all.map(({ template }) => template),
          day,
        );
    },
    read(column: Column, index: number, digits: Parameters<typeof fillDigits>[3]): string {
      const cell = cells.get(column)?.[index];
      if (cell === undefined) return '';
      if (cell.constant !== undefined) return cell.constant;
      const { bytes, slots } = cell.template;
      fillDigits(bytes, 0, cell.template, digits);
      const json = bytes.toString('utf8', `,{"${column.name}":`.length, bytes.length - 1);
      const value = column.type === 'number' ? json : String(JSON.parse(json));
      if (slots.length === 0) cell.constant = value;
      return value;
    },
  };
}

/**
 * The response body of the bulk data set in chunks of at most 64 KB. A row depends only on its number and the seed: it is a
 * copy of a template, with digits from a counter and a ring of digits. With conditions, every row of the days is tested,
 * because the total counts the matches.
 */
export function* bulkChunks(
  query: BulkQuery,
  domains: readonly string[],
  seed: number,
): Generator<Uint8Array> {
  const isFiltered = query.conditions.length > 0;
  const all = Math.max(0, query.days.last - query.days.first + 1) * BULK_ROWS_PER_DAY;
  const firstRow = query.days.first * BULK_ROWS_PER_DAY;
  const begin = firstRow + (isFiltered ? 0 : query.offset);
  const rows = isFiltered ? all : Math.max(0, Math.min(query.limit, all - query.offset));
  const range = isFiltered ? { from: query.offset, to: query.offset + query.limit } : { from: 0, to: rows };
  const filter = filterCells(query.conditions, domains);
  const templates = rowTemplates(query.columns, domains);
  const longest = Math.max(...templates.map(template => template.bytes.length));
  const ring = digitRing(RING_BYTES + REVENUE_FRACTION, seed);
  const counter = new DigitCounter(begin, COUNTER_WIDTH);
  let day = -1;
  let matched = 0;
  let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let used = chunk.write('{"rows":[', 'latin1');
  for (let row = begin; row < begin + rows; row += 1, counter.step()) {
    const rowDay = Math.floor(row / BULK_ROWS_PER_DAY);
    if (rowDay !== day) {
      day = rowDay;
      setDay(templates, day);
      filter.setDay(day);
    }
    const chance = Math.imul(row ^ seed, 0x9e3779b1) >>> 0;
    const digits = { counter: counter.bytes, ring, chance };
    const index = chance % TEMPLATES;
    if (isFiltered && !matchesRow(query.conditions, column => filter.read(column, index, digits))) continue;
    const position = matched;
    matched += 1;
    const template = templates[index];
    if (template === undefined || position < range.from || position >= range.to) continue;
    if (used + longest > CHUNK_BYTES) {
      yield chunk.subarray(0, used);
      chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      used = 0;
    }
    const skip = position === range.from ? 1 : 0;
    const start = used - skip;
    chunk.set(skip === 1 ? template.bytes.subarray(1) : template.bytes, used);
    fillDigits(chunk, start, template, digits);
    used += template.bytes.length - skip;
  }
  const total = isFiltered ? matched : all;
  const tail = `],"total_rows":${total}}`;
  if (used + tail.length > CHUNK_BYTES) {
    yield chunk.subarray(0, used);
    chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    used = 0;
  }
  used += chunk.write(tail, used, 'latin1');
  yield chunk.subarray(0, used);
}

/** Returns the value of a column in the current row: the JSON text of a number, or a string. */
type CellReader = (column: Column) => string;

/** Whether a row matches every condition. */
function matchesRow(conditions: readonly Condition[], cell: CellReader): boolean {
  return conditions.every(condition =>
    comparisonsOf(condition).some(comparison => matches(comparison, cell(comparison.column))),
  );
}

function matches({ column, operator, values }: Comparison, cell: string): boolean {
  const compare = column.type === 'number' ? compareNumbers : compareTexts;
  const [first = ''] = values;
  switch (operator) {
    case 'in':
      return values.some(value => compare(cell, value) === 0);
    case 'contains':
      return cell.includes(first);
    case 'starts_with':
      return cell.startsWith(first);
    case 'equals':
      return compare(cell, first) === 0;
    case 'not_equals':
      return compare(cell, first) !== 0;
    case 'greater_than':
      return compare(cell, first) > 0;
    case 'greater_than_or_equal':
      return compare(cell, first) >= 0;
    case 'less_than':
      return compare(cell, first) < 0;
    case 'less_than_or_equal':
      return compare(cell, first) <= 0;
  }
}

function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Compares two JSON numbers exactly: negative, 0 or positive if the first is smaller, equal or larger. */
function compareNumbers(one: string, other: string): number {
  const a = read(one);
  const b = read(other);
  if (a.sign !== b.sign || a.sign === 0) return a.sign - b.sign;
  if (a.magnitude !== b.magnitude) return a.magnitude < b.magnitude ? -a.sign : a.sign;
  const width = Math.max(a.digits.length, b.digits.length);
  const [left, right] = [a.digits.padEnd(width, '0'), b.digits.padEnd(width, '0')];
  return left === right ? 0 : left < right ? -a.sign : a.sign;
}

/** A number as `0.digits × 10^magnitude`; `digits` has no leading or trailing zeros. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly magnitude: number;
}

function read(text: string): Decimal {
  const [, minus, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '');
  if (digits === '') return { sign: 0, digits: '', magnitude: 0 };
  const magnitude = Number(exponent) + whole.length - (all.length - digits.length);
  return { sign: minus === '-' ? -1 : 1, digits: digits.replace(/0+$/, ''), magnitude };
}
