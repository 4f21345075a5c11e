import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { analytics, KEY } from '../analytics.ts';
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
  refs,
  SEGMENTS,
} from './requests.ts';

const MIGRATE = ['bda', 'migrate-query'];
const DAYS = ['--from', '2026-03-01', '--to', '2026-03-07'];

/** A gateway that lists what is given, and nothing else. */
function listing(answers: Readonly<Record<string, unknown>>) {
  return ({ target }: Received): Reply => {
    const name = /([\w-]+)\/?(\?|$)/.exec(target)?.[1] ?? '';
    if (Object.hasOwn(answers, name)) return { body: JSON.stringify(answers[name]) };
    return { status: 404, body: JSON.stringify({ Success: false, Error: `no ${name}` }) };
  };
}

const ACCOUNT = {
  columns: COLUMNS,
  getcustomreports: [{ id: 5, ...REPORT }],
  getsegments: SEGMENTS,
  getmultifilters: MULTIFILTERS,
  getfilters: FILTERS,
};

const namesOf = (targets: readonly Received[]) =>
  targets.map(({ target }) => /([\w-]+)\/?(\?|$)/.exec(target)?.[1]);

describe('definitions that no file holds', () => {
  test('are fetched from the gateway, each once, and only those that the request needs', async () => {
    const { server, gatectl } = await analytics(listing(ACCOUNT));
    const plain = await gatectl([...MIGRATE, fileWith(REQUEST)]);
    expect(JSON.parse(plain.stdout)).toEqual(QUERY);
    expect(namesOf(server.received)).toEqual(['columns']);
    const { code, stdout } = await gatectl([...MIGRATE, '--custom-report', '5', ...DAYS]);
    expect(code).toBe(0);
    expect(queriesOfPlan(stdout)).toHaveLength(2);
    expect(namesOf(server.received.slice(1))).toEqual([
      'columns',
      'getcustomreports',
      'getsegments',
      'getmultifilters',
      'getfilters',
    ]);
    expect(server.received[0]?.headers['x-api-key']).toBe(KEY);
    expect(server.received[2]?.target).toContain(`developerKey=${KEY}`);
  });

  test('the columns of v1 are listed where v2 needs another data set', async () => {
    const columns = ['shelf', 'country', 'visits'].map(name => ({
      name,
      type: name === 'visits' ? 'number' : 'string',
      data_sets: ['bulk'],
    }));
    const getcolumns = [
      { Data: 'country', Type: 'string' },
      { Data: 'visits', Type: 'number' },
    ];
    const { server, gatectl } = await analytics(listing({ ...ACCOUNT, columns, getcolumns }));
    const fields = {
      DimensionColumns: [{ Data: 'shelf', Type: 'string' }],
      MetricColumns: [{ Data: 'visits', Type: 'number' }],
    };
    const file = fileWith({ ...REQUEST, ...fields });
    const { code, stderr } = await gatectl([...MIGRATE, file]);
    expect(code).toBe(2);
    expect(stderr).toContain('DimensionColumns[0].Data (');
    expect(stderr).toContain(': v1 has no column "shelf"');
    expect(namesOf(server.received)).toEqual(['columns', 'getcolumns']);
  });

  test('the sites are listed where the request selects one', async () => {
    const domains = [
      { domain: 'example.com', domain_id: 1001 },
      { domain: 'example.org', domain_id: 1002 },
    ];
    const { server, gatectl } = await analytics(listing({ ...ACCOUNT, domains }));
    const known = await gatectl([...MIGRATE, fileWith({ ...REQUEST, DomainId: 1002 })]);
    expect({ code: known.code, query: JSON.parse(known.stdout) }).toMatchObject({
      code: 0,
      query: { domain_id: 1002 },
    });
    const unknown = await gatectl([...MIGRATE, fileWith({ ...REQUEST, DomainId: 1003 }), '--lossy']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('the account has no site 1003');
    expect(namesOf(server.received)).toEqual(['columns', 'domains', 'columns', 'domains']);
  });

  test.each([
    ['fails', undefined, 'warning: cannot list the domains of v2, so they are not checked'],
    ['has no ids', [{ host: 'example.com' }], 'lossless: DomainId: site 1003'],
  ])('a site is not checked where the listing %s', async (_, domains, told) => {
    const { gatectl } = await analytics(listing({ ...ACCOUNT, ...(domains && { domains }) }));
    const { code, stderr } = await gatectl([...MIGRATE, fileWith({ ...REQUEST, DomainId: 1003 })]);
    expect(code).toBe(0);
    expect(stderr).toContain(told);
  });

  test('are not requested where a file has them', async () => {
    const { server, gatectl } = await analytics(listing({}));
    const { code } = await gatectl([
      ...[...MIGRATE, '--custom-report', fileWith(REPORT), ...DAYS],
      ...['--segments', fileWith(SEGMENTS), '--multifilters', fileWith(MULTIFILTERS)],
      ...['--filters', fileWith(FILTERS), '--columns', fileWith(COLUMNS)],
    ]);
    expect(code).toBe(0);
    expect(server.received).toEqual([]);
  });

  test('are not requested with --offline or --curl', async () => {
    const { server, gatectl } = await analytics(listing(ACCOUNT));
    expect((await gatectl([...MIGRATE, fileWith(REQUEST), '--offline'])).code).toBe(0);
    expect((await gatectl([...MIGRATE, fileWith(REQUEST), '--curl'])).stdout).toContain('curl -sS');
    expect((await gatectl([...MIGRATE, '--report', 'Pages', '--offline'])).code).toBe(2);
    expect(server.received).toEqual([]);
  });

  test('a predefined report is requested by its name', async () => {
    const { server, gatectl } = await analytics(
      listing({
        ...ACCOUNT,
        getreport: { ReportName: 'P & Q', ...REPORT, Charts: [{ ...REPORT.Charts[0], Segments: [] }] },
      }),
    );
    const { stdout } = await gatectl([...MIGRATE, '--report', 'P & Q', ...DAYS]);
    expect(JSON.parse(stdout)).toMatchObject({ dimensions: ['country'], metrics: ['visits'] });
    expect(server.received[1]?.target).toMatch(
      /\/getreport\/\?.*reportName=P\+%26\+Q|\/getreport\/\?.*reportName=P%20%26%20Q/,
    );
  });

  test('a listing with only ids and names is completed by the report itself', async () => {
    const { server, gatectl } = await analytics(
      listing({
        ...ACCOUNT,
        getcustomreports: { 5: { Name: 'Two Sides' }, 6: { Name: 'Other' } },
        getreport: { Report: { DateBaseSelectId: 'BASE_LAST_7', Charts: REPORT.Charts } },
      }),
    );
    for (const named of ['5', 'Two Sides']) {
      const { stdout } = await gatectl([...MIGRATE, '--custom-report', named]);
      expect(queriesOfPlan(stdout)).toMatchObject([{ metrics: ['visits'] }, { metrics: ['visits'] }]);
    }
    expect(namesOf(server.received).filter(name => name === 'getreport')).toHaveLength(2);
    const unknown = await gatectl([...MIGRATE, '--custom-report', '7']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('customReportId: the definition of the report "7" is missing');
    expect(unknown.stderr).not.toContain('from --reports');
  });

  test('a report of unknown columns uses those of the request, or is rejected', async () => {
    const { gatectl } = await analytics(
      listing({ ...ACCOUNT, getcustomreports: [{ id: 5, Name: 'Two Sides' }] }),
    );
    const without = await gatectl([...MIGRATE, '--custom-report', '5', ...DAYS]);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('add DimensionColumns and MetricColumns to the request');
    const { stdout } = await gatectl([...MIGRATE, '--custom-report', '5', fileWith(REQUEST)]);
    expect(JSON.parse(stdout)).toEqual(QUERY);
  });

  test('without a columns listing the migration continues with unchecked names', async () => {
    const { gatectl } = await analytics(listing({}));
    const { code, stderr } = await gatectl([...MIGRATE, fileWith(REQUEST)]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: cannot list the columns of v2, so they are not checked: /);
    expect(stderr).toContain('lossless: columns: unchanged and unchecked');
  });

  test('a rejection of a required look-up ends the command', async () => {
    const { gatectl } = await analytics(listing({ columns: COLUMNS }));
    const { code, stderr } = await gatectl([...MIGRATE, fileWith({ ...REQUEST, SegmentIds: [7] })]);
    expect(code).toBe(5);
    expect(stderr).toContain(
      'error: no getsegments\n  in GET /bdaservices/getsegments/?developerKey=***: 404',
    );
  });
});

describe('--run', () => {
  const ROWS = ['{"country":"DE","visits":12,"pageviews":34.50}'];
  const answering =
    (rows: readonly string[] = ROWS) =>
    (request: Received): Reply =>
      request.target.endsWith('/query')
        ? { body: `{"rows":[${rows.join(',')}],"total_rows":${rows.length}}` }
        : listing(ACCOUNT)(request);

  test('sends the query and shows its rows, digit for digit', async () => {
    const { server, gatectl } = await analytics(answering());
    const { code, stdout } = await gatectl([...MIGRATE, fileWith(REQUEST), '--run', '--csv']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'country,visits,pageviews\nDE,12,34.50\n' });
    expect(JSON.parse(server.received.at(-1)?.body ?? '')).toEqual(QUERY);
  });

  test.each([
    ['a file', undefined],
    ['stdin', undefined],
    ['stdin with a filter to quote', 'Well Read on Desktop'],
  ])('prints a command that fetches all rows, of a request in %s', async (input, segment) => {
    const request = { ...REQUEST, MaxItems: 1 };
    const isStdin = input !== 'a file';
    const { stderr } = await run(
      [
        ...MIGRATE,
        isStdin ? '-' : fileWith(request),
        '--run',
        '--sandbox',
        ...(segment === undefined ? [] : ['--segment', segment]),
      ],
      isStdin ? { stdin: Readable.from([JSON.stringify(request)]) } : {},
    );
    const [, count, command = ''] = /^note: 1 of (\d+) rows; (gatectl .*) shows all$/m.exec(stderr) ?? [];
    const [, ...words] = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' }).split(
      '\n',
    );
    const all = await run([...words.filter(word => word !== ''), '--csv']);
    expect(all.code, stderr + all.stderr).toBe(0);
    expect(Number(count)).toBeGreaterThan(1);
    expect(all.stdout.trimEnd().split('\n')).toHaveLength(Number(count) + 1);
  });

  test('writes them to a file', async () => {
    const { gatectl } = await analytics(answering());
    const path = join(temporaryFolder(), 'rows.csv');
    const { stdout, stderr } = await gatectl([...MIGRATE, fileWith(REQUEST), '--run', '--out', path]);
    expect(stdout).toBe('');
    expect(stderr).toContain(`note: 1 row in ${path}`);
    expect(readFileSync(path, 'utf8')).toBe('country,visits,pageviews\nDE,12,34.50\n');
  });

  test('labels the rows of several queries, or runs one of them', async () => {
    const { server, gatectl } = await analytics(answering(['{"country":"DE","visits":1.0}']));
    const args = [...MIGRATE, '--custom-report', '5', ...DAYS, '--run', '--csv'];
    expect((await gatectl(args)).stdout).toBe('query,country,visits\nDesktop,DE,1.0\nBusy,DE,1.0\n');
    const asked = server.received.length;
    expect((await gatectl([...args, '--label', 'Busy'])).stdout).toBe('country,visits\nDE,1.0\n');
    expect(namesOf(server.received.slice(asked)).filter(name => name === 'query')).toHaveLength(1);
  });

  test('a response without rows cannot be used', async () => {
    const { gatectl } = await analytics(request =>
      request.target.endsWith('/query') ? { body: '{"total_rows":0}' } : listing(ACCOUNT)(request),
    );
    expect((await gatectl([...MIGRATE, '--custom-report', '5', ...DAYS, '--run'])).code).toBe(6);
  });

  test.each([
    [['--run', '--as', 'curl'], '--run and --as cannot be combined'],
    [['--run', '--offline'], '--offline and --run cannot be combined'],
    [['--verify', '--offline'], '--offline and --verify cannot be combined'],
    [['--out', 'x.csv'], '--out requires --run'],
    [['--label', 'Sunday'], "no query is labelled 'Sunday'"],
  ])('%j is rejected', async (args, message) => {
    const { code, stderr } = await migrateQuery([fileWith(REQUEST), '-q', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${message}\n`);
  });

  test('the file of a plan is run by bda query run, with the same rows', async () => {
    const request = fileWith({ ...REQUEST, SegmentIds: [2, 201], MaxItems: 3 });
    const args = ['--sandbox', '--csv', '-q'];
    const now = await migrateQuery([request, '--run', ...args]);
    expect(now.code, now.stderr).toBe(0);
    const plan = fileWith((await migrateQuery([request, '--sandbox', '-q'])).stdout, 'plan.json');
    expect(await run(['bda', 'query', 'run', plan, ...args])).toMatchObject({ code: 0, stdout: now.stdout });
    expect(now.stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(await run(['bda', 'query', 'run', plan, '--limit', '1', '--sandbox'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: --limit and a plan cannot be combined\n'),
    });
    const broken = fileWith({ plan: [{ queries: [{ label: 'A', query: {} }], merge: { limits: 3 } }] });
    const refused = await run(['bda', 'query', 'run', broken, '--sandbox', '--json']);
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.stderr).error.details.map(({ field }: { field: string }) => field)).toEqual([
      'plan[0].merge.limits',
      'plan[0].queries[0].query.data_set',
      'plan[0].queries[0].query.date_range',
      'plan[0].merge.offset',
      'plan[0].merge.limit',
    ]);
    expect((await run(['bda', 'query', 'run', request, '--sandbox'])).stderr).toContain(
      'is not a plan of several queries',
    );
  });

  test.each([
    [
      'a merge by another column',
      '.merge.sort.column',
      'nope',
      'plan[0].queries[0].query.sort must be nope desc',
    ],
    ['a merge in another direction', '.merge.sort.direction', 'asc', 'plan[0].queries[0].query.sort'],
    ['a query that ends too early', '.queries[0].query.limit', 1, 'plan[0].queries[0].query.limit must be 5'],
    ['a query that skips rows', '.queries[1].query.offset', 2, 'plan[0].queries[1].query.offset must be 0'],
    [
      'other dimensions',
      '.queries[1].query.dimensions',
      ['device'],
      'plan[0].queries[1].query must have the columns',
    ],
    [
      'other metrics',
      '.queries[1].query.metrics',
      ['visits'],
      'plan[0].queries[1].query must have the columns',
    ],
    ['a number as text', '.merge.limit', '4', 'plan[0].merge.limit must be an integer'],
    [
      'an invalid query',
      '.queries[1].query.date_range.end_date',
      '2026-03-32',
      'plan[0].queries[1].query.date_range.end_date',
    ],
  ])('a plan is refused for %s, and nothing is sent', async (_, path, value, said) => {
    const request = fileWith({ ...REQUEST, SegmentIds: [2, 201], MaxItems: 3, StartItem: 2 });
    const { plan } = JSON.parse((await migrateQuery([request, '--sandbox', '-q'])).stdout);
    const names = path.split(/[.[\]]+/).filter(name => name !== '');
    const holder = names.slice(0, -1).reduce((at, name) => at[name], plan[0]);
    holder[names.at(-1) ?? ''] = value;
    const { server, gatectl } = await analytics(answering());
    const { code, stderr, stdout } = await gatectl(['bda', 'query', 'run', fileWith({ plan }), '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.replaceAll('","message":"', ' ')).toContain(said);
    expect(server.received).toEqual([]);
  });

  test('--lossy does not accept a column that v1 lacks, too', async () => {
    const wrong = { ...REQUEST, DimensionColumns: refs('string', 'contry', 'country') };
    const { code, stderr } = await migrateQuery([fileWith(wrong), '--lossy', '--sandbox']);
    expect(code).toBe(2);
    expect(stderr).toContain('v1 has no column "contry"');
  });

  test('--out with several queries shows how to choose one', async () => {
    const { gatectl } = await analytics(answering());
    const args = [...MIGRATE, '--custom-report', '5', ...DAYS, '--run', '--out', 'x.csv'];
    const { code, stderr } = await gatectl(args);
    expect(code).toBe(2);
    expect(stderr).toContain('select one with --label Desktop');
  });
});
