import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { analytics, sent } from '../analytics.ts';

const DAYS = ['--from', '2026-02-01', '--to', '2026-02-28'];
const CUSTOM = [
  {
    Id: '101',
    ReportTitle: 'Mine',
    ReportDateRange: { BaseSelectId: 'BASE_NOT_SELECTED' },
    Charts: [
      {
        Name: 'Mine',
        DimensionColumns: [{ Data: 'country', Type: 'string' }],
        MetricColumns: [{ Data: 'visits', Type: 'number' }],
        Segments: [7, 8],
      },
    ],
  },
];

/** Rows of v1, as `StartItem` and `MaxItems` say, below a member of any name. */
function answering(rows: readonly string[], listings: Readonly<Record<string, unknown>> = {}) {
  return ({ target, body }: Received): Reply => {
    const path = /bdaservices\/(\w+)/.exec(target)?.[1] ?? '';
    if (path in listings) return { body: JSON.stringify(listings[path]) };
    if (body === '') return { status: 404, body: '{}' };
    const { StartItem = 0, MaxItems } = JSON.parse(body) as { StartItem?: number; MaxItems: number };
    return { body: `{"Answer":[${rows.slice(StartItem, StartItem + MaxItems).join(',')}]}` };
  };
}

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => `{"country":"C${index}","visits":${index}}`);

