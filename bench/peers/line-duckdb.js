// Pages over a line to csv without gatectl: node bench/peers/line-duckdb.js URL PAGES ROWS FOLDER. curl saves them, DuckDB reads them.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const [url, pages, rows, folder] = process.argv.slice(2);
const requests = Array.from({ length: Number(pages) }, (_, page) => [
  ...(page === 0 ? [] : ['--next']),
  ...[
    '-sS',
    '--fail',
    '--compressed',
    '-d',
    JSON.stringify({ limit: Number(rows), offset: page * Number(rows) }),
  ],
  ...['-o', join(folder, `line-page-${page}.json`), url],
]);
execFileSync('curl', requests.flat());
const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run(
  `COPY (SELECT unnest(rows, recursive := true) FROM read_json('${folder}/line-page-*.json', maximum_object_size = 100000000))
   TO '${folder}/line-duckdb.csv'`,
);
