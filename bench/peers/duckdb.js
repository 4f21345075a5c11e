// Rows of the bench's server to typed Parquet without gatectl: node bench/peers/duckdb.js URL ROWS PAGE FOLDER. curl saves the pages,
// DuckDB reads them and writes the file, with all cores.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const [url, rows, page, folder] = process.argv.slice(2);
const requests = [];
for (let offset = 0; offset < Number(rows); offset += Number(page))
  requests.push('-o', join(folder, `page-${offset}.json`), `${url}/rows/${page}/${offset}`);
execFileSync('curl', ['-sS', '--fail', '--compressed', ...requests]);

const columns = `{report_day: 'DATE', url: 'VARCHAR', country: 'VARCHAR', device: 'VARCHAR', pageviews: 'BIGINT', visits: 'BIGINT',
  revenue: 'DECIMAL(18, 8)', rpm: 'DECIMAL(18, 6)'}`;
const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run(
  `COPY (FROM read_json('${folder}/page-*.json', format = 'array', columns = ${columns}))
   TO '${folder}/duckdb.parquet' (FORMAT parquet)`,
);