describe('gatectl bda report run', () => {
  test('always sends a number of rows, and reads rows from any member', async () => {
    const { server, gatectl } = await analytics(answering(['{"country":"DE","visits":1.50}']));
    const { code, stdout } = await gatectl(['bda', 'report', 'run', 'Countries', ...DAYS, '--csv']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'country,visits\nDE,1.50\n' });
    expect(sent(server)).toEqual({
      StartDate: '2026-02-01',
      EndDate: '2026-02-28',
      StartItem: 0,
      MaxItems: 10_000,
    });
  });

  test('reads rows that are arrays in the order of the requested columns', async () => {
    const { gatectl } = await analytics(() => ({ body: '[["DE",3],["AT",1]]' }));
    const { stdout } = await gatectl([
      'bda',
      'report',
      'run',
      '-d',
      'country',
      '-m',
      'visits',
      ...DAYS,
      '--csv',
    ]);
    expect(stdout).toBe('country,visits\nDE,3\nAT,1\n');
  });

  test('notes that there may be more rows if exactly the usual number was returned, and exits 7 with --strict', async () => {
    const { gatectl } = await analytics(answering(rows(130)));
    const asked = ['bda', 'report', 'run', 'Countries', ...DAYS];
    const loose = await gatectl(asked);
    expect({ code: loose.code, stderr: loose.stderr }).toEqual({
      code: 0,
      stderr: 'warning: the first 100 rows; there may be more, --all shows all, --csv prints all as CSV\n',
    });
    const strict = await gatectl([...asked, '--strict', '-q']);
    expect({ code: strict.code, stderr: strict.stderr }).toEqual({
      code: 7,
      stderr:
        'warning: the first 100 rows; there may be more, --all shows all, --csv prints all as CSV\n' +
        'error: the rows are not complete (--strict): the first 100 were fetched, because neither --all nor --limit was given\n',
    });
    for (const flags of [['--limit', '100'], ['--offset', '31'], ['--all']])
      expect((await gatectl([...asked, '--strict', ...flags])).code).toBe(0);
  });

  test('states how many rows --all requests at a time, in the help as in the request', async () => {
    const { server, gatectl } = await analytics(answering([]));
    const { stdout } = await gatectl(['bda', 'report', 'run', '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('rows per request (default 10000)');
    await gatectl(['bda', 'report', 'run', 'Countries', ...DAYS, '--all', '--csv']);
    expect(sent(server).MaxItems).toBe(10_000);
  });

  test('reads a data request from JSON; flags replace its fields, the others do not change', async () => {
    const { server, gatectl } = await analytics(answering([]));
    const input = '{"StartDate":"2026-01-01","EndDate":"2026-01-31","MaxItems":7,"StartItem":3,"Extra":1.0}';
    const { code } = await gatectl(
      [
        ...['bda', 'report', 'run', 'Pages', '--request', '-', '--to', '2026-01-15', '--group-by', 'week'],
        ...['--allow-unknown', 'Extra'],
      ],
      { input },
    );
    expect(code).toBe(0);
    expect(server.received[0]?.body).toBe(
      '{"StartDate":"2026-01-01","EndDate":"2026-01-15","Extra":1.0,"DateGrouping":"WEEKLY","StartItem":3,"MaxItems":7}',
    );
  });

  test.each(['', ' '])('the name %j is a usage error, and nothing is sent', async name => {
    const { server, gatectl } = await analytics(answering([]));
    expect(await gatectl(['bda', 'report', 'run', name, ...DAYS])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: the report name is empty\n  gatectl bda report list prints the names\n',
    });
    expect(server.received).toEqual([]);
  });

  test('a report without days of its own is a usage error, before its data is requested', async () => {
    const { server, gatectl } = await analytics(answering([], { getcustomreports: CUSTOM }));
    const { code, stderr } = await gatectl(['bda', 'report', 'run', '--id', '101']);
    expect(code).toBe(2);
    expect(stderr).toContain('the custom report 101 has no default date range (BASE_NOT_SELECTED)');
    expect(server.received.map(({ method }) => method)).toEqual(['GET']);
  });

  test.each([
    ['BASE_LAST_7', { ReportName: 'Pages', DateBaseSelectId: 'BASE_LAST_7' }],
    ['nothing that can be read', 'a text'],
  ])('a report whose definition has %s needs no days', async (_, definition) => {
    const { server, gatectl } = await analytics(answering(rows(1), { getreport: definition }));
    const { code } = await gatectl(['bda', 'report', 'run', 'Pages']);
    expect(code).toBe(0);
    expect(sent(server, 1)).toEqual({ StartItem: 0, MaxItems: 100 });
  });

  test('finds a segment by its name and names the segments that it replaces', async () => {
    const { server, gatectl } = await analytics(
      answering(rows(1), {
        getcustomreports: CUSTOM,
        getsegments: { Segments: [{ SegmentId: '31', SegmentName: 'Europe' }] },
      }),
    );
    const { code, stderr } = await gatectl([
      'bda',
      'report',
      'run',
      '--id',
      '101',
      ...DAYS,
      '--segment',
      'europe',
      '--segment',
      '4,5',
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain('the requested segments override those of the report: segments 7, 8');
    expect(sent(server, 2).SegmentIds).toEqual([31, 4, 5]);
  });

  test.each([
    [['--segment', 'Europ'], 'there is no segment "Europ"', 'did you mean "Europe"?'],
    [['--segment', 'Twice'], '2 segments are named "Twice"', 'pass the id: 1 or 2'],
    [
      ['--filter', 'country=DE,AT'],
      '--filter country=DE,AT: v1 filters compare with one value, by a named operator',
      'create a segment',
    ],
    [
      ['--filter', 'country=DE'],
      '--filter country=DE: v1 filters compare with one value, by a named operator',
      "'country:equals:DE'",
    ],
    [['--sort', 'visit'], 'the columns have no visit', 'did you mean visits?'],
    [['--sort', 'visits:down'], "invalid --sort 'visits:down'", 'COLUMN:desc'],
    [['--id', '5'], '--id 5 and --dimension cannot be combined', 'omit one of them'],
  ])('%j is a usage error', async (flags, message, hint) => {
    const segments = [
      { id: 3, SegmentName: 'Europe' },
      { id: 1, SegmentName: 'Twice' },
      { id: 2, SegmentName: 'Twice' },
    ];
    const { gatectl } = await analytics(answering(rows(1), { getsegments: segments }));
    const ran = await gatectl(['bda', 'report', 'run', '-d', 'country', '-m', 'visits', ...DAYS, ...flags]);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).toContain(hint);
  });

  test.each([
    [[], 'columns require days'],
    [['--to', '2026-02-28'], 'StartDate is missing'],
    [['--from', '2026-03-01', '--to', '2026-02-28'], '--from 2026-03-01 is after --to 2026-02-28'],
  ])('columns with the days %j are a usage error', async (flags, message) => {
    const { server, gatectl } = await analytics(answering([]));
    const { code, stderr } = await gatectl(['bda', 'report', 'run', '-m', 'visits', ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(server.received).toEqual([]);
  });

  test('sorts a saved report by the index of the column in its definition', async () => {
    const { server, gatectl } = await analytics(answering(rows(1), { getcustomreports: CUSTOM }));
    const { stderr } = await gatectl([
      'bda',
      'report',
      'run',
      '--id',
      '101',
      ...DAYS,
      '--sort',
      'visits:desc',
    ]);
    expect(sent(server, 1).Order).toEqual({ ColumnNumber: 1, Direction: 'DESC' });
    expect(stderr).toContain(
      'the API documents filters and order for columns (-d, -m) only; a saved report may ignore them',
    );
  });

  test("a name that only a custom report has is rejected with a hint at that report's number", async () => {
    const { gatectl } = await analytics(({ target }) => {
      if (target.includes('getcustomreports')) return { body: JSON.stringify(CUSTOM) };
      return { status: 404, body: '{"Success":false,"Error":"no such report"}' };
    });
    const { code, stderr } = await gatectl(['bda', 'report', 'run', 'Mine', ...DAYS]);
    expect(code).toBe(5);
    expect(stderr).toContain('\n  to run the custom report of this name, pass --id 101\n');
  });

  test('an unknown name is rejected with similar ones and the base URL, but not with another path', async () => {
    const { server, gatectl } = await analytics(({ target }) => {
      if (target.includes('getcustomreports')) return { body: JSON.stringify(CUSTOM) };
      if (target.includes('getreports'))
        return { body: '[{"ReportName":"Countries"},{"ReportName":"Pages"}]' };
      return { status: 404, body: '{"Success":false,"Error":"no such report"}' };
    });
    const close = async (name: string) => {
      const { code, stderr } = await gatectl(['bda', 'report', 'run', name, ...DAYS]);
      expect(code).toBe(5);
      return stderr.split('\n').slice(2, -1);
    };
    const always = [
      '  gatectl bda report list prints the names',
      `  the base URL in use is ${server.baseUrl}`,
    ];
    expect(await close('Country')).toEqual(['  did you mean "Countries"?', ...always]);
    expect(await close('Mime')).toEqual(['  did you mean --id 101 ("Mine")?', ...always]);
    expect(await close('Rivers')).toEqual(always);
  });

  test('a 404 where no report can be listed names doctor, which finds the path', async () => {
    const { gatectl } = await analytics(() => ({ status: 404, body: 'not here' }));
    const { stderr } = await gatectl(['bda', 'report', 'run', 'Countries', ...DAYS]);
    expect(stderr).toContain('gatectl doctor finds the path of this API');
  });

  test('counts of a saved report are grouped by thousands, years and numbers of things are not', async () => {
    const { gatectl } = await analytics(
      answering(['{"report_year":2026,"page_id":4321,"text":"4321","visits":2124,"epmv":30.11919377165711}']),
    );
    const { stdout } = await gatectl(['bda', 'report', 'run', 'Countries', ...DAYS]);
    expect(stdout).toBe(
      'Report year  Page ID  Text  Visits   EPMV\n       2026     4321  4321   2,124  30.12\n',
    );
  });

  describe('--all', () => {
    const ALL = ['bda', 'report', 'run', '-d', 'country', '-m', 'visits', ...DAYS, '--all', '--csv'];

    test.each([
      [2500, 1000, [0, 1000, 2000, 2500]],
      [2001, 1000, [0, 1000, 2000, 2001]],
      [2000, 1000, [0, 1000, 2000]],
      [0, 1000, [0]],
    ])('%d rows in pages of %d end with an empty page', async (count, size, starts) => {
      const { server, gatectl } = await analytics(answering(rows(count)));
      const { code, stdout } = await gatectl([...ALL, '--page-size', String(size), '--concurrency', '1']);
      expect(code).toBe(0);
      expect(stdout.split('\n').length - 2).toBe(count);
      expect(server.received.map((_, index) => sent(server, index).StartItem)).toEqual(starts);
    });

    test('several pages are in flight, and the rows are the same in the same order', async () => {
      const { server, gatectl } = await analytics(answering(rows(650)));
      const one = await gatectl([...ALL, '--page-size', '50', '--concurrency', '1']);
      const requests = server.received.length;
      const many = await gatectl([...ALL, '--page-size', '50', '--concurrency', '8']);
      expect([many.code, many.stdout]).toEqual([0, one.stdout]);
      expect(server.received.length - requests).toBeLessThanOrEqual(requests + 7);
    });

    test.each([300, 250, 256])(
      'a server that hands out no more than %d rows at once loses none',
      async cap => {
        const all = rows(650);
        const { gatectl } = await analytics(({ body }) => {
          const { StartItem } = JSON.parse(body) as { StartItem: number };
          return { body: `[${all.slice(StartItem, StartItem + cap).join(',')}]` };
        });
        const { stdout } = await gatectl(ALL);
        expect(stdout.split('\n').length - 2).toBe(650);
      },
    );

    test('a server that ignores paging is detected, and its rows are printed once', async () => {
      const page = `[${rows(50).join(',')}]`;
      const { server, gatectl } = await analytics(() => ({ body: page }));
      const ran = await gatectl([...ALL, '--page-size', '50']);
      expect(ran.code).toBe(7);
      expect(ran.stdout.split('\n').length - 2).toBe(50);
      expect(ran.stderr).toContain('the gateway returned the same page twice');
      expect(ran.stderr).toContain(
        'error: the server ignores StartItem: rows after the first page are missing',
      );
      expect(server.received.length).toBe(2);
      // After a page that was not full there may be no more.
      expect((await gatectl(ALL)).code).toBe(0);
      expect((await gatectl([...ALL, '--strict'])).code).toBe(7);
    });

    test('repeated rows in another envelope are detected too', async () => {
      const { server, gatectl } = await analytics((_, index) => ({
        body: `{"RequestId":"${index}","Data":[${rows(50).join(',')}],"Took":${index}}`,
      }));
      const ran = await gatectl([...ALL, '--page-size', '50']);
      expect(ran.stdout.split('\n').length - 2).toBe(50);
      expect(server.received.length).toBe(2);
    });

    test('a table ends after 10,000 rows, with a warning', async () => {
      const { gatectl } = await analytics(answering(rows(10_500)));
      const { code, stderr } = await gatectl(ALL.filter(arg => arg !== '--csv'));
      expect(code).toBe(0);
      expect(stderr).toContain(
        'warning: the table shows 10,000 rows; there may be more: to get all, pass --out FILE or -o csv',
      );
    });

    test('resumes an export that broke off', async () => {
      const folder = temporaryFolder();
      const all = rows(250);
      let broken = true;
      const { server, gatectl } = await analytics(request =>
        broken && request.body.includes('"StartItem":200')
          ? { status: 503, body: 'busy' }
          : answering(all)(request),
      );
      const out = join(folder, 'rows.csv');
      const args = [...ALL.filter(arg => arg !== '--csv'), '--page-size', '100', '--out', out];
      expect((await gatectl([...args, '--retries', '0'])).code).toBe(6);
      broken = false;
      const before = server.received.length;
      expect((await gatectl([...args, '--resume'])).code).toBe(0);
      expect(sent(server, before).StartItem).toBe(200);
      expect(readFileSync(out, 'utf8')).toBe(
        `country,visits\n${all.map((_, index) => `C${index},${index}\n`).join('')}`,
      );
    });
  });

  test('--curl prints the call with the key as a variable, and requests nothing before', async () => {
    const { server, gatectl } = await analytics(answering([]));
    const { code, stdout } = await gatectl(['bda', 'report', 'run', 'Pages', '--segment', '2', '--curl']);
    expect(code).toBe(0);
    expect(stdout).toContain('/bdaservices/getdata/?developerKey=$GATECTL_API_KEY&reportName=Pages');
    expect(stdout).toContain('"SegmentIds":[2]');
    expect((await gatectl(['bda', 'report', 'run', 'Pages', '--segment', 'X', '--curl'])).code).toBe(2);
    expect(server.received).toEqual([]);
  });

  test('a column that only later rows have is omitted of csv with a warning, and a flaw for --strict', async () => {
    const { gatectl } = await analytics(
      answering(['{"country":"DE"}', '{"country":"AT","visits":3}'], { getreport: {} }),
    );
    const args = ['bda', 'report', 'run', 'Odd', ...DAYS];
    const ran = await gatectl([...args, '--csv', '--strict']);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain(
      'warning: omitted columns that the first row lacks: visits; -o ndjson includes them',
    );
    const whole = await gatectl([...args, '-o', 'ndjson', '--strict']);
    expect(whole).toEqual({
      code: 0,
      stdout: '{"country":"DE"}\n{"country":"AT","visits":3}\n',
      stderr: '',
    });
  });

  test.each([
    [['-d', 'country,country', '-m', 'visits'], 'duplicate column country'],
    [['Pages', '-d', 'country'], 'if Pages is a column, separate it with a comma: --dimension a,Pages'],
    [['--id', 'Mine'], "invalid --id 'Mine'"],
    [['Pages', '--segment', '99999999999999999999'], 'there is no segment 99999999999999999999'],
    [['Pages', '--request', '-'], 'the report Pages and columns in the request cannot be combined'],
  ])('%j is rejected before anything is sent', async (args, message) => {
    const { server, gatectl } = await analytics(answering([]));
    const input = '{"MetricColumns":[{"Data":"visits","Type":"number"}]}';
    const { code, stderr } = await gatectl(['bda', 'report', 'run', ...args, ...DAYS], { input });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(server.received).toEqual([]);
  });

  test.each(['"MaxItems":0', '"MaxItems":-5', '"StartItem":"x"'])(
    '%s in a request is rejected',
    async field => {
      const { gatectl } = await analytics(answering([]));
      const ran = await gatectl(['bda', 'report', 'run', 'Pages', '--request', '-', ...DAYS], {
        input: `{${field}}`,
      });
      expect(ran.code).toBe(2);
    },
  );

  test('MaxItems 0 in a request with its own columns is all rows, as on v1', async () => {
    const { server, gatectl } = await analytics(answering(rows(3)));
    const input =
      '{"DimensionColumns":[{"Data":"country","Type":"string"}],"MetricColumns":[{"Data":"visits","Type":"number"}],"MaxItems":0}';
    const args = ['bda', 'report', 'run', '--request', '-', ...DAYS, '--csv'];
    const { code, stdout, stderr } = await gatectl(args, { input });
    expect({ code, lines: stdout.trimEnd().split('\n').length }, stderr).toEqual({ code: 0, lines: 4 });
    expect(server.received[0]?.target).toContain('/getCustomData/');
    expect(sent(server).MaxItems).not.toBe(0);
  });

  test('a definition that the listing does not show is requested by the title', async () => {
    const { server, gatectl } = await analytics(
      answering(rows(1), {
        getcustomreports: [{ id: 101, name: 'Mini' }],
        getreport: [
          { ReportName: 'Mini', DateBaseSelectId: 'BASE_NOT_SELECTED', Charts: [{ DimensionColumns: [] }] },
        ],
      }),
    );
    const { code } = await gatectl(['bda', 'report', 'run', '--id', '101']);
    expect(server.received.length).toBe(2);
    expect(code).toBe(2);
  });

  test('a listing that cannot be read does not stop a run that needs it only for a note', async () => {
    const { gatectl } = await analytics(answering(rows(1), { getcustomreports: 'nothing' }));
    const { code } = await gatectl(['bda', 'report', 'run', '--id', '101', ...DAYS, '--segment', '3']);
    expect(code).toBe(0);
  });

  test('a request that is not a JSON object is reported by its name', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'list.json');
    writeFileSync(file, '[1]');
    const { gatectl } = await analytics(answering([]));
    const { code, stderr } = await gatectl(['bda', 'report', 'run', '--request', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('a data request is a JSON object: {…}');
  });
});
