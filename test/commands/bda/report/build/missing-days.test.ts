import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { addDays, type Day, weekday } from '../../../../../src/apis/bda/days.ts';
import { runs } from '../../../../support/runs.ts';
import type { Received, Reply } from '../../../../support/wire-server.ts';
import { analytics } from '../../analytics.ts';
import { build, withSections } from './report.ts';

const FIRST = '2026-02-28';
const DAYS = Array.from({ length: 14 }, (_, at) => addDays(FIRST, at));
const NOW = '2026-03-07';

const mondayOf = (day: Day) => addDays(day, -weekday(day));

/** `daily` visits a day, but no rows on the missing days, of which those of one country are none. */
function gateway(missing: readonly Day[], daily = 100) {
  return ({ method, body, target }: Received): Reply => {
    if (method === 'GET')
      return target.includes('columns') ? { body: '{"columns":[]}' } : { status: 404, body: '{}' };
    const { date_range: range, dimensions = [], filters } = JSON.parse(body);
    const isThere = (day: Day) => filters !== undefined || !missing.includes(day);
    const days = DAYS.filter(day => day >= range.start_date && day <= range.end_date && isThere(day));
    const total = { visits: daily * days.length };
    const weeks = [...new Set(days.map(mondayOf))];
    const rows =
      dimensions[0] === 'report_day'
        ? days.map(report_day => ({ report_day, visits: daily }))
        : dimensions[0] === 'report_week'
          ? weeks.map(report_week => ({
              report_week,
              visits: daily * days.filter(day => mondayOf(day) === report_week).length,
            }))
          : days.length === 0
            ? []
            : [dimensions.length === 0 ? total : { country: 'DE', ...total }];
    return { body: JSON.stringify({ rows, total_rows: rows.length }) };
  };
}

function expectChange(row: Record<string, number | string | null>, isComparable: boolean): void {
  const { visits, visits_before: before, visits_change: change, compared: found } = row;
  const isKnown = isComparable && typeof visits === 'number' && typeof before === 'number';
  expect(change).toBe(isKnown ? visits - before : null);
  expect(found === 'not comparable').toBe(!isComparable);
}

const BY_COUNTRY = '- query: {dimension: country, metric: visits, compare: previous}';
const BY_DAY = '- query: {dimension: report_day, metric: visits, compare: previous}';
const MAILED = withSections(BY_COUNTRY, BY_DAY).replace(
  'sections:',
  'mail: {to: [editors@example.com]}\nsections:',
);
const MISSING = 'there are no rows for 10 March 2026';

