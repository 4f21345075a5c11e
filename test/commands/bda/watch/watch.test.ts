import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addDays, type Day, weekday } from '../../../../src/apis/bda/days.ts';
import { seeded } from '../../../analysis/simulated-years.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { InProcessOptions } from '../../../support/run.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { analytics, KEY } from '../analytics.ts';

const TODAY = '2026-03-14';
const HOUR = 3_600_000;
const noonOf = (day: Day) => Date.parse(`${day}T12:00:00Z`);

interface Account {
  /** A figure; undefined for no row, null for an empty one. */
  readonly visits?: (day: Day, usual: number, today: Day) => number | null | undefined;
  readonly from?: Day;
  /** The figure of a metric by its name and the visits; by default, the visits, and of epmv 3.5. */
  readonly figureOf?: (name: string, visits: number | null, day: Day) => number | null;
  /** The last day with data, as the API reports it; undefined where it reports none. */
  readonly to?: (today: Day) => Day | undefined;
}

/** An analytics API with steady figures, whose last day is always half complete. */
function account({
  visits = (_, usual) => usual,
  figureOf = (name, value) => (name === 'epmv' ? 3.5 : value),
  from = '2025-06-01',
  to = today => today,
}: Account) {
  let today = TODAY;
  const usualOf = new Map<Day, number>();
  const random = seeded(3);
  for (let day = from; day <= '2026-12-31'; day = addDays(day, 1))
    usualOf.set(day, Math.round(10_000 * (weekday(day) >= 5 ? 0.6 : 1) * (0.98 + 0.04 * random())));
  const reply = ({ method, target, body }: Received): Reply => {
    const last = to(today);
    if (method === 'GET' && target.includes('date-range'))
      return last === undefined ? { status: 404, body: '{}' } : { body: JSON.stringify({ from, last }) };
    if (method === 'GET' && target.includes('domains'))
      return { body: '[{"id":7,"name":"example.com"},{"id":8,"name":"example.org"}]' };
    if (method === 'GET') return { body: '[{"name":"country","type":"string","role":"dimension"}]' };
    const query = JSON.parse(body);
    const rows: string[] = [];
    let total = 0;
    for (
      let day: Day = query.date_range.start_date;
      day <= query.date_range.end_date;
      day = addDays(day, 1)
    ) {
      const usual = usualOf.get(day);
      const value = usual === undefined || day > (last ?? today) ? undefined : visits(day, usual, today);
      if (value === undefined) continue;
      // What is collected so far: yesterday lacks its last hours, and today most of them.
      const shown = day >= addDays(today, -1) && value !== null ? Math.round(value * 0.5) : value;
      const cells = query.metrics.map((name: string) => `"${name}":${figureOf(name, shown, day)}`);
      rows.push(`{"report_day":"${day}",${cells.join(',')}}`);
      total += shown ?? 0;
    }
    if (query.dimensions[0] === 'country')
      return { body: `{"rows":[{"country":"DE","visits":${total}}],"total_rows":1}` };
    return { body: `{"rows":[${rows.join(',')}],"total_rows":${rows.length}}` };
  };
  return {
    reply,
    setToday: (day: Day) => {
      today = day;
    },
  };
}

/** gatectl watching an account, with folders of its own. */
async function watching(given: Account = {}) {
  const { reply, setToday } = account(given);
  const { server, gatectl } = await analytics(reply);
  const config = temporaryFolder();
  const cwd = temporaryFolder();
  const watch = (
    args: readonly string[],
    { day = TODAY, ...options }: InProcessOptions & { day?: Day } = {},
  ) => {
    setToday(day);
    const env = { GATECTL_CONFIG_DIR: config, TZ: 'UTC', PATH: process.env.PATH ?? '', ...options.env };
    return gatectl(['bda', 'watch', ...args], { now: noonOf(day), cwd, ...options, env });
  };
  const file = (name: string, text: string) => {
    writeFileSync(join(cwd, name), text);
    return join(cwd, name);
  };
  return { server, watch, config, cwd, file };
}

const VISITS = ['--data-set', 'pageview', '-m', 'visits'];
const dropOn = (first: Day, last: Day) => (day: Day, usual: number) =>
  day >= first && day <= last ? Math.round(usual * 0.8) : usual;

