import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Signal } from '../../../src/errors/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOON } from '../../support/run.ts';
import { runs } from '../../support/runs.ts';
import { until } from '../../support/wait.ts';
import type { Received } from '../../support/wire-server.ts';
import { analytics, BASE, brokenFrom, offsetOf, paging, rowsReply, sent } from './analytics.ts';

/** Rows as a server may write them, and the cell texts that they mean. */
const HARD_ROWS: readonly (readonly [json: string, id: string, text: string, figure: string])[] = [
  [
    '{"id":12345678901234567890,"text":"plain","figure":0.12345678901234567890123}',
    '12345678901234567890',
    'plain',
    '0.12345678901234567890123',
  ],
  ['{"id":-0,"text":"say \\"hi\\", twice","figure":1.0E+3}', '-0', 'say "hi", twice', '1.0E+3'],
  ['{"id":1e400,"text":"a\\tb\\nc\\r\\nd","figure":-1.50}', '1e400', 'a\tb\nc\r\nd', '-1.50'],
  ['{"id":0,"text":"\\ud83d\\ude00 and 😀","figure":null}', '0', '😀 and 😀', ''],
  ['{"id":7,"text":"C:\\\\dir\\u0000\\u2028","figure":6.02e23}', '7', 'C:\\dir\u0000\u2028', '6.02e23'],
  ['{ "figure" : 1 , "id" : 8 , "text" : { "a" : [ 1.0 , "x" ] } }', '8', '{"a":[1.0,"x"]}', '1'],
  ['{"text":"=1+1","id":9}', '9', '=1+1', ''],
  ['{"id":10,"text":" padded ","figure":true,"extra":[1,2]}', '10', ' padded ', 'true'],
];
const HARD_JSON = HARD_ROWS.map(([json]) => json);
const ASKED = [...BASE, '-d', 'id,text', '-m', 'figure'];

/** A server with `count` rows of its own. */
const many = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => `{"id":9${i}2345678901234567890,"text":"row ${i}","figure":${i}.10}`,
  );