describe('a day without rows in one of two periods', () => {
  test.each(['gap.md', 'gap.html', 'gap.eml'])(
    'leaves no total, headline or subject with a change in %s',
    async name => {
      const { code, written } = await build(MAILED, [], { name, reply: gateway(['2026-03-10']) });
      expect(code).toBe(0);
      const mail = name.endsWith('.eml') ? await PostalMime.parse(written()) : undefined;
      if (mail !== undefined) expect(mail.subject).toBe('T, 7 to 13 Mar');
      const text = mail?.text ?? written().toString();
      expect(text).toContain(`Visits: 600 (before: 700), not comparable: ${MISSING}`);
      expect(text).not.toMatch(/fell by|rose by/);
    },
  );

  test('is stated in each section about the same rows, and with --strict the exit code is 7', async () => {
    const { code, stdout } = await build(MAILED, ['-o', 'json', '--strict'], {
      reply: gateway(['2026-03-10']),
    });
    expect(code).toBe(7);
    const { complete, sections } = JSON.parse(stdout);
    expect(complete).toBe(false);
    for (const { sentences } of sections)
      expect(sentences).toEqual([
        'visits: 600 (before: 700), not comparable: there are no rows for 2026-03-10',
      ]);
  });

  test('leaves no row with a change that counts it, in any section about the same rows', async () => {
    const byWeek = '- query: {dimension: report_week, metric: visits, compare: previous}';
    await fc.assert(
      fc.asyncProperty(fc.subarray(DAYS, { minLength: 1, maxLength: 3 }), async days => {
        const { stdout } = await build(withSections(BY_COUNTRY, BY_DAY, byWeek), ['-o', 'json'], {
          reply: gateway(days),
        });
        const [countries, , weeks] = JSON.parse(stdout).sections;
        // A day of the week without rows in either period is closed.
        const missing = days.filter(day => !days.includes(addDays(day, day < NOW ? 7 : -7)));
        for (const row of countries.rows) expectChange(row, missing.length === 0);
        for (const row of weeks.rows) {
          const isCounted = (monday: Day, isNow: boolean) =>
            missing.some(day => mondayOf(day) === monday && day >= NOW === isNow);
          // A week without any row has no name beside that of the other period.
          const now = row.report_week ?? addDays(row.report_week_before, 7);
          const before = row.report_week_before ?? addDays(row.report_week, -7);
          const counted = isCounted(now, true) || isCounted(before, false);
          expectChange(row, !counted);
        }
      }),
      { numRuns: runs(20) },
    );
  });

  test('is known from an explanation, too', async () => {
    const sections = withSections(BY_COUNTRY, '- why: {metric: visits, dimension: country}');
    const { stdout } = await build(sections, [], { reply: gateway(['2026-03-10']) });
    expect(stdout).toContain(`Visits: 600 (before: 700), not comparable: ${MISSING}.`);
  });

  test('is nothing that a section with another filter or other days says', async () => {
    const filtered = BY_COUNTRY.replace('metric', 'filter: "country=DE", metric');
    const { stdout } = await build(withSections(filtered, BY_DAY), [], { reply: gateway(['2026-03-10']) });
    expect(stdout).toContain('Visits did not change: 700.');
  });

  const COMPARED = ['--from', NOW, '--to', '2026-03-13', '--compare', 'previous'];
  const query = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', ...COMPARED];
  const OTHERS = ['-d', 'country'];

  test.each([
    ['days', ['-d', 'report_day']],
    ['countries', OTHERS],
    ['some countries', [...OTHERS, '--limit', '1']],
    ['weeks', ['-d', 'report_week']],
    ['nothing else', []],
  ])('is also stated by a query of %s, which --strict ends with 7', async (_, dimensions) => {
    const { gatectl } = await analytics(gateway(['2026-03-10']));
    const { code, stdout, stderr } = await gatectl([...query, ...dimensions, '-o', 'md', '--strict']);
    expect(code).toBe(7);
    expect(stdout).toContain(`not comparable: ${MISSING}`);
    expect(stdout).not.toMatch(/fell by|rose by|−/);
    expect(stderr).toContain(`warning: the periods are not comparable: ${MISSING}`);
  });

  test('may be each day of a period, which --strict ends with 7 as well', async () => {
    const lost = DAYS.filter(day => day >= NOW);
    const { gatectl } = await analytics(gateway(lost));
    const { code, stdout } = await gatectl([...query, ...OTHERS, '--csv', '-q', '--strict']);
    expect(code).toBe(7);
    expect(stdout).toMatch(/\nDE,,700,,,not comparable\n$/);
    const yesterday = ['--from', '2026-03-13', '--to', '2026-03-13', '--compare', 'previous'];
    const { gatectl: ofOneDay } = await analytics(gateway(['2026-03-13']));
    const oneDay = await ofOneDay([
      ...['bda', 'query', '--data-set', 'pageview', '-m', 'visits', ...yesterday, '--strict'],
    ]);
    expect(oneDay.code).toBe(7);
    expect(oneDay.stderr).toContain('there are no rows for 13 March 2026');
  });

  test('is stated with its site, where rows by day are of several', async () => {
    const all = gateway([]);
    const some = gateway(['2026-03-10']);
    const domains = [
      { id: 1, domain: 'one.example.com' },
      { id: 2, domain: 'two.example.com' },
    ];
    const { gatectl } = await analytics(request => {
      if (request.target.includes('domains')) return { body: JSON.stringify({ domains }) };
      return (request.body.includes('"domain_id":2') ? some : all)(request);
    });
    const sites = ['--domain', 'one.example.com,two.example.com', '-d', 'report_day'];
    const { code, stdout } = await gatectl([...query, ...sites, '-o', 'md', '--strict']);
    expect(code).toBe(7);
    expect(stdout).toContain(
      'Visits: 1,300 (before: 1,400), not comparable: there are no rows of two.example.com for 10 March 2026',
    );
  });

  test('is known from one more request, by day, for periods that follow one another', async () => {
    const { gatectl, server } = await analytics(gateway(['2026-03-10']));
    const { stdout } = await gatectl([...query, ...OTHERS, '--csv', '-q']);
    expect(stdout).toBe(
      'country,visits,visits_before,visits_change,visits_change_percent,compared\nDE,600,700,,,not comparable\n',
    );
    const byDay = server.received.map(({ body }) => body).filter(body => body.includes('"report_day"'));
    expect(byDay.map(body => JSON.parse(body))).toEqual([
      {
        data_set: 'pageview',
        date_range: { start_date: FIRST, end_date: '2026-03-13' },
        dimensions: ['report_day'],
        metrics: ['visits'],
        limit: 100_000,
      },
    ]);
  });

  test('is in a chart of countries, which draws no change', async () => {
    const { gatectl } = await analytics(gateway(['2026-03-10']));
    const { stdout } = await gatectl([...query, ...OTHERS, '--chart']);
    expect(stdout).toContain(`not comparable: ${MISSING}`);
    expect(stdout).not.toContain('%');
  });

  test.each([
    ['the gateway rejects it', OTHERS, ': no such column'],
    ['a filter selects by figures', [...OTHERS, '--filter', 'visits>3'], ': filters may select rows'],
  ])('is said to be unknown, which --strict rejects, where %s', async (_, flags, reason) => {
    const replies = gateway(['2026-03-10']);
    const { gatectl } = await analytics(received =>
      received.body.includes('report_day')
        ? { status: 400, body: '{"error":{"code":"validation_error","message":"no such column"}}' }
        : replies(received),
    );
    const { code, stdout } = await gatectl([...query, ...flags, '-o', 'md', '--strict']);
    expect(code).toBe(7);
    expect(stdout).toContain(`it is unknown which days have no rows${reason}`);
  });

  test('makes a change not comparable if, and only if, the day before has rows and the weekday is not closed', async () => {
    const missing = fc.subarray(DAYS, { maxLength: 13 });
    await fc.assert(
      fc.asyncProperty(missing, async days => {
        const { stdout } = await build(withSections(BY_DAY), ['-o', 'json'], { reply: gateway(days) });
        const [{ sentences, query, rows }] = JSON.parse(stdout).sections;
        expect(query).toBeDefined();
        const [now, before] = [days.filter(day => day >= NOW), days.filter(day => day < NOW)];
        if (now.length === 7 || before.length === 7) return;
        const weekdays = (list: readonly Day[]) =>
          list
            .map(day => weekday(day))
            .sort()
            .join();
        expect(rows).toHaveLength(7 - now.filter(day => before.includes(addDays(day, -7))).length);
        expect(sentences[0].includes('not comparable')).toBe(weekdays(now) !== weekdays(before));
      }),
      { numRuns: runs(20) },
    );
  });

  test('may have had no events where there are few', async () => {
    const { stdout } = await build(MAILED, [], { reply: gateway(['2026-03-10'], 9) });
    expect(stdout).toContain('Visits fell by 9 (−14.3 %) to 54.');
  });
});