describe('bda watch', () => {
  test('judges the last settled day, in one request besides the days with data and the units', async () => {
    const { server, watch } = await watching();
    const { code, stdout, stderr } = await watch([...VISITS, '--exit-code']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'note: days up to 12 March 2026 have settled\nnote: first run: each alert counts as new\n',
    });
    expect(stdout).toBe(
      [
        'No alerts on 12 March 2026',
        'Metric  Day          Value  Expected  Expected low  Expected high  Change  Deviations  Status',
        'Visits  Thu 12 Mar  10,098     9,889         8,900         10,878  +2.1 %        +1.5  ok',
        '',
      ].join('\n'),
    );
    const [, query] = server.received.map(({ body }) => body);
    expect(server.received.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
    expect(JSON.parse(query ?? '')).toMatchObject({
      dimensions: ['report_day'],
      metrics: ['visits'],
      date_range: { end_date: '2026-03-12' },
    });
  });

  test('reports a planted drop of 20 % once, on the day it settles, until it clears', async () => {
    const { watch, cwd } = await watching({ visits: dropOn('2026-03-10', '2026-03-12') });
    const events: string[] = [];
    for (let day = '2026-03-10'; day <= '2026-03-17'; day = addDays(day, 1)) {
      const hooks = ['--on-alert', 'cat >> alerts', '--on-clear', 'cat >> clears', '--exit-code', '--quiet'];
      const { code, stdout, stderr } = await watch([...VISITS, ...hooks], { day });
      expect(stdout).toBe('');
      events.push(`${day} ${code} ${stderr.replace(/[\d,]+(?= on)|[\d,]+(?=\n)|[\d.]+(?= %)/g, 'N')}`);
    }
    expect(events).toEqual([
      '2026-03-10 0 ',
      '2026-03-11 0 ',
      '2026-03-12 3 warning: Visits fell to N on 10 March 2026, N % below the expected N\n',
      '2026-03-13 3 ',
      '2026-03-14 3 ',
      '2026-03-15 0 ',
      '2026-03-16 0 ',
      '2026-03-17 0 ',
    ]);
    const alerts = readFileSync(join(cwd, 'alerts'), 'utf8').trimEnd().split('\n');
    expect(alerts.map(line => JSON.parse(line))).toMatchObject([
      {
        summary: expect.stringMatching(
          /^Visits fell to [\d,]+ on 10 March 2026, \d+\.\d % below the expected/,
        ),
        data_set: 'pageview',
        metric: 'visits',
        day: '2026-03-10',
        since: '2026-03-10',
        status: 'alert',
        event: 'opened',
        site: null,
      },
    ]);
    const clears = readFileSync(join(cwd, 'clears'), 'utf8').trimEnd().split('\n');
    expect(clears.map(line => JSON.parse(line))).toMatchObject([{ day: '2026-03-13', event: 'cleared' }]);
  });

  test('a run that was missed is caught up on, and the same day is reported once', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-09', '2026-03-20') });
    expect((await watch(VISITS, { day: '2026-03-09' })).stderr).not.toContain('warning');
    const [late, again] = [await watch(VISITS), await watch(VISITS, { now: noonOf(TODAY) + HOUR })];
    expect(late.stderr).toContain('on 12 March 2026, ');
    expect(late.stderr).toContain('; off since 9 March 2026\n');
    expect(again.stderr).not.toContain('warning');
    expect(again.stdout).toContain('1 alert on 12 March 2026\n');
  });

  test('an incident between two runs is a warning', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-09', '2026-03-10') });
    await watch(VISITS, { day: '2026-03-08' });
    expect((await watch(VISITS)).stderr).toContain(
      'warning: Visits was unusual from 9 March 2026 to 10 March 2026, between two runs, and is no longer\n',
    );
  });

  test('has what is new in json, with an explanation', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    const { code, stdout } = await watch([...VISITS, '--why', '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      settled_to: '2026-03-12',
      data_set: 'pageview',
      alerts: 1,
      figures: [
        {
          metric: 'visits',
          status: 'alert',
          event: 'opened',
          summary: expect.stringContaining('visits fell'),
          why: { metric: 'visits', now: { from: '2026-03-12' }, before: { from: '2026-03-05' } },
        },
      ],
    });
    const csv = await watch([...VISITS, '--csv']);
    expect(csv.stdout).toMatch(
      /^site,metric,day,days,value,expected,expected_low,expected_high,change_percent,deviations,status,reason,event,since,ended,compared_days\n,visits,2026-03-12,1,8078,/,
    );
  });

  test('prints the explanation below the alert, also with --quiet', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    const { stdout, stderr } = await watch([...VISITS, '--why', '--quiet']);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^warning: Visits fell to 8,078 on 12 March 2026, 18\.3 % below the expected 9,889\n {2}Visits .*\n(?: {2}.*\n)+$/,
    );
  });

  test('an alert that cannot be explained is reported all the same', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    const { code, stderr } = await watch(['--data-set', 'pageview', '-m', 'signups', '--why']);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: Signups fell to');
    expect(stderr).toContain(
      'warning: Signups on 12 March 2026 is not explained: cannot determine how signups adds up',
    );
  });

  test('an alert whose command fails is reported again by the next run', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    for (const _ of [1, 2]) {
      const { code, stderr } = await watch([...VISITS, '--on-alert', 'echo pager is off; exit 4']);
      expect(code).toBe(7);
      expect(stderr).toContain('warning: Visits fell');
      expect(stderr).toContain('pager is off\n');
      expect(stderr).toContain('error: the --on-alert command failed with exit code 4\n');
    }
    const { code, stderr } = await watch([...VISITS, '--on-alert', 'exit 4', '--exit-code']);
    expect(code).toBe(3);
    expect(stderr).toContain('warning: the --on-alert command failed with exit code 4\n');
    expect((await watch([...VISITS, '--on-alert', 'true'])).code).toBe(0);
    expect((await watch([...VISITS, '--on-alert', 'exit 4'])).code).toBe(0);
  });

  test('the command gets no secrets', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    const { stderr } = await watch([...VISITS, '--on-alert', 'env; cat'], {
      env: { GATECTL_READER_TOKEN: 'token-of-a-reader' },
    });
    expect(stderr).toContain('PATH=');
    expect(stderr).not.toContain(KEY);
    expect(stderr).not.toContain('token-of-a-reader');
  });
});

