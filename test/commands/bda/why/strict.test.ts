import { expect, test } from 'vitest';
import { analytics, dailyRows } from '../analytics.ts';

interface Case {
  readonly days?: readonly [from: string, to: string];
  readonly now?: string;
  readonly byDay?: string;
}

const ROWS = '{"rows":[{"country":"DE","visits":60},{"country":"US","visits":10}],"total_rows":2}';
const NO_FIGURE = ROWS.replace('"visits":10', '"visits":null');
const FEWER = ROWS.replace('"total_rows":2', '"total_rows":5');
const NO_TUESDAY = dailyRows('visits', '2026-02-07', [70, 70, 70, 70, 70])
  .replace(/\{[^{}]*"2026-03-10"[^{}]*\},/, '')
  .replace('"total_rows":35', '"total_rows":34');

test.each<readonly [string, Case, string]>([
  ['a day that has not ended', { days: ['2026-03-08', '2026-03-14'] }, '14 March 2026 has not ended yet'],
  ['missing rows', { now: FEWER }, 'rows are missing'],
  ['a day without rows', { byDay: NO_TUESDAY }, 'there are no rows for 10 March 2026'],
  ['a null figure', { now: NO_FIGURE }, '1 of 2 values has no figure: US'],
])('with --strict, the error states %s', async (_, { days, now, byDay }, reason) => {
  const { gatectl } = await analytics(({ method, body }) => {
    if (method === 'GET') return { status: 404, body: '{}' };
    const { dimensions, date_range: range, offset = 0 } = JSON.parse(body);
    if (dimensions[0] === 'report_day')
      return { body: byDay ?? dailyRows('visits', '2026-02-07', [70, 70, 70, 70, 70, 70]) };
    if (offset > 0) return { body: '{"rows":[],"total_rows":5}' };
    return { body: range.start_date === (days?.[0] ?? '2026-03-07') ? (now ?? ROWS) : ROWS };
  });
  const [from, to] = days ?? ['2026-03-07', '2026-03-13'];
  const asked = ['bda', 'why', '--data-set', 'pageview', '--tz', 'UTC', '--from', from, '--to', to];
  const ran = await gatectl([...asked, '-m', 'visits', '-d', 'country', '--strict']);
  expect(ran.code).toBe(7);
  const error = ran.stderr.split('\n').find(line => line.startsWith('error: '));
  expect(error).toBe(`error: the periods are not comparable: ${reason} (--strict)`);
});
