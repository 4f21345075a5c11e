import { join } from 'node:path';
import type { SyncTable } from '../config.ts';
import { columnsOfRows } from '../config.ts';
import { hasRowTests, RowTests } from '../contracts/row-tests.ts';
import { sumOf } from '../exact-sum.ts';
import { PartitionFile } from './partition-file.ts';
import type { PartitionRows } from './partition-rows.ts';
import { RowCounts } from './row-counts.ts';
import type { RowForm } from './row-writer.ts';

/** A partition while its rows arrive. */
export interface Part {
  readonly key: string;
  readonly file: PartitionFile;
  /** Of complete pages. */
  readonly complete: RowCounts;
  /** Of the current page. */
  page: RowCounts;
}

interface PartsOptions {
  readonly form: RowForm;
  /** A folder for the files, which exists; they are named after the partitions. */
  readonly folder: string;
  readonly table: SyncTable;
}

/** The partitions of a unit, in the order of their rows, each in a file that can be rolled back to the last complete page. */
export class Parts {
  readonly #options: PartsOptions;
  readonly #parts = new Map<string, Part>();
  /** Partitions whose last row was read, to be written. */
  #ended: Part[] = [];
  #current: Part | undefined;
  /** The keys at the end of the last complete page. */
  #completeKeys: ReadonlySet<string> = new Set();

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  /** The partition of the last row. */
  get current(): Part | undefined {
    return this.#current;
  }

  /** Begins a partition after the current one. */
  begin(key: string): void {
    const { folder, form } = this.#options;
    if (this.#current !== undefined) this.#ended.push(this.#current);
    const file = new PartitionFile(join(folder, `${key}.${form}`), form !== 'json');
    this.#current = { key, file, complete: this.#newCounts(), page: this.#newCounts() };
    this.#parts.set(key, this.#current);
  }

  /** Writes the partitions that are complete, and of the current one what is much. */
  async drain(): Promise<void> {
    for (let part = this.#ended[0]; part !== undefined; part = this.#ended[0]) {
      await part.file.end();
      this.#ended.shift();
    }
    await this.#current?.file.flush();
  }

  /** Adds the current page to those that are complete. */
  async endPage(): Promise<void> {
    for (const part of this.#parts.values()) {
      if (part.page.rows === 0 && part.page.problem === undefined) continue;
      await part.file.mark();
      part.complete.add(part.page);
      part.page = this.#newCounts();
    }
    this.#completeKeys = new Set(this.#parts.keys());
  }

  /** Returns to the end of the last complete page. */
  async rollback(): Promise<void> {
    this.#ended = [];
    this.#current = undefined;
    for (const [key, part] of this.#parts) {
      await part.file.rollback();
      part.page = this.#newCounts();
      if (this.#completeKeys.has(key)) this.#current = part;
      else {
        await part.file.close();
        this.#parts.delete(key);
      }
    }
  }

  /** Completes the files; resolves to the rows of complete pages, by key. */
  async finish(): Promise<ReadonlyMap<string, PartitionRows>> {
    const rows = new Map<string, PartitionRows>();
    for (const { key, file, complete } of this.#parts.values()) {
      await file.end();
      const days = complete.days();
      const totals = Object.values(days);
      rows.set(key, {
        key,
        path: file.path,
        bytes: file.length,
        sha256: file.sha256,
        rows: complete.rows,
        problem: complete.problem,
        sums: this.#options.table.metrics.map((_, metric) =>
          sumOf(totals.map(([, ...sums]) => sums[metric] ?? null)),
        ),
        days,
        profiles: complete.profiles,
        longest: complete.longest,
        inexact: complete.inexact,
        writtenAs: complete.writtenAs,
        tests: complete.tests,
      });
    }
    return rows;
  }

  /** Closes the files, whatever happened. */
  async close(): Promise<void> {
    for (const { file } of this.#parts.values()) await file.close();
  }

  #newCounts(): RowCounts {
    const { table } = this.#options;
    const tests = hasRowTests(table) ? new RowTests(table) : undefined;
    return new RowCounts(columnsOfRows(table).length, table.metrics.length, tests);
  }
}