describe('an alert rests on the figures that there are now', () => {
  const HOOKS = ['--on-alert', 'cat >> alerts', '--on-clear', 'cat >> clears', '--exit-code', '--quiet'];

  test('a day that was restated ends its alert, and may open it again, everywhere', async () => {
    let figure = 5_000;
    const { watch, cwd } = await watching({
      visits: (day, usual) => (day === '2026-03-12' ? figure : usual),
    });
    const metrics = join(cwd, 'gatectl.prom');
    const run = async (visits: number) => {
      figure = visits;
      const { code, stderr } = await watch([...VISITS, ...HOOKS, '--metrics-file', metrics]);
      return [code, /^gatectl_watch_alert\{.*\} (.)$/m.exec(readFileSync(metrics, 'utf8'))?.[1], stderr];
    };
    const alert = 'warning: Visits fell to 5,000 on 12 March 2026, 49.4 % below the expected 9,889\n';
    expect(await run(5_000)).toEqual([3, '1', alert]);
    expect(await run(9_800)).toEqual([0, '0', '']);
    expect(await run(9_800)).toEqual([0, '0', '']);
    expect(await run(5_000)).toEqual([3, '1', alert]);
    expect(await run(5_100)).toEqual([3, '1', '']);
    const jsonOf = (name: string) =>
      readFileSync(join(cwd, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line));
    expect(jsonOf('alerts')).toHaveLength(2);
    expect(jsonOf('clears')).toMatchObject([
      {
        summary: 'Visits on 12 March 2026 was restated: 9,800 is as expected',
        ...{ event: 'cleared', ended: 'restated', day: '2026-03-12', value: 9_800, status: 'ok' },
      },
    ]);
    const { stderr } = await watch([...VISITS, '--holiday', '2026-03-12']);
    expect(stderr).toContain('note: Visits on 12 March 2026 was judged again: not judged (holiday)\n');
  });

  test('where the last day is not judged, on the last day that was', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-11', '2026-03-12') });
    const args = [...VISITS, '--holiday', '2026-03-12', '--exit-code'];
    const first = await watch([...args, '-o', 'json']);
    const [alert] = JSON.parse(first.stdout).figures;
    expect([first.code, alert]).toMatchObject([
      3,
      {
        ...{ day: '2026-03-11', status: 'alert', reason: 'drop', event: 'opened' },
        ...{ value: expect.any(Number), expected: expect.any(Number), change_percent: expect.any(Number) },
      },
    ]);
    expect((await watch(args)).stderr).toContain(
      'note: Visits on 12 March 2026 is not judged (holiday): its alert of 11 March 2026 is open\n',
    );
  });

  test('a decline states the means of its days and of those before, in the table, json and the metrics file', async () => {
    const figures = new Map<Day, number>();
    const { watch, cwd } = await watching({
      visits: (day, usual) => {
        const age = Math.max(0, Date.parse(day) - Date.parse('2026-01-25')) / 86_400_000;
        figures.set(day, Math.round(usual * 0.99 ** age));
        return figures.get(day);
      },
    });
    const metrics = join(cwd, 'gatectl.prom');
    const { stdout } = await watch([...VISITS, '--metrics-file', metrics, '--why', '-o', 'json']);
    const [row] = JSON.parse(stdout).figures;
    const { day, days, compared_days: before } = row;
    const meanOf = (from: Day, count: number) =>
      Array.from({ length: count }, (_, at) => figures.get(addDays(from, at)) ?? 0).reduce((a, b) => a + b) /
      count;
    const start = addDays(day, 1 - days);
    const [now, then] = [meanOf(start, days), meanOf(addDays(start, -before), before)];
    expect(row).toMatchObject({
      ...{ status: 'alert', reason: 'decline', expected_low: null, expected_high: null, deviations: null },
      ...{ value: Math.round(now), expected: Math.round(then) },
      change_percent: Number(((now / then - 1) * 100).toFixed(1)),
      why: {
        now: { from: start, to: day },
        before: { from: addDays(start, -before), to: addDays(start, -1) },
      },
    });
    const text = readFileSync(metrics, 'utf8');
    for (const [name, value] of Object.entries({ value: now, expected: then, value_days: days }))
      expect(Number(new RegExp(`^gatectl_watch_${name}\\{.*\\} (.*)$`, 'm').exec(text)?.[1])).toBeCloseTo(
        value,
      );
    expect(text).not.toMatch(/^gatectl_watch_expected_low\{/m);
    const count = (value: number) => Math.round(value).toLocaleString('en-US');
    const table = (await watch(VISITS)).stdout;
    expect(table).toContain(`  decline: daily mean of ${days} days, expected: of the ${before} before  `);
    expect(table).toMatch(new RegExp(`${count(now)} +${count(then)} `));
    expect(row.summary).toBe(
      `visits fell to a daily mean of ${count(now)} in the ${days} days to ${day}, ${Math.abs(row.change_percent).toFixed(1)} % below the ${count(then)} of the ${before} days before; off since ${row.since}`,
    );
  });

  test('an explanation compares with a day before the incident, in the direction of the alert', async () => {
    const drop = await watching({ visits: dropOn('2026-02-26', '2026-03-12') });
    const [{ why, change_percent: change }] = JSON.parse(
      (await drop.watch([...VISITS, '--why', '-o', 'json'])).stdout,
    ).figures;
    expect(change).toBeLessThan(0);
    expect(why.change).toBeLessThan(0);
    expect(why.before.to < '2026-02-26').toBe(true);
    // The day before lower, and the alert a rise.
    const rise = await watching({
      visits: (day, usual) => usual * (day === '2026-03-12' ? 1.3 : day === '2026-03-05' ? 2 : 1),
    });
    const [risen] = JSON.parse(
      (await rise.watch([...VISITS, '--why', '--direction', 'both', '-o', 'json'])).stdout,
    ).figures;
    expect(risen.why.change).toBeGreaterThan(0);
  });
});

