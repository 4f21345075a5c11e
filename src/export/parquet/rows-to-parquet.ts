import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { WritableFile } from '../../files/writable-file.ts';
import {
  eachStoredRow,
  profileStoredRows,
  type StoredProfile,
  type StoredRows,
  storedColumns,
} from '../stored-rows.ts';
import type { RowVisit } from '../transcode/row-reader.ts';
import { UnrepresentableValueError } from '../unrepresentable-value.ts';
import { type CellValue, cellReader } from './cells.ts';
import { type ColumnKernel, MAX_COLUMN_ROW_BYTES, withColumnKernel } from './column-kernel.ts';
import { type ColumnType, schemaOf } from './column-type.ts';
import { ColumnWriter } from './column-writer.ts';
import { inexactInStored, type TypeChoice, typesOf } from './found-types.ts';

interface ParquetOptions extends TypeChoice, StoredRows {
  readonly file: WritableFile;
  /** Where the rows go in the end, as messages name it; by default the file. */
  readonly target?: string;
  /** The columns, in order; if empty, the rows name them. */
  readonly columns: readonly string[];
  /** What a look at all rows found, one profile for each column; by default, they are looked at first. */
  readonly profile?: StoredProfile;
  readonly createdBy: string;
  /** How many rows are written, of how many. */
  readonly onRows: (written: number, all: number) => void;
}

/** Maximum rows of a group, which are in memory; a group ends early if its rows are long. */
const GROUP_ROWS = 20_000;
const GROUP_BYTES = 16 * 1024 * 1024;

/**
 * Writes rows as Parquet, compressed with Snappy, each column in the narrowest type that preserves every digit. Rows without a
 * profile are read twice, because the types depend on all of them. Waits for conversions that began earlier. Throws UnrepresentableValueError,
 * FileError, and the signal's reason.
 */
export async function rowsToParquet(options: ParquetOptions): Promise<void> {
  await withColumnKernel(kernel => convert(kernel, options));
}

async function convert(kernel: ColumnKernel | undefined, options: ParquetOptions): Promise<void> {
  const columns = options.columns.length > 0 ? options.columns : await storedColumns(options);
  if (columns.length === 0)
    throw new UnrepresentableValueError(
      `${options.file.path} would have no columns: no row came that names them`,
      { path: options.file.path, code: 'unrepresentable_value' },
    );
  const { profiles, rows, longest } = options.profile ?? (await profileStoredRows(columns, kernel, options));
  const types = await typesOf({
    ...options,
    columns,
    profiles,
    target: options.target ?? options.file.path,
    isFile: options.target === undefined,
    inexactIn: column => inexactInStored(options, column),
  });
  const onRows = (written: number) => options.onRows(written, rows);
  if (kernel !== undefined && longest <= MAX_COLUMN_ROW_BYTES && ColumnWriter.takes(types, kernel))
    await writeColumns(columns, types, kernel, options, onRows);
  else await writeRows(columns, types, options, onRows);
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
