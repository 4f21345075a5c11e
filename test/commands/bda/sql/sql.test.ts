import fs, { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readParquet } from '../../../support/duckdb.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { type InProcess, type InProcessOptions, run } from '../../../support/run.ts';
import { figuresOf, SYNC_FILE, syncing } from '../../../sync/source.ts';

const CSV =
  'report_day,country,visits,revenue\n2026-03-01,DE,1200,0.10\n2026-03-01,AT,7,12345678901234567.123456789\n2026-03-02,,3,\n';
const NDJSON =
  '{"page":"/a","visits":12,"revenue":0.10,"tags":["x","y"]}\n\n{"page":"/b","visits":12345678901234567890123,"revenue":null}\n';

/** Runs `gatectl bda sql` in a folder with a few files. */
function inFolder(): {
  folder: string;
  sql: (args: readonly string[], options?: InProcessOptions) => Promise<InProcess>;
} {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'pages.csv'), CSV);
  writeFileSync(join(folder, 'tags.ndjson'), NDJSON);
  return { folder, sql: (args, options = {}) => run(['bda', 'sql', ...args], { cwd: folder, ...options }) };
}

describe('bda sql', () => {
  test('prints the rows of a query over a file as a table', async () => {
    const { sql } = inFolder();
    expect(
      await sql(['SELECT country, visits, revenue FROM pages ORDER BY visits DESC', 'pages.csv']),
    ).toEqual({
      code: 0,
      stdout: `Country  Visits                    Revenue
DE        1,200                       0.10
AT            7  12,345,678,901,234,567.12
–             3                          –
`,
      stderr: '',
    });
  });

  test('does not group years and ids, in a table and a chart', async () => {
    const { sql } = inFolder();
    const query = `SELECT * FROM (VALUES (2025, 1001, 12345), (2026, 1002, 6789)) rows(year, domain_id, visits)`;
    expect((await sql([query])).stdout).toBe(
      'Year  Domain ID  Visits\n2025       1001  12,345\n2026       1002   6,789\n',
    );
    const { stdout } = await sql([query, '--chart', '--ascii']);
    expect(stdout).toContain('2025');
    expect(stdout).not.toMatch(/2,02[56]|1,00[12]|^Year:/m);
  });

  test.each([
    ['csv', 'country,total\nDE,0.100000000\nAT,12345678901234567.123456789\n'],
    ['tsv', 'country\ttotal\nDE\t0.100000000\nAT\t12345678901234567.123456789\n'],
    [
      'ndjson',
      '{"country":"DE","total":0.100000000}\n{"country":"AT","total":12345678901234567.123456789}\n',
    ],
    [
      'json',
      '[\n  {\n    "country": "DE",\n    "total": 0.100000000\n  },\n  {\n    "country": "AT",\n    "total": 12345678901234567.123456789\n  }\n]\n',
    ],
  ])('prints %s with all digits', async (format, expected) => {
    const { sql } = inFolder();
    const query =
      'SELECT country, sum(revenue) AS total FROM pages WHERE country IS NOT NULL GROUP BY ALL ORDER BY 2';
    const ran = await sql([query, 'pages.csv', '-o', format]);
    expect({ ...ran, stdout: ran.stdout.replace(/^\[\n\{/, '[\n{') }).toMatchObject({ code: 0, stderr: '' });
    if (format === 'json') expect(JSON.parse(ran.stdout)).toEqual(JSON.parse(expected));
    else expect(ran.stdout).toBe(expected);
  });

  test('keeps the digits of JSON, and reads it as columns', async () => {
    const { sql } = inFolder();
    expect((await sql(['SELECT * FROM tags ORDER BY page', 'tags.ndjson', '-o', 'csv'])).stdout).toBe(
      'page,visits,revenue,tags\n/a,12,0.10,"[""x"",""y""]"\n/b,12345678901234567890123,,\n',
    );
  });

  test('prints lists, structs, maps, huge integers and texts as JSON', async () => {
    const { sql } = inFolder();
    const query = `SELECT [1, NULL] AS list, {'a': 1.50, 'b': 'x'} AS struct, map {'k': 2} AS map, 170141183460469231731687303715884105727::HUGEINT AS huge,
      DATE '2026-03-14' AS day, TIMESTAMP '2026-03-14 12:00:00' AS at, true AS flag, 'NaN'::DOUBLE AS nan, 1e300 AS big, '{"x": 1}'::JSON AS json, 0.1::FLOAT AS float`;
    expect((await sql([query, '-o', 'ndjson'])).stdout).toBe(
      '{"list":[1,null],"struct":{"a":1.50,"b":"x"},"map":{"k":2},"huge":170141183460469231731687303715884105727,"day":"2026-03-14","at":"2026-03-14 12:00:00","flag":true,"nan":"nan","big":1e+300,"json":{"x":1},"float":0.1}\n',
    );
  });

  test('prints infinite dates, times and numbers as DuckDB does, in lists and maps too', async () => {
    const { sql } = inFolder();
    const infinite = [
      ...["'infinity'::DATE", "'-infinity'::DATE", "'infinity'::TIMESTAMP", "'-infinity'::TIMESTAMPTZ"],
      ...[
        "'infinity'::TIMESTAMP_S",
        "'-infinity'::TIMESTAMP_MS",
        "'infinity'::TIMESTAMP_NS",
        '1e400',
        '-1e400',
      ],
      ...["'inf'::FLOAT", "'nan'::FLOAT", "[DATE 'infinity', NULL]", "map {DATE '-infinity': 1e400}"],
      "union_value(d := DATE 'infinity')",
    ];
    expect((await sql([`SELECT ${infinite.join(', ')}`, '-o', 'csv'])).stdout.split('\n')[1]).toBe(
      'infinity,-infinity,infinity,-infinity,infinity,-infinity,infinity,inf,-inf,inf,nan,"[""infinity"",null]","{""-infinity"":""inf""}",infinity',
    );
  });

  test('joins files, and gives columns of the same name different ones', async () => {
    const { sql } = inFolder();
    const query = 'SELECT p.visits, t.visits FROM pages p JOIN tags t ON p.visits = 1200 AND t.visits = 12';
    expect((await sql([query, 'pages.csv', 'tags.ndjson', '-o', 'csv'])).stdout).toBe(
      'visits,visits:1\n1200,12\n',
    );
  });

  test('shows 100 rows of a table, and all with --all or in any other format', async () => {
    const { sql } = inFolder();
    const query = 'SELECT i FROM range(1000) t(i)';
    const few = await sql([query]);
    expect(few.stdout.split('\n').length).toBe(102);
    expect(few.stderr).toBe(
      'warning: the first 100 rows; there may be more, --all shows all, --csv prints all as CSV\n',
    );
    expect((await sql([query, '--all'])).stdout.split('\n').length).toBe(1002);
    expect((await sql([query, '-o', 'csv'])).stdout.split('\n').length).toBe(1002);
    expect((await sql(['SELECT i FROM range(100) t(i)'])).stderr).toBe('');
    expect((await sql([query, '--jq', 'length'])).stdout).toBe('1000\n');
  });

  test('writes Parquet and Excel files, and charts', async () => {
    const { sql, folder } = inFolder();
    const query =
      'SELECT report_day, sum(visits) AS visits, sum(revenue) AS revenue FROM pages GROUP BY ALL ORDER BY 1';
    expect((await sql([query, 'pages.csv', '--out', join(folder, 'days.parquet')])).stderr).toMatch(
      /^note: 2 rows in .*days\.parquet/,
    );
    expect(await readParquet(join(folder, 'days.parquet'))).toEqual({
      types: { report_day: 'DATE', visits: 'BIGINT', revenue: 'DECIMAL(26,9)' },
      rows: [
        { report_day: '2026-03-01', visits: '1207', revenue: '12345678901234567.223456789' },
        { report_day: '2026-03-02', visits: '3', revenue: null },
      ],
    });
    expect((await sql([query, 'pages.csv', '--out', join(folder, 'days.xlsx')])).code).toBe(0);
    expect(existsSync(join(folder, 'days.xlsx'))).toBe(true);
    expect(
      (
        await sql([
          'SELECT report_day, visits FROM days',
          'days.parquet',
          '--chart',
          join(folder, 'days.svg'),
        ])
      ).stderr,
    ).toMatch(/wrote the chart to .*days\.svg/);
    expect(readFileSync(join(folder, 'days.svg'), 'utf8')).toContain('<svg');
    expect(
      (await sql(['SELECT country, visits FROM pages', 'pages.csv', '--chart', '--ascii'])).stdout,
    ).toContain('DE');
  });

  test('reads the query from a file, or from stdin', async () => {
    const { sql, folder } = inFolder();
    writeFileSync(join(folder, 'q.sql'), '-- all\nSELECT count(*) AS n FROM pages;\n');
    const expected = 'n\n3\n';
    expect((await sql(['--file', 'q.sql', 'pages.csv', '--csv'])).stdout).toBe(expected);
    expect(
      (await sql(['-', 'pages.csv', '--csv'], { input: 'SELECT count(*) AS n FROM pages' })).stdout,
    ).toBe(expected);
    expect(
      (await sql(['--file', '-', 'pages.csv', '--csv'], { input: 'SELECT count(*) AS n FROM pages' })).stdout,
    ).toBe(expected);
  });

  test('runs several statements, and prints the rows of the last one', async () => {
    const { sql } = inFolder();
    const query =
      'CREATE TEMP TABLE top AS SELECT * FROM pages LIMIT 1; SET VARIABLE f = 2; SELECT visits * getvariable($$f$$) AS v FROM top';
    expect((await sql([query, 'pages.csv', '--csv'])).stdout).toBe('v\n2400\n');
  });

  test.each([
    ['a longer row', 'a,b\n1,2\n3,4,5\n', 'line 3 has 3 columns, and the header 2'],
    ['a shorter row', 'a,b\n1,2\n3\n', 'line 3 has 1 column, and the header 2'],
    ['a title before the header', 'pages\na,b\n1,2\n', 'line 2 has 2 columns, and the header 1'],
  ])('rejects a file with %s: no row is left out', async (_, text, problem) => {
    const { folder, sql } = inFolder();
    writeFileSync(join(folder, 'uneven.csv'), text);
    expect(await sql(['SELECT * FROM uneven', 'uneven.csv', '--csv'])).toEqual({
      code: 9,
      stdout: '',
      stderr: `error: cannot read uneven.csv: ${problem}\n`,
    });
  });

  test('reads files with semicolons, and leaves dates whose order is unknown as they are', async () => {
    const rows = 'day;note;moment\n01/02/2026;#1;01/02/2026 10:00:00\n03/04/2026;#2;2026-01-01T10:00:00Z\n';
    const { folder, sql } = inFolder();
    writeFileSync(join(folder, 'days.csv'), rows);
    expect((await sql(['SELECT * FROM days', 'days.csv', '--csv'])).stdout).toBe(rows.replaceAll(';', ','));
  });

  test('shows where an error is, as DuckDB does, and exits 2', async () => {
    const { sql } = inFolder();
    expect(await sql(['SELECT country\nFRM pages', 'pages.csv'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: Parser Error: syntax error at or near "pages"
LINE 2: FRM pages
            ^
`,
    });
    expect(await sql(['SELECT countri FROM pages', 'pages.csv'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: Binder Error: Referenced column "countri" not found in FROM clause!
LINE 1: SELECT countri FROM pages
               ^
  Candidate bindings: "country"
`,
    });
    const json = await sql(['SELECT 1 +', '-o', 'json']);
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'invalid_input', exit: 2 });
    expect((await sql(["SELECT 'x'::INTEGER", '-o', 'csv'])).code).toBe(2);
  });

  test('says where tables come from when there is none of that name', async () => {
    const { sql } = inFolder();
    expect(
      (await sql(['SELECT 1 FROM pageview'])).stderr,
    ).toBe(`error: Catalog Error: Table with name pageview does not exist!
LINE 1: SELECT 1 FROM pageview
                      ^
  a table is a file after the query, such as pages.csv, or with --sync a table of a sync file
`);
    expect((await sql(['SELECT 1 FROM page', 'pages.csv'])).stderr).toContain('Did you mean "pages"?');
  });

  test('notes the name of a table that cannot be that of its file', async () => {
    const { sql, folder } = inFolder();
    writeFileSync(join(folder, '2026-03 pages.csv'), CSV);
    expect(await sql(['SELECT count(*) AS n FROM _2026_03_pages', '2026-03 pages.csv', '--csv'])).toEqual({
      code: 0,
      stdout: 'n\n3\n',
      stderr: 'note: 2026-03 pages.csv is the table _2026_03_pages\n',
    });
  });
});

describe('bda sql reads nothing but the files that are named', () => {
  test.each([
    ["SELECT * FROM 'other.csv'", /name the files that the query reads after it/],
    ["SELECT * FROM read_text('/etc/hostname')", /name the files/],
    ["SELECT * FROM glob('/etc/*')", /name the files/],
    ["SELECT * FROM read_csv('https://example.com/a.csv')", /name the files/],
    ["COPY (SELECT 1) TO 'pages.csv' (USE_TMP_FILE false)", /to write the rows to a file, add --out FILE/],
    ["ATTACH 'other.duckdb'", /ATTACH is not allowed/],
    ['INSTALL httpfs', /is not allowed/],
    ['SET enable_external_access = true', /the configuration has been locked/],
    ['PRAGMA enable_profiling', /is not allowed/],
    ["CALL enable_logging(storage = 'file', storage_path = 'logs')", /CALL is not allowed/],
    ["EXPORT DATABASE 'all'", /file system operations are disabled/],
  ])('%s fails', async (query, message) => {
    const { sql, folder } = inFolder();
    writeFileSync(join(folder, 'other.csv'), 'a\n1\n');
    const ran = await sql([query, 'pages.csv']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
    expect(readFileSync(join(folder, 'pages.csv'), 'utf8')).toBe(CSV);
    for (const name of ['other.duckdb', 'logs', 'all']) expect(existsSync(join(folder, name))).toBe(false);
  });
});

describe('bda sql with a file that cannot be read', () => {
  test.each([
    ['no query', [], /^error: there is no SQL query\n/],
    ['a file that is not there', ['SELECT 1', 'none.csv'], /^error: no such file: none\.csv\n/],
    [
      'a file of another kind',
      ['SELECT 1', 'a.xlsx'],
      /^error: cannot read a\.xlsx as a table\n {2}files that can be read: \.parquet, \.csv/,
    ],
    [
      'two files of one name',
      ['SELECT 1', 'pages.csv', 'x/pages.csv'],
      /^error: pages\.csv and x\/pages\.csv would both be the table pages\n/,
    ],
    ['a damaged Parquet file', ['SELECT 1', 'bad.parquet'], /^error: cannot read bad\.parquet: /],
    ['JSON that is not rows', ['SELECT 1', 'bad.json'], /bad\.json/],
    ['no rows of JSON', ['SELECT 1', 'empty.ndjson'], /empty\.ndjson cannot be read as a table/],
    ['no statement', ['/* nothing */'], /^error: there is no SQL statement\n/],
    [
      'a statement without rows',
      ['CREATE TABLE x (a INTEGER)'],
      /^error: the last statement returns no rows\n/,
    ],
    ['--out to a file that is read', ['SELECT 1', 'pages.csv', '--out', 'pages.csv'], /pages\.csv/],
  ])('%s is one clear error', async (_, args, message) => {
    const { sql, folder } = inFolder();
    mkdirSync(join(folder, 'x'));
    writeFileSync(join(folder, 'x/pages.csv'), CSV);
    writeFileSync(join(folder, 'bad.parquet'), 'no parquet');
    writeFileSync(join(folder, 'bad.json'), '{"a": [1, 2');
    writeFileSync(join(folder, 'empty.ndjson'), '');
    const ran = await sql(args);
    expect(ran.stdout).toBe('');
    expect([2, 6, 9]).toContain(ran.code);
    expect(ran.stderr).toMatch(message);
    expect(readFileSync(join(folder, 'pages.csv'), 'utf8')).toBe(CSV);
  });
});

describe('bda sql --sync', () => {
  const QUERY =
    'SELECT count(*) AS n, sum(visits) AS visits, sum(revenue) AS revenue FROM pages WHERE domain_id = 7';

  test.each([['lake'], ['duckdb:news.duckdb']])('queries the tables of %s', async destination => {
    const { sync, folder, server } = await syncing(
      figuresOf([7, 8], '2026-01-01', 72),
      SYNC_FILE.replace('destination: lake', `destination: ${destination}`),
    );
    const sql = (args: readonly string[]) => run(['bda', 'sql', ...args], { cwd: folder });
    const early = await sql([QUERY, '--sync']);
    expect(early.code).toBe(2);
    expect(early.stderr).toMatch(/run gatectl bda sync run first\n$/);
    await sync(['run']);
    const before = server.received.length;
    expect(await sql([QUERY, '--csv', '--sync'])).toEqual({
      code: 0,
      stdout: 'n,visits,revenue\n216,9396,294.18\n',
      stderr: '',
    });
    expect((await sql([QUERY, '--csv', '--sync', 'gatectl.sync.yaml'])).stdout).toMatch(/^n,visits/);
    writeFileSync(join(folder, 'sites.csv'), 'id,team\n7,north\n8,south\n');
    const joined =
      'SELECT team, count(*) AS n FROM pages JOIN sites ON id = domain_id GROUP BY ALL ORDER BY 1';
    expect((await sql([joined, 'sites.csv', '--csv', '--sync'])).stdout).toBe(
      'team,n\nnorth,216\nsouth,216\n',
    );
    expect((await sql(['DELETE FROM pages; SELECT 1', '--sync'])).code).toBe(2);
    expect(server.received.length).toBe(before);
    expect((await sync(['verify'])).code).toBe(0);
  });

  test('reads one version of each file while a run replaces them', async () => {
    const figures = figuresOf([7], '2026-01-01', 31);
    const { sync, folder } = await syncing(figures);
    await sync(['run']);
    const file = join(folder, 'lake/pages/domain_id=7/month=2026-01/data.parquet');
    const few = readFileSync(file);
    const restated = figuresOf([7], '2026-01-01', 31, () => 40).get(7) ?? new Map();
    figures.set(7, restated);
    await sync(['run', '--refetch', '2026-01']);
    const many = readFileSync(file);
    let count = 0;
    const replacing = setInterval(() => {
      count += 1;
      writeFileSync(`${file}.new`, count % 2 === 0 ? few : many);
      renameSync(`${file}.new`, file);
    }, 1);
    const seen = new Set<string>();
    try {
      for (let query = 0; query < 40 || count <= 40 || seen.size < 2; query++) {
        const { code, stdout, stderr } = await run(
          [
            'bda',
            'sql',
            'SELECT count(*) AS n, count(page_url) AS pages, max(visits) AS most FROM pages',
            '--csv',
            '--sync',
          ],
          { cwd: folder },
        );
        seen.add(`${code} ${stdout}${stderr}`);
      }
    } finally {
      clearInterval(replacing);
    }
    expect([...seen].sort()).toEqual(['0 n,pages,most\n1240,1240,76\n', '0 n,pages,most\n93,93,39\n']);
    expect(readdirSync(join(folder, 'lake/_gatectl')).filter(name => name.startsWith('query-'))).toEqual([]);
  });

  test('warns of files that a run replaces during the query where files cannot be linked', async () => {
    const { sync, folder } = await syncing(figuresOf([7, 8], '2026-01-01', 72));
    await sync(['run']);
    const file = join(folder, 'lake/pages/domain_id=7/month=2026-01/data.parquet');
    const { linkSync, symlinkSync } = fs;
    const refuse = () => {
      throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
    };
    Object.assign(fs, { linkSync: refuse, symlinkSync: refuse });
    syncBuiltinESMExports();
    onTestFinished(() => {
      Object.assign(fs, { linkSync, symlinkSync });
      syncBuiltinESMExports();
    });
    let printed = '';
    const stdout = new Writable({
      write(chunk, _, done) {
        printed += chunk;
        writeFileSync(`${file}.new`, readFileSync(file));
        renameSync(`${file}.new`, file);
        done();
      },
    });
    const args = ['bda', 'sql', QUERY, '--csv', '--sync'];
    expect(await run(args, { cwd: folder, stdout })).toMatchObject({
      code: 0,
      stderr:
        'warning: 1 file of the tables changed during the query, so its rows may mix two versions\n  run it again when no run is under way\n',
    });
    expect(printed).toBe('n,visits,revenue\n216,9396,294.18\n');
    expect((await run(args, { cwd: folder })).stderr).toBe('');
  });

  test('names a damaged file of the lake', async () => {
    const { sync, folder } = await syncing(figuresOf([7], '2026-01-01', 72));
    await sync(['run']);
    const file = join(folder, 'lake/pages/domain_id=7/month=2026-02/data.parquet');
    writeFileSync(file, 'rows');
    expect(await run(['bda', 'sql', QUERY, '--sync'], { cwd: folder })).toEqual({
      code: 9,
      stdout: '',
      stderr: `error: DuckDB: Invalid Input Error: File '${file}' too small to be a Parquet file\n`,
    });
  });

  test('says that --sync took the query for a file', async () => {
    const { folder } = await syncing(figuresOf([7], '2026-03-01', 3));
    expect(await run(['bda', 'sql', '--sync', QUERY], { cwd: folder })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "error: there is no SQL query: --sync takes the word after it as the name of a sync file\n  put the query first: gatectl bda sql 'SELECT * FROM pages' --sync\n",
    });
  });

  test('names a file that has the name of a table', async () => {
    const { folder } = await syncing(figuresOf([7], '2026-03-01', 13));
    writeFileSync(join(folder, 'pages.csv'), CSV);
    const ran = await run(['bda', 'sql', 'SELECT 1', 'pages.csv', '--sync'], { cwd: folder });
    expect(ran.stderr).toBe(
      'error: pages is both a file and a table of the sync file\n  rename the file, or query them one at a time\n',
    );
  });
});

describe('a cell __proto__', () => {
  const query = "SELECT * FROM (VALUES ('__proto__', 3), ('constructor', 2), ('b', 1)) AS t (name, visits)";

  test.each(['svg', 'html', 'png'])('is drawn as any other, in a chart as %s', async format => {
    const { folder, sql } = inFolder();
    const path = join(folder, `x.${format}`);
    const ran = await sql([query, '--chart', path]);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/^note: wrote the chart to /) });
    const written = readFileSync(path);
    if (format === 'png') expect(written.subarray(1, 4).toString()).toBe('PNG');
    else expect(written.toString()).toContain('>__proto__</t');
    expect(Reflect.ownKeys(Object.prototype)).not.toContain('next');
  });
});

test('bda sql keeps U+FEFF wherever it stands in a text', async () => {
  const { sql } = inFolder();
  const { stdout } = await sql([
    "SELECT chr(65279) || 'x' AS short, chr(65279) || 'more than 12 bytes' || chr(65279) AS long",
    ...['-o', 'json'],
  ]);
  expect(JSON.parse(stdout)).toEqual([{ short: '\ufeffx', long: '\ufeffmore than 12 bytes\ufeff' }]);
});