describe('bda watch raises no false alarm', () => {
  test('for days that are not complete, at any time of any day', async () => {
    const { watch } = await watching();
    for (let day = '2026-03-01'; day <= '2026-03-14'; day = addDays(day, 1))
      for (const now of [noonOf(day) - 12 * HOUR, noonOf(day) + 11 * HOUR])
        expect((await watch([...VISITS, '--exit-code'], { day, now })).code).toBe(0);
  });

  test('for a day with data that has not settled: the day before is judged', async () => {
    const { watch } = await watching({ to: () => '2026-03-12' });
    const { code, stdout, stderr } = await watch([...VISITS, '--exit-code']);
    expect(code).toBe(0);
    expect(stdout).toContain('No alerts on 11 March 2026\n');
    expect(stderr).toContain(
      'warning: data end on 12 March 2026: no day after 11 March 2026 can be judged\n',
    );
    const strict = await watch([...VISITS, '--strict']);
    expect(strict.code).toBe(7);
    expect(strict.stderr).toContain('error: data are late (--strict)\n');
  });

  test('on holidays, in flags and in a file', async () => {
    const { watch, file } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    for (const holiday of ['2026-03-12', '03-12', '2026-03-11..2026-03-13', '01-01,2026-03-12'])
      expect(await watch([...VISITS, '--holiday', holiday, '--exit-code'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^Not judged on 12 March 2026: visits \(holiday\)\n(?:.*\n)*.* holiday\n$/,
        ),
      });
    const path = file('w.yaml', 'data-set: pageview\nmetric: visits\nholiday: [12-25, 2026-03-12]\n');
    expect((await watch([path, '--exit-code'])).code).toBe(0);
  });

  test('where the days with data are not known, by the calendar alone', async () => {
    const { watch } = await watching({ to: () => undefined });
    expect(await watch([...VISITS, '--exit-code'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No alerts on 12 March 2026\n'),
    });
  });

  test('before as many days have passed as --settle says', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    expect((await watch([...VISITS, '--settle', '3', '--exit-code'])).stdout).toContain('on 10 March 2026\n');
    expect((await watch([...VISITS, '--settle', '0', '--exit-code'])).code).toBe(3);
  });
});

describe('--min-volume is of visits for money', () => {
  const revenueOf = (part: number): Account => ({
    visits: (_, usual) => Math.round(usual * part),
    figureOf: (name, visits, day) => {
      if (name !== 'revenue') return visits;
      return Number(((visits ?? 0) * (day >= '2026-03-12' ? 0.0001 : 0.009)).toFixed(4));
    },
  });

  test('so a fall of 90 dollars a day is an alert', async () => {
    const { watch } = await watching(revenueOf(1));
    const { code, stdout, stderr } = await watch(['-m', 'revenue', '--data-set', 'pageview', '--exit-code']);
    expect(code).toBe(3);
    expect(stdout).toContain('1 alert on 12 March 2026\n');
    expect(stderr).toContain('warning: Revenue fell to 1.01 on 12 March 2026, 98.9 % below the expected 89.');
  });

  test('and where visits are too few, the head says that nothing was judged', async () => {
    const { watch } = await watching(revenueOf(0.005));
    const { code, stdout } = await watch(['-m', 'revenue', '--data-set', 'pageview', '--exit-code']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'Not judged on 12 March 2026: revenue (usual visits below 100, or zero for weeks)\n',
    );
  });
});

describe('rows that end are an alert', () => {
  test.each([
    ['a site has no row', undefined, 'has no figure', 'no_rows'],
    ['a metric is null', null, 'has no figure', 'no_rows'],
    ['a metric is zero', 0, 'fell to 0', 'zero'],
  ])('where %s, on the first settled day, everywhere', async (_, nothing, words, reason) => {
    const { watch, cwd } = await watching({
      visits: (day, usual) => (day >= '2026-03-12' ? nothing : usual),
    });
    const metrics = join(cwd, 'gatectl.prom');
    const args = [...VISITS, '--exit-code', '--on-alert', 'cat > alert', '--metrics-file', metrics];
    expect((await watch(args, { day: '2026-03-13' })).code).toBe(0);
    const { code, stdout, stderr } = await watch(args);
    expect(code).toBe(3);
    expect(stdout).toMatch(new RegExp(`^1 alert on 12 March 2026\n[^]* alert +${reason} `));
    expect(stderr).toContain(`warning: Visits ${words} on 12 March 2026, where 9,889 was expected\n`);
    const alert = JSON.parse(readFileSync(join(cwd, 'alert'), 'utf8'));
    expect(alert).toMatchObject({ status: 'alert', reason, since: '2026-03-12' });
    expect(readFileSync(metrics, 'utf8')).toMatch(/^gatectl_watch_alert\{.*\} 1$/m);
    const { figures } = JSON.parse((await watch([...VISITS, '-o', 'json'])).stdout);
    expect(figures).toMatchObject([{ status: 'alert', reason, event: 'open' }]);
  });

  test('where the API has no data at all after a day', async () => {
    const { watch } = await watching({ to: () => '2026-03-10' });
    const { code, stdout, stderr } = await watch([...VISITS, '--exit-code']);
    expect(code).toBe(3);
    expect(stdout).toContain('1 alert on 12 March 2026\n');
    expect(stderr).toContain(
      'warning: data end on 10 March 2026, and should have settled up to 12 March 2026: the rows have stopped, or are late\n',
    );
    expect(stderr).toContain('was expected; off since 11 March 2026\n');
  });

  test('of a site that is ten days old', async () => {
    const { watch } = await watching({
      from: '2026-03-02',
      visits: (day, usual) => (day < '2026-03-12' ? usual : undefined),
    });
    const { code, stderr } = await watch([...VISITS, '--exit-code']);
    expect(code).toBe(3);
    // The median of its ten days.
    expect(stderr).toContain('Visits has no figure on 12 March 2026, where 9,885 was expected\n');
  });
});

