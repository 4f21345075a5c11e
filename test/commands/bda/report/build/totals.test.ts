import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import type { Received, Reply } from '../../../../support/wire-server.ts';
import { readWorkbook } from '../../../../support/workbook.ts';
import { build, withSections } from './report.ts';

/** Monday to Sunday, twice: 17 visits in the week, 20 in the week before. The weekend is always lower. */
const WEEK = [5, 3, 3, 2, 2, 1, 1];
const WEEK_BEFORE = [6, 4, 3, 2, 2, 2, 1];
const TOTALS = { now: { visits: 17, bounce_rate: 0.5 }, before: { visits: 20, bounce_rate: 0.4 } };
const MONDAY = '2026-03-02';
const MONDAY_BEFORE = '2026-02-23';

function week({ method, body, target }: Received): Reply {
  if (method === 'GET')
    return target.includes('columns') ? { body: '{"columns":[]}' } : { status: 404, body: '{}' };
  const isNow = body.includes(`"start_date":"${MONDAY}"`);
  if (!body.includes('"dimensions"'))
    return { body: JSON.stringify({ rows: [isNow ? TOTALS.now : TOTALS.before], total_rows: 1 }) };
  const first = Date.parse(isNow ? MONDAY : MONDAY_BEFORE);
  const rows = (isNow ? WEEK : WEEK_BEFORE).map((visits, at) => ({
    report_day: new Date(first + at * 86_400_000).toISOString().slice(0, 10),
    visits,
    bounce_rate: 0.9,
  }));
  return { body: JSON.stringify({ rows, total_rows: rows.length }) };
}

const weekly = (query: string) =>
  withSections('- title: Visits', `  query: {${query}}`, '  chart: true')
    .replace('sections:', 'mail: {to: [editors@example.com]}\nsections:')
    .replace('2026-03-07', MONDAY)
    .replace('2026-03-13', '2026-03-08');
const COMPARED = weekly('dimension: report_day, metric: visits, compare: previous');
const SENTENCE = 'visits: 17 (before: 20), change -3 (-15.0 %)';
const HEADLINE = 'Visits fell by 3 (−15.0 %) to 17.';
/** The change from Monday to Sunday, which says nothing about the week. */
const SUNDAY = /-80(?:\.0)? ?%|change -4\b/;

