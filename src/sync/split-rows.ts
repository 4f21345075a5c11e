import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../apis/bda/days.ts';
import { InvalidResponseError } from '../errors/index.ts';
import { eachStoredRow } from '../export/stored-rows.ts';
import { isDigit, LOWER_N, MINUS, QUOTE } from '../export/transcode/ascii.ts';
import { ByteBuffer } from '../export/transcode/byte-buffer.ts';
import { utf8Text } from '../export/transcode/utf8.ts';
import { writeAll } from '../files/disk-io.ts';
import { fileError } from '../files/file-error.ts';
import { DAY_COLUMN, type SyncTable } from './config.ts';
import { ExactSum, NUMBER_TEXT } from './exact-sum.ts';
import type { DayTotals } from './ledger.ts';
import { partitionKey } from './partitions.ts';
import type { SyncDomain } from './plan.ts';

/** The rows of one partition, as a JSON array in a file, with the columns of the site in front. */
export interface PartitionRows {
  readonly key: string;
  readonly path: string;
  readonly rows: number;
  /** The exact sum of each metric of the table; null where a value is no number that can be summed. */
  readonly sums: readonly (string | null)[];
  readonly days: Readonly<Record<Day, DayTotals>>;
}

export interface SplitOptions {
  /** The rows of a unit, as one JSON array. */
  readonly rowsPath: string;
  /** A folder for the files; they are named after the partitions. */
  readonly folder: string;
  readonly table: SyncTable;
  readonly domain: SyncDomain;
  readonly signal: AbortSignal;
}

const [OPEN, CLOSE, COMMA] = [0x5b, 0x5d, 0x2c];
/** Room for rows at first: a unit may have a thousand partitions with a few rows each. */
const FIRST_BYTES = 16 * 1024;
const FLUSH_AT = 1024 * 1024;
const SPACE = 0x20;
/** `"YYYY-MM-DD"` */
const DAY_BYTES = 12;

/**
 * Divides the rows of a unit into its partitions. A metric in quotes becomes a number. Throws InvalidResponseError for rows that are
 * not sorted by day, or lack a day, and for a metric that is no number, and FileError.
 */
export async function splitRows(options: SplitOptions): Promise<ReadonlyMap<string, PartitionRows>> {
  const { table, domain, folder } = options;
  const { metrics } = table;
  const columns = [DAY_COLUMN, ...metrics];
  const front = Buffer.from(`{"domain_id":${domain.id},"domain":${JSON.stringify(domain.name)},`);
  const done = new Map<string, PartitionRows>();
  let current: PartitionWriter | undefined;
  const lastDay = new LastDay();
  const finished: PartitionWriter[] = [];
  const drain = async () => {
    for (let writer = finished[0]; writer !== undefined; writer = finished[0]) {
      await writer.end();
      done.set(writer.key, writer.result());
      finished.shift();
    }
    await current?.flush();
  };
  try {
    await eachStoredRow(
      columns,
      options,
      (row, { fieldOf }) => {
        const field = fieldOf[0] as number;
        if (field < 0 || row.isArray) throw invalid(`a row of ${table.name} has no ${DAY_COLUMN}`);
        const [dayFrom, dayTo] = [row.valueFrom[field] as number, row.valueTo[field] as number];
        if (!lastDay.is(row.text, dayFrom, dayTo)) {
          const day = dayIn(row.text, dayFrom, dayTo);
          if (day === undefined) throw invalid(`a row of ${table.name} has no ${DAY_COLUMN}`);
          if (day < lastDay.day) throw invalid(`the rows of ${table.name} are not sorted by ${DAY_COLUMN}`);
          lastDay.set(day);
          const key = partitionKey(day, table.partition);
          if (current?.key !== key) {
            if (current !== undefined) finished.push(current);
            current = new PartitionWriter(key, join(folder, `${key}.json`), metrics.length);
          }
          current.beginDay(day);
        }
        const writer = current as PartitionWriter;
        // Where the bytes of the row, after its brace, go.
        const shift = writer.add(front, row.text, row.from + 1, row.to) - row.from - 1;
        for (let metric = 0; metric < metrics.length; metric++) {
          const at = fieldOf[metric + 1] as number;
          if (at < 0) continue;
          const [from, to] = [row.valueFrom[at] as number, row.valueTo[at] as number];
          const first = row.text.getUint8(from);
          if (first === QUOTE && isQuotedNumber(row.text, from, to)) {
            writer.blank(from + shift);
            writer.blank(to - 1 + shift);
            writer.sums[metric]?.add(row.text, from + 1, to - 1);
          } else if (isDigit(first) || first === MINUS || first === LOWER_N)
            writer.sums[metric]?.add(row.text, from, to);
          else
            throw invalid(`${metrics[metric]} on ${lastDay.day} is not a number in a row of ${table.name}`);
        }
      },
      drain,
    );
    if (current !== undefined) finished.push(current);
    current = undefined;
    await drain();
    return done;
  } finally {
    for (const writer of [...finished, current]) await writer?.close();
  }
}