test('--holidays knows the public holidays of a place, in a file and in flags', async () => {
  // Good Friday, a holiday in Germany and not in the United States.
  const { watch, file } = await watching({ visits: dropOn('2026-04-03', '2026-04-03') });
  const at = { day: '2026-04-05' };
  expect((await watch([...VISITS, '--holidays', 'US', '--exit-code'], at)).code).toBe(3);
  const path = file('w.yaml', 'data-set: pageview\nmetric: visits\nholidays: DE-BY\n');
  const own = ['--state', file('other.json', '')];
  const { code, stdout } = await watch([path, '--exit-code', ...own], at);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/ holiday\n$/)]);
  for (const place of ['XX', 'US-XX', 'Germany'])
    expect(await watch([...VISITS, '--holidays', place])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`error: invalid --holidays '${place}'\n  pass a country, such as US`),
    });
});

test('--chart draws the figures with the expected range', async () => {
  const { watch, cwd } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
  const path = join(cwd, 'visits.svg');
  expect((await watch([...VISITS, '--chart', path])).stderr).toContain(`note: wrote the chart to ${path}\n`);
  const svg = readFileSync(path, 'utf8');
  for (const text of ['Visits per day', 'actual', 'expected', 'lowest expected', 'highest expected'])
    expect(svg).toContain(text);
  const { code, stderr } = await watch([...VISITS, '--chart', 'visits.pdf']);
  expect(code).toBe(2);
  expect(stderr).toContain('error: cannot write a chart to visits.pdf\n  use a file name that ends in .svg');
});

describe('what is watched', () => {
  test('comes from a file, which flags override', async () => {
    const { server, watch, file } = await watching();
    const path = file(
      'watch.yaml',
      '# every night\ndata-set: pageview\nmetric: [visits, epmv]\ndomain: [example.com, example.org]\nmin-change: 15%\nfilter: country=DE\n',
    );
    const { code, stdout } = await watch([path, '-o', 'json']);
    expect(code).toBe(0);
    const { figures } = JSON.parse(stdout) as { figures: { site: string; metric: string }[] };
    expect(figures.map(({ site, metric }) => `${site} ${metric}`)).toEqual([
      'example.com visits',
      'example.com epmv',
      'example.org visits',
      'example.org epmv',
    ]);
    const queries = server.received
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(body));
    expect(queries.map(({ domain_id, metrics }) => [domain_id, metrics])).toEqual([
      [7, ['visits', 'epmv']],
      [8, ['visits', 'epmv']],
    ]);
    await watch([path, '-m', 'visits', '--domain-id', '7']);
    expect(JSON.parse(server.received.findLast(({ method }) => method === 'POST')?.body ?? '')).toMatchObject(
      {
        domain_id: 7,
        metrics: ['visits'],
        filters: [{ column: 'country' }],
      },
    );
    expect((await watch(['-'], { input: 'data-set: pageview\nmetric: visits\n' })).code).toBe(0);
  });

  test('is what is explained, with the filters of a saved request', async () => {
    const { server, watch, config } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    mkdirSync(join(config, 'queries'));
    const filters = [{ column: 'device', operator: 'in', values: ['phone'] }];
    const body = { data_set: 'pageview', metrics: ['visits'], filters, domain_id: 7 };
    writeFileSync(join(config, 'queries', 'phones.yaml'), `query: ${JSON.stringify(body)}\n`, {
      mode: 0o600,
    });
    const { stderr } = await watch(['--query', 'phones', '--why']);
    expect(stderr).toContain('warning: Visits fell to');
    const sent = server.received
      .filter(({ method }) => method === 'POST')
      .map(request => JSON.parse(request.body));
    const explaining = sent.filter(({ dimensions }) => dimensions[0] === 'country');
    expect(explaining.length).toBeGreaterThan(1);
    for (const query of explaining)
      expect(query).toMatchObject({ data_set: 'pageview', filters, domain_id: 7 });
  });

  test('comes from a saved query, without its dimensions and days', async () => {
    const { server, watch, config } = await watching();
    mkdirSync(join(config, 'queries'));
    writeFileSync(
      join(config, 'queries', 'daily.yaml'),
      'data-set: pageview\nmetric: [visits]\ndimension: [country]\nfilter: device=phone\nsort: visits:desc\nlast: 7d\nlimit: 5\n',
      { mode: 0o600 },
    );
    expect((await watch(['--query', 'daily'])).code).toBe(0);
    const { date_range: days, ...query } = JSON.parse(
      server.received.findLast(({ method }) => method === 'POST')?.body ?? '',
    );
    expect(query).toEqual({
      data_set: 'pageview',
      dimensions: ['report_day'],
      metrics: ['visits'],
      filters: [{ column: 'device', operator: 'in', values: ['phone'] }],
      sort: [{ column: 'report_day', direction: 'asc' }],
      limit: 100_000,
      offset: 0,
    });
    expect(days.end_date).toBe('2026-03-12');
    const unknown = await watch(['--query', 'dayly']);
    expect(unknown).toMatchObject({
      code: 2,
      stderr: 'error: no saved query dayly\n  did you mean daily?\n',
    });
  });

  test('--curl prints the query and sends nothing', async () => {
    const { server, watch } = await watching();
    const { code, stdout } = await watch([...VISITS, '--curl']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^curl -X POST \S+\/query /);
    expect(stdout).toContain('"dimensions":["report_day"]');
    expect(server.received).toEqual([]);
  });
});

