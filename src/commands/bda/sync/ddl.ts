import { defineCommand, oneOf, string } from '../../framework/define-command.ts';
import { NOTHING } from '../../framework/output-schema.ts';
import { SCOPE_FLAGS, SYNC_ARGUMENT } from './flags.ts';

export const syncDdl = defineCommand({
  name: 'ddl',
  effect: 'read',
  summary: 'print the SQL that lets other engines read the tables',
  description:
    'Prints CREATE statements for each table and for a view with its totals by day: tables over the Parquet files for DuckDB, Trino, Spark and BigQuery, and the tables that a sync creates in ClickHouse and PostgreSQL. Metrics that cannot be summed are omitted from the view, with the reason. Types are those of the rows; before the first run, those of the list of columns, which is requested.',
  arguments: SYNC_ARGUMENT,
  options: {
    for: oneOf('--for <engine>', 'the engine', [
      'duckdb',
      'trino',
      'spark',
      'bigquery',
      'clickhouse',
      'postgres',
    ]),
    location: string('--location <uri>', 'where the engine finds the files (default: the destination)'),
    table: SCOPE_FLAGS.table,
  },
  examples: {
    'gatectl bda sync ddl --for duckdb': 'views in DuckDB',
    'gatectl bda sync ddl --for bigquery --location gs://news-analytics/lake':
      'tables in BigQuery over files in a bucket',
  },
  output: NOTHING,
  async run(flags, context) {
    const { printDdl } = await import('./print-ddl.ts');
    await printDdl(flags, context);
  },
});
