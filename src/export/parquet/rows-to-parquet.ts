import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { WritableFile } from '../../files/writable-file.ts';
import { eachStoredRow, profileStoredRows, type StoredRows, storedColumns } from '../stored-rows.ts';
import { LOWER_N } from '../transcode/ascii.ts';
import type { RowVisit } from '../transcode/row-reader.ts';
import { utf8Text } from '../transcode/utf8.ts';
import { UnrepresentableValueError } from '../unrepresentable-value.ts';
import { type CellValue, cellReader } from './cells.ts';
import { type ColumnKernel, columnKernel, MAX_COLUMN_ROW_BYTES } from './column-kernel.ts';
import type { ColumnProfile } from './column-profile.ts';
import { type ColumnType, schemaOf } from './column-type.ts';
import { ColumnWriter } from './column-writer.ts';
import { isDoubleExact } from './decimal.ts';

export interface ParquetOptions extends StoredRows {
  readonly file: WritableFile;
  /** The columns, in order; if empty, the rows name them. */
  readonly columns: readonly string[];
  /** Numeric columns: an empty one becomes a column of integers. */
  readonly figures: readonly string[];
  readonly createdBy: string;
  /** How many rows are written, of how many. */
  readonly onRows: (written: number, all: number) => void;
  /** Called for a column with values of several kinds, which is stored as text. */
  readonly onMixed: (column: string) => void;
  /** Chooses the types of all columns instead, each at least as wide as what was found. */
  readonly chooseTypes?: (found: readonly FoundColumn[]) => Promise<readonly ColumnType[]>;
}

/** What a look at all values of a column found. */
export interface FoundColumn {
  readonly name: string;
  readonly profile: ColumnProfile;
  /** The narrowest type; undefined if only a double, which may not be exact, holds the numbers. */
  readonly type: ColumnType | undefined;
}

/** Maximum rows of a group, which are in memory; a group ends early if its rows are long. */
const GROUP_ROWS = 20_000;
const GROUP_BYTES = 16 * 1024 * 1024;

/** The last conversion of this process: the kernel converts one file at a time. */
let latest: Promise<void> = Promise.resolve();

/**
 * Writes rows as Parquet, compressed with Snappy, each column in the narrowest type that preserves every digit. Rows are read
 * twice, because the types depend on all of them. Waits for conversions that began earlier. Throws UnrepresentableValueError,
 * FileError, and the signal's reason.
 */
export async function rowsToParquet(options: ParquetOptions): Promise<void> {
  const turn = latest.then(() => convert(options));
  latest = turn.catch(() => {});
  await turn;
}

async function convert(options: ParquetOptions): Promise<void> {
  const columns = options.columns.length > 0 ? options.columns : await storedColumns(options);
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

/** The types of all columns, how many rows there are, and the length of the longest that the kernel did not read, in bytes. */
async function typesOf(
  columns: readonly string[],
  kernel: ColumnKernel | undefined,
  options: ParquetOptions,
): Promise<{ readonly types: readonly ColumnType[]; readonly rows: number; readonly longest: number }> {
  const { profiles, rows, longest } = await profileStoredRows(columns, kernel, options);
  const found = profiles.map((profile, index) => {
    const name = columns[index] ?? '';
    if (profile.brokenText !== undefined)
      throw refusal(name, 'a text that is cut in the middle of a character', options);
    return { name, profile, ...profile.typeFound(options.figures.includes(name)) };
  });
  const chosen = await options.chooseTypes?.(found);
  const types: ColumnType[] = [];
  for (const [index, { name, ...column }] of found.entries()) {
    const type = chosen?.[index] ?? column.type;
    if (type === undefined || (chosen !== undefined && type.kind === 'double'))
      types.push(await doubleType(name, column.type === undefined ? column.widest : '', options));
    else {
      if (chosen === undefined && column.type !== undefined && column.isMixed) options.onMixed(name);
      types.push(type);
    }
  }
  return { types, rows, longest };
}

/** A double is exact if every number prints with the same digits again. */
async function doubleType(name: string, widest: string, options: ParquetOptions): Promise<ColumnType> {
  let lost: string | undefined;
  await eachStoredRow([name], options, (row, { fieldOf }) => {
    const field = fieldOf[0] as number;
    if (field < 0 || lost !== undefined) return;
    const [from, to] = [row.valueFrom[field] as number, row.valueTo[field] as number];
    if (row.text.getUint8(from) === LOWER_N) return;
    const text = utf8Text(row.text, from, to);
    if (!isDoubleExact(text)) lost = text;
  });
  if (lost === undefined) return { kind: 'double' };
  throw refusal(name, `numbers that are too long for it, such as ${shortened(widest || lost)}`, options);
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
  await eachStoredRow(columns, options, writer.put, pass, { kernel, take: at => writer.take(at) });
  writer.end();
  await pass();
}

/** The general path, for numbers and rows that are too long for the kernel, and for processors without SIMD. */
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
  await eachStoredRow(columns, options, take, async () => {
    if (rows >= GROUP_ROWS || bytes >= GROUP_BYTES) await endGroup();
  });
  await endGroup();
  await parquet.finish();
  await pass(writer, options.file);
}

/** Writes what was encoded so far to the file. */
async function pass(writer: ByteWriter, file: WritableFile): Promise<void> {
  await file.write(writer.getBytes());
  writer.index = 0;
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
