import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { analytics } from '../analytics.ts';
import {
  COLUMNS,
  FILTERS,
  fileWith,
  MULTIFILTERS,
  migrateQuery,
  QUERY,
  queriesOfPlan,
  REPORT,
  REQUEST,
  SEGMENTS,
} from './requests.ts';

const EXCLUDING = {
  ...REQUEST,
  Filters: [{ Type: 'EXCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '3' }],
};
const KEY = 'folder-key-4711';

/** A folder with requests of every kind in it, and an empty place for their queries. */
function folders(files: Readonly<Record<string, unknown>>) {
  const root = temporaryFolder();
  const requests = join(root, 'requests');
  mkdirSync(requests);
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(requests, name), typeof content === 'string' ? content : JSON.stringify(content));
  return { requests, queries: join(root, 'made', 'queries') };
}

const contentOf = (folder: string, name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

describe('a folder of requests', () => {
  const FILES = {
    'plain.json': REQUEST,
    'job.sh': `curl 'https://gw.example.com/bdaservices/getCustomData/?developerKey=${KEY}' -d '${JSON.stringify({ ...REQUEST, RevenueDecimalPlaces: 1 })}'`,
    'report.json': { ...REPORT, Charts: [{ ...REPORT.Charts[0], Segments: [] }] },
    'notes.md': 'not a request',
  };
  const DAYS = ['--from', '2026-03-01', '--to', '2026-03-07'];

  test('becomes a folder of queries under the same names, with a line for each', async () => {
    const { requests, queries } = folders(FILES);
    const { code, stdout, stderr } = await migrateQuery([requests, '--out-dir', queries, ...DAYS]);
    expect(code).toBe(0);
    expect(readdirSync(queries).sort()).toEqual(['job.json', 'plain.json', 'report.json']);
    expect(contentOf(queries, 'plain.json')).toEqual(QUERY);
    expect(contentOf(queries, 'job.json')).toEqual(QUERY);
    expect(contentOf(queries, 'report.json')).toMatchObject({ metrics: ['visits'], limit: 100 });
    expect(stdout).toBe(`Requests: 3 of 3 ready for v2
name         state             queries  file
job.sh       ready with notes        1  ${join(queries, 'job.json')}
plain.json   ready                   1  ${join(queries, 'plain.json')}
report.json  ready with notes        1  ${join(queries, 'report.json')}

Changed or lost
name         why
job.sh       lost: RevenueDecimalPlaces: v2 returns full precision and cannot round revenue: round the output
report.json  changed: MaxItems: no request was given; limit is 100 rows, the default of v2
`);
    expect(stderr).toContain(
      'note: skipped notes.md: requests are files that end in .json, .sh, .curl, .txt, .url',
    );
    expect(
      stdout +
        stderr +
        readdirSync(queries)
          .map(name => readFileSync(join(queries, name)))
          .join(''),
    ).not.toContain(KEY);
  });

  test('those that cannot be migrated are named, the others written: exit 7', async () => {
    const { requests, queries } = folders({
      'a.json': EXCLUDING,
      'b.json': REQUEST,
      'c.json': '{"a":',
      'd.json': QUERY,
    });
    const notes = join(temporaryFolder(), 'notes.json');
    const { code, stdout, stderr } = await migrateQuery([
      requests,
      '--out-dir',
      queries,
      '--json',
      '--notes',
      notes,
    ]);
    expect(code).toBe(7);
    expect(readdirSync(queries)).toEqual(['b.json']);
    expect(JSON.parse(stdout)).toMatchObject({
      ready: 1,
      ready_with_notes: 0,
      blocked: 3,
      items: [
        {
          name: 'a.json',
          state: 'blocked',
          file: null,
          reasons: [expect.stringMatching(/^Filters\[0\]\.Type: /)],
        },
        { name: 'b.json', state: 'ready', queries: 1, reasons: [] },
        { name: 'c.json', reasons: ['file: c.json is not JSON: the text ends too early (line 1, column 6)'] },
        { name: 'd.json', reasons: ['file: d.json is a v2 query already'] },
      ],
    });
    expect(stderr).toContain('3 of 4 requests failed');
    expect(JSON.parse(readFileSync(notes, 'utf8'))).toMatchObject([
      { name: 'a.json', ok: false, blockers: [{ field: 'Filters[0].Type' }] },
      { name: 'b.json', ok: true, plan: [{ queries: [{ query: QUERY }] }] },
      { name: 'c.json', ok: false },
      { name: 'd.json', ok: false },
    ]);
  });

  test('shows no key that names a file', async () => {
    const { requests, queries } = folders({
      'a.sh': `curl 'https://gw.example.com/bdaservices/getCustomData/?developerKey=${KEY}' -d @/no/${KEY}.json`,
    });
    const { stdout, stderr } = await migrateQuery([requests, '--out-dir', queries]);
    expect(stdout).toContain('file: no such file: /no/***.json');
    expect(stdout + stderr).not.toContain(KEY);
  });

  test('a report that the gateway does not have blocks only its own request', async () => {
    const url = 'https://gw.example.com/bdaservices/getdata/?reportName=';
    const { requests, queries } = folders({ 'a.url': `${url}Gone`, 'b.url': `${url}Devices` });
    const { code, stdout } = await migrateQuery([requests, '--out-dir', queries, '--sandbox', '--json']);
    expect(code).toBe(7);
    expect(JSON.parse(stdout).items).toMatchObject([
      { name: 'a.url', state: 'blocked', reasons: [expect.stringContaining("there is no report 'Gone'")] },
      { name: 'b.url', state: 'ready with notes' },
    ]);
    expect(readdirSync(queries)).toEqual(['b.json']);
  });

  test('--lossy migrates more, and --strict holds back what loses something', async () => {
    const { requests, queries } = folders({ 'a.json': EXCLUDING, 'b.json': REQUEST });
    expect((await migrateQuery([requests, '--out-dir', queries, '--lossy'])).code).toBe(0);
    expect(readdirSync(queries).sort()).toEqual(['a.json', 'b.json']);
    const strict = `${queries}-strict`;
    expect((await migrateQuery([requests, '--out-dir', strict, '--lossy', '--strict'])).code).toBe(7);
    expect(readdirSync(strict)).toEqual(['b.json']);
  });

  test('a file with other contents is not overwritten without --replace, and nothing is written', async () => {
    const { requests, queries } = folders({ 'a.json': REQUEST, 'b.json': REQUEST });
    const run = async (...options: string[]) =>
      await migrateQuery([requests, '--out-dir', queries, ...options]);
    expect((await run()).code).toBe(0);
    expect((await run()).code).toBe(0);
    const [first, second] = ['a.json', 'b.json'].map(name => join(queries, name)) as [string, string];
    const converted = readFileSync(first, 'utf8');
    writeFileSync(second, 'mine');
    rmSync(first);
    const refused = await run();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`${second} would be overwritten with other contents`);
    expect(readdirSync(queries)).toEqual(['b.json']);
    expect((await run('--replace')).code).toBe(0);
    expect(readFileSync(second, 'utf8')).toBe(converted);
  });

  test('commands go to scripts', async () => {
    const { requests, queries } = folders({ 'b.json': REQUEST });
    await migrateQuery([requests, '--out-dir', queries, '--as', 'gatectl']);
    expect(readFileSync(join(queries, 'b.sh'), 'utf8')).toMatch(/^gatectl bda query --data-set pageview /);
  });

  test('--verify verifies each of them', async () => {
    const { requests, queries } = folders({ 'b.json': REQUEST });
    const { code, stdout } = await migrateQuery([
      requests,
      '--out-dir',
      queries,
      '--verify',
      '--sandbox',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).items).toMatchObject([{ name: 'b.json', verified: 'parity' }]);
  });

  test.each<[string, Record<string, unknown>, (folder: string) => string[], string]>([
    ['without --out-dir', {}, folder => [folder], 'requests is a folder'],
    [
      'into itself',
      { 'a.json': REQUEST },
      folder => [folder, '--out-dir', `${folder}/.`],
      '--out-dir is the folder of the requests',
    ],
    [
      'with two of a name',
      { 'a.json': REQUEST, 'a.sh': 'curl' },
      folder => [folder, '--out-dir', `${folder}-out`],
      'two requests are named a, so their queries would overwrite each other',
    ],
    [
      'without a request',
      { 'a.md': '' },
      folder => [folder, '--out-dir', `${folder}-out`],
      'no requests in ',
    ],
    [
      'that is a file',
      { 'a.json': REQUEST },
      folder => [`${folder}/a.json`, '--out-dir', `${folder}-out`],
      '--out-dir requires a folder of requests, and ',
    ],
    [
      'with a report',
      {},
      folder => [folder, '--out-dir', `${folder}-out`, '--report', 'A'],
      '--out-dir and --report cannot be combined',
    ],
  ])('is rejected %s', async (_, files, args, message) => {
    const { requests } = folders(files);
    const { code, stderr } = await migrateQuery(args(requests));
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(readdirSync(requests)).toEqual(Object.keys(files));
  });
});

describe('--account', () => {
  test('reports of every saved item whether it is ready; only what is seeded as blocked is not', async () => {
    const { code, stdout, stderr } = await migrateQuery(['--account', '--sandbox', '--json']);
    expect(code).toBe(0);
    const account = JSON.parse(stdout);
    const items: { id: string; state: string }[] = account.items;
    expect(account).toMatchObject({ ready: 5, ready_with_notes: 2, blocked: 3 });
    expect(items.filter(({ state }) => state === 'blocked')).toMatchObject([
      {
        kind: 'report',
        id: '103',
        reasons: [expect.stringContaining('v2 has no column "pageviews_per_visit"')],
      },
      { kind: 'report', id: '104', reasons: [expect.stringContaining('the operation STARTS_WITH')] },
      { kind: 'segment', id: '203', reasons: [expect.stringContaining('the operation STARTS_WITH')] },
    ]);
    expect(stderr).toBe('note: reports without a date range use 2026-03-07 to 2026-03-13\n');
  });

  test('can be printed as md and html', async () => {
    const md = await migrateQuery(['--account', '--sandbox', '-q', '-o', 'md']);
    expect(md.stdout).toContain(`### Segments: 5 of 6 ready for v2, 1 left on v1

|  id | name                       | state   |
| --: | -------------------------- | ------- |
|   1 | All Users                  | ready   |
`);
    expect(md.stdout).toContain('### Changed or lost\n\n| name ');
    const html = await migrateQuery(['--account', '--sandbox', '-q', '-o', 'html']);
    expect(html.stdout).toMatch(/^<!doctype html>/);
    expect(html.stdout).toContain('<h2>Custom reports: 2 of 4 ready for v2, 2 left on v1</h2>');
    const csv = await migrateQuery(['--account', '--sandbox', '-q', '--csv']);
    expect(csv.stdout.split('\n')[0]).toBe('kind,id,name,state,queries,verified,verified_days,file,reasons');
    expect(csv.stdout.trimEnd().split('\n')).toHaveLength(11);
  });

  test('--strict exits 7 while something is blocked', async () => {
    const { code, stderr } = await migrateQuery(['--account', '--sandbox', '-q', '--strict']);
    expect(code).toBe(7);
    expect(stderr).toBe('error: 3 of 10 reports and segments are not ready\n');
  });

  test('prints all reasons of blocked items on a terminal', async () => {
    const { stdout } = await migrateQuery(['--account', '--sandbox', '-q'], { columns: 100 });
    expect(stdout).toContain(`
Titles with The             Segment[203].SegmentFilters[510].FilterIntOperationId: no v2 operator is
                            documented for the operation STARTS_WITH; supported: GREATER,
                            GREATER_OR_EQUAL
`);
    expect(stdout).not.toContain('…');
  });

  test('--verify verifies everything that is ready, on both versions', async () => {
    const { code, stdout } = await migrateQuery(['--account', '--sandbox', '-q', '--verify', '--json']);
    expect(code).toBe(7);
    const items: { state: string; verified: string | null }[] = JSON.parse(stdout).items;
    expect(items.filter(({ state }) => state !== 'blocked').map(({ verified }) => verified)).toEqual(
      Array(7).fill('parity'),
    );
    expect(items.filter(({ state }) => state === 'blocked').map(({ verified }) => verified)).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('--out-dir writes commands for the reports, and JSON for segments, which have none', async () => {
    const folder = join(temporaryFolder(), 'v2');
    await migrateQuery(['--account', '--sandbox', '-q', '--out-dir', folder, '--as', 'gatectl']);
    const names = readdirSync(folder).sort();
    expect(names.filter(name => name.endsWith('.sh'))).toEqual([
      '101-revenue-by-day-and-country.sh',
      '102-desktop-against-north-america.sh',
    ]);
    expect(names.filter(name => name.endsWith('.json'))).toHaveLength(5);
    expect(contentOf(folder, 'segment-2-desktop-traffic.json')).toEqual([
      { column: 'device', operator: 'in', values: ['desktop'] },
    ]);
  });

  test('--out-dir writes the queries of the reports and the filters of the segments', async () => {
    const folder = join(temporaryFolder(), 'v2');
    expect((await migrateQuery(['--account', '--sandbox', '-q', '--out-dir', folder])).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual([
      '101-revenue-by-day-and-country.json',
      '102-desktop-against-north-america.json',
      'segment-1-all-users.json',
      'segment-2-desktop-traffic.json',
      'segment-201-north-america.json',
      'segment-202-well-read-on-desktop.json',
      'segment-3-mobile-traffic.json',
    ]);
    const plan = JSON.stringify(contentOf(folder, '102-desktop-against-north-america.json'));
    expect(queriesOfPlan(plan)).toMatchObject([
      { filters: [{ column: 'device', operator: 'in', values: ['desktop'] }] },
      { filters: [{ column: 'country', operator: 'in', values: ['US', 'CA'] }] },
    ]);
    expect(contentOf(folder, 'segment-201-north-america.json')).toEqual([
      { column: 'country', operator: 'in', values: ['US', 'CA'] },
    ]);
  });

  test('works from files, without a key', async () => {
    const same = { ...REPORT, ReportTitle: 'Two  sides!', ReportDateRange: { BaseSelectId: 'BASE_LAST_30' } };
    const { code, stdout } = await migrateQuery([
      ...[
        '--account',
        '--json',
        '--reports',
        fileWith([
          { id: 5, ...REPORT },
          { id: 6, ...same },
        ]),
      ],
      ...['--segments', fileWith(SEGMENTS), '--multifilters', fileWith(MULTIFILTERS)],
      ...['--filters', fileWith(FILTERS), '--columns', fileWith(COLUMNS)],
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).items).toMatchObject([
      { id: '5', state: 'ready with notes', queries: 2 },
      { id: '6', state: 'blocked', reasons: [expect.stringContaining('BASE_LAST_30 is not documented')] },
      { id: '7', state: 'ready' },
      { id: '8', state: 'ready' },
    ]);
  });

  test.each([
    [400, '{"Success":false,"Error":"not now"}', 'not now'],
    [503, 'down', 'down'],
  ])(
    'a report for which v1 returns %i is not verified, and the others continue',
    async (status, body, reason) => {
      const rows = { rows: [{ country: 'DE', visits: 3 }], total_rows: 1 };
      const answers: Record<string, unknown> = {
        columns: COLUMNS,
        getcustomreports: { 5: { Name: 'Alone' }, 6: { Name: 'Two' } },
        getreport: { Charts: [{ ...REPORT.Charts[0], Segments: [] }] },
        getsegments: [],
        query: rows,
      };
      const { server, gatectl } = await analytics(({ target, body: sent }: Received): Reply => {
        const name = /([\w-]+)\/?(\?|$)/.exec(target)?.[1] ?? '';
        if (target.includes('customReportId=5')) return { status, body };
        if (name === 'getdata' || name === 'getCustomData')
          return { body: JSON.stringify(rows.rows.slice(JSON.parse(sent).StartItem)) };
        return { body: JSON.stringify(answers[name]) };
      });
      const { code, stdout } = await gatectl([
        ...['bda', 'migrate-query', '--account', '--verify'],
        ...['--json', '-q', '--retries', '0'],
      ]);
      expect(code).toBe(7);
      expect(JSON.parse(stdout).items).toMatchObject([
        { id: '5', name: 'Alone', verified: 'failed', reasons: [expect.stringContaining(reason)] },
        { id: '6', name: 'Two', verified: 'parity', reasons: [] },
      ]);
      expect(stdout).not.toContain('key-for-analytics');
      expect(server.received.filter(({ target }) => target.includes('/getreport/'))).toHaveLength(2);
    },
  );

  test('a verification that did not end is resumed at the same gateway, and at another one begins anew', async () => {
    const rows = { rows: [{ country: 'DE', visits: 3 }], total_rows: 1 };
    const answers: Record<string, unknown> = {
      columns: COLUMNS,
      getcustomreports: { 5: { Name: 'One' }, 6: { Name: 'Two' } },
      getreport: { Charts: [{ ...REPORT.Charts[0], Segments: [] }] },
      getsegments: [],
      query: rows,
    };
    let rejected: string | undefined = 'customReportId=6';
    const reply = ({ target, body: sent }: Received): Reply => {
      const name = /([\w-]+)\/?(\?|$)/.exec(target)?.[1] ?? '';
      if (name !== 'getdata') return { body: JSON.stringify(answers[name]) };
      if (rejected !== undefined && target.includes(rejected)) return { status: 401, body: '{}' };
      return { body: JSON.stringify(rows.rows.slice(JSON.parse(sent).StartItem)) };
    };
    const [one, other] = [await analytics(reply), await analytics(reply)];
    const folder = join(temporaryFolder(), 'queries');
    const args = ['bda', 'migrate-query', '--account', '--verify', '--out-dir', folder];
    const ofReport = ({ server }: typeof one, id: number) =>
      server.received.filter(({ target }) => target.includes('/getdata/') && target.includes(`Id=${id}`));
    expect((await one.gatectl(args)).code).toBe(4);
    const journal = readFileSync(join(folder, 'verified.ndjson'));
    const asked = ofReport(one, 5).length;
    rejected = undefined;
    const resumed = await one.gatectl([...args, '--json']);
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toContain('note: 1 item verified by an earlier run that did not end\n');
    expect(ofReport(one, 5)).toHaveLength(asked);
    expect(JSON.parse(resumed.stdout).items).toMatchObject([{ verified: 'parity' }, { verified: 'parity' }]);
    expect(readdirSync(folder)).not.toContain('verified.ndjson');
    // The key decides whose reports they are.
    writeFileSync(join(folder, 'verified.ndjson'), journal);
    const ofOther = await one.gatectl([...args, '--json'], { env: { GATECTL_API_KEY: 'another-key-4711' } });
    expect(ofOther.stderr).not.toContain('earlier run');
    writeFileSync(join(folder, 'verified.ndjson'), journal);
    const elsewhere = await other.gatectl([...args, '--json']);
    expect(elsewhere.stderr).not.toContain('earlier run');
    expect(ofReport(other, 5)).toHaveLength(asked);
  });

  test.each([
    ['getcustomreports', { getcustomreports: [[1, 2]], getsegments: [] }, 'no reports'],
    ['getsegments', { getcustomreports: [], getsegments: { List: ['Desktop'] } }, 'no segments'],
  ])('an unreadable listing is not treated as an empty one: %s', async (name, listings, what) => {
    const answers: Record<string, unknown> = { columns: COLUMNS, ...listings };
    const { gatectl } = await analytics(({ target }) => ({
      body: JSON.stringify(answers[/([\w-]+)\/?(\?|$)/.exec(target)?.[1] ?? '']),
    }));
    const { code, stdout, stderr } = await gatectl(['bda', 'migrate-query', '--account']);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain(`error: ${what} found in the response of ${name}\n`);
  });

  test('no more than 1,000 reports are requested and examined, with a warning', async () => {
    const names = Array.from({ length: 1002 }, (_, index) => `Report ${index}`);
    const answers: Record<string, unknown> = {
      columns: COLUMNS,
      getcustomreports: names,
      getreport: { ...REPORT, Charts: [{ ...REPORT.Charts[0], Segments: [] }] },
      getsegments: [],
    };
    const { server, gatectl } = await analytics(({ target }) => ({
      body: JSON.stringify(answers[/([\w-]+)\/?(\?|$)/.exec(target)?.[1] ?? '']),
    }));
    const { stdout, stderr } = await gatectl(['bda', 'migrate-query', '--account', '--json', '-q']);
    expect(server.received.filter(({ target }) => target.includes('getreport/'))).toHaveLength(1000);
    expect(JSON.parse(stdout).items).toHaveLength(1000);
    expect(stderr).toBe(
      'warning: examined only the first 1,000 of 1,002 reports; pass the others with --reports FILE\n',
    );
  });

  test('reports that are listed only by name are looked up by it', async () => {
    const answers: Record<string, unknown> = {
      columns: COLUMNS,
      getcustomreports: { Reports: ['Two Sides'] },
      getreport: { ...REPORT, Charts: [{ ...REPORT.Charts[0], Segments: [] }] },
      getsegments: [],
    };
    const { gatectl } = await analytics(({ target }) => ({
      body: JSON.stringify(answers[/([\w-]+)\/?(\?|$)/.exec(target)?.[1] ?? '']),
    }));
    const { stdout } = await gatectl(['bda', 'migrate-query', '--account', '--json', '-q']);
    expect(JSON.parse(stdout).items).toMatchObject([{ id: null, name: 'Two Sides', state: 'ready' }]);
  });

  test.each([
    [['--account'], 'the reports and segments of the account are unknown'],
    [['--account', 'request.json'], '--account and FILE cannot be combined'],
    [['--account', '--run'], '--account and --run cannot be combined'],
    [['--account', '--as', 'curl'], 'pass --out-dir FOLDER'],
    [['--replace'], 'pass --out-dir FOLDER'],
    [['--out-dir', 'x'], '--out-dir requires a folder of requests or --account'],
  ])('%j is rejected', async (args, message) => {
    const { code, stderr } = await migrateQuery(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