describe('the weekly report states the week', () => {
  test.each(['weekly.md', 'weekly.html', 'weekly.eml'])('in %s, before any other figure', async name => {
    const { code, written } = await build(COMPARED, [], { name, reply: week });
    expect(code).toBe(0);
    const text = written().toString();
    const mail = name.endsWith('.eml') ? await PostalMime.parse(written()) : undefined;
    const parts =
      mail === undefined
        ? [text.slice(0, text.lastIndexOf('<script>') + 1 || undefined)]
        : [mail.text, mail.html];
    for (const part of parts) {
      expect(part).toContain(HEADLINE);
      expect(part).not.toMatch(SUNDAY);
      expect(part?.indexOf(HEADLINE)).toBeLessThan(part?.search(/highest 5 |Mon 2 Mar/) ?? 0);
    }
  });

  test.each([
    ['dimension: report_day, metric: visits', true],
    ['dimension: report_day, metric: visits, limit: 3', false],
    ['dimension: report_day, metric: visits, compare: previous, limit: 3', false],
  ])('with a small line of all its days only: %s', async (query, hasLine) => {
    const { written } = await build(weekly(query), [], { name: 'weekly.html', reply: week });
    expect(written().includes('class="line"')).toBe(hasLine);
  });

  test('below a chart with the same parts for both periods', async () => {
    const { stdout } = await build(COMPARED, [], { reply: week });
    expect(stdout).toContain('Visits, now: total 17, lowest 1 (Sat 7 Mar), highest 5 (Mon 2 Mar)');
    expect(stdout).toContain('Visits, before: total 20, lowest 1 (Sun 1 Mar), highest 6 (Mon 23 Feb)');
  });

  test('in a workbook', async () => {
    const { path } = await build(COMPARED, [], { name: 'weekly.xlsx', reply: week });
    expect(JSON.stringify(readWorkbook(path)[0]?.rows)).toContain(HEADLINE);
  });

  test('in JSON as a value that says what it rests on', async () => {
    const { stdout } = await build(COMPARED, ['-o', 'json'], { reply: week });
    const [section] = JSON.parse(stdout).sections;
    expect(section.sentences).toEqual([SENTENCE]);
    expect(section.conclusions).toEqual([
      {
        kind: 'change',
        metric: 'visits',
        unit: null,
        value: 17,
        before: 20,
        difference: -3,
        percent: -15,
        per_day: false,
        basis: 'rows',
        exceeds_rows: false,
        completeness: { kind: 'complete' },
        text: SENTENCE,
      },
    ]);
  });

  test("with the gateway's own value of a ratio, and of rows that a limit cuts off", async () => {
    const { stdout } = await build(
      weekly('dimension: report_day, metric: [visits, bounce_rate], limit: 3, compare: previous'),
      ['-o', 'json'],
      { reply: week },
    );
    expect(JSON.parse(stdout).sections[0].sentences).toEqual([
      'visits in all rows: 17 (before: 20), change -3 (-15.0 %)',
      'bounce_rate in all rows: 0.5 (before: 0.4), change +0.1 (+25.0 %)',
    ]);
  });

  test.each(['', 'compare: previous'])(
    'and says that it is of all rows only beside some of them %s',
    async compare => {
      for (const limit of [undefined, 1, 4, 7, 10])
        for (const table of [undefined, 1, 5, 7]) {
          const limited = limit === undefined ? '' : `, limit: ${limit}`;
          const query = weekly(`dimension: report_day, metric: visits${limited}${compare && `, ${compare}`}`);
          const cut = table === undefined ? query : query.replace('chart: true', `table: ${table}`);
          const { stdout } = await build(cut, [], { reply: week });
          const shown = [...stdout.matchAll(/^\| \w{3} \d+ \w+ +\|(?: \w{3} \d+ \w+ +\|)? +(\d+) /gm)].map(
            ([, visits]) => Number(visits),
          );
          const isAll = shown.reduce((sum, visits) => sum + visits, 0) === 17;
          const [headline] = /^Visits.*17\.$/m.exec(stdout) ?? [];
          expect(headline?.includes(' in all rows'), `${cut}\n${stdout}`).toBe(!isAll);
        }
    },
  );

  test.each(['weekly.md', 'weekly.html', 'weekly.eml', 'weekly.xlsx'])(
    'and says in %s that it is of all rows, beside some of them',
    async name => {
      const query = weekly('dimension: report_day, metric: visits, limit: 3, compare: previous');
      const { written, path } = await build(query, [], { name, reply: week });
      const text = name.endsWith('.xlsx')
        ? JSON.stringify(readWorkbook(path)[0]?.rows)
        : written().toString();
      expect(text).toContain('Visits in all rows fell by 3 ');
    },
  );

  test('without a comparison too', async () => {
    const { stdout } = await build(weekly('dimension: report_day, metric: visits'), [], { reply: week });
    expect(stdout).toContain('Visits: 17.\n');
  });

  test('or says why not, and is written all the same', async () => {
    const refusing = (received: Received): Reply =>
      received.method === 'POST' && !received.body.includes('"dimensions"')
        ? { status: 400, body: '{"error":{"code":"validation_error","message":"dimensions are required"}}' }
        : week(received);
    const { code, stdout } = await build(
      weekly('dimension: report_day, metric: bounce_rate'),
      ['-o', 'json'],
      {
        reply: refusing,
      },
    );
    expect(code).toBe(0);
    const [{ completeness, value }] = JSON.parse(stdout).sections[0].conclusions;
    expect([value, completeness.kind]).toEqual([null, 'unmeasured']);
    expect(completeness.reason).toMatch(/^the gateway gave no total: /);
  });

  test('never by rows of days that a filter on figures drops', async () => {
    const { stdout } = await build(
      weekly("dimension: report_day, metric: visits, filter: 'visits>3'"),
      ['-o', 'json'],
      { reply: week },
    );
    const [{ value, completeness }] = JSON.parse(stdout).sections[0].conclusions;
    expect([value, completeness.kind]).toEqual([null, 'unmeasured']);
  });

  test('never by a filter on figures, which would select the total instead of rows', async () => {
    const { stdout, requests } = await build(
      weekly("dimension: country, metric: visits, filter: 'visits>3'"),
      ['-o', 'json'],
      { reply: week },
    );
    expect(
      requests.filter(({ method, body }) => method === 'POST' && !body.includes('"dimensions"')),
    ).toEqual([]);
    expect(JSON.parse(stdout).sections[0].sentences).toEqual([
      'visits: no total: its filters may select rows by their figures, and the sum of such rows is no total',
    ]);
  });

  test('begins with the metrics that it names, and says why one has no total', async () => {
    const { stdout, stderr } = await build(
      weekly(
        "dimension: report_day, metric: [visits, bounce_rate], filter: 'visits>3', compare: previous",
      ).replace('sections:', 'kpis: [bounce_rate, visits]\nsections:'),
      [],
      { reply: week },
    );
    expect(stderr).toBe('');
    expect(stdout.split('\n').filter(line => /^\| (?:Visits|Bounce rate) /.test(line))).toEqual([
      expect.stringMatching(/^\| Bounce rate +\| +– \| no total +\|$/),
      expect.stringMatching(/^\| Visits +\| +– \| no total +\|$/),
    ]);
  });

  test('begins with figures of the same rows and days only', async () => {
    const sections = weekly('dimension: report_day, metric: visits, compare: previous').concat(
      '  - query: {dimension: report_day, metric: [visits, bounce_rate], filter: country=DE}\n',
    );
    const { stdout, stderr } = await build(
      sections.replace('sections:', 'kpis: [visits, bounce_rate]\nsections:'),
      [],
      { reply: week },
    );
    expect(stderr).toBe('warning: kpis: bounce_rate has no total of the rows and days of the first query\n');
    expect(stdout).toContain('\n| Visits |  17 |     20 | −3 (−15.0 %) |\n\n');
    expect(stdout).toContain('\nVisits: 17\n');
  });

  test('names a metric to begin with that no section queries, and sends no query', async () => {
    const { code, stderr, requests } = await build(
      COMPARED.replace('sections:', 'kpis: [visitors]\nsections:'),
      [],
      { reply: week },
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: kpis: no section queries visitors\n  did you mean visits?\n',
    });
    expect(requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('calls columns as the gateway or the report does, and programs by their names with the same digits', async () => {
    const listing: typeof week = request =>
      request.method === 'GET' && request.target.includes('columns')
        ? { body: '{"columns":[{"name":"visits","label":"Sessions"},{"name":"bounce_rate","unit":"ratio"}]}' }
        : week(request);
    const text = weekly('dimension: report_day, metric: [visits, bounce_rate], compare: previous');
    const labelled = text.replace('sections:', 'labels: {visits: Reads, report_day: Date}\nsections:');
    const [listed, own] = [
      await build(text, [], { reply: listing }),
      await build(labelled, [], { reply: listing }),
    ];
    expect(listed.stdout).toContain('\nSessions fell by 3 (−15.0 %) to 17.\n');
    expect(listed.stdout).toMatch(/\| Day +\| Day before \| Sessions \| Sessions before \| Sessions change /);
    expect(own.stdout).toContain('\nReads fell by 3 (−15.0 %) to 17.\n');
    expect(own.stdout).toMatch(/^Reads per day$/m);
    expect(own.stdout).not.toMatch(/Visits per|Sessions/);
    expect(own.stdout).toMatch(/\| Date +\| Date before \| Reads \| Reads before \| Reads change /);
    const [json, plain] = [
      await build(labelled, ['-o', 'json'], { reply: listing }),
      await build(text, ['-o', 'json'], { reply: week }),
    ];
    const rowsOf = ({ stdout }: typeof json) =>
      JSON.parse(stdout).sections.map(({ rows }: { rows: unknown }) => rows);
    expect(rowsOf(json)).toEqual(rowsOf(plain));
  });

  test('names a column with a label that no section queries', async () => {
    const { code, stderr } = await build(
      COMPARED.replace('sections:', 'labels: {vists: Reads}\nsections:'),
      [],
      {
        reply: week,
      },
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: labels: no section queries vists\n  did you mean visits?\n',
    });
  });
});
