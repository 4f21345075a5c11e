import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { analytics, dailyRows } from '../analytics.ts';

const WHY = [
  'bda',
  'why',
  '--data-set',
  'pageview',
  '--from',
  '2026-03-07',
  '--to',
  '2026-03-13',
  '--tz',
  'UTC',
];
const COUNTRIES = {
  now: '{"rows":[{"country":"DE","visits":40},{"country":"US","visits":101},{"country":"NZ","visits":7}],"total_rows":3}',
  before:
    '{"rows":[{"country":"DE","visits":100},{"country":"US","visits":100},{"country":"XX","visits":3}],"total_rows":3}',
};

const DAYS = { body: dailyRows('visits', '2026-02-28', [203, 148]) };
const isByDay = (body: string) => body.includes('report_day');

/** Replies with the rows of the two weeks; has no listings. */
function weeks({ method, body }: Received): Reply {
  if (method === 'GET') return { status: 404, body: '{}' };
  if (isByDay(body)) return DAYS;
  return { body: body.includes('2026-03-07') ? COUNTRIES.now : COUNTRIES.before };
}

describe('bda why', () => {
  test('explains in sentences and a table, whose contributions add up to the change', async () => {
    const { server, gatectl } = await analytics(weeks);
    const { code, stdout, stderr } = await gatectl([...WHY, '-m', 'visits', '-d', 'country']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'Why visits changed',
        'Visits fell by 55 (−27.1 %): country DE makes up 95 % of the falls of 63 (−60), against rises of 8 (most: NZ, +7, new).',
        'From 203 (28 February to 6 March 2026) to 148 (7 to 13 March 2026).',
        'Which changes are usual is unknown: no earlier change can be measured.',
        '',
        'By country',
        'Dimension  Value  Before  Now  Contribution  Share of rises/falls  Status',
        'country    DE        100   40           −60                95.2 %  changed',
        'country    NZ          0    7            +7                87.5 %  new',
        'country    XX          3    0            −3                 4.8 %  gone',
        'country    US        100  101            +1                12.5 %  changed',
        '',
      ].join('\n'),
      stderr: [
        'note: compared with 28 February to 6 March 2026, 7 days',
        'note: examining country in at most 40 requests',
        '',
      ].join('\n'),
    });
    const queries = server.received
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(body));
    expect(queries.map(({ dimensions, metrics }) => [dimensions, metrics])).toEqual([
      [['country'], ['visits']],
      [['country'], ['visits']],
      [['report_day'], ['visits']],
    ]);
  });

  test('warns of missing rows, which fail it with --strict', async () => {
    const { gatectl } = await analytics(received => {
      const reply = weeks(received);
      if (typeof reply.body !== 'string' || !received.body.includes('2026-03-07')) return reply;
      const isFirst =
        JSON.parse(received.body).offset === undefined || JSON.parse(received.body).offset === 0;
      return {
        body: isFirst
          ? COUNTRIES.now.replace('"total_rows":3', '"total_rows":5')
          : '{"rows":[],"total_rows":5}',
      };
    });
    const ran = await gatectl([...WHY, '-m', 'visits', '-d', 'country']);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('warning: by country, 7 to 13 March 2026: received 3 rows, expected 5');
    expect((await gatectl([...WHY, '-m', 'visits', '-d', 'country', '--strict'])).code).toBe(7);
  });

  test('fails if a response has no rows although it announces some', async () => {
    const { gatectl } = await analytics(({ method, body }) => {
      if (method === 'GET') return { status: 404, body: '{}' };
      return { body: body.includes('2026-03-07') ? '{"rows":[],"total_rows":5}' : COUNTRIES.before };
    });
    expect((await gatectl([...WHY, '-m', 'visits', '-d', 'country'])).code).toBe(7);
  });

  test('with --strict, days that have not ended fail it', async () => {
    const { gatectl } = await analytics(weeks);
    const days = [
      'bda',
      'why',
      '--data-set',
      'pageview',
      '--from',
      '2026-03-08',
      '--to',
      '2026-03-14',
      '--tz',
      'UTC',
    ];
    const ran = await gatectl([...days, '-m', 'visits', '-d', 'country', '--strict']);
    expect(ran.stderr).toContain('14 March 2026 has not ended yet');
    expect(ran.code).toBe(7);
  });

  test('has sentences, totals and rows in json, and only the rows in csv', async () => {
    const { gatectl } = await analytics(weeks);
    const asked = [...WHY, '-m', 'visits', '-d', 'country', '--top', '1'];
    const json = JSON.parse((await gatectl([...asked, '-o', 'json'])).stdout);
    expect(json).toMatchObject({
      metric: 'visits',
      now: { from: '2026-03-07', to: '2026-03-13', value: 148 },
      before: { from: '2026-02-28', to: '2026-03-06', value: 203 },
      change: -55,
      change_percent: -27.0935960591,
      requests: 3,
      conclusions: [
        { kind: 'metric_change', verdict: 'unknown', difference: -55, completeness: { kind: 'complete' } },
        {
          kind: 'contributors',
          pattern: 'led',
          rises: { values: 2, total: 8, largest: { value: 'NZ', contribution: 7 } },
          falls: { values: 2, total: -63, largest: { value: 'DE', contribution: -60, share: 95.2380952381 } },
        },
      ],
    });
    expect(json.sentences).toHaveLength(3);
    expect((await gatectl([...asked, '--csv'])).stdout).toBe(
      [
        'within,dimension,value,before,now,contribution,share_percent,surprise,status',
        ',country,DE,100,40,-60,95.2380952381,0.016438,changed',
        ',country,NZ,0,7,7,87.5,0.016392,new',
        ',country,(1 other that rose),100,101,1,12.5,,others',
        ',country,(1 other that fell),3,0,-3,4.7619047619,,others',
        '',
      ].join('\n'),
    );
  });

  test('draws a waterfall on the screen and into files', async () => {
    const { gatectl } = await analytics(weeks);
    const asked = [...WHY, '-m', 'visits', '-d', 'country'];
    const drawn = await gatectl([...asked, '--chart', '--ascii', '--no-color'], { columns: 60 });
    expect(drawn.stdout.split('\n').slice(0, 9)).toEqual([
      '7 to 13 March 2026, compared with 28 February to 6 March',
      '2026',
      '',
      'Visits by country',
      'before 203 ~################################################',
      'DE     -60           ---------------------------------------',
      'NZ      +7           ++++',
      'XX      -3             --',
      'US      +1             +',
    ]);
    const folder = temporaryFolder();
    for (const name of ['why.svg', 'why.html']) {
      const { code } = await gatectl([...asked, '--chart', join(folder, name), '--quiet']);
      expect(code).toBe(0);
      const text = readFileSync(join(folder, name), 'utf8');
      expect(text).toContain('Visits: 203 before, 148 now, largest step −60 (DE)');
    }
  });

  test('splits a ratio into mix and rate, of the metrics that it is made of', async () => {
    const { server, gatectl } = await analytics(({ method, body }) => {
      if (method === 'GET') return { status: 404, body: '{}' };
      if (isByDay(body)) return { body: '{"rows":[],"total_rows":0}' };
      const [de, us] = body.includes('2026-03-07')
        ? ['25,"visits":50', '15,"visits":150']
        : ['50,"visits":100', '10,"visits":100'];
      return {
        body: `{"rows":[{"country":"DE","revenue":${de}},{"country":"US","revenue":${us}}],"total_rows":2}`,
      };
    });
    const { code, stdout } = await gatectl([
      ...WHY,
      ...['-m', 'rpv', '-d', 'country', '--ratio', 'rpv=revenue/visits', '--csv'],
    ]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'within,dimension,value,before,now,contribution,mix,rate,weight_percent_before,weight_percent,share_percent,surprise,status',
        ',country,DE,0.5,0.5,-0.0625,-0.0625,0,50,25,62.5,0.021237,changed',
        ',country,US,0.1,0.1,-0.0375,-0.0375,0,50,75,37.5,0.020558,changed',
        '',
      ].join('\n'),
    );
    const query = JSON.parse(server.received.find(({ method }) => method === 'POST')?.body ?? '');
    expect(query.metrics).toEqual(['revenue', 'visits']);
  });

  test('stays within the number of requests, and names the dimensions that did not fit', async () => {
    const { server, gatectl } = await analytics(request => {
      const reply = weeks(request);
      const body = String(reply.body).replaceAll('"country":', '"device":"d","country":');
      return { ...reply, body };
    });
    const { code, stderr } = await gatectl([
      ...WHY,
      ...['-m', 'visits', '-d', 'country,device,site', '--max-requests', '5'],
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain('note: not examined: site; --max-requests 5 is not enough\n');
    expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(5);
  });

  test.each([
    [
      ['-m', 'unheard_of', '-d', 'country'],
      'cannot determine how unheard_of adds up',
      '--additive unheard_of',
    ],
    [['-m', 'vists', '-d', 'country'], 'cannot determine how vists adds up', 'if visits is meant'],
    [['-d', 'country'], '--metric is missing', 'type -m revenue'],
    [['-m', 'visits,revenue'], 'only one metric can be explained at a time', 'type -m revenue'],
    [['-m', 'visits', '-d', 'report_day'], 'report_day cannot explain a change', 'country or device'],
    [['-m', 'x', '--ratio', 'x'], "invalid --ratio 'x'", 'METRIC=DIVIDED/WEIGHT'],
  ])('with %j is rejected', async (flags, message, hint) => {
    const { server, gatectl } = await analytics(weeks);
    const { code, stderr } = await gatectl([...WHY, ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(server.received.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test.each([
    [['-m', 'visits', '-d', 'nope'], 'there is no column nope', 'gatectl bda columns lists all'],
    [['-m', 'visits', '-d', 'country,contry'], 'there is no column contry', 'did you mean country? gatectl'],
    [['-m', 'nope', '-d', 'country'], 'there is no column nope', 'gatectl bda columns lists all'],
    [['-m', 'sould', '--additive', 'sould'], 'there is no column sould', 'did you mean sold? gatectl'],
    [['-m', 'r', '--ratio', 'r=sold/vsits'], 'there is no column vsits', 'did you mean visits? gatectl'],
  ])(
    'with %j, of which a column is not listed, is an error before any query',
    async (flags, message, hint) => {
      const { server, gatectl } = await analytics(request =>
        request.method === 'GET'
          ? { body: '[{"name":"country","type":"string"},{"name":"visits"},{"name":"sold","type":"number"}]' }
          : { body: weeks(request).body?.toString().replaceAll('"country":', '"nope":"x","country":') ?? '' },
      );
      const { code, stdout, stderr } = await gatectl([...WHY, ...flags]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`error: ${message}\n`);
      expect(stderr).toContain(hint);
      expect(server.received.filter(({ method }) => method === 'POST')).toEqual([]);
      const listed = await gatectl([...WHY, '-m', 'sold', '-d', 'country']);
      expect(listed.stderr).toContain('cannot determine how sold adds up');
    },
  );

  test.each([4, 5, 6, 7, 8, 9, 10, 12])('sends at most %i requests, none of them twice', async most => {
    const { server, gatectl } = await analytics(request => {
      if (request.method === 'GET') return { body: '{"earliest":"2025-01-01","latest":"2026-03-13"}' };
      const body = String(weeks(request).body);
      return { body: body.replaceAll('"country":', '"device":"d","site":"s","country":') };
    });
    const asked = [...WHY, '-m', 'visits', '-d', 'country,device,site', '--depth', '2', '-o', 'json'];
    const { stdout } = await gatectl([...asked, '--max-requests', String(most)]);
    const queries = server.received.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(queries.length).toBeLessThanOrEqual(most);
    expect(new Set(queries).size).toBe(queries.length);
    expect(JSON.parse(stdout).requests).toBe(queries.length);
  });

  test('a second level that cannot be is refused, or a note says why there is none', async () => {
    const one = await analytics(weeks);
    const asked = [...WHY, '-m', 'visits', '-d', 'country', '--depth', '2'];
    const alone = await one.gatectl(asked);
    expect(alone).toMatchObject({ code: 2, stdout: '' });
    expect(alone.stderr).toContain(
      'error: --depth 2 requires another dimension than country\n  name another: -d country,COLUMN, or omit -d to examine those of the data set\n',
    );
    expect(one.server.received).toEqual([]);
    const unnamed = await analytics(request => {
      const { body, ...reply } = weeks(request);
      return { ...reply, body: String(body).replaceAll(/"country":"[^"]*"/g, '"site":null,"country":null') };
    });
    const { stderr } = await unnamed.gatectl([...WHY, '-m', 'visits', '-d', 'country,site', '--depth', '2']);
    expect(stderr).toMatch(/note: no second level: no filter selects the rows without (?:country|site)\n/);
    const listed = await analytics(request =>
      request.method === 'GET' && request.target.includes('columns')
        ? { body: '[{"name":"country","type":"string","role":"dimension"}]' }
        : weeks(request),
    );
    expect((await listed.gatectl([...WHY, '-m', 'visits', '--depth', '2'])).stderr).toContain(
      'note: no second level: there is no other dimension than country\n',
    );
  });

  test('--curl prints the first query, or the listing that the dimensions are chosen from', async () => {
    const { server, gatectl } = await analytics(weeks);
    const named = await gatectl([...WHY, '-m', 'visits', '-d', 'country', '--curl']);
    expect(named.code).toBe(0);
    expect(named.stdout).toMatch(/^curl -X POST \S+\/query /);
    expect(named.stdout).toContain('"dimensions":["country"]');
    expect(named.stdout.match(/^curl /gm)).toHaveLength(1);
    const chosen = await gatectl([...WHY, '-m', 'visits', '--curl']);
    expect(chosen.stdout).toMatch(/^curl \S+\/columns /);
    expect(chosen.stderr).toContain('note: name dimensions, such as -d country, to print the query\n');
    expect(server.received).toEqual([]);
  });

  test('refuses a period without data, and warns of one with data for some days only', async () => {
    const since = (day: string) => (request: Received) => {
      if (request.method === 'GET') return { body: `{"earliest":"${day}","latest":"2026-03-13"}` };
      const { body } = weeks(request);
      const rows = isByDay(request.body) ? String(body).replace('"2026-03-04"', '"2026-03-14"') : body;
      return { body: rows };
    };
    const none = await analytics(since('2026-03-07'));
    const refused = await none.gatectl([...WHY, '-m', 'visits', '-d', 'country']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('there is no data for 28 February to 6 March 2026');
    const some = await analytics(since('2026-03-01'));
    const warned = await some.gatectl([...WHY, '-m', 'visits', '-d', 'country', '--strict']);
    expect(warned.code).toBe(7);
    expect(warned.stderr).toContain(
      'warning: the periods are not comparable: there are no rows for 4 March 2026\n',
    );
    expect(warned.stdout.split('\n').slice(1, 5)).toEqual([
      'Visits per day fell by 12.69 (−37.5 %), not comparable: 1 of 7 days before has no rows.',
      'Per day, because days have no figures: from 33.83 (28 February to 6 March 2026, 203 in 6 days) to 21.14 (7 to 13 March 2026, 148 in 7 days).',
      'Not complete: there are no rows for 4 March 2026.',
      'By country: DE makes up 80 % of the falls of 13.69 (−10.95), against NZ (+1.00, new).',
    ]);
  });

  test('a period without rows is unknown, not zero', async () => {
    const { gatectl } = await analytics(({ method, body }) => {
      if (method === 'GET') return { status: 404, body: '{}' };
      if (isByDay(body)) return { body: dailyRows('visits', '2026-02-28', [203]) };
      return { body: body.includes('2026-03-07') ? '{"rows":[],"total_rows":0}' : COUNTRIES.before };
    });
    const { code, stdout, stderr } = await gatectl([...WHY, '-m', 'visits', '-d', 'country']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toContain(
      'there are no rows for 7 to 13 March 2026, so the change of visits is unknown\n',
    );
  });

  test('a value that is missing, a dash and a text "null" are three things', async () => {
    const row = (value: string, visits: number) => `{"country":${value},"visits":${visits}}`;
    const values = ['null', '"–"', '"null"', '"(none)"', '""'];
    const { gatectl } = await analytics(({ method, body }) => {
      if (method === 'GET') return { status: 404, body: '{}' };
      if (isByDay(body)) return DAYS;
      const isNow = body.includes('2026-03-07');
      const rows = values.map((value, at) => row(value, isNow ? 10 : 60 - 10 * at));
      return { body: `{"rows":[${rows.join(',')}],"total_rows":5}` };
    });
    const { stdout } = await gatectl([...WHY, '-m', 'visits', '-d', 'country']);
    expect(stdout).toContain('most of all (none) (−50, 33 % of the falls)');
    const shown = stdout.split('\n').flatMap(line => /^country {4}(\S+)/.exec(line)?.[1] ?? []);
    expect(shown).toEqual(['(none)', '–', 'null', '"(none)"', '""']);
  });

  test('is as usual if the metric changed no more than it usually does', async () => {
    const usual = [100, 80, 105, 85, 100, 90, 102, 88, 101, 87];
    const { gatectl } = await analytics(({ method, body }) => {
      if (method === 'GET') return { body: '{"earliest":"2025-12-27","latest":"2026-03-13"}' };
      const all = [...usual].reverse().map(visits => visits + 70);
      if (isByDay(body)) return { body: dailyRows('visits', '2025-12-27', [...all, 150]) };
      const isNow = body.includes('2026-03-07');
      return {
        body: `{"rows":[{"country":"DE","visits":${isNow ? 80 : 100}},{"country":"US","visits":70}],"total_rows":2}`,
      };
    });
    const { stdout } = await gatectl([...WHY, '-m', 'visits', '-d', 'country']);
    expect(stdout.split('\n').slice(1, 4)).toEqual([
      'Visits fell by 20 (−11.8 %), as usual (−29.0 % to +40.8 %).',
      'From 170 (28 February to 6 March 2026) to 150 (7 to 13 March 2026).',
      'By country: DE makes up all of the fall (−20).',
    ]);
  });

  test('names what offsets a change, whatever --top is', async () => {
    const { gatectl } = await analytics(({ method, body }) => {
      if (method === 'GET') return { status: 404, body: '{}' };
      if (isByDay(body)) return { body: dailyRows('visits', '2026-02-28', [3000, 2841]) };
      const [de, br, no] = body.includes('2026-03-07') ? [1574, 1373, 477] : [1000, 1000, 1000];
      const others = body.includes('2026-03-07') ? -583 : 0;
      return {
        body: `{"rows":[{"country":"DE","visits":${de}},{"country":"BR","visits":${br}},{"country":"NO","visits":${no}},{"country":"XX","visits":${others}}],"total_rows":4}`,
      };
    });
    const { stdout } = await gatectl([...WHY, '-m', 'visits', '-d', 'country', '--top', '1']);
    expect(stdout.split('\n')[1]).toBe(
      'Visits fell by 159 (−5.3 %): rises of 947 and falls of 1,106 nearly cancel, most of all country XX (−583, 53 % of the falls) and DE (+574, 61 % of the rises).',
    );
  });
});

test('--compare explains against any other days, and offers no shift of weekdays that it would refuse', async () => {
  const asked = ['bda', 'why', '-m', 'visits', '-d', 'country', '--month', '2026-02', '--sandbox', '--json'];
  const { code, stdout, stderr } = await run([...asked, '--compare', '2026-01']);
  expect(code).toBe(0);
  const { now, before, change, rows } = JSON.parse(stdout);
  expect([now.from, now.to, before.from, before.to]).toEqual([
    ...['2026-02-01', '2026-02-28', '2026-01-01', '2026-01-31'],
  ]);
  const sum = rows.reduce((all: number, row: { contribution: number }) => all + row.contribution, 0);
  expect(sum).toBeCloseTo(change, 3);
  expect(stderr).toContain('note: compared with 1 to 31 January 2026, 31 days\n');
  expect(stderr).toContain('note: the periods do not have the same days of the week\n');
  const refused = await run([...asked, '--compare', '2026-01', '--match-weekdays']);
  expect(refused.stderr).toContain('--match-weekdays and --compare 2026-01 cannot be combined');
});

test('its table has labels, signs and units of the metric, and its JSON and csv all digits', async () => {
  const asked = ['bda', 'why', '-m', 'bounce_rate', '-d', 'device', '--last', '7d', '--sandbox', '--quiet'];
  const { stdout } = await run(asked);
  expect(stdout).toContain('\nBy device\nDimension  Value    Before     Now  Contribution ');
  expect(stdout).toMatch(/\ndevice {5}mobile {3}43\.3 % {2}41\.1 % +\u22121\.2 pp /);
  const csv = (await run([...asked, '--csv'])).stdout;
  expect(csv).toMatch(
    /^within,dimension,value,before,now,contribution,mix,rate,weight_percent_before,weight_percent,share_percent,surprise,status\n/,
  );
  expect(csv).toMatch(/,0\.4333\d+,0\.4111\d*,-0\.0124\d+,/);
});
