import { describe, expect, test } from 'vitest';
import { addDays } from '../../../../src/apis/bda/days.ts';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { analytics } from '../analytics.ts';

const TODAY = '2026-03-14';
const FIRST = '2025-01-01';

/** Each day has 200 visits and 20 USD, of two countries; the running day has 80 and 1 so far. */
function steady({ method, body }: Received): Reply {
  if (method === 'GET') return { status: 404, body: '{}' };
  const { date_range: range, dimensions = [], metrics } = JSON.parse(body);
  const days: string[] = [];
  for (let day = FIRST; day <= TODAY; day = addDays(day, 1))
    if (day >= range.start_date && day <= range.end_date) days.push(day);
  const isByDay = dimensions[0] === 'report_day';
  const keys = isByDay ? days : ['DE', 'US'];
  const rows = keys.map(key => {
    const own = isByDay ? [key] : days;
    const sum = (full: number, open: number) =>
      own.reduce((all, day) => all + (day === TODAY ? open : full), 0) / (isByDay ? 1 : 2);
    const figures = { visits: sum(200, 80), revenue: sum(20, 1) };
    const epmv = figures.visits === 0 ? null : (1000 * figures.revenue) / figures.visits;
    const all: Record<string, unknown> = { ...figures, epmv };
    const named = dimensions.length === 0 ? {} : { [dimensions[0]]: key };
    return { ...named, ...Object.fromEntries(metrics.map((name: string) => [name, all[name]])) };
  });
  return {
    body: JSON.stringify({
      rows: days.length === 0 ? [] : rows,
      total_rows: days.length === 0 ? 0 : rows.length,
    }),
  };
}

const WHY = ['bda', 'why', '--data-set', 'pageview', '--tz', 'UTC', '-d', 'country'];
const lastDays = (bodies: readonly Received[]) =>
  bodies.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).date_range.end_date);

describe('a period to compare with that is not over', () => {
  test.each([
    ['visits', '--last 7d', '2026-03', '1 to 13 March 2026'],
    ['visits', '--last 7d', '2026-Q1', '1 January to 13 March 2026'],
    ['visits', '--last 7d', '2026-03-01..2026-03-31', '1 to 13 March 2026'],
    ['visits', '--previous month', '2026-03', '1 to 13 March 2026'],
    ['epmv', '--last 7d', '2026-03', '1 to 13 March 2026'],
    ['epmv', '--last 7d', '2026', '1 January to 13 March 2026'],
  ])('of %s %s is compared as far as its days have ended: %s', async (metric, days, period, named) => {
    const { server, gatectl } = await analytics(steady);
    const asked = [...WHY, '-m', metric, ...days.split(/ /), '--vs', period, '--strict'];
    const { code, stdout, stderr } = await gatectl(asked);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(
      /(?:Visits per day|EPMV) did not change: (?:200|100\.00)(?: USD)? in both periods/,
    );
    expect(stdout).toContain(named);
    for (const last of lastDays(server.received)) expect(last < TODAY).toBe(true);
  });

  test('of a query has the same days', async () => {
    const { server, gatectl } = await analytics(steady);
    const query = [
      'bda',
      'query',
      '--data-set',
      'pageview',
      '-d',
      'country',
      '-m',
      'visits',
      '--previous',
      'month',
      '--tz',
      'UTC',
    ];
    const { stdout } = await gatectl([...query, '--vs', '2026-03', '-o', 'csv']);
    expect(stdout).toMatch(/^DE,2800,1300,/m);
    for (const last of lastDays(server.received)) expect(last < TODAY).toBe(true);
  });

  test('without a day that has ended is an error', async () => {
    const { server, gatectl } = await analytics(steady);
    const { code, stderr } = await gatectl([...WHY, '-m', 'visits', '--last', '7d', '--vs', '2026-04']);
    expect(code).toBe(2);
    expect(stderr).toContain("error: no day of --compare '2026-04' has ended\n  today is 2026-03-14;");
    expect(server.received.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

test('a running day to compare with makes the periods incomparable', async () => {
  const { gatectl } = await analytics(steady);
  const why = [...WHY, '-m', 'visits', '--last', '7d', '--vs', 'today'];
  const { stdout } = await gatectl(why);
  expect(stdout).toContain('not comparable: 14 March 2026 has not ended yet');
  expect((await gatectl([...why, '--strict'])).code).toBe(7);
  const query = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '--last', '1d', '--tz', 'UTC'];
  const { stderr } = await gatectl([...query, '--vs', 'today', '-o', 'csv']);
  expect(stderr).toContain('14 March 2026 has not ended yet, so the requested days are not comparable');
});

test.each([
  [['--previous', 'week'], 'previous week', '2026-03-02 to 2026-03-08'],
  [['--last', '7d'], 'last 7 days', '2026-03-07 to 2026-03-13'],
  [['--this', 'month'], '2026-03', '2026-03-01 to 2026-03-13'],
  [['--from', '2026-03-02', '--to', '2026-03-02'], '2026-03-02', '2026-03-02'],
])('days %s cannot be compared with themselves', async (days, period, named) => {
  const { gatectl } = await analytics(steady);
  const query = ['bda', 'query', '--data-set', 'pageview', '--tz', 'UTC'];
  for (const command of [WHY, query]) {
    const { code, stderr } = await gatectl([...command, '-m', 'visits', ...days, '--vs', period]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `error: ${named} would be compared with itself\n  for the days before, pass --compare previous`,
    );
  }
});
