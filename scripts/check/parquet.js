// Exports rows of the embedded gateway, and of the bench's server, as csv and as Parquet, and lets DuckDB compare every value as text;
// hyparquet reads them too.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';

const TABLES = [
  {
    what: 'columns that the kernel writes',
    dataSet: 'rows_1000000',
    dimensions: ['report_day', 'url', 'country', 'device'],
    metrics: ['pageviews', 'visits', 'revenue', 'rpm'],
    rows: 1_000_000,
  },
  {
    what: 'columns with decimals of more than 18 digits',
    dataSet: 'bulk',
    sandbox: true,
    // Not `adjustment`: its numbers are made so that no column can keep them.
    dimensions: ['row_id', 'report_day', 'page_url', 'country'],
    metrics: ['visits', 'pageviews', 'revenue', 'engaged_time'],
    // Ten days of 25,000 rows.
    rows: 250_000,
  },
];

const say = line => process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'gatectl-parquet-'));
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const ask = async sql => (await connection.runAndReadAll(sql)).getRowsJson();
const server = fork('bench/server.js');
const [port] = await once(server, 'message');
const baseUrl = `http://127.0.0.1:${port}`;
try {
  for (const table of TABLES) await check(table);
  say('every value is the same');
} finally {
  server.disconnect();
  rmSync(folder, { recursive: true, force: true });
}

async function check({ what, dataSet, sandbox = false, dimensions, metrics, rows }) {
  say(`${what}:`);
  const [csv, parquet] = ['rows.csv', 'rows.parquet'].map(name => join(folder, name));
  for (const file of [csv, parquet]) {
    const started = performance.now();
    const columns = ['-d', dimensions.join(','), '-m', metrics.join(','), '--from', '2026-01-01'];
    const place = sandbox ? ['--sandbox'] : ['--base-url', baseUrl];
    const query = ['--data-set', dataSet, ...columns, '--to', '2026-01-10', '--all', '-q', ...place];
    execFileSync(process.execPath, ['bin/gatectl.js', 'bda', 'query', ...query, '--out', file], {
      stdio: 'inherit',
      env: { ...process.env, GATECTL_SANDBOX_CLOCK: '2026-03-14T12:00:00Z', GATECTL_API_KEY: 'a-key' },
    });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    say(`  ${file}: ${statSync(file).size} bytes in ${seconds} s`);
  }
  for (const [name, type] of await ask(`DESCRIBE SELECT * FROM '${parquet}'`)) say(`  ${name} ${type}`);

  // A decimal column has one scale for all its values; zeros behind the last digit are the only difference.
  const bare = value =>
    `CASE WHEN ${value} LIKE '%.%' THEN rtrim(rtrim(${value}, '0'), '.') ELSE ${value} END`;
  const names = [...dimensions, ...metrics];
  const wrong = names.map(name => {
    const [a, b] = [`c.${name}`, `p.${name}`].map(value => (metrics.includes(name) ? bare(value) : value));
    return `count(*) FILTER (WHERE ${a} IS DISTINCT FROM ${b}) AS ${name}`;
  });
  const [counts] = await ask(
    `SELECT count(*), ${wrong.join(', ')}
     FROM (SELECT * FROM read_csv('${csv}', all_varchar = true, header = true)) c
     POSITIONAL JOIN (SELECT CAST(COLUMNS(*) AS VARCHAR) FROM '${parquet}') p`,
  );
  say(`  ${counts[0]} rows; values that differ, by column: ${counts.slice(1).join(', ')}`);
  if (Number(counts[0]) !== rows || counts.slice(1).some(count => Number(count) !== 0))
    throw new Error('the Parquet file does not hold what the csv file holds');

  const [[sum]] = await ask(`SELECT sum(visits)::VARCHAR FROM '${parquet}'`);
  const file = await asyncBufferFromFile(parquet);
  const objects = await parquetReadObjects({ file, columns: ['visits'] });
  const sumByHyparquet = objects.reduce((all, { visits }) => all + BigInt(visits ?? 0), 0n);
  say(`  the sum of visits is ${sum} for DuckDB, ${sumByHyparquet} for hyparquet`);
  if (objects.length !== rows || String(sumByHyparquet) !== sum)
    throw new Error('DuckDB and hyparquet read different values');
}
