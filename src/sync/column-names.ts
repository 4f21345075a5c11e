import type { TableSchema } from './column-types.ts';
import { ADDED_COLUMNS, DAY_COLUMN, problemAt, type SyncConfig, type SyncTable } from './config.ts';
import { schemeOf } from './destinations/schemes.ts';

/** Destinations of Parquet files in folders, whose names are columns. */
const LAKES: readonly string[] = ['', 's3'];
/** Destinations that are read without regard to the case of columns, as DuckDB, Spark, Trino and BigQuery do. */
const CASELESS: readonly string[] = [...LAKES, 'duckdb'];
/** The column of the folders with superseded rows. */
const HISTORY_COLUMN = 'valid_from';

/** Throws UsageError for a column that the readers of the destination cannot tell from another column or from a folder. */
export function checkColumnNames(config: SyncConfig): void {
  const scheme = schemeOf(config.destination);
  if (!CASELESS.includes(scheme)) return;
  for (const table of config.tables) {
    const taken = new Map([DAY_COLUMN, ...ADDED_COLUMNS].map(name => [name as string, name as string]));
    for (const { name, field } of columnsOf(table)) {
      if (LAKES.includes(scheme)) rejectFolder(config, table, name, field);
      const same = taken.get(name.toLowerCase());
      if (same !== undefined)
        throw problemAt(config, field, `${name} differs from ${same} only in case, which DuckDB ignores`, [
          `remove ${name}, or choose PostgreSQL or ClickHouse as the destination`,
        ]);
      taken.set(name.toLowerCase(), name);
    }
  }
}

/** Throws UsageError for a column that the readers of the destination cannot tell from one that its table has already. */
export function checkStoredNames(config: SyncConfig, table: SyncTable, { columns }: TableSchema): void {
  if (!CASELESS.includes(schemeOf(config.destination))) return;
  const stored = new Map(columns.map(({ name }) => [name.toLowerCase(), name]));
  for (const { name, field } of columnsOf(table)) {
    const same = stored.get(name.toLowerCase()) ?? name;
    if (same === name) continue;
    throw problemAt(
      config,
      field,
      `${name} differs only in case from ${same}, which ${table.name} has in ${config.destination}`,
      ['give the table another name'],
    );
  }
}

function columnsOf({ name: table, dimensions, metrics }: SyncTable) {
  return Object.entries({ dimensions, metrics }).flatMap(([key, names]) =>
    names.map(name => ({ name, field: `tables.${table}.${key}:${name}` })),
  );
}

function rejectFolder(
  config: SyncConfig,
  { partition, history }: SyncTable,
  name: string,
  field: string,
): void {
  const folder = [partition, ...(history ? [HISTORY_COLUMN] : [])].find(each => each === name.toLowerCase());
  if (folder === undefined) return;
  const other = partition === 'month' ? 'day' : 'month';
  throw problemAt(config, field, `readers of the lake take ${name} from the folders ${folder}=…`, [
    folder === partition
      ? `remove the column, set partition: ${other}, or choose another destination`
      : 'remove the column, or set history: false',
  ]);
}
