import { createReadStream } from 'node:fs';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { fileError } from '../../files/file-error.ts';
import type { WritableFile } from '../../files/writable-file.ts';
import { LOWER_N } from '../transcode/ascii.ts';
import { RowReader, type RowVisit } from '../transcode/row-reader.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { UnrepresentableValueError } from '../unrepresentable-value.ts';
import { type CellValue, cellReader } from './cells.ts';
import { ColumnProfile } from './column-profile.ts';
import { type ColumnType, schemaOf } from './column-type.ts';
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
  const { types, rows } = await typesOf(columns, options);
  await writeRows(columns, types, options, written => options.onRows(written, rows));
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

async function typesOf(
  columns: readonly string[],
  options: ParquetOptions,
): Promise<{ readonly types: readonly ColumnType[]; readonly rows: number }> {
  let rows = 0;
  const profiles = columns.map(() => new ColumnProfile());
  await eachRow(columns, options, (row, { fieldOf }) => {
    rows += 1;
    for (let column = 0; column < profiles.length; column++) {
      const field = fieldOf[column] as number;
      if (field >= 0)
        profiles[column]?.add(row.text, row.valueFrom[field] as number, row.valueTo[field] as number);
    }
  });
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
  return { types, rows };
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
): Promise<void> {
  const reader = new RowReader(columns, visit);
  for await (const chunk of chunksOf(rowsPath)) {
    signal.throwIfAborted();
    reader.write(chunk);
    await afterChunk();
  }
  reader.end();
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
  } catch (error) {
    throw fileError(path, error, 'read');
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
