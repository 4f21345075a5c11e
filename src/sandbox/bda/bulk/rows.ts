import type { Column } from '../columns.ts';
import { type DayRange, dayText } from '../days.ts';
import { CHUNK_BYTES } from '../question/encode.ts';
import { DigitCounter, digitRing } from './digits.ts';
import {
  COUNTER_WIDTH,
  REVENUE_FRACTION,
  rowTemplates,
  type Slot,
  TEMPLATES,
  type Template,
} from './template.ts';

/** 400 days of these are ten million rows. */
export const BULK_ROWS_PER_DAY = 25_000;

const RING_BYTES = 65_536;
const WIDTH: Readonly<Record<Slot, number>> = {
  row_id: COUNTER_WIDTH,
  report_day: 10,
  visits: 1,
  pageviews: 2,
  engaged_time: 3,
  revenue: REVENUE_FRACTION,
};

export interface BulkQuery {
  readonly columns: readonly Column[];
  /** Days within those that hold data. */
  readonly days: DayRange;
  readonly offset: number;
  readonly limit: number;
}

/** Rows in a range of days. */
export function bulkTotal({ first, last }: DayRange): number {
  return Math.max(0, last - first + 1) * BULK_ROWS_PER_DAY;
}

function setDay(templates: readonly Template[], day: number): void {
  const text = dayText(day);
  for (const { bytes, slots } of templates) {
    for (const { slot, at } of slots) if (slot === 'report_day') bytes.write(text, at, 'latin1');
  }
}

/**
 * The body of a bulk answer in chunks of at most 64 KB. A row is a function of its number and the seed alone; it is
 * copied from a template, and its changing digits are copied into it from a counter and a ring of digits.
 */
export function* bulkChunks(
  query: BulkQuery,
  domains: readonly string[],
  seed: number,
): Generator<Uint8Array> {
  const total = bulkTotal(query.days);
  const begin = query.days.first * BULK_ROWS_PER_DAY + query.offset;
  const end = begin + Math.max(0, Math.min(query.limit, total - query.offset));
  const templates = rowTemplates(query.columns, domains);
  const longest = Math.max(...templates.map(template => template.bytes.length));
  const ring = digitRing(RING_BYTES + REVENUE_FRACTION, seed);
  const counter = new DigitCounter(begin, COUNTER_WIDTH);
  let day = -1;
  let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let used = chunk.write('{"rows":[', 'latin1');
  for (let row = begin; row < end; row += 1) {
    const rowDay = Math.floor(row / BULK_ROWS_PER_DAY);
    if (rowDay !== day) {
      day = rowDay;
      setDay(templates, day);
    }
    if (used + longest > CHUNK_BYTES) {
      yield chunk.subarray(0, used);
      chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      used = 0;
    }
    const chance = Math.imul(row ^ seed, 0x9e3779b1) >>> 0;
    const template = templates[chance % TEMPLATES];
    if (template === undefined) continue;
    const skip = row === begin ? 1 : 0;
    const start = used - skip;
    chunk.set(skip === 1 ? template.bytes.subarray(1) : template.bytes, used);
    for (const { slot, at } of template.slots) {
      if (slot === 'report_day') continue;
      const source = slot === 'row_id' ? counter.bytes : ring;
      const from = slot === 'row_id' ? 0 : (chance >>> 6) % RING_BYTES;
      const target = start + at;
      for (let digit = 0; digit < WIDTH[slot]; digit += 1) chunk[target + digit] = source[from + digit] ?? 0;
    }
    used += template.bytes.length - skip;
    counter.step();
  }
  const tail = `],"total_rows":${total}}`;
  if (used + tail.length > CHUNK_BYTES) {
    yield chunk.subarray(0, used);
    chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    used = 0;
  }
  used += chunk.write(tail, used, 'latin1');
  yield chunk.subarray(0, used);
}
