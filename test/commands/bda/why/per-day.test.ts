import { expect, test } from 'vitest';
import type { Received, Reply } from '../../../support/wire-server.ts';
import { build, withSections } from '../report/build/report.ts';

/** 280 visits of 14 days, before 7 days of 210. */
function visits({ method, body }: Received): Reply {
  if (method === 'GET') return { status: 404, body: '{}' };
  const { date_range: days, dimensions = [] } = JSON.parse(body);
  const isNow = days.start_date >= '2026-03-01';
  if (dimensions[0] === 'report_day') return { body: '{"rows":[],"total_rows":0}' };
  return { body: `{"rows":[{"country":"DE","visits":${isNow ? 280 : 210}}],"total_rows":1}` };
}

test.each([
  ['2026-02-22..2026-02-28', ' per day', '30', '20'],
  ['2026-02-15..2026-02-28', '', '210', '280'],
])(
  'the labels of a table and a chart of days compared with %s say what their figures are',
  async (before, per, then, now) => {
    const why = `why: {metric: visits, dimension: country, from: 2026-03-01, to: 2026-03-14, compare: ${before}}`;
    const { stdout } = await build(withSections('- title: Why', `  ${why}`, '  chart: true'), [], {
      reply: visits,
    });
    expect(stdout).toMatch(new RegExp(`\\| +Before${per} \\| +Now${per} \\| +Contribution${per} \\|`));
    expect(stdout).toMatch(new RegExp(`\\| DE +\\| +${then} \\| +${now} \\|`));
    expect(stdout).toContain(`Visits${per}: ${then} before, ${now} now`);
  },
);