describe('the state', () => {
  test('a first look says that nothing is remembered, for each metric and after the state was removed', async () => {
    const { watch, cwd } = await watching();
    const path = join(cwd, 'state.json');
    const look = async (metrics: string) => {
      const words = ['--data-set', 'pageview', '-m', metrics, '--state', path, '--json'];
      const { stdout, stderr } = await watch(words);
      return [JSON.parse(stdout).first_look, /^note: first run.*/m.exec(stderr)?.[0]];
    };
    const nothing = 'each alert counts as new';
    expect(await look('visits')).toEqual([['visits'], `note: first run: ${nothing}`]);
    expect(await look('visits')).toEqual([[], undefined]);
    expect(await look('visits,epmv')).toEqual([['epmv'], `note: first run for EPMV: ${nothing}`]);
    rmSync(path);
    expect(await look('visits,epmv')).toEqual([['visits', 'epmv'], `note: first run: ${nothing}`]);
  });

  test('is a private file without names of secrets, one for each watch', async () => {
    const { watch, config } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    await watch(VISITS);
    await watch([...VISITS, '--threshold', '4']);
    const folder = join(config, 'state', 'watch');
    const [name = '', ...others] = readdirSync(folder);
    expect(others).toHaveLength(1);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toEqual({
      kind: 'gatectl bda watch',
      version: 1,
      of: expect.stringMatching(/^[0-9a-f]{20}$/),
      series: [
        {
          ...{ metric: 'visits', site: null, seen_to: '2026-03-12' },
          ...{ since: '2026-03-12', last: '2026-03-12', value: 8078 },
        },
      ],
    });
  });

  test.each([
    ['something else', '{"a":1}', 'is not a state file of bda watch'],
    ['no JSON', 'visits', 'is not a state file of bda watch'],
    [
      'another version',
      '{"kind":"gatectl bda watch","version":2}',
      'was written by another version of gatectl',
    ],
    ['another watch', '{"kind":"gatectl bda watch","version":1,"of":"x"}', 'belongs to another watch'],
  ])('in a file with %s is refused, and the file is not changed', async (_, text, problem) => {
    const { watch, file } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    const path = file('state.json', text);
    const { code, stderr } = await watch([...VISITS, '--state', path, '--on-alert', 'echo sent']);
    expect(code).toBe(9);
    const hint = 'pass another --state FILE, or remove it: open alerts then count as new';
    expect(stderr).toContain(`error: ${path} ${problem}\n  ${hint}\n`);
    expect(stderr).not.toContain('sent');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('that is damaged can be removed, as the error says, wherever it is', async () => {
    const { watch, config } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    await watch(VISITS);
    const folder = join(config, 'state', 'watch');
    const path = join(folder, readdirSync(folder)[0] ?? '');
    const text = readFileSync(path, 'utf8');
    const own = join(config, 'own.json');
    for (const damage of [
      text.replace('"seen_to": "2026-03-12"', '"seen_to": "soon"'),
      text.replace(/"series": \[[\s\S]*\]/, '"series": 3'),
      text.slice(0, 60),
    ]) {
      writeFileSync(path, damage);
      writeFileSync(own, damage);
      const [found, named] = [await watch(VISITS), await watch([...VISITS, '--state', own])];
      const problem = damage.length === 60 ? 'is not a state file of bda watch' : 'is damaged';
      expect([found.code, named.code]).toEqual([9, 9]);
      expect(found.stderr).toContain(
        `error: ${path} ${problem}\n  remove it: open alerts then count as new\n`,
      );
      expect(named.stderr).toContain(
        `error: ${own} ${problem}\n  pass another --state FILE, or remove it: open alerts then count as new\n`,
      );
      rmSync(path);
      expect((await watch(VISITS)).stderr).toContain('warning: Visits fell');
    }
  });

  test('is that of one run at a time: of several, one reports an alert', async () => {
    const { watch, cwd } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    const path = join(cwd, 'state.json');
    for (const state of [[], ['--state', path]]) {
      const args = [...VISITS, ...state, '--on-alert', 'sleep 0.2; cat >> alerts', '--exit-code', '--quiet'];
      const runs = await Promise.all([watch(args), watch(args), watch(args)]);
      expect(runs.map(({ code }) => code)).toEqual([3, 3, 3]);
      expect(runs.filter(({ stderr }) => stderr.includes('Visits fell'))).toHaveLength(1);
      expect(readFileSync(join(cwd, 'alerts'), 'utf8').trimEnd().split('\n')).toHaveLength(1);
      rmSync(join(cwd, 'alerts'));
    }
    expect(JSON.parse(readFileSync(path, 'utf8')).series).toHaveLength(1);
  });

  test('without a folder for it, a warning says that alerts are not remembered', async () => {
    const { watch } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
    const { code, stderr } = await watch([...VISITS, '--exit-code'], { env: { GATECTL_CONFIG_DIR: '' } });
    expect(code).toBe(3);
    expect(stderr).toContain(
      'warning: alerts are not stored: there is no folder for state\n  pass --state FILE, or set GATECTL_CONFIG_DIR\n',
    );
    expect(stderr.match(/Visits fell/g)).toHaveLength(1);
  });

  test('a folder that cannot be written is an error for --state', async () => {
    const { watch, cwd } = await watching();
    const { code, stderr } = await watch([...VISITS, '--state', join(cwd, 'missing', 'state.json')]);
    expect(code).toBe(9);
    expect(stderr).toMatch(/^error: /m);
  });
});

test('--metrics-file has the figures as Prometheus reads them', async () => {
  const { watch, file, cwd } = await watching({ visits: dropOn('2026-03-12', '2026-03-12') });
  const yaml = file('w.yaml', 'data-set: pageview\nmetric: visits\ndomain: example.com\n');
  const path = join(cwd, 'gatectl.prom');
  await watch([yaml, '--metrics-file', path]);
  const text = readFileSync(path, 'utf8');
  expect(statSync(path).mode & 0o777).toBe(0o644);
  const labels = '{data_set="pageview",metric="visits",site="example.com"}';
  expect(text.replace(/ [-\d.]+$/gm, ' N').split('\n')).toEqual(
    [
      ...['alert 1 while the metric has an alert', 'judged 1 if the last settled day could be judged'],
      'value figure of the last settled day, or of the alert; of a decline, the mean of its days',
      'value_days days that the value is the mean of',
      'expected figure that was expected; of a decline, the mean of the days before',
      ...[
        'expected_low least figure that is as expected',
        'expected_high largest figure that is as expected',
      ],
      ...[
        'deviations change in usual deviations',
        'day_timestamp_seconds start of the last settled day, in UTC',
      ],
    ]
      .flatMap(help => {
        const [name] = help.split(' ');
        return [
          `# HELP gatectl_watch_${help}`,
          `# TYPE gatectl_watch_${name} gauge`,
          `gatectl_watch_${name}${labels} N`,
        ];
      })
      .concat([
        '# HELP gatectl_watch_run_timestamp_seconds when bda watch last ran',
        '# TYPE gatectl_watch_run_timestamp_seconds gauge',
        'gatectl_watch_run_timestamp_seconds N',
        '',
      ]),
  );
  expect(text).toContain(`gatectl_watch_alert${labels} 1\n`);
  expect(text).toContain(`gatectl_watch_run_timestamp_seconds ${noonOf(TODAY) / 1000}\n`);
});

describe('bad input', () => {
  test.each<[string, readonly string[], string]>([
    ['no metric', ['--data-set', 'pageview'], 'error: --metric is missing\n  type -m visits,revenue'],
    ['a metric twice', [...VISITS, '-m', 'visits'], "is a duplicate of 'visits'"],
    [
      'no command',
      [...VISITS, '--on-alert', ' '],
      'error: --on-alert is empty\n  omit it, or type a command\n',
    ],
    [
      'a threshold',
      [...VISITS, '--threshold', 'high'],
      "error: invalid --threshold 'high'\n  pass a number from 1 to 100, such as 3\n",
    ],
    [
      'a share',
      [...VISITS, '--min-change', '200%'],
      "error: invalid --min-change '200%'\n  pass a share from 0% to 100%, such as 10%\n",
    ],
    ...[
      ['0.6', '0.6% or 60%'],
      ['0.05', '0.05% or 5%'],
      ['5', '5%'],
      ['0', '0%'],
    ].map(([given = '', meant]): [string, readonly string[], string] => [
      `a share without its sign, ${given},`,
      [...VISITS, '--min-change', given],
      `error: invalid --min-change '${given}'\n  type it with its sign: ${meant}\n`,
    ]),
    [
      'a holiday',
      [...VISITS, '--holiday', '2026-02-30'],
      "error: invalid --holiday '2026-02-30'\n  pass a day such as",
    ],
    ['a long holiday', [...VISITS, '--holiday', '2026-01-01..2026-12-31'], 'error: invalid --holiday'],
    [
      'a direction',
      [...VISITS, '--direction', 'down'],
      "error: invalid --direction 'down'\n  one of: drop, rise, both\n",
    ],
  ])('%s is rejected before anything is sent', async (_, args, message) => {
    const { server, watch, config } = await watching();
    const { code, stdout, stderr } = await watch(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(server.received).toEqual([]);
    expect(existsSync(join(config, 'state'))).toBe(false);
  });

  test.each([
    ['metrics: visits\n', '1:1: unknown setting "metrics"\n  did you mean metric?\n'],
    ['data-set: pageview\nmetric: visits\nmin-change: 5\n', "3:13: invalid --min-change '5'\n"],
    ['data-set: pageview\nmetric: visits\nthreshold: 0.5\n', "3:12: invalid --threshold '0.5'\n"],
    [
      'data-set: pageview\nmetric: visits\nholiday:\n  - 12-25\n  - 13-25\n',
      "5:5: invalid --holiday '13-25'\n",
    ],
    ['on-alert: reboot\n', '1:1: on-alert is not part of a watch\n  type it: gatectl bda watch'],
    ['data-set: pageview\nmetric: visits\nfilter: [visits]\n', '3:9: '],
    ['api-key: k\n', '1:1: "api-key": the file must not contain secrets\n'],
  ])('a file with %j is rejected at line and column', async (text, message) => {
    const { watch, file } = await watching();
    const path = file('watch.yaml', text);
    const { code, stderr } = await watch([path]);
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${path}:${message}`);
  });

  test('a file that is missing, a folder, or too large', async () => {
    const { watch, file, cwd } = await watching();
    expect(await watch(['visits'])).toMatchObject({
      code: 9,
      stdout: '',
      stderr: 'error: no such file: visits\n  FILE has flags as YAML; to name a metric, type -m visits\n',
    });
    expect((await watch([cwd])).stderr).toContain('is a folder, not a file\n');
    const large = await watch([file('large.yaml', '#'.repeat((1 << 20) + 1))]);
    expect(large).toMatchObject({
      code: 2,
      stderr: `error: ${join(cwd, 'large.yaml')} is larger than 1 MiB\n`,
    });
  });

  test('too few days, and days without data', async () => {
    const young = await watching({ from: '2026-03-01' });
    const few = await young.watch(VISITS);
    expect(few.code).toBe(7);
    expect(few.stderr).toContain(
      'error: Visits has too few days to compare 12 March 2026 with: 0 of the same weekday in the eight weeks before can be compared, and at least four are required\n',
    );
    const unborn = await watching({ from: '2026-03-13' });
    const none = await unborn.watch(VISITS);
    expect(none.code).toBe(7);
    expect(none.stderr).toContain(
      'error: no day has settled yet: there is data for 13 to 14 March 2026\n  a day settles after 1 day; --settle sets another number\n',
    );
    const empty = await watching({ visits: () => undefined });
    const nothing = await empty.watch(VISITS);
    expect(nothing.code).toBe(7);
    expect(nothing.stderr).toContain(
      'error: there are no figures of visits from 1 June 2025 to 12 March 2026, so nothing was judged\n',
    );
  });

  test('a metric that the API does not know is its error, with the flag', async () => {
    const { gatectl } = await analytics(({ method }) =>
      method === 'GET'
        ? { status: 404, body: '{}' }
        : {
            status: 400,
            body: '{"error":{"code":"validation_error","message":"invalid","details":[{"field":"metrics[0]","message":"unknown column \'vists\'"}]}}',
          },
    );
    const { code, stderr } = await gatectl(['bda', 'watch', '--data-set', 'pageview', '-m', 'vists']);
    expect(code).toBe(5);
    expect(stderr).toContain('--metric vists');
  });

  test('a metric that only the message of a rejection names has a suggestion', async () => {
    const { gatectl } = await analytics(({ method, target }) => {
      if (method === 'GET' && target.includes('columns'))
        return { body: '[{"name":"visits"},{"name":"revenue"}]' };
      if (method === 'GET') return { status: 404, body: '{}' };
      return { status: 400, body: '{"error":{"code":"validation_error","message":"unknown metric visitz"}}' };
    });
    for (const command of ['watch', 'query'])
      expect(
        await gatectl([
          'bda',
          command,
          '--data-set',
          'pageview',
          '-m',
          'revenue,visitz',
          ...(command === 'query' ? ['--last', '7d'] : []),
        ]),
      ).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(
          /unknown metric visitz\n.*\n {2}did you mean visits\?\n {2}gatectl bda columns lists the columns\n$/,
        ),
      });
  });

  test('a metric without figures that the columns do not list is a mistake, with the one that is meant', async () => {
    const { gatectl } = await analytics(({ method, target, body }) => {
      if (method === 'GET' && target.includes('columns'))
        return { body: '[{"name":"visits","type":"number"},{"name":"revenue","type":"number"}]' };
      if (method === 'GET') return { status: 404, body: '{}' };
      const cells = JSON.parse(body).metrics.map(
        (name: string) => `"${name}":${name === 'visits' ? 5 : null}`,
      );
      return { body: `{"rows":[{"report_day":"2026-03-12",${cells}}],"total_rows":1}` };
    });
    for (const metrics of ['visitz', 'visits,visitz'])
      expect(await gatectl(['bda', 'watch', '--data-set', 'pageview', '-m', metrics])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          'error: there is no column visitz\n  did you mean visits? gatectl bda columns lists all\n',
        ),
      });
    expect((await gatectl(['bda', 'watch', '--data-set', 'pageview', '-m', 'revenue'])).code).toBe(7);
  });

  test.each([
    ['a figure that is no number', '"many"', "the response has 'many' as visits, which is not a number"],
    ['a column that is missing', undefined, 'the response has a row without the column visits'],
  ])('%s is an invalid response', async (_, value, message) => {
    const cell = value === undefined ? '' : `,"visits":${value}`;
    const { gatectl } = await analytics(({ method }) =>
      method === 'GET'
        ? { status: 404, body: '{}' }
        : { body: `{"rows":[{"report_day":"2026-03-12"${cell}}],"total_rows":1}` },
    );
    const { code, stderr } = await gatectl(['bda', 'watch', ...VISITS]);
    expect(code).toBe(6);
    expect(stderr).toContain(`error: ${message}\n`);
  });
});
