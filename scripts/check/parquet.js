// Exports a million rows of the embedded gateway as csv and as Parquet, and lets DuckDB compare every value as text.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const DIMENSIONS = ['row_id', 'report_day', 'page_url', 'country'];
// Not `adjustment`: its numbers are made so that no column can keep them.
const METRICS = ['visits', 'pageviews', 'revenue', 'engaged_time'];
// 25,000 rows a day.
const DAYS = ['--from', '2026-01-01', '--to', '2026-02-09'];
const ROWS = 1_000_000;

const say = line => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), 'gatectl-parquet-'));
const csv = join(folder, 'rows.csv');
const parquet = join(folder, 'rows.parquet');
try {
  for (const file of [csv, parquet]) {
    const started = performance.now();
    const columns = ['-d', DIMENSIONS.join(','), '-m', METRICS.join(',')];
    const args = ['bda', 'query', '--data-set', 'bulk', ...columns, ...DAYS, '--all', '--sandbox', '-q'];
    execFileSync(process.execPath, ['bin/gatectl.js', ...args, '--out', file], {
      stdio: 'inherit',
      env: { ...process.env, GATECTL_SANDBOX_CLOCK: '2026-03-14T12:00:00Z' },
    });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    say(`${file}: ${statSync(file).size} bytes in ${seconds} s`);
  }

  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const ask = async sql => (await connection.runAndReadAll(sql)).getRowsJson();
  for (const [name, type] of await ask(`DESCRIBE SELECT * FROM '${parquet}'`)) say(`  ${name} ${type}`);
  const rows = Number((await ask(`SELECT count(*) FROM '${parquet}'`))[0][0]);
  if (rows !== ROWS) throw new Error(`${rows} rows where ${ROWS} were expected`);

  // A decimal column has one scale for all its values; zeros behind the last digit are the only difference.
  const bare = value =>
    `CASE WHEN ${value} LIKE '%.%' THEN rtrim(rtrim(${value}, '0'), '.') ELSE ${value} END`;
  const texts = 'CAST(COLUMNS(*) AS VARCHAR)';
  const wrong = [...DIMENSIONS, ...METRICS].map(name => {
    const figure = METRICS.includes(name);
    const [a, b] = [`c.${name}`, `p.${name}`].map(value => (figure ? bare(value) : value));
    return `count(*) FILTER (WHERE ${a} IS DISTINCT FROM ${b}) AS ${name}`;
  });
  const [counts] = await ask(
    `SELECT count(*), ${wrong.join(', ')}
     FROM read_csv('${csv}', all_varchar = true, header = true) c
     FULL JOIN (SELECT ${texts} FROM '${parquet}') p USING (row_id)`,
  );
  say(`${counts[0]} rows joined; values that differ, by column: ${counts.slice(1).join(', ')}`);
  if (Number(counts[0]) !== ROWS || counts.slice(1).some(count => Number(count) !== 0))
    throw new Error('the Parquet file does not hold what the csv file holds');
  say('every value is the same');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
