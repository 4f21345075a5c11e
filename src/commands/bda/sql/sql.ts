import { defineCommand, variadic } from '../../framework/define-command.ts';
import { listOf } from '../../framework/output-schema.ts';
import { SQL_FLAGS } from './sql-flags.ts';

export const sql = defineCommand({
  name: 'sql',
  effect: 'read',
  summary: 'query exported files and synced tables with SQL',
  description:
    'Runs SQL in DuckDB. Each file is a table named after it: pages.csv is pages. With --sync, the tables of a sync file are tables, in Parquet files or a DuckDB file. Only these files can be read, nothing is written but --out, and nothing is sent. Requires npm install -g @duckdb/node-api.',
  arguments: {
    words: variadic('sql-and-files', 'the query (- for stdin), then files to query', { completes: 'file' }),
  },
  options: SQL_FLAGS,
  examples: {
    "gatectl bda sql 'SELECT country, sum(visits) FROM pages GROUP BY ALL' pages.parquet":
      'sum an export by country',
    "gatectl bda sql 'SELECT report_day, sum(visits) AS visits FROM pages GROUP BY ALL ORDER BY ALL' --sync --chart":
      'draw the visits of each day from the synced tables',
    'gatectl bda sql --file report.sql pages.csv authors.csv --out report.xlsx':
      'join an export with a list of your own, into a workbook',
  },
  output: listOf({ '(column)': ['any', 'each column of the result; numbers keep all digits'] }),
  async run(flags, context) {
    const { runSqlCommand } = await import('./run-sql.ts');
    await runSqlCommand(flags, context);
  },
});
