import { ColumnProfile } from '../../export/parquet/column-profile.ts';
import type { FoundColumn } from '../../export/parquet/found-types.ts';
import { utf8Bytes } from '../../export/transcode/utf8.ts';
import type { TableSchema } from '../column-types.ts';
import { ADDED_COLUMNS, columnsOfRows, type SyncTable } from '../config.ts';
import type { SyncDomain } from '../plan.ts';
import type { PartitionRows } from '../rows/partition-rows.ts';

/** The form in which a destination takes the rows of a partition. */
export type Encoding = 'parquet' | 'csv' | 'tsv';

/** What an encoder asks of a destination. */
export interface Target {
  /** As messages name it. */
  readonly name: string;
  /** Whether it adds the columns of the site itself, so that the lines that it gets lack them. */
  readonly addsSite?: boolean | undefined;
  /** The first and the last day of the calendar that it can store; undefined for no limit. */
  readonly calendar?: readonly [first: string, last: string] | undefined;
  /** Whether it keeps numbers with more digits than decimals and doubles have. */
  readonly keepsAllDigits?: boolean | undefined;
}

/** What an encoder gets. */
interface EncoderOptions {
  readonly table: SyncTable;
  readonly domain: SyncDomain;
  readonly rows: PartitionRows;
  /** Where the rows go, and which values it can store. */
  readonly destination: Target;
  /** The columns that the table has so far. */
  readonly earlier: readonly string[];
  /** Gets what was found in all values, and resolves to the types of the table, which are wide enough for it. */
  readonly pin: (found: readonly FoundColumn[]) => Promise<TableSchema>;
  readonly signal: AbortSignal;
}

/** The rows of a partition in the encoding of a destination. */
export interface EncodedPartition {
  readonly path: string;
  /** Its length. */
  readonly bytes: number;
  /** The columns of the file, in order. */
  readonly columns: readonly string[];
  /** The version of the column types that it was written with. */
  readonly schema: number;
}

/** Encodes the rows of a partition: the same bytes for the same rows and types. */
export type Encoder = (options: EncoderOptions) => Promise<EncodedPartition>;

/** The columns of a partition in order, with those of the site first, and what was found in their values. */
export function profilesOf({
  table,
  domain,
  rows,
}: Pick<EncoderOptions, 'table' | 'domain' | 'rows'>): ReadonlyMap<string, ColumnProfile> {
  const site = [String(domain.id), JSON.stringify(domain.name)].map(value => {
    const profile = new ColumnProfile();
    const text = utf8Bytes(value);
    profile.addValue(text, 0, text.byteLength);
    return profile;
  });
  const names = [...ADDED_COLUMNS, ...columnsOfRows(table)];
  return new Map(names.map((name, index) => [name, [...site, ...rows.profiles][index] as ColumnProfile]));
}
