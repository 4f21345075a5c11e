import { open } from 'node:fs/promises';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { fileError } from '../../files/file-error.ts';
import type { WritableFile } from '../../files/writable-file.ts';
import { LOWER_N } from '../transcode/ascii.ts';
import { type FastRows, RowReader, type RowVisit } from '../transcode/row-reader.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { UnrepresentableValueError } from '../unrepresentable-value.ts';
import { type CellValue, cellReader } from './cells.ts';
import { type ColumnKernel, columnKernel, MAX_COLUMN_ROW_BYTES } from './column-kernel.ts';
import { ColumnProfile } from './column-profile.ts';
import { type ColumnType, schemaOf } from './column-type.ts';
import { ColumnWriter } from './column-writer.ts';
import { isDoubleExact } from './decimal.ts';

export interface ParquetOptions {
  /** A file that holds all rows as one JSON array. It is read three times at most. */
  readonly rowsPath: string;
  readonly file: WritableFile;
  /** The columns, in order; empty where the rows name them. */
  readonly columns: readonly string[];
  /** Columns that hold figures: an empty one is a column of integers. */
  readonly figures: readonly string[];
  readonly createdBy: string;
  readonly signal: AbortSignal;
  /** How many rows are written, of how many. */
  readonly onRows: (written: number, all: number) => void;
  /** A column of several kinds of values, which is kept as text. */
  readonly onMixed: (column: string) => void;
}

/** Memory holds the rows of one group, and a group ends early when its rows are long. */
const GROUP_ROWS = 20_000;
const GROUP_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/**
 * Writes rows as Parquet, compressed with Snappy, each column in the narrowest type that keeps every digit. The types are known
 * once all rows were seen, so rows are read twice. Throws UnrepresentableValueError, FileError, and the signal's reason.
 */
export async function rowsToParquet(options: ParquetOptions): Promise<void> {
  const columns = options.columns.length > 0 ? options.columns : await columnsIn(options);
  if (columns.length === 0)
    throw new UnrepresentableValueError(
      `${options.file.path} would have no columns: no row came that names them`,
      {
        path: options.file.path,
        code: 'unrepresentable_value',
      },
    );
  const kernel = columnKernel();
  const { types, rows, longest } = await typesOf(columns, kernel, options);
  const onRows = (written: number) => options.onRows(written, rows);
  if (kernel !== undefined && longest <= MAX_COLUMN_ROW_BYTES && ColumnWriter.takes(types, kernel))
    await writeColumns(columns, types, kernel, options, onRows);
  else await writeRows(columns, types, options, onRows);
}

/** The names that any row has, in the order in which they come. */
async function columnsIn(options: ParquetOptions): Promise<string[]> {
  const names = new Set<string>();
  let last: readonly string[] | undefined;
  await eachRow([], options, (_, { extra }) => {
    if (extra === last) return;
    last = extra;
    for (const name of extra) names.add(name);
  });
  return [...names];
}

/** The types of all columns, how many rows there are, and the length of the longest that the kernel did not read, in bytes. */
async function typesOf(
  columns: readonly string[],
  kernel: ColumnKernel | undefined,
  options: ParquetOptions,
): Promise<{ readonly types: readonly ColumnType[]; readonly rows: number; readonly longest: number }> {
  let rows = 0;
  let longest = 0;
  const profiles = columns.map(() => new ColumnProfile());
  const visit: RowVisit = (row, { fieldOf }) => {
    rows += 1;
    longest = Math.max(longest, row.to - row.from);
    for (let column = 0; column < profiles.length; column++) {
      const field = fieldOf[column] as number;
      if (field >= 0)
        profiles[column]?.add(row.text, row.valueFrom[field] as number, row.valueTo[field] as number);
    }
  };
  const fast = kernel !== undefined && columns.length <= kernel.maxColumns ? kernel : undefined;
  fast?.beginProfile(columns.length);
  await eachRow(
    columns,
    options,
    visit,
    async () => {},
    fast && {
      kernel: fast,
      take: at => {
        const end = fast.profileRows(at);
        rows += fast.rows;
        return end;
      },
    },
  );
  if (fast !== undefined)
    for (const [column, profile] of profiles.entries()) profile.addCounts(fast.countsOf(column));
  const types: ColumnType[] = [];
  for (const [index, profile] of profiles.entries()) {
    const name = columns[index] ?? '';
    if (profile.brokenText !== undefined)
      throw refusal(name, 'a text that is cut in the middle of a character', options);
    const found = profile.typeFound(options.figures.includes(name));
    if (found.type === undefined) types.push(await doubleType(name, found.widest, options));
    else {
      if (found.isMixed) options.onMixed(name);
      types.push(found.type);
    }
  }
  return { types, rows, longest };
}

