import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COLUMNS, DIMENSIONS, METRICS, ROWS_A_PAGE } from '../rows.js';
import { installed } from '../tools.js';

const PYTHON_SCRIPT = fileURLToPath(new URL('../peers/export.py', import.meta.url));
const DUCKDB_SCRIPT = fileURLToPath(new URL('../peers/duckdb.js', import.meta.url));
const FLOOR = 'curl to nowhere';
const SAVED = 'curl to a file, as JSON';
const BY_DUCKDB = 'curl and DuckDB, as typed parquet';
const BY_JQ = 'curl | jq, as csv';

/** Exports of that many rows to a file, compared with what users would write themselves. The baseline is curl to /dev/null. */
export function exportPart(rows, { baseUrl, folder, bin, plainEnv, quick }) {
  const large = rows > 1_000_000;
  const url = `${baseUrl}/gateway/bdaservices/v2/query`;
  const out = name => join(folder, name);
  const curl = asCurl(rows, url, folder);
  const fields = COLUMNS.map(name => `.${name}`).join(',');
  const jq = `${curl} | jq -r '.rows[] | [${fields}] | @csv'`;
  const mlr = `${asCurl(rows, `${baseUrl}/rows`, folder, true)} | mlr --ijson --ocsv cat`;
  const limit = large ? [{ of: SAVED, target: 3, beyond: 1.5 }] : [{ of: FLOOR, target: 12, beyond: 5 }];
  const cases = [
    { name: FLOOR, needs: ['curl'], args: ['sh', '-c', `${curl} > /dev/null`] },
    {
      name: SAVED,
      needs: ['curl'],
      args: ['sh', '-c', curl],
      out: out('saved.json'),
      bars: [{ of: FLOOR }],
    },
    {
      name: 'gatectl bda query --all --out, as csv',
      args: gatectl(bin, rows, out('gatectl.csv')),
      env: asking(baseUrl, plainEnv),
      most: 130,
      bars: [...limit, ...(large ? [] : [{ of: BY_JQ, target: 0.1, beyond: 0.05 }])],
    },
    {
      name: 'gatectl bda query --all --out, as csv.gz',
      args: gatectl(bin, rows, out('gatectl.csv.gz')),
      env: asking(baseUrl, plainEnv),
      most: 130,
      bars: [{ of: FLOOR }],
    },
    {
      name: BY_DUCKDB,
      needs: ['curl'],
      args: [process.execPath, DUCKDB_SCRIPT, baseUrl, String(rows), String(ROWS_A_PAGE), folder],
      bars: [{ of: FLOOR }],
    },
    {
      name: 'gatectl bda query --all --out, as parquet',
      args: gatectl(bin, rows, out('gatectl.parquet')),
      env: asking(baseUrl, plainEnv),
      most: 150,
      bars: [{ of: BY_DUCKDB, target: 1 }],
    },
    {
      name: BY_JQ,
      needs: ['curl', 'jq'],
      args: ['sh', '-c', jq],
      out: out('jq.csv'),
      bars: [{ of: FLOOR }],
      slow: true,
    },
    {
      name: 'python: urllib, json, csv',
      needs: ['python3'],
      args: ['python3', PYTHON_SCRIPT, url, String(rows), String(ROWS_A_PAGE), out('python.csv')],
      bars: [{ of: FLOOR }],
      slow: true,
    },
    {
      name: 'curl | mlr, as csv',
      needs: ['curl', 'mlr'],
      args: ['sh', '-c', mlr],
      out: out('mlr.csv'),
      bars: [{ of: FLOOR }],
      slow: true,
    },
  ].map(each => ({ env: plainEnv, ...each, ...(each.slow && { rounds: quick ? 1 : 2 }) }));
  // At ten million rows, the slow alternatives would take minutes; one million shows their ratio.
  const { there, missing } = installed(large ? cases.filter(({ slow }) => !slow) : cases);
  return {
    name: `export-${rows}`,
    title: `Export of ${rows.toLocaleString('en')} rows`,
    cases: there,
    missing,
    rounds: large ? 3 : quick ? 3 : 7,
    warmUp: !large,
  };
}

/** The command line of gatectl that exports so many rows. */
export function gatectl(bin, rows, out) {
  const columns = ['-d', DIMENSIONS.join(','), '-m', METRICS.join(',')];
  const days = ['--from', '2026-01-01', '--to', '2026-01-31'];
  const query = ['bda', 'query', '--data-set', `rows_${rows}`, ...columns, ...days];
  return [process.execPath, bin, ...query, '--all', '--out', out, '--quiet'];
}

/** An environment from which gatectl asks the bench's server. */
export function asking(baseUrl, plainEnv) {
  return {
    ...plainEnv,
    GATECTL_BASE_URL: baseUrl,
    GATECTL_DOMAIN: 'example.com',
    GATECTL_API_KEY: 'bench-key',
  };
}

/** One curl that asks for all pages over one connection. `bare` pages are GETs of arrays without an envelope. */
function asCurl(rows, url, folder, bare = false) {
  const pages = [];
  for (let offset = 0; offset < rows; offset += ROWS_A_PAGE) {
    const limit = Math.min(ROWS_A_PAGE, rows - offset);
    const query = JSON.stringify({ data_set: `rows_${rows}`, limit, offset });
    pages.push(
      bare ? `url = "${url}/${limit}/${offset}"` : `url = "${url}"\ndata = ${JSON.stringify(query)}`,
    );
  }
  const path = join(folder, `curl-${rows}${bare ? '-bare' : ''}.conf`);
  writeFileSync(path, pages.join('\nnext\n'));
  return `curl -sS -K ${path}`;
}