describe('every digit and every character', () => {
  test.each([[[]], [['--all', '--page-size', '3']], [['--all', '--page-size', '1']]])(
    'reaches csv as it was sent, and survives another reader of csv (%j)',
    async flags => {
      const { gatectl } = await analytics(paging(HARD_JSON));
      const { code, stdout } = await gatectl([...ASKED, '--csv', ...flags]);
      expect(code).toBe(0);
      const [header, ...cells] = parse(stdout) as string[][];
      expect(header).toEqual(['id', 'text', 'figure']);
      expect(cells).toEqual(HARD_ROWS.map(([, ...texts]) => texts));
    },
  );

  test('reaches json and ndjson as it was sent', async () => {
    const { gatectl } = await analytics(paging(HARD_JSON));
    const lines = (await gatectl([...ASKED, '-o', 'ndjson'])).stdout.trimEnd().split('\n');
    expect(lines).toEqual(HARD_JSON.map(json => (json.startsWith('{ ') ? json.replaceAll(' ', '') : json)));
    const { stdout } = await gatectl([...ASKED, '-o', 'json', '--all', '--page-size', '3']);
    expect(stdout).toBe(`[\n${lines.join(',\n')}\n]\n`);
  });

  test('reaches tsv in one line a row', async () => {
    const { gatectl } = await analytics(paging(HARD_JSON));
    const { stdout } = await gatectl([...ASKED, '-o', 'tsv']);
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      'id\ttext\tfigure',
      '12345678901234567890\tplain\t0.12345678901234567890123',
      '-0\tsay "hi", twice\t1.0E+3',
      '1e400\ta\\tb\\nc\\r\\nd\t-1.50',
    ]);
  });

  test('is made harmless for a spreadsheet where that is requested', async () => {
    const { gatectl } = await analytics(paging(HARD_JSON));
    const { stdout } = await gatectl([...ASKED, '--csv', '--csv-dialect', 'excel']);
    expect(stdout.startsWith('\ufeffid,text,figure\r\n')).toBe(true);
    expect(stdout).toContain("\r\n9,'=1+1,\r\n");
    expect(stdout).toContain('\r\n-0,');
  });

  test('shows a table whatever the rows hold', async () => {
    const { gatectl } = await analytics(paging(HARD_JSON));
    const { code, stdout } = await gatectl([...ASKED, '--decimals', 'all']);
    expect(code).toBe(0);
    expect(stdout).toContain('0.12345678901234567890123');
    expect(stdout).not.toContain('\u2028');
  });

  test('whatever the texts are, csv gives them back', async () => {
    const { gatectl } = await analytics(request => paging(rows)(request));
    let rows: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }), async texts => {
        const whole = texts.map(text => text.toWellFormed());
        rows = whole.map((text, i) => JSON.stringify({ id: i, text, figure: 1 }));
        const { stdout } = await gatectl([...ASKED, '--csv', '--all', '--page-size', '3']);
        const cells = parse(stdout, { from_line: 1 }) as string[][];
        expect(cells.slice(1).map(([, text]) => text)).toEqual(whole);
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('a response that cannot be used', () => {
  const row = '{"id":1,"text":"a","figure":2}';
  test.each([
    ['empty', ''],
    ['blank', ' \n'],
    ['cut in a row', `{"rows":[${row},{"id":2,"te`],
    ['cut in a string', `{"rows":[${row},{"id":"2`],
    ['cut after a row', `{"rows":[${row}`],
    ['cut after the rows', `{"rows":[${row}]`],
    ['cut in the total', `{"rows":[${row}],"total_rows":`],
    ['with a comma too many', `{"rows":[${row},]}`],
    ['with a comma too few', `{"rows":[${row}${row}]}`],
    ['with a number that is none', `{"rows":[${row},{"id":01}]}`],
    ['with NaN', `{"rows":[${row},{"id":NaN}]}`],
    ['with a name without quotes', `{"rows":[${row},{id:1}]}`],
    ['with a raw line break in a string', `{"rows":[${row},{"id":"a\nb"}]}`],
    ['with a bad escape', `{"rows":[${row},{"id":"\\x"}]}`],
    ['with text behind its end', `{"rows":[${row}],"total_rows":1} more`],
    ['with rows that are none', `{"rows":[${row},7]}`],
    ['in another encoding', Buffer.from(`{"rows":[${row},{"id":"\xe9"}]}`, 'latin1')],
  ])('%s ends with 6, without a half row and without a stack', async (_, body) => {
    const { server, gatectl } = await analytics(() => ({ body }));
    for (const format of ['csv', 'ndjson', 'table']) {
      const { code, stdout, stderr } = await gatectl([...ASKED, '-o', format, '--retries', '1']);
      expect(code).toBe(6);
      expect(['', 'id,text,figure\n', 'id,text,figure\n1,a,2\n', `${row}\n`]).toContain(stdout);
      expect(stderr).toContain('POST /gateway/bdaservices/v2/query');
      expect(stderr).not.toMatch(/\bat .*\.ts|gatectl itself failed/);
    }
    expect(server.received.length).toBe(6);
  });

  test.each([
    ['an object in place of rows', '{"rows":{"id":1}}'],
    ['no rows', '{"total_rows":1}'],
    ['a list', '[]'],
    ['a word', '"rows"'],
  ])('with %s is complete, so it is not retried: exit 6', async (_, body) => {
    const { server, gatectl } = await analytics(() => ({ body }));
    const { code, stdout, stderr } = await gatectl([...ASKED, '--csv']);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toMatch(/^error: no rows in the response(: .+)?\n/m);
    expect(server.received.length).toBe(1);
  });

  test('that is an HTML page is reported as such', async () => {
    const { gatectl } = await analytics(() => ({
      headers: { 'content-type': 'text/html' },
      body: '<html>Sign in to the network</html>',
    }));
    const { code, stderr } = await gatectl([...ASKED, '--csv', '--retries', '0']);
    expect(code).toBe(6);
    expect(stderr).toContain('text/html');
  });

  test('leaves no file and no temporary files', async () => {
    const { gatectl } = await analytics(() => ({ body: `{"rows":[${row},{"id":` }));
    const folder = temporaryFolder();
    for (const all of [[], ['--all']]) {
      expect((await gatectl([...ASKED, ...all, '--retries', '0', '--out', join(folder, 'a.csv')])).code).toBe(
        6,
      );
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test('once, is requested again, also where rows of it are out already', async () => {
    const rows = many(5);
    let cuts = 0;
    const { server, gatectl } = await analytics(request =>
      offsetOf(request) === 2 && cuts++ === 0
        ? { body: `{"rows":[${rows[2]},${rows[3]?.slice(0, 9)}` }
        : paging(rows)(request),
    );
    const { code, stdout } = await gatectl([...ASKED, '-o', 'ndjson', '--all', '--page-size', '2']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${rows.join('\n')}\n` });
    expect(server.received.length).toBe(4);
  });
});

describe('--all', () => {
  test('walks the pages with a sort that ends in all dimensions', async () => {
    const { server, gatectl } = await analytics(paging(many(5)));
    const flags = ['--all', '--page-size', '2', '--sort', 'figure:desc', '--offset', '1', '--csv'];
    const { stdout, stderr } = await gatectl([...ASKED, ...flags]);
    expect(stdout.split('\n').length).toBe(6);
    expect(stderr).toBe('');
    const queries = server.received.map((_, index) => sent(server, index));
    expect(queries.map(({ limit, offset }) => [limit, offset])).toEqual([
      [2, 1],
      [2, 3],
    ]);
    expect(queries[0]?.sort).toEqual([
      { column: 'figure', direction: 'desc' },
      { column: 'id', direction: 'asc' },
      { column: 'text', direction: 'asc' },
    ]);
  });

  test('requests 100,000 rows at a time, whatever limit the JSON has', async () => {
    const { server, gatectl } = await analytics(paging([]));
    const { stderr } = await gatectl(
      ['bda', 'query', '-', ...BASE.slice(2), '-m', 'visits', '--all', '--csv'],
      {
        input: '{"limit":5}',
      },
    );
    expect(sent(server).limit).toBe(100_000);
    expect(stderr).toBe('note: --all overrides the limit in stdin\n');
  });

  test('as a table stops after ten thousand rows, with a warning', async () => {
    const rows = many(10_050);
    const pages = paging(rows);
    const { server, gatectl } = await analytics(request =>
      request.method === 'GET' ? { status: 404, body: '{}' } : pages(request),
    );
    const { code, stdout, stderr } = await gatectl([...ASKED, '--all', '--page-size', '4000']);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').length).toBe(10_001);
    expect([0, 1, 2].map(i => sent(server, i).limit)).toEqual([4000, 4000, 2000]);
    expect(server.received.slice(3).map(({ target }) => target.split('/').pop())).toEqual([
      'columns',
      'date-range',
    ]);
    expect(stderr).toBe(
      'warning: the table shows 10,000 of 10,050 rows; to get all, pass --out FILE or -o csv\n',
    );
  });

  const moving = (request: Received) => {
    const reply = paging(many(5))(request);
    return offsetOf(request) === 0
      ? reply
      : { body: String(reply.body).replace('"total_rows":5', '"total_rows":6') };
  };

  test('warns when the data changed, and exits 7 only with --strict', async () => {
    const { gatectl } = await analytics(moving);
    const asked = [...ASKED, '--all', '--page-size', '2', '--csv', '--quiet'];
    const loose = await gatectl(asked);
    expect(loose.code).toBe(0);
    expect(loose.stderr).toBe(
      'warning: the data changed during the export: 5 rows matched at first, 6 later; rows may be missing or duplicated\n' +
        'warning: received 5 rows, expected 6\n',
    );
    expect(loose.stdout.trimEnd().split('\n').length).toBe(6);
  });

  test('--strict prints the rows that were received', async () => {
    const { gatectl } = await analytics(moving);
    const out = join(temporaryFolder(), 'rows.csv');
    const { code, stderr } = await gatectl([...ASKED, '--all', '--page-size', '2', '--strict', '--out', out]);
    expect(code).toBe(7);
    expect(stderr).toContain('error: the rows are not complete (--strict)\n');
    expect(readFileSync(out, 'utf8').split('\n').length).toBe(7);
  });
});

describe('--out', () => {
  test('writes the format that the name implies, and nothing to stdout', async () => {
    const { gatectl } = await analytics(paging(many(3)));
    const folder = temporaryFolder();
    const out = (name: string) => join(folder, name);
    const ran = await gatectl([...ASKED, '--out', out('a.csv')]);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: `note: 3 rows in ${out('a.csv')} (114 bytes)\n` });
    await gatectl([...ASKED, '--out', out('a.jsonl'), '--all']);
    await gatectl([...ASKED, '--out', out('b.csv.gz'), '--all', '--page-size', '2']);
    await gatectl([...ASKED, '--out', out('c.csv'), '-o', 'ndjson']);
    await gatectl([...ASKED, '--out', out('d')], { env: { GATECTL_OUTPUT: 'ndjson' } });
    await gatectl([...ASKED, '--out', out('e.csv')], { env: { GATECTL_OUTPUT: 'json' } });
    const csv = readFileSync(out('a.csv'), 'utf8');
    const ndjson = `${many(3).join('\n')}\n`;
    expect(csv.split('\n')[1]).toBe('902345678901234567890,row 0,0.10');
    expect(readFileSync(out('a.jsonl'), 'utf8')).toBe(ndjson);
    expect(gunzipSync(readFileSync(out('b.csv.gz'))).toString()).toBe(csv);
    expect(readFileSync(out('c.csv'), 'utf8')).toBe(ndjson);
    expect(readFileSync(out('d'), 'utf8')).toBe(ndjson);
    expect(readFileSync(out('e.csv'), 'utf8')).toBe(csv);
    expect((await gatectl([...ASKED, '--out', '-', '--csv'])).stdout).toBe(csv);
  });

  test('--manifest records query, rows, days, hash and time', async () => {
    const { server, gatectl } = await analytics(paging(many(3)));
    const out = join(temporaryFolder(), 'rows.csv.gz');
    await gatectl([
      ...ASKED,
      '--out',
      out,
      '--all',
      '--manifest',
      '--filter',
      'figure>=0.00000000000000000001',
    ]);
    const text = readFileSync(`${out}.meta.json`, 'utf8');
    expect(text).toContain('"value": 0.00000000000000000001');
    expect(JSON.parse(text)).toEqual({
      file: 'rows.csv.gz',
      format: 'csv',
      compression: 'gzip',
      bytes: readFileSync(out).length,
      sha256: createHash('sha256').update(readFileSync(out)).digest('hex'),
      rows: 3,
      total_rows: 3,
      flaws: [],
      days: { start_date: '2026-02-01', end_date: '2026-02-28' },
      query: expect.objectContaining({
        data_set: 'pageview',
        dimensions: ['id', 'text'],
        metrics: ['figure'],
      }),
      base_url: server.baseUrl,
      started_at: new Date(NOON).toISOString(),
      ended_at: new Date(NOON).toISOString(),
      gatectl: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  test('that cannot be written exits 9 and repeats no request', async () => {
    const { gatectl } = await analytics(paging(many(3)));
    const folder = temporaryFolder();
    const full = await gatectl([...ASKED, '--out', '/dev/full', '--csv', '--all']);
    expect(full).toMatchObject({ code: 9, stdout: '' });
    expect(full.stderr).toContain('the disk is full');
    expect((await gatectl([...ASKED, '--out', folder, '--csv', '--all'])).code).toBe(9);
    expect((await gatectl([...ASKED, '--out', join(folder, 'no', 'a.csv'), '--all'])).code).toBe(9);
  });

  test('an interrupt keeps the complete pages and prints the command that resumes; the same command does, too', async () => {
    const rows = many(7);
    let interrupt: (signal: Signal) => void = () => {};
    const folder = temporaryFolder();
    const out = join(folder, 'rows.ndjson');
    const { server, gatectl } = await analytics(async request => {
      if (offsetOf(request) === 4) {
        await until(() => existsSync(`${out}.part.json`));
        interrupt('SIGINT');
      }
      return paging(rows)(request);
    });
    const asked = [...ASKED, '--all', '--page-size', '2', '--out', out];
    const cut = await gatectl(asked, {
      onSignals: send => {
        interrupt = send;
      },
    });
    expect(cut.code).toBe(130);
    const [warning = '', ...rest] = cut.stderr.split('\n');
    expect(warning).toMatch(
      /^warning: [24] rows in [12] pages? are kept in .*rows\.ndjson\.part; to resume, run: /,
    );
    expect(warning.split('; to resume, run: ')[1]).toBe(
      `gatectl bda query --data-set pageview --from 2026-02-01 --to 2026-02-28 --dimension id,text --metric figure --all --page-size 2 --out ${out}`,
    );
    expect(rest).toEqual(['error: interrupted', '']);
    expect(existsSync(out)).toBe(false);
    const before = server.received.length;
    const resumed = await gatectl(asked);
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toMatch(
      /^note: resuming at row [35]; to start again, add --no-resume\nnote: 7 rows in /,
    );
    expect(sent(server, before).offset).toBeGreaterThan(0);
    expect(readFileSync(out, 'utf8')).toBe(`${rows.join('\n')}\n`);
    expect(readdirSync(folder)).toEqual(['rows.ndjson']);
  });

  test('--resume counts the rows of the earlier run among all of them', async () => {
    const { reply, repair } = brokenFrom(2, many(7));
    const { gatectl } = await analytics(reply);
    const asked = [...ASKED, '--all', '--page-size', '2', '--out', join(temporaryFolder(), 'rows.csv')];
    await gatectl(asked);
    repair();
    let now = NOON;
    const { stderr } = await gatectl([...asked, '--resume'], { clock: () => (now += 20_000) });
    const counts = [...stderr.matchAll(/^(\d+)\/(\d+) rows/gm)].map(([, done, all]) => [done, all]);
    expect(counts.at(-1)).toEqual(['7', '7']);
    expect(counts.every(([done]) => Number(done) > 2)).toBe(true);
  });

  test('--out notes when a flag requests another format than the file name implies', async () => {
    const { gatectl } = await analytics(paging(many(1)));
    const out = (name: string) => join(temporaryFolder(), name);
    const file = out('z.json');
    expect((await gatectl([...ASKED, '--csv', '--out', file])).stderr).toBe(
      `note: writing csv to ${file}, because --output overrides the file name\nnote: 1 row in ${file} (48 bytes)\n`,
    );
    expect((await gatectl([...ASKED, '--csv', '--out', out('z.csv.gz')])).stderr).not.toContain('a flag');
  });

  test('an interrupted export of relative days prints the days to resume with', async () => {
    const { reply, repair } = brokenFrom(2, many(4));
    const { gatectl } = await analytics(reply);
    const out = join(temporaryFolder(), 'rows.csv');
    const asked = [
      'bda',
      'query',
      '--data-set',
      'pageview',
      '-d',
      'id',
      '--all',
      '--page-size',
      '2',
      '--out',
      out,
    ];
    const { code, stderr } = await gatectl([...asked, '--last', '7d']);
    expect(code).toBe(5);
    expect(stderr).toContain(
      `; to resume, run: gatectl bda query --data-set pageview --dimension id --all --page-size 2 --out ${out} --from 2026-03-07 --to 2026-03-13\n`,
    );
    repair();
    const later = await gatectl([...asked, '--last', '6d']);
    expect(later.code).toBe(2);
    expect(later.stderr).toContain(
      '  date_range: then {"start_date":"2026-03-07","end_date":"2026-03-13"}, now {"start_date":"2026-03-08","end_date":"2026-03-13"}\n',
    );
    expect(later.stderr).toContain(
      `  to resume it, repeat the earlier command; to discard its 2 rows in ${out}.part, add --no-resume\n`,
    );
    const exact = await gatectl([...asked, '--from', '2026-03-07', '--to', '2026-03-13', '--resume']);
    expect(exact.code).toBe(0);
  });

  test('--no-resume discards an interrupted export, of the same query or another', async () => {
    const { reply, repair } = brokenFrom(2, many(4));
    const { server, gatectl } = await analytics(reply);
    const out = join(temporaryFolder(), 'rows.csv');
    const asked = [...ASKED, '--all', '--page-size', '2', '--out', out];
    await gatectl(asked);
    repair();
    const before = server.received.length;
    const { code, stderr } = await gatectl([...asked, '--no-resume']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^note: discarding 2 rows of an interrupted export\nnote: 4 rows in /);
    expect(sent(server, before).offset).toBe(0);
    expect(readFileSync(out, 'utf8').split('\n').length).toBe(6);
  });

  test('an export of another account is not resumed by itself', async () => {
    const { reply, repair } = brokenFrom(2, many(4));
    const { gatectl } = await analytics(reply);
    const out = join(temporaryFolder(), 'rows.csv');
    const asked = [...ASKED, '--all', '--page-size', '2', '--out', out];
    await gatectl(asked);
    repair();
    const other = await gatectl(asked, { env: { GATECTL_API_KEY: 'the-key-of-another-account' } });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(
      `error: cannot resume ${out}: account has changed since the export began\n`,
    );
    expect(other.stderr).not.toContain('the-key');
    expect((await gatectl(asked)).code).toBe(0);
  });

  test.each([
    [['--out', 'rows.csv', '--resume', '--no-resume'], '--resume and --no-resume cannot be combined'],
    [['--no-resume', '--csv'], '--no-resume requires --out FILE'],
  ])('%j is rejected', async (flags, message) => {
    const { server, gatectl } = await analytics(paging(many(1)));
    const { code, stderr } = await gatectl([...ASKED, ...flags]);
    expect({ code, first: stderr.split('\n')[0], asked: server.received.length }).toEqual({
      code: 2,
      first: `error: ${message}`,
      asked: 0,
    });
  });

  test.each([
    ['csv', 'old'],
    ['csv.gz', undefined],
    ['parquet', 'old'],
    ['xlsx', undefined],
  ])(
    '--resume without an interrupted export to a .%s file fails, sends nothing and leaves the file (%s)',
    async (extension, content) => {
      const { server, gatectl } = await analytics(paging(many(3)));
      const folder = temporaryFolder();
      const out = join(folder, `rows.${extension}`);
      if (content !== undefined) writeFileSync(out, content);
      const ran = await gatectl([...ASKED, '--all', '--out', out, '--resume']);
      expect(ran).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: cannot resume ${out}: no rows of an interrupted export are kept
  omit --resume: without it, the command resumes an interrupted export and otherwise starts one
`,
      });
      expect(server.received).toEqual([]);
      expect(readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))).toEqual(
        content === undefined ? [] : [content],
      );
    },
  );

  test('--resume after an export that was completed fails and leaves its rows', async () => {
    const { server, gatectl } = await analytics(paging(many(3)));
    const out = join(temporaryFolder(), 'rows.csv');
    await gatectl([...ASKED, '--all', '--out', out]);
    const [text, sent] = [readFileSync(out, 'utf8'), server.received.length];
    const { code, stderr } = await gatectl([...ASKED, '--all', '--out', out, '--resume']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no rows of an interrupted export are kept')]);
    expect([readFileSync(out, 'utf8'), server.received.length]).toEqual([text, sent]);
  });

  test('--curl touches no file', async () => {
    const { server, gatectl } = await analytics(paging(many(3)));
    const folder = temporaryFolder();
    const { code, stdout } = await gatectl([...ASKED, '--all', '--out', join(folder, 'a.csv'), '--curl']);
    expect(code).toBe(0);
    expect(stdout).toContain('"limit":100000,"offset":0');
    expect(readdirSync(folder)).toEqual([]);
    expect(server.received.length).toBe(0);
  });
});

test('a response with more than requested is reported', async () => {
  const { gatectl } = await analytics(() => rowsReply(['{"id":1,"text":"a","figure":2,"beside":3}'], 1));
  const { stdout, stderr } = await gatectl([...ASKED, '--csv']);
  expect(stdout).toBe('id,text,figure\n1,a,2\n');
  expect(stderr).toBe('note: the rows have fields that were not requested: beside\n');
});
