import type { FoundColumn } from '../../export/parquet/found-types.ts';
import type { TableSchema } from '../column-types.ts';
import { ADDED_COLUMNS, DAY_COLUMN, type SyncTable } from '../config.ts';
import type { Destination } from '../destinations/destination.ts';
import type { PartitionRows } from '../split-rows.ts';
import type { Encoder, Encoding } from './encoder.ts';
import { encodeParquet } from './parquet.ts';
import { encodeTsv } from './tsv.ts';

const ENCODERS: Readonly<Record<Encoding, Encoder>> = { parquet: encodeParquet, tsv: encodeTsv };

export interface EncodeOptions {
  readonly table: SyncTable;
  readonly rows: PartitionRows;
  /** The columns that the table has so far. */
  readonly earlier: readonly string[];
  /** Adds what the rows need to the types of the table. */
  readonly pin: (found: readonly FoundColumn[]) => Promise<TableSchema>;
  readonly signal: AbortSignal;
}

/** The rows of a partition in the encoding of a destination. */
export interface EncodedPartition {
  readonly path: string;
  readonly bytes: number;
  readonly columns: readonly string[];
  /** The version of the column types that it was written with. */
  readonly schema: number;
}

/** The columns of the rows of a table. */
export function columnsOf({ dimensions, metrics }: SyncTable): readonly string[] {
  return [...ADDED_COLUMNS, DAY_COLUMN, ...dimensions, ...metrics];
}

/** Writes the rows of a partition beside them. Columns that the table no longer has are empty. Throws FileError and UnrepresentableValueError. */
export async function encodePartition(
  {
    encoding,
    name,
    rejectsNul = false,
    calendar,
    keepsAllDigits = false,
  }: Pick<Destination, 'encoding' | 'name' | 'rejectsNul' | 'calendar' | 'keepsAllDigits'>,
  { table, rows, earlier, pin, signal }: EncodeOptions,
): Promise<EncodedPartition> {
  const own = columnsOf(table);
  const columns = [...new Set([...earlier, ...own])];
  const path = `${rows.path}.${encoding}`;
  let schema = 0;
  const bytes = await ENCODERS[encoding]({
    path,
    rowsPath: rows.path,
    target: name,
    rejectsNul,
    calendar,
    keepsAllDigits,
    columns,
    metrics: table.metrics,
    signal,
    pin: async found => {
      const pinned = await pin(found.filter(({ name }) => own.includes(name)));
      schema = pinned.version;
      return pinned;
    },
  });
  return { path, bytes, columns, schema };
}
