import { open } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';
import type { ColumnKernel } from './parquet/column-kernel.ts';
import { ColumnProfile } from './parquet/column-profile.ts';
import { type FastRows, RowReader, type RowVisit } from './transcode/row-reader.ts';

/** The rows of a finished export, stored as one JSON array, which a conversion reads several times. */
export interface StoredRows {
  /** The path of the file, or a function that gives its bytes each time it is called. */
  readonly rowsPath: string | (() => AsyncIterable<Uint8Array>);
  readonly signal: AbortSignal;
}

const CHUNK_BYTES = 256 * 1024;

/** Reads all rows. Throws FileError and the signal's reason. */
export async function eachStoredRow(
  columns: readonly string[],
  stored: StoredRows,
  visit: RowVisit,
  afterChunk: () => Promise<void> = async () => {},
  fast?: FastRows,
): Promise<void> {
  const reader = new RowReader(columns, visit, fast);
  for await (const chunk of storedChunks(stored)) {
    reader.write(chunk);
    await afterChunk();
  }
  reader.end();
}

async function* storedChunks({ rowsPath, signal }: StoredRows): AsyncGenerator<Uint8Array> {
  for await (const chunk of typeof rowsPath === 'string' ? chunksOf(rowsPath) : rowsPath()) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** Reads the first rows only: those of the first chunk that completes one. */
export async function firstStoredRows(
  columns: readonly string[],
  { rowsPath }: StoredRows,
  visit: RowVisit,
): Promise<void> {
  let hasRows = false;
  const reader = new RowReader(columns, (row, layout) => {
    hasRows = true;
    visit(row, layout);
  });
  for await (const chunk of typeof rowsPath === 'string' ? chunksOf(rowsPath) : rowsPath()) {
    reader.write(chunk);
    if (hasRows) return;
  }
}

/** The names of all columns, in the order in which the rows have them. */
export async function storedColumns(rows: StoredRows): Promise<string[]> {
  const names = new Set<string>();
  let last: readonly string[] | undefined;
  await eachStoredRow([], rows, (_, { extra }) => {
    if (extra === last) return;
    last = extra;
    for (const name of extra) names.add(name);
  });
  return [...names];
}

/** What a look at all rows found. */
export interface StoredProfile {
  readonly profiles: readonly ColumnProfile[];
  readonly rows: number;
  /** The length of the longest row that the kernel did not read, in bytes. */
  readonly longest: number;
}

/** Looks at all values of some columns, to choose their types. */
export async function profileStoredRows(
  columns: readonly string[],
  kernel: ColumnKernel | undefined,
  stored: StoredRows,
): Promise<StoredProfile> {
  const profiler = new RowProfiler(columns, kernel);
  for await (const chunk of storedChunks(stored)) profiler.write(chunk);
  profiler.end();
  return profiler.found();
}

/** Looks at the values of some columns while the rows of one JSON array are read. The kernel profiles one array at a time. */
export class RowProfiler {
  readonly #profiles: readonly ColumnProfile[];
  readonly #kernel: ColumnKernel | undefined;
  readonly #reader: RowReader;
  #rows = 0;
  #longest = 0;

  constructor(columns: readonly string[], kernel: ColumnKernel | undefined) {
    this.#profiles = columns.map(() => new ColumnProfile());
    const fast = kernel !== undefined && columns.length <= kernel.maxColumns ? kernel : undefined;
    this.#kernel = fast;
    fast?.beginProfile(columns.length);
    this.#reader = new RowReader(
      columns,
      this.#visit,
      fast && {
        kernel: fast,
        take: at => {
          const end = fast.profileRows(at);
          this.#rows += fast.profiledRows;
          return end;
        },
      },
    );
  }

  /** The length of the longest row so far that the kernel did not read, in bytes. */
  get longest(): number {
    return this.#longest;
  }

  /** Reads the next bytes. Throws MalformedResponseError at the first invalid one. */
  write(chunk: Uint8Array): void {
    this.#reader.write(chunk);
  }

  /** Throws MalformedResponseError if the array is incomplete. */
  end(): void {
    this.#reader.end();
  }

  /** What the rows so far have. */
  found(): StoredProfile {
    const profiles = this.#profiles.map((seen, column) => {
      const profile = new ColumnProfile();
      profile.add(seen);
      if (this.#kernel !== undefined) profile.addCounts(this.#kernel.countsOf(column));
      return profile;
    });
    return { profiles, rows: this.#rows, longest: this.#longest };
  }

  readonly #visit: RowVisit = (row, { fieldOf }) => {
    const profiles = this.#profiles;
    this.#rows += 1;
    this.#longest = Math.max(this.#longest, row.to - row.from);
    for (let column = 0; column < profiles.length; column++) {
      const field = fieldOf[column] as number;
      if (field >= 0)
        profiles[column]?.addValue(row.text, row.valueFrom[field] as number, row.valueTo[field] as number);
    }
  };
}

/** A file in pieces, each valid until the next is requested: while one is used, the next is read. Throws FileError. */
export async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path).catch(error => {
    throw fileError(path, error, 'read');
  });
  const read = (buffer: Buffer) => {
    const reading = handle.read(buffer);
    // Node ends a process for an error that comes while the previous piece is used.
    reading.catch(() => undefined);
    return reading;
  };
  let reading: ReturnType<typeof read> | undefined;
  try {
    // Syncs read files of a few hundred rows by the thousand.
    const bytes = Math.min(CHUNK_BYTES, 1 + (await handle.stat()).size);
    let other: Buffer = Buffer.allocUnsafe(bytes);
    reading = read(Buffer.allocUnsafe(bytes));
    while (true) {
      const { bytesRead, buffer } = await reading;
      if (bytesRead === 0) return;
      reading = read(other);
      other = buffer;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw fileError(path, error, 'read');
  } finally {
    await reading?.catch(() => undefined);
    await handle.close().catch(() => undefined);
  }
}
