import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Day } from '../apis/bda/days.ts';
import { InvalidResponseError } from '../errors/index.ts';
import { eachStoredRow } from '../export/stored-rows.ts';
import { isDigit, LOWER_N, MINUS, QUOTE } from '../export/transcode/ascii.ts';
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

const CLOSE = Buffer.from(']');
const SPACE = 0x20;
/** `"YYYY-MM-DD"` */
const DAY_BYTES = 12;

/**
 * Divides the rows of a unit into its partitions. A metric in quotes becomes a number. Throws InvalidResponseError for rows that are
 * not sorted by day, or lack a day, and for a metric that is no number, and FileError.
 */
export async function splitRows(options: SplitOptions): Promise<ReadonlyMap<string, PartitionRows>> {
  const { table, domain, folder } = options;
  const columns = [DAY_COLUMN, ...table.metrics];
  const front = Buffer.from(`{"domain_id":${domain.id},"domain":${JSON.stringify(domain.name)},`);
  const done = new Map<string, PartitionRows>();
  let current: PartitionWriter | undefined;
  let lastDay = '';
  const finished: PartitionWriter[] = [];
  const drain = async () => {
    for (const writer of finished.splice(0)) {
      await writer.end();
      done.set(writer.key, writer.result());
    }
    await current?.flush();
  };
  await eachStoredRow(
    columns,
    options,
    (row, { fieldOf }) => {
      const field = fieldOf[0] as number;
      const day =
        field < 0 || row.isArray
          ? undefined
          : dayIn(row.text, row.valueFrom[field] as number, row.valueTo[field] as number);
      if (day === undefined) throw invalid(`a row of ${table.name} has no ${DAY_COLUMN}`);
      if (day !== lastDay) {
        if (day < lastDay) throw invalid(`the rows of ${table.name} are not sorted by ${DAY_COLUMN}`);
        const key = partitionKey(day, table.partition);
        if (current?.key !== key) {
          if (current !== undefined) finished.push(current);
          current = new PartitionWriter(key, join(folder, `${key}.json`), table.metrics.length);
        }
        current.beginDay(day);
        lastDay = day;
      }
      const { buffer, byteOffset } = row.text;
      let rest = Buffer.from(buffer, byteOffset + row.from + 1, row.to - row.from - 1);
      let isCopy = false;
      current?.add(front, sum => {
        for (let metric = 0; metric < table.metrics.length; metric++) {
          const at = fieldOf[metric + 1] as number;
          if (at < 0) continue;
          let [from, to] = [row.valueFrom[at] as number, row.valueTo[at] as number];
          const first = row.text.getUint8(from);
          if (first === QUOTE && isQuotedNumber(row.text, from, to)) {
            if (!isCopy) rest = Buffer.from(rest);
            isCopy = true;
            for (const quote of [from, to - 1]) rest[quote - row.from - 1] = SPACE;
            [from, to] = [from + 1, to - 1];
          } else if (!isDigit(first) && first !== MINUS && first !== LOWER_N)
            throw invalid(`${table.metrics[metric]} on ${day} is not a number in a row of ${table.name}`);
          sum[metric]?.add(row.text, from, to);
        }
        return rest;
      });
    },
    drain,
  );
  if (current !== undefined) finished.push(current);
  current = undefined;
  await drain();
  return done;
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

/** Collects the rows of one partition in a file, and their sums by day. */
class PartitionWriter {
  readonly key: string;
  readonly #path: string;
  readonly #metrics: number;
  readonly #days = new Map<Day, { rows: number; sums: ExactSum[] }>();
  #day: { rows: number; sums: ExactSum[] } | undefined;
  #pending: Buffer[] = [];
  #rows = 0;
  #position = 0;

  constructor(key: string, path: string, metrics: number) {
    this.key = key;
    this.#path = path;
    this.#metrics = metrics;
  }

  beginDay(day: Day): void {
    this.#day = { rows: 0, sums: Array.from({ length: this.#metrics }, () => new ExactSum()) };
    this.#days.set(day, this.#day);
  }

  /** Adds a row: `addTo` adds its metrics to the sums and returns its bytes, which are copied, because the text is reused. */
  add(front: Buffer, addTo: (sums: readonly ExactSum[]) => Buffer): void {
    const rest = addTo(this.#day?.sums ?? []);
    this.#pending.push(Buffer.concat([Buffer.from(this.#rows === 0 ? '[' : ','), front, rest]));
    this.#rows += 1;
    if (this.#day !== undefined) this.#day.rows += 1;
  }

  async flush(): Promise<void> {
    await this.#write(Buffer.concat(this.#pending.splice(0)));
  }

  async end(): Promise<void> {
    await this.#write(Buffer.concat([...this.#pending.splice(0), CLOSE]));
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

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    try {
      const handle = await open(this.#path, this.#position === 0 ? 'w' : 'r+');
      try {
        this.#position += await writeAll(handle, bytes, this.#position);
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw fileError(this.#path, error, 'write');
    }
  }
}
