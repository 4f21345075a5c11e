import { closeSync, openSync, readSync } from '../../files/disk.ts';
import { RowProfiler } from '../stored-rows.ts';
import { MalformedResponseError } from '../transcode/json-scanner.ts';
import { RowReader } from '../transcode/row-reader.ts';
import { type ColumnKernel, MAX_COLUMN_ROW_BYTES } from './column-kernel.ts';
import type { ColumnType } from './column-type.ts';
import { ColumnWriter } from './column-writer.ts';
import { typesOf } from './found-types.ts';

/** What to convert, as it passes between threads. */
export interface EarlyRows {
  /** The file that gets the rows, as one JSON array. */
  readonly rowsPath: string;
  readonly columns: readonly string[];
  /** Numeric columns: an empty one becomes a column of integers. */
  readonly figures: readonly string[];
  readonly createdBy: string;
}

/** Where the converted bytes go. */
interface EarlyOutput {
  /** `rows` counts those in the bytes so far. */
  write(bytes: Uint8Array, rows: number): Promise<void>;
  /** Removes all bytes. */
  restart(): void;
}

/** What a conversion found in all rows. */
export interface EarlyResult {
  readonly rows: number;
  /** Columns with values of several kinds, which are stored as text. */
  readonly mixed: readonly string[];
}

/** The rows are not for an early conversion. */
export class NotEarlyError extends Error {}

const CHUNK_BYTES = 256 * 1024;
/** The first types are those of as many bytes. */
const SAMPLE_BYTES = 16 * 1024 * 1024;
/** Each time that later rows need other types, all rows are converted again. */
const MAX_RESTARTS = 2;

/**
 * Converts rows to the Parquet file that `rowsToParquet` makes of them, while more rows are stored: with the types that the values so far
 * need. Where later values need others, it starts again. Throws NotEarlyError, and the errors of reading, for rows that `rowsToParquet` has
 * to convert.
 */
export class EarlyConversion {
  readonly #kernel: ColumnKernel;
  readonly #rows: EarlyRows;
  readonly #output: EarlyOutput;
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #file: number | undefined;
  #run: Run | undefined;
  #restarts = 0;

  constructor(kernel: ColumnKernel, rows: EarlyRows, output: EarlyOutput) {
    this.#kernel = kernel;
    this.#rows = rows;
    this.#output = output;
  }

  /** Converts the rows that end before a position of the file. */
  async reach(end: number): Promise<void> {
    await this.#convert(end, false);
  }

  /** Converts the rest of a complete file. */
  async end(end: number): Promise<EarlyResult> {
    const { run, types, mixed } = await this.#convert(end, true);
    run.writer.end(types);
    await this.#pass(run);
    return { rows: run.writer.rows, mixed };
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  async #convert(end: number, isComplete: boolean): Promise<Found & { readonly run: Run }> {
    this.#run ??= this.#newRun(await this.#typesUntil(Math.min(end, SAMPLE_BYTES)));
    while (true) {
      const run = this.#run;
      const failure = await this.#advance(run, end, isComplete);
      // The profiler may not have read the row that failed.
      if (failure !== undefined) readRest(run.profiler);
      const found = await this.#found(run.profiler);
      const fits = found.types.every((type, column) => isStoredAs(type, run.types[column]));
      if (fits && failure !== undefined) throw failure.error;
      if (fits) return { run, ...found };
      if (++this.#restarts > MAX_RESTARTS) throw new NotEarlyError();
      this.#output.restart();
      this.#run = this.#newRun(found.types);
    }
  }

  /** Converts rows, and returns the error if one was not converted: its values may need other types. */
  async #advance(
    run: Run,
    end: number,
    isComplete: boolean,
  ): Promise<{ readonly error: unknown } | undefined> {
    for (const chunk of this.#chunks(run.position, end)) {
      run.profiler.write(chunk);
      if (run.profiler.longest > MAX_COLUMN_ROW_BYTES) throw new NotEarlyError();
      try {
        run.reader.write(chunk);
      } catch (error) {
        return { error };
      }
      run.position += chunk.length;
      await this.#pass(run);
    }
    if (!isComplete) return undefined;
    run.profiler.end();
    try {
      run.reader.end();
    } catch (error) {
      return { error };
    }
    return undefined;
  }

  #newRun(types: readonly ColumnType[]): Run {
    const { columns, createdBy } = this.#rows;
    const kernel = this.#kernel;
    const named = columns.map((name, index) => ({ name, type: types[index] as ColumnType }));
    const writer = new ColumnWriter(kernel, named, createdBy);
    const reader = new RowReader(columns, writer.put, { kernel, take: at => writer.take(at) });
    return { types, position: 0, profiler: new RowProfiler(columns, kernel), writer, reader };
  }

  async #typesUntil(end: number): Promise<readonly ColumnType[]> {
    const profiler = new RowProfiler(this.#rows.columns, this.#kernel);
    for (const chunk of this.#chunks(0, end)) profiler.write(chunk);
    return (await this.#found(profiler)).types;
  }

  async #found(profiler: RowProfiler): Promise<Found> {
    const mixed: string[] = [];
    const types = await typesOf({
      ...this.#rows,
      profiles: profiler.found().profiles,
      target: '',
      isFile: true,
      inexactIn: () => {
        throw new NotEarlyError();
      },
      onMixed: column => mixed.push(column),
    });
    if (!ColumnWriter.takes(types, this.#kernel)) throw new NotEarlyError();
    return { types, mixed };
  }

  async #pass({ writer }: Run): Promise<void> {
    await writer.pass(bytes => this.#output.write(bytes, writer.rows));
  }

  *#chunks(from: number, to: number): Generator<Uint8Array> {
    this.#file ??= openSync(this.#rows.rowsPath, 'r');
    for (let at = from; at < to; ) {
      const length = readSync(this.#file, this.#buffer, 0, Math.min(CHUNK_BYTES, to - at), at);
      if (length === 0) throw new NotEarlyError();
      yield this.#buffer.subarray(0, length);
      at += length;
    }
  }
}

interface Run {
  readonly types: readonly ColumnType[];
  position: number;
  readonly profiler: RowProfiler;
  readonly writer: ColumnWriter;
  readonly reader: RowReader;
}

interface Found {
  readonly types: readonly ColumnType[];
  readonly mixed: readonly string[];
}

/** Reads what a profiler left for later; more cannot be written. */
function readRest(profiler: RowProfiler): void {
  try {
    profiler.end();
  } catch (error) {
    if (!(error instanceof MalformedResponseError)) throw error;
  }
}

/** Whether the values of two types are stored as the same bytes. */
function isStoredAs(type: ColumnType, other: ColumnType | undefined): boolean {
  if (type.kind !== 'decimal' || other?.kind !== 'decimal') return type.kind === other?.kind;
  return type.scale === other.scale;
}