/** A double loses nothing where each number is written with the same digits again. */
async function doubleType(name: string, widest: string, options: ParquetOptions): Promise<ColumnType> {
  let lost: string | undefined;
  await eachRow([name], options, (row, { fieldOf }) => {
    const field = fieldOf[0] as number;
    if (field < 0 || lost !== undefined) return;
    const [from, to] = [row.valueFrom[field] as number, row.valueTo[field] as number];
    if (row.text.getUint8(from) === LOWER_N) return;
    const text = utf8Text(row.text, from, to);
    if (!isDoubleExact(text)) lost = text;
  });
  if (lost === undefined) return { kind: 'double' };
  throw refusal(name, `numbers that are too long for it, such as ${shortened(widest)}`, options);
}

async function writeColumns(
  columns: readonly string[],
  types: readonly ColumnType[],
  kernel: ColumnKernel,
  options: ParquetOptions,
  onRows: (written: number) => void,
): Promise<void> {
  const named = columns.map((name, index) => ({ name, type: types[index] ?? ({ kind: 'text' } as const) }));
  const writer = new ColumnWriter(kernel, named, options.createdBy);
  const pass = () =>
    writer.pass(async bytes => {
      await options.file.write(bytes);
      if (writer.rows > 0) onRows(writer.rows);
    });
  await eachRow(columns, options, writer.put, pass, { kernel, take: at => writer.take(at) });
  writer.end();
  await pass();
}

/** The general path: for longer numbers and rows than the kernel takes, and for processors without SIMD. */
async function writeRows(
  columns: readonly string[],
  types: readonly ColumnType[],
  options: ParquetOptions,
  onRows: (written: number) => void,
): Promise<void> {
  let written = 0;
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: schemaOf(columns.map((name, index) => ({ name, type: types[index] ?? { kind: 'text' } }))),
    createdBy: options.createdBy,
  });
  const readers = types.map(cellReader);
  let group = columns.map((): CellValue[] => []);
  let rows = 0;
  let bytes = 0;
  const endGroup = async () => {
    if (rows > 0) {
      const columnData = columns.map((name, index) => ({ name, data: group[index] ?? [] }));
      await parquet.write({ columnData, rowGroupSize: rows });
      written += rows;
      onRows(written);
      group = columns.map(() => []);
      rows = 0;
      bytes = 0;
    }
    await pass(writer, options.file);
  };
  const take: RowVisit = (row, { fieldOf }) => {
    for (let column = 0; column < readers.length; column++) {
      const field = fieldOf[column] as number;
      const value =
        field < 0
          ? null
          : readers[column]?.(row.text, row.valueFrom[field] as number, row.valueTo[field] as number);
      group[column]?.push(value ?? null);
    }
    rows += 1;
    bytes += row.to - row.from;
  };
  await eachRow(columns, options, take, async () => {
    if (rows >= GROUP_ROWS || bytes >= GROUP_BYTES) await endGroup();
  });
  await endGroup();
  await parquet.finish();
  await pass(writer, options.file);
}

/** Hands what was made so far to the file. */
async function pass(writer: ByteWriter, file: WritableFile): Promise<void> {
  await file.write(writer.getBytes());
  writer.index = 0;
}

async function eachRow(
  columns: readonly string[],
  { rowsPath, signal }: ParquetOptions,
  visit: RowVisit,
  afterChunk: () => Promise<void> = async () => {},
  fast?: FastRows,
): Promise<void> {
  const reader = new RowReader(columns, visit, fast);
  for await (const chunk of chunksOf(rowsPath)) {
    signal.throwIfAborted();
    reader.write(chunk);
    await afterChunk();
  }
  reader.end();
}

/** The file in pieces, each valid until the next is asked for: while one is used, the next is read. */
async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path).catch(error => {
    throw fileError(path, error, 'read');
  });
  let [buffer, other] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
  let reading = handle.read(buffer);
  try {
    while (true) {
      const { bytesRead } = await reading.catch(error => {
        throw fileError(path, error, 'read');
      });
      if (bytesRead === 0) return;
      const chunk = buffer.subarray(0, bytesRead);
      [buffer, other] = [other, buffer];
      reading = handle.read(buffer);
      yield chunk;
    }
  } finally {
    await reading.catch(() => undefined);
    await handle.close();
  }
}

function refusal(column: string, why: string, { file }: ParquetOptions): UnrepresentableValueError {
  return new UnrepresentableValueError(
    `${file.path} can't keep the column ${column} as it is: ${why}; csv and ndjson can`,
    {
      path: file.path,
      code: 'unrepresentable_value',
    },
  );
}

function shortened(text: string): string {
  return text.length > 50 ? `${text.slice(0, 50)}…` : text;
}