describe('a day without rows that is not compared', () => {
  const query = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '--tz', 'UTC'];
  const days = ['--from', NOW, '--to', '2026-03-13'];

  test('is named in a note, below tables for people and charts, and in reports', async () => {
    const { gatectl } = await analytics(gateway(['2026-03-10', '2026-03-11']));
    const empty = 'no rows for 10 to 11 March 2026\n';
    const table = await gatectl([...query, '-d', 'report_day', ...days]);
    expect(table.stderr).toContain(`note: ${empty}`);
    for (const format of [['-o', 'md'], ['--chart']])
      expect((await gatectl([...query, '-d', 'report_day', ...days, ...format])).stdout).toContain(empty);
    const { stdout } = await build(withSections('- query: {dimension: report_day, metric: visits}'), [], {
      reply: gateway(['2026-03-10', '2026-03-11']),
    });
    expect(stdout).toContain(empty);
  });

  test.each([
    ['json', '-d', 'report_day', '-o', 'json'],
    ['rows that are not all', '-d', 'report_day', '--limit', '3'],
    ['rows that are selected by a figure', '-d', 'report_day', '--filter', 'visits>3'],
    ['rows of countries', '-d', 'country'],
  ])('is not named in %s', async (_, ...flags) => {
    const { gatectl } = await analytics(gateway(['2026-03-10']));
    const { stdout, stderr } = await gatectl([...query, ...days, ...flags]);
    expect(stdout + stderr).not.toContain('no rows for');
  });
});

test('compare: without a value compares a section with nothing, whatever the defaults are', async () => {
  const sections = withSections(BY_DAY, '- query: {dimension: country, metric: visits, compare: }');
  const report = sections
    .replace(', compare: previous', '')
    .replace('2026-03-13}', '2026-03-13, compare: previous}');
  const { stdout } = await build(report, ['-o', 'json'], { reply: gateway([]) });
  const kinds = JSON.parse(stdout).sections.map(
    ({ conclusions: [one] }: { conclusions: { kind: string }[] }) => one?.kind,
  );
  expect(kinds).toEqual(['change', 'total']);
});
