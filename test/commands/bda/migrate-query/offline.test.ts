import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
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

describe('a request in a file', () => {
  test('becomes the query on stdout, and what became of each field goes to stderr', async () => {
    const { code, stdout, stderr } = await migrateQuery([
      fileWith({ ...REQUEST, RevenueDecimalPlaces: 2, DateGrouping: 'DAILY' }),
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ ...QUERY, dimensions: ['report_day', 'country'] });
    expect(stderr.split('\n').slice(0, 4)).toEqual([
      'lost: RevenueDecimalPlaces: v2 returns full precision and cannot round revenue: round the output',
      'changed: DateGrouping: the dimension report_day is added as the first column',
      'lossless: columns: unchanged and unchecked: the v2 column listing is missing',
      'lossless: StartDate: 2026-03-01, as date_range.start_date',
    ]);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .filter(line => !/^(lossless|changed|lost): /.test(line)),
    ).toEqual(['note: lossless fields are not verified: --verify compares the rows of v1 and v2']);
  });

  test('is read from stdin as -, and --quiet suppresses the notes', async () => {
    const { code, stdout, stderr } = await migrateQuery(['-', '-q'], { input: JSON.stringify(REQUEST) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(QUERY);
  });

  test('keeps every digit of a number', async () => {
    const text = JSON.stringify({
      ...REQUEST,
      Filters: [
        {
          Type: 'INCLUDE',
          FilterKey: 'visits',
          OperationId: 'GREATER',
          FilterValue: '12345678901234567890.10',
        },
      ],
    });
    const { stdout } = await migrateQuery(['-', '-q'], { input: text });
    expect(stdout).toContain('"value": 12345678901234567890.10\n');
  });

  test('becomes the gatectl command that does the same', async () => {
    const { stdout } = await migrateQuery(['-', '-q', '--as', 'gatectl'], { input: JSON.stringify(REQUEST) });
    expect(stdout).toBe(
      'gatectl bda query --data-set pageview -d country -m visits -m pageviews --sort visits:desc --from 2026-03-01 --to 2026-03-07 --limit 50 --offset 0\n',
    );
  });

  test('becomes a curl command with the key as a variable, to the gateway that is set', async () => {
    const input = JSON.stringify(REQUEST);
    const env = { GATECTL_BASE_URL: 'https://gw.example.org/root' };
    const set = await migrateQuery(['-', '-q', '--as', 'curl', '--offline'], { input, env });
    expect(set.stdout).toContain(
      'curl -sS -X POST https://gw.example.org/root/gateway/bdaservices/v2/query \\\n  -H "X-API-Key: $GATECTL_API_KEY"',
    );
    const unset = await migrateQuery(['-', '--curl'], { input });
    expect(unset.stdout).toContain('https://gateway.example.com/gateway/bdaservices/v2/query');
    expect(unset.stderr).toContain(
      'note: no base URL is configured; replace https://gateway.example.com in the command',
    );
  });

  test('--jq filters the query, and ndjson is one line', async () => {
    const input = JSON.stringify(REQUEST);
    expect((await migrateQuery(['-', '-q', '--jq', '.limit'], { input })).stdout).toBe('50\n');
    const { stdout } = await migrateQuery(['-', '-q', '-o', 'ndjson'], { input });
    expect(stdout).toBe(`${JSON.stringify(QUERY)}\n`);
  });

  test('flags set its days and the data set', async () => {
    const { stdout, stderr } = await migrateQuery(['-', '--last', '3d', '--data-set', 'visit'], {
      input: JSON.stringify(REQUEST),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      data_set: 'visit',
      date_range: { start_date: '2026-03-11', end_date: '2026-03-13' },
    });
    expect(stderr).toContain('11 to 13 March 2026, 3 days');
  });

  test('a new first day does not change the last one of the request', async () => {
    const { stdout } = await migrateQuery(['-', '-q', '--from', '2026-02-01'], {
      input: JSON.stringify(REQUEST),
    });
    expect(JSON.parse(stdout).date_range).toEqual({ start_date: '2026-02-01', end_date: '2026-03-07' });
  });
});

describe('what v2 cannot express', () => {
  const EXCLUDING = {
    ...REQUEST,
    Filters: [{ Type: 'EXCLUDE', FilterKey: 'country', OperationId: 'EQUALS', FilterValue: 'DE' }],
  };

  test('is rejected with the field and the reason, and exit 2', async () => {
    const file = fileWith(EXCLUDING);
    const { code, stdout, stderr } = await migrateQuery([file]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `error: cannot convert the request to a v2 query: 2 problems
  Filters[0].Type (${file}:1:281): v2 documents no way to exclude what a filter matches
  Filters[0].OperationId (${file}:1:320): no v2 operator is documented for the operation EQUALS; supported: GREATER, GREATER_OR_EQUAL
  to omit what v2 cannot express, pass --lossy
  more: gatectl docs migrate#limits
`,
    );
  });

  test('without days it is rejected, with the flags that set them', async () => {
    const { StartDate: _, EndDate: __, ...request } = REQUEST;
    const { code, stderr } = await migrateQuery([fileWith(request)]);
    expect(code).toBe(2);
    expect(stderr).toContain('\n  to set the days, pass --last 7d, or --from DAY --to DAY\n');
    expect((await migrateQuery([fileWith({ ...REQUEST, Filters: 1 })])).stderr).not.toContain('--last 7d');
  });

  test('--lossy is only offered where it helps', async () => {
    const { stderr } = await migrateQuery([fileWith({ ...EXCLUDING, EndDate: undefined })]);
    expect(stderr).toContain('Filters[0].Type (');
    expect(stderr).toContain('  EndDate: v2 requires both dates, and one is missing');
    expect(stderr).not.toContain('--lossy');
  });

  test('is reported to programs field by field', async () => {
    const { stderr } = await migrateQuery([fileWith(EXCLUDING), '-o', 'json']);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'not_convertible',
      exit: 2,
      details: [{ field: 'Filters[0].Type' }, { field: 'Filters[0].OperationId' }],
    });
  });

  test('is omitted with --lossy, and --strict then prints nothing and exits 7', async () => {
    const lossy = await migrateQuery([fileWith(EXCLUDING), '--lossy']);
    expect(lossy.code).toBe(0);
    expect(JSON.parse(lossy.stdout)).toEqual(QUERY);
    expect(lossy.stderr).toMatch(/^lost: Filters\[0\]\.Type: .*omitted, so the query also counts rows/);
    const strict = await migrateQuery([fileWith(EXCLUDING), '--lossy', '--strict']);
    expect({ code: strict.code, stdout: strict.stdout }).toEqual({ code: 7, stdout: '' });
    expect(strict.stderr).toContain('error: the migration loses 2 fields (--strict)');
  });

  test('--strict accepts a lossless migration', async () => {
    expect((await migrateQuery([fileWith(REQUEST), '--strict'])).code).toBe(0);
  });

  test('a column that v2 lacks is rejected where its columns are known', async () => {
    const request = { ...REQUEST, MetricColumns: [{ Data: 'pageview', Type: 'number' }], Order: undefined };
    const columns = ['--columns', fileWith(COLUMNS)];
    const { code, stderr } = await migrateQuery(['-', ...columns], {
      input: JSON.stringify(request, null, 1),
    });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'MetricColumns[0] (stdin:13:3): v2 has no column "pageview"; did you mean "pageviews"?',
    );
  });

  test('a data set that v2 lacks is named, and not that it has no columns', async () => {
    const file = fileWith(REQUEST);
    const { code, stderr } = await migrateQuery([
      file,
      '--columns',
      fileWith(COLUMNS),
      '--data-set',
      'pagview',
    ]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: cannot convert the request to a v2 query: 1 problem
  dataSet: v2 has no data set "pagview"; did you mean "pageview"?
  more: gatectl docs migrate#limits
`,
    });
  });

  test('as a command, more rows than one query returns are all of them', async () => {
    const request = { ...REQUEST, MaxItems: 200_000 };
    const { stdout } = await migrateQuery([fileWith(request), '--as', 'gatectl']);
    expect(stdout).toContain(' --all');
    expect(stdout).not.toContain('--limit');
    const fitting = await migrateQuery([fileWith({ ...REQUEST, MaxItems: 100_000 }), '--as', 'gatectl']);
    expect(fitting.stdout).toContain(' --limit 100000');
  });
});

describe('--notes', () => {
  test('writes queries with their labels and all notes', async () => {
    const path = join(temporaryFolder(), 'notes.json');
    await migrateQuery([fileWith({ ...REQUEST, RevenueDecimalPlaces: 2 }), '--notes', path]);
    const notes = JSON.parse(readFileSync(path, 'utf8'));
    expect(notes).toMatchObject({ ok: true, plan: [{ queries: [{ label: 'query', query: QUERY }] }] });
    expect(notes.notes).toContainEqual({
      kind: 'lost',
      field: 'RevenueDecimalPlaces',
      text: 'v2 returns full precision and cannot round revenue: round the output',
    });
  });

  test('explains why there is no query', async () => {
    const path = join(temporaryFolder(), 'notes.json');
    await migrateQuery([fileWith({ ...REQUEST, EndDate: undefined }), '--notes', path]);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      ok: false,
      blockers: [{ field: 'EndDate', reason: 'v2 requires both dates, and one is missing' }],
    });
  });
});

describe('a saved report with everything in files', () => {
  const files = () => [
    ...['--segments', fileWith(SEGMENTS), '--multifilters', fileWith(MULTIFILTERS)],
    ...['--filters', fileWith(FILTERS), '--columns', fileWith(COLUMNS), '--offline'],
  ];
  const LIST = [
    { dimensions: ['country'], filters: [{ column: 'device', operator: 'in', values: ['desktop'] }] },
    { dimensions: ['country'], filters: [{ column: 'visits', operator: 'greater_than', value: 12 }] },
  ];

  test('gives a query for each of its segments, in the order that the notes name', async () => {
    const args = [
      '--custom-report',
      fileWith(REPORT),
      ...files(),
      '--from',
      '2026-03-01',
      '--to',
      '2026-03-07',
    ];
    const { code, stdout, stderr } = await migrateQuery(args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      plan: [
        {
          queries: LIST.map((query, index) => ({ label: ['Desktop', 'Busy'][index], query })),
          merge: { sort: { column: 'country', direction: 'asc' }, offset: 0, limit: 100 },
        },
      ],
    });
    expect(stderr).toContain('note: 2 queries, in this order: Desktop, Busy\n');
    expect(stderr).toContain('changed: MaxItems: no request was given; limit is 100 rows');
    expect(
      (await migrateQuery([...args, '-o', 'ndjson'])).stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toMatchObject(LIST);
  });

  test('commands are printed under the labels of their queries', async () => {
    const { stdout } = await migrateQuery([
      fileWith(REQUEST_FOR_REPORT),
      ...['--custom-report', fileWith(REPORT), ...files(), '--as', 'gatectl'],
    ]);
    expect(stdout.split('\n')).toEqual([
      '# Desktop',
      expect.stringMatching(/^gatectl bda query .*--filter device=desktop /),
      '',
      '# Busy',
      expect.stringMatching(/^gatectl bda query .*--filter 'visits>12' /),
      '',
      '# then merge the rows by country asc, keep 50',
      '',
    ]);
  });

  test('a definition is sufficient, and so is its title with a list of reports', async () => {
    const days = ['--from', '2026-03-01', '--to', '2026-03-07'];
    const alone = await migrateQuery([fileWith(REPORT), ...files(), ...days]);
    expect(queriesOfPlan(alone.stdout)).toMatchObject(LIST);
    const reports = fileWith([{ id: 5, ...REPORT }]);
    for (const named of ['5', 'Two Sides']) {
      const found = await migrateQuery(['--custom-report', named, '--reports', reports, ...files(), ...days]);
      expect(JSON.parse(found.stdout)).toEqual(JSON.parse(alone.stdout));
    }
  });

  test('a single definition is a list of one: its charts are not reports', async () => {
    const chart = { ...REPORT.Charts[0], Name: 'Two Sides', Segments: [] };
    const report = { id: 7, ...REPORT, Charts: [chart, { ...chart, Name: 'Other side' }] };
    for (const content of [report, { Success: true, Report: report }, { Report: report }, [report]]) {
      const args = ['--reports', fileWith(content), '--last', '7d', '-q'];
      for (const id of ['7', 'Two Sides']) {
        const { stdout, stderr } = await migrateQuery(['--custom-report', id, ...args]);
        expect(stderr).toBe('');
        expect(queriesOfPlan(stdout)).toHaveLength(2);
      }
      const account = await migrateQuery(['--account', ...args, '--json']);
      expect(JSON.parse(account.stdout).items).toMatchObject([{ id: '7', name: 'Two Sides', queries: 2 }]);
    }
  });

  test('a file without columns is not read as columns', async () => {
    const { code, stderr } = await migrateQuery([fileWith(REQUEST), '--columns', fileWith({ total: 7 })]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no columns in .*request\.json\n {2}gatectl bda columns --json/);
  });

  test('the segments of the request go before those of the report', async () => {
    const { stdout } = await migrateQuery([
      fileWith({ ...REQUEST_FOR_REPORT, SegmentIds: [8] }),
      ...['-q', '--custom-report', fileWith(REPORT), ...files()],
    ]);
    expect(JSON.parse(stdout)).toMatchObject(LIST[1] ?? {});
  });

  test('--segment replaces the segments of request and report, by name or number', async () => {
    const args = [
      fileWith({ ...REQUEST_FOR_REPORT, SegmentIds: [7] }),
      ...['-q', '--custom-report', fileWith(REPORT), ...files()],
    ];
    for (const segment of ['8', 'busy'])
      expect(JSON.parse((await migrateQuery([...args, '--segment', segment])).stdout)).toMatchObject(
        LIST[1] ?? {},
      );
    const both = await migrateQuery([...args, '--segment', '7', '--segment', 'Busy']);
    expect(queriesOfPlan(both.stdout)).toMatchObject(LIST);
    const unknown = await migrateQuery([...args, '--segment', 'Desktops']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('error: there is no segment "Desktops"\n  did you mean "Desktop"?\n');
  });

  test('--segment requires a number where no segment can be looked up', async () => {
    const { code, stderr } = await migrateQuery([fileWith(REQUEST), '--offline', '--segment', 'Busy']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: a segment name requires a gateway or --segments FILE\n  pass the id of the segment\n  or pass --segments FILE (gatectl bda segment list --json)\n',
    });
  });

  test('what is missing is named with the file that would hold it', async () => {
    const { code, stderr } = await migrateQuery([
      fileWith(REQUEST_FOR_REPORT),
      ...['--custom-report', fileWith(REPORT), '--offline'],
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('  Charts[0].Segments[0]: the definition of segment 7 is missing\n');
    expect(stderr).toContain('from --segments FILE (gatectl bda segment list --json)\n');
    expect(stderr).not.toContain('--lossy');
  });
});

const REQUEST_FOR_REPORT = { MaxItems: 50, StartDate: '2026-03-01', EndDate: '2026-03-07' };