/** Longer texts are not decoded: no number that a column can hold has as many digits. */
const MOST_NUMBER_BYTES = 100;

function isQuotedNumber(text: DataView, from: number, to: number): boolean {
  return to - from <= MOST_NUMBER_BYTES && NUMBER_TEXT.test(utf8Text(text, from + 1, to - 1));
}

function dayIn(text: DataView, from: number, to: number): Day | undefined {
  if (to - from !== DAY_BYTES) return undefined;
  const day = utf8Text(text, from + 1, to - 1);
  return /^\d{4}-\d\d-\d\d$/.test(day) ? day : undefined;
}

function invalid(message: string): InvalidResponseError {
  return new InvalidResponseError(message, { code: 'unexpected_shape' });
}

/** The day of the row before, to compare with that of a row without decoding it. */
class LastDay {
  day: Day | '' = '';
  readonly #bytes = new Uint8Array(DAY_BYTES);

  set(day: Day): void {
    this.day = day;
    this.#bytes.set(Buffer.from(`"${day}"`));
  }

  /** Whether the JSON value `[from, to)` is the same day. */
  is(text: DataView, from: number, to: number): boolean {
    if (this.day === '' || to - from !== DAY_BYTES) return false;
    // Days differ at the end first.
    for (let at = DAY_BYTES - 1; at >= 0; at--)
      if (text.getUint8(from + at) !== this.#bytes[at]) return false;
    return true;
  }
}

/** Collects the rows of one partition in a file, and their sums by day. */
class PartitionWriter {
  readonly key: string;
  /** The sums of the current day, one for each metric. */
  sums: readonly ExactSum[] = [];
  readonly #path: string;
  readonly #metrics: number;
  readonly #days = new Map<Day, { rows: number; readonly sums: readonly ExactSum[] }>();
  readonly #pending = new ByteBuffer(FIRST_BYTES);
  #day: { rows: number } = { rows: 0 };
  #file: FileHandle | undefined;
  #rows = 0;
  #position = 0;

  constructor(key: string, path: string, metrics: number) {
    this.key = key;
    this.#path = path;
    this.#metrics = metrics;
  }

  beginDay(day: Day): void {
    this.sums = Array.from({ length: this.#metrics }, () => new ExactSum());
    const counted = { rows: 0, sums: this.sums };
    this.#day = counted;
    this.#days.set(day, counted);
  }

  /** Adds a row of the current day: `front` and `text[from, to)`; returns where this part is until the next flush. */
  add(front: Uint8Array, text: DataView, from: number, to: number): number {
    const pending = this.#pending;
    pending.reserve(front.length + to - from + 2);
    pending.put(this.#rows === 0 ? OPEN : COMMA);
    pending.append(front);
    const at = pending.length;
    pending.copy(text, from, to);
    this.#rows += 1;
    this.#day.rows += 1;
    return at;
  }

  /** Replaces a byte of the row that was added last by a space. */
  blank(at: number): void {
    this.#pending.view.setUint8(at, SPACE);
  }

  /** Writes the rows, if there are many. */
  async flush(): Promise<void> {
    if (this.#pending.length >= FLUSH_AT) await this.#write();
  }

  async end(): Promise<void> {
    this.#pending.reserve(1);
    this.#pending.put(CLOSE);
    await this.#write();
    await this.close();
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  result(): PartitionRows {
    const days = [...this.#days].map(
      ([day, { rows, sums }]) => [day, [rows, ...sums.map(sum => sum.digits())]] as const,
    );
    const sums = Array.from({ length: this.#metrics }, (_, metric) => {
      const sum = new ExactSum();
      for (const [, totals] of days) sum.addText(totals[metric + 1] as string | null);
      return sum.digits();
    });
    return { key: this.key, path: this.#path, rows: this.#rows, sums, days: Object.fromEntries(days) };
  }

  async #write(): Promise<void> {
    const { view, length } = this.#pending;
    try {
      this.#file ??= await open(this.#path, 'w');
      const bytes = new Uint8Array(view.buffer, view.byteOffset, length);
      this.#position += await writeAll(this.#file, bytes, this.#position);
    } catch (error) {
      throw fileError(this.#path, error, 'write');
    }
    this.#pending.clear();
  }
}
