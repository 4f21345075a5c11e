import { quoteName, quoteText, quoteWithBackslashes } from '../text/sql.ts';
import { type ColumnNeeds, DUCKDB_TYPES, sqlType, type TableSchema, type TypeNames } from './column-types.ts';
import { DAY_COLUMN, type SyncTable } from './config.ts';
import { dayView, type ViewDialect } from './day-view.ts';
import * as clickhouse from './destinations/clickhouse/statements.ts';
import * as postgres from './destinations/postgres/sql.ts';

/** The engines that DDL is printed for. */
export const ENGINES = ['duckdb', 'trino', 'spark', 'bigquery', 'clickhouse', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

/** Engines that read Parquet files where they are; the others have tables of their own. */
export const FILE_ENGINES: readonly Engine[] = ['duckdb', 'trino', 'spark', 'bigquery'];

/** A table to describe. */
interface DdlTable {
  readonly table: SyncTable;
  readonly schema: TableSchema;
  /** The URI or the folder of the lake, as the engine names it, without a slash at the end. */
  readonly location: string;
  /** What a reader should know first. */
  readonly notes: readonly string[];
  /** Whether the statements are for the destination, where runs have created the table. */
  readonly isInPlace: boolean;
  /** False if another table has the name of the view. */
  readonly hasView: boolean;
}

interface Dialect extends ViewDialect {
  readonly types: TypeNames;
  /** The statements that make the table available. `columns` are its definitions, one a line. */
  readonly table: (table: DdlTable, columns: readonly string[]) => string;
}

const escapedText = (text: string) => quoteWithBackslashes(text, "'");

const backtick = (name: string) => `\`${name.replaceAll('`', '``')}\``;
const bigQueryName = (name: string) => quoteWithBackslashes(name, '`');

/** A line break in a name would end the comment. */
const comment = (text: string) => `-- ${text.replaceAll(/[\0-\x1f\x7f\x85\u2028\u2029]+/g, ' ')}`;

const BIGQUERY_TYPES: TypeNames = {
  text: 'STRING',
  flag: 'BOOL',
  day: 'DATE',
  integer: 'INT64',
  double: 'FLOAT64',
  decimal(precision, scale) {
    // NUMERIC has 29 digits before and 9 after the point.
    const fits = scale <= 9 && precision - scale <= 29;
    return `${fits ? 'NUMERIC' : 'BIGNUMERIC'}(${precision}, ${scale})`;
  },
};

const definitions = (columns: readonly string[]) => columns.map(column => `  ${column}`).join(',\n');
const folderOf = ({ table, location }: DdlTable) => `${location}/${table.name}`;

const DIALECTS: Readonly<Record<Engine, Dialect>> = {
  duckdb: {
    quote: quoteName,
    double: 'DOUBLE',
    types: DUCKDB_TYPES,
    table: each => {
      const files = `${folderOf(each)}/domain_id=*/${each.table.partition}=*/data.parquet`;
      return `CREATE OR REPLACE VIEW ${quoteName(each.table.name)} AS
SELECT * FROM read_parquet(${quoteText(files)}, hive_partitioning = true, union_by_name = true,
  hive_types = {'domain_id': BIGINT, '${each.table.partition}': VARCHAR});`;
    },
  },
  trino: {
    quote: quoteName,
    double: 'DOUBLE',
    types: DUCKDB_TYPES,
    table: (each, columns) => {
      const { name, partition } = each.table;
      // Columns of folders come last.
      const own = columns.filter(column => !column.startsWith('"domain_id" '));
      return `CREATE TABLE IF NOT EXISTS ${quoteName(name)} (
${definitions([...own, '"domain_id" BIGINT', `${quoteName(partition)} VARCHAR`])}
) WITH (
  format = 'PARQUET',
  external_location = ${quoteText(`${folderOf(each)}/`)},
  partitioned_by = ARRAY['domain_id', '${partition}']
);
-- after each run, so that new partitions are found; replace SCHEMA by the schema of the table:
CALL system.sync_partition_metadata('SCHEMA', ${quoteText(name)}, 'FULL');`;
    },
  },
  spark: {
    quote: backtick,
    double: 'DOUBLE',
    types: { ...DUCKDB_TYPES, text: 'STRING' },
    table: (each, columns) => {
      const { name, partition } = each.table;
      const own = columns.filter(column => !column.startsWith('`domain_id` '));
      return `CREATE TABLE IF NOT EXISTS ${backtick(name)} (
${definitions([...own, '`domain_id` BIGINT', `${backtick(partition)} STRING`])}
) USING PARQUET
PARTITIONED BY (\`domain_id\`, ${backtick(partition)})
LOCATION ${escapedText(folderOf(each))};
-- after each run, so that new partitions are found:
MSCK REPAIR TABLE ${backtick(name)};`;
    },
  },
  bigquery: {
    quote: bigQueryName,
    double: 'FLOAT64',
    types: BIGQUERY_TYPES,
    table: (
      each,
      columns,
    ) => `-- domain_id is a column of the files, so that it cannot also be a partition of the folders.
CREATE OR REPLACE EXTERNAL TABLE ${bigQueryName(each.table.name)} (
${definitions(columns)}
) OPTIONS (
  format = 'PARQUET',
  uris = [${escapedText(`${folderOf(each)}/*.parquet`)}]
);`,
  },
  clickhouse: {
    quote: clickhouse.quoteName,
    double: 'Nullable(Float64)',
    confusesNames: true,
    types: clickhouse.TYPES,
    table: ({ table, schema }) =>
      `${clickhouse.createTable(clickhouse.quoteName(table.name), schema.columns, table.partition)};`,
  },
  postgres: {
    quote: quoteName,
    double: 'double precision',
    types: postgres.TYPES,
    table: ({ table: { name }, isInPlace }, columns) => {
      // Runs add a partition for each month, which one for all other months would prevent.
      const others = `CREATE TABLE IF NOT EXISTS ${quoteName(`_${name}_default`)} PARTITION OF ${quoteName(name)} DEFAULT;`;
      // The index has the name that PostgreSQL gives that of a sync.
      return `CREATE TABLE IF NOT EXISTS ${quoteName(name)} (
${definitions(columns)}
) PARTITION BY RANGE (${quoteName(DAY_COLUMN)});
${isInPlace ? `-- in another database: ${others}` : others}
CREATE INDEX IF NOT EXISTS ${quoteName(`${name}_domain_id_${DAY_COLUMN}_idx`)} ON ${quoteName(name)} (domain_id, ${quoteName(DAY_COLUMN)});`;
    },
  },
};

/** The DDL of a table and of its view by day. */
export function ddlOf(engine: Engine, each: DdlTable): string {
  const dialect = DIALECTS[engine];
  const { table, schema, notes, hasView } = each;
  const columns = schema.columns.map(
    column => `${dialect.quote(column.name)} ${sqlType(column, dialect.types)}`,
  );
  const view = dayView(table, dialect.quote(table.name), dialect);
  // Older versions of ClickHouse cannot replace a view.
  const create = engine === 'clickhouse' ? 'CREATE VIEW IF NOT EXISTS' : 'CREATE OR REPLACE VIEW';
  const ofView = [
    '',
    ...view.omitted.map(text => comment(`without ${text}`)),
    `${create} ${dialect.quote(view.name)} AS\n${view.select};`,
  ];
  return [...notes.map(comment), dialect.table(each, columns), ...(hasView ? ofView : [])].join('\n');
}

/** The types of a table that no run has filled: what the catalogue says of its columns. Metrics have two decimals. */
export function assumedSchema(
  { dimensions, metrics }: SyncTable,
  kindOf: (column: string) => 'number' | 'boolean' | 'text' | undefined,
): TableSchema {
  const kinds = { number: 'number', boolean: 'flag', text: 'text' } as const;
  const column = (name: string, kind: ColumnNeeds['kind'], whole = 0, scale = 0) => ({
    name,
    kind,
    whole,
    scale,
  });
  return {
    version: 0,
    columns: [
      column('domain_id', 'number', 18),
      column('domain', 'text'),
      column(DAY_COLUMN, 'day'),
      ...dimensions.map(name => {
        const kind = kinds[kindOf(name) ?? 'text'];
        return column(name, kind, kind === 'number' ? 18 : 0);
      }),
      ...metrics.map(name => column(name, 'number', 16, 2)),
    ],
  };
}
