import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { analytics } from '../analytics.ts';

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

/** Replies with the rows of the two weeks; has no listings. */
function weeks({ method, body }: Received): Reply {
  if (method === 'GET') return { status: 404, body: '{}' };
  return { body: body.includes('2026-03-07') ? COUNTRIES.now : COUNTRIES.before };
}

describe('bda why', () => {
  test('explains in two sentences and a table, whose contributions add up to the change', async () => {
    const { server, gatectl } = await analytics(weeks);
    const { code, stdout, stderr } = await gatectl([...WHY, '-m', 'visits', '-d', 'country']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'Why visits changed',
        'visits fell by 55 (-27.1 %), from 203 (2026-02-28 to 2026-03-06) to 148 (2026-03-07 to 2026-03-13).',
        'country DE explains 109 % of it (-60).',
        '',
        'By country',
        'dimension  value  before  now  contribution  share_percent  surprise  status',
        'country    DE        100   40           -60         109.09  0.016438  changed',
        'country    XX          3    0            -3           5.45  0.005122  gone',
        'country    NZ          0    7             7         -12.73  0.016392  new',
        'country    US        100  101             1          -1.82    0.0077  changed',
        '',
      ].join('\n'),
      stderr: [
        'note: compared with 2026-02-28 to 2026-03-06: 7 days',
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
    expect(ran.stderr).toContain(
      'warning: by country, 2026-03-07 to 2026-03-13: received 3 rows, expected 5',
    );
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
    expect(ran.stderr).toContain('2026-03-14 has not ended yet');
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
      change_percent: -27.09,
      requests: 2,
    });
    expect(json.sentences).toHaveLength(2);
    expect((await gatectl([...asked, '--csv'])).stdout).toBe(
      [
        'within,dimension,value,before,now,contribution,share_percent,surprise,status',
        ',country,DE,100,40,-60,109.09,0.016438,changed',
        ',country,(3 others),103,108,5,-9.09,,others',
        '',
      ].join('\n'),
    );
  });

  test('draws a waterfall on the screen and into files', async () => {
    const { gatectl } = await analytics(weeks);
    const asked = [...WHY, '-m', 'visits', '-d', 'country'];
    const drawn = await gatectl([...asked, '--chart', '--ascii', '--no-color'], { columns: 60 });
    expect(drawn.stdout.split('\n').slice(0, 9)).toEqual([
      '2026-03-07 to 2026-03-13, compared with 2026-02-28 to',
      '2026-03-06',
      '',
      'visits by country',
      'before 203 #################################################',
      'DE     -60                                    --------------',
      'XX      -3                                   -',
      'NZ      +7                                   +',
      'US      +1                                    +',
    ]);
    const folder = temporaryFolder();
    for (const name of ['why.svg', 'why.html']) {
      const { code } = await gatectl([...asked, '--chart', join(folder, name), '--quiet']);
      expect(code).toBe(0);
      const text = readFileSync(join(folder, name), 'utf8');
      expect(text).toContain('visits: 203 before, 148 now, largest step -60 (DE)');
    }
  });

  test('splits a ratio into mix and rate, of the metrics that it is made of', async () => {
    const { server, gatectl } = await analytics(({ method, body }) => {
      if (method === 'GET') return { status: 404, body: '{}' };
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
        'within,dimension,value,before,now,contribution,mix,rate,share_percent,surprise,status',
        ',country,DE,0.5,0.5,-0.0625,-0.0625,0,62.5,0.021237,changed',
        ',country,US,0.1,0.1,-0.0375,-0.0375,0,37.5,0.020558,changed',
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
      ...['-m', 'visits', '-d', 'country,device,site', '--max-requests', '4'],
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain('note: not examined: site; --max-requests 4 is not enough\n');
    expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(4);
  });

  test.each([
    [
      ['-m', 'unheard_of', '-d', 'country'],
      'cannot determine how unheard_of adds up',
      '--additive unheard_of',
    ],
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
    const since = (day: string) => (request: Received) =>
      request.method === 'GET' ? { body: `{"earliest":"${day}","latest":"2026-03-13"}` } : weeks(request);
    const none = await analytics(since('2026-03-07'));
    const refused = await none.gatectl([...WHY, '-m', 'visits', '-d', 'country']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('there is no data for 2026-02-28 to 2026-03-06');
    const some = await analytics(since('2026-03-01'));
    const warned = await some.gatectl([...WHY, '-m', 'visits', '-d', 'country', '--strict']);
    expect(warned.code).toBe(7);
    expect(warned.stderr).toContain(
      'warning: the periods are not comparable: there is data for 6 of the 7 days',
    );
  });

  test('separates usual changes from unusual ones', async () => {
    const usual = ['100', '80', '105', '85', '100'];
    const { gatectl } = await analytics(({ method, body }) => {
      if (method === 'GET') return { body: '{"earliest":"2025-01-01","latest":"2026-03-13"}' };
      const start = JSON.parse(body).date_range.start_date;
      const week = (Date.parse('2026-03-07') - Date.parse(start)) / (7 * 86_400_000);
      const de = week === 0 ? '80' : usual[week - 1];
      return {
        body: `{"rows":[{"country":"DE","visits":${de}},{"country":"US","visits":${week === 0 ? 60 : 70}}],"total_rows":2}`,
      };
    });
    const { stdout } = await gatectl([...WHY, '-m', 'visits', '-d', 'country', '--csv']);
    expect(stdout.split('\n').map(line => [line.split(',')[2], line.split(',').at(-1)])).toEqual([
      ['value', 'status'],
      ['US', 'changed'],
      ['DE', 'usual'],
      [undefined, ''],
    ]);
  });
});
