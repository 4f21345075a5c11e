import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../support/runs.ts';
import { analytics, dailyRows } from '../analytics.ts';

/** What a gateway has of a value in a period: a figure, null, or no row. */
type Cell = number | null | undefined;
interface Found {
  readonly before: Cell;
  readonly now: Cell;
}
type Rows = Readonly<Record<string, Found>>;

interface Row {
  readonly dimension: string;
  readonly value: string;
  readonly before: number | null;
  readonly now: number | null;
  readonly contribution: number | null;
  readonly share_percent: number | null;
  readonly status: string;
}

interface Explained {
  readonly sentences: readonly string[];
  readonly rows: readonly Row[];
  readonly change: number;
  readonly complete: boolean;
  readonly conclusions: readonly [{ readonly verdict: string; readonly withheld: string | null }];
}

const ASKED = [
  'bda',
  'why',
  '--data-set',
  'pageview',
  '--tz',
  'UTC',
  '--from',
  '2026-03-07',
  '--to',
  '2026-03-13',
];

/** The sums of both periods by the first dimension. */
function totalsOf(dimensions: Readonly<Record<string, Rows>>): number[] {
  const [rows = {}] = Object.values(dimensions);
  const sum = (side: keyof Found) => Object.values(rows).reduce((all, row) => all + (row[side] ?? 0), 0);
  return [sum('before'), sum('now')];
}

async function gatewayOf(
  dimensions: Readonly<Record<string, Rows>>,
  byDay = dailyRows('visits', '2026-02-28', totalsOf(dimensions)),
) {
  return await analytics(({ method, body }) => {
    if (method === 'GET') return { status: 404, body: '{}' };
    const { dimensions: [dimension = ''] = [] } = JSON.parse(body) as { dimensions: string[] };
    if (dimension === 'report_day') return { body: byDay };
    const side = body.includes('2026-03-07') ? 'now' : 'before';
    const rows = Object.entries(dimensions[dimension] ?? {}).flatMap(([value, found]) =>
      found[side] === undefined ? [] : [{ [dimension]: value, visits: found[side], sold: found[side] }],
    );
    return { body: JSON.stringify({ rows, total_rows: rows.length }) };
  });
}

async function why(dimensions: Readonly<Record<string, Rows>>, byDay?: string): Promise<Explained> {
  const { gatectl } = await gatewayOf(dimensions, byDay);
  const names = ['-d', Object.keys(dimensions).join(',')];
  const { code, stdout } = await gatectl([...ASKED, '-m', 'visits', ...names, '-o', 'json', '--top', '100']);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

describe('a figure that is null', () => {
  const cell = fc.constantFrom<Cell>(undefined, null, 0, 0, 1, 5, 30, 100);
  const found = fc.record({ before: cell, now: cell });
  const measured = { DE: { before: 100, now: 40 } };

  test('is neither 0 nor a change, and what rests on it is withheld', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(found, { minLength: 1, maxLength: 8 }), async all => {
        const entries = all.map((one, at) => [`v${at}`, one] as const);
        const country: Rows = { ...measured, ...Object.fromEntries(entries) };
        const { rows, sentences, change, complete, conclusions } = await why({ country });
        const present = Object.entries(country).filter(
          ([, { before, now }]) => before !== undefined || now !== undefined,
        );
        const lacking = present.filter(([, { before, now }]) => before === null || now === null);
        const [{ verdict, withheld }] = conclusions;
        expect(rows.map(({ value }) => value).sort()).toEqual(present.map(([value]) => value).sort());
        let sum = 0;
        for (const row of rows) {
          const { before, now } = country[row.value] ?? expect.unreachable();
          if (before === null || now === null) {
            const shown = [before, now].map(figure => (figure === undefined ? 0 : figure));
            expect(row).toMatchObject({ contribution: null, share_percent: null, status: 'no figure' });
            expect([row.before, row.now]).toEqual(shown);
            continue;
          }
          sum += (now ?? 0) - (before ?? 0);
          expect(row.contribution).toBe((now ?? 0) - (before ?? 0));
          // A row of 0 is a row: only a value without rows is new or gone.
          const status =
            before === undefined
              ? 'new'
              : now === undefined
                ? 'gone'
                : before === now
                  ? 'unchanged'
                  : 'changed';
          expect([row.value, row.status]).toEqual([row.value, status]);
        }
        expect(change).toBe(sum);
        expect(complete).toBe(lacking.length === 0);
        if (lacking.length === 0) {
          expect(withheld).toBe(null);
          return;
        }
        const reason = `${lacking.length} of ${present.length} values ${lacking.length === 1 ? 'has' : 'have'} no figure`;
        expect({ verdict, withheld }).toEqual({ verdict: 'incomparable', withheld: reason });
        const scope = `visits of ${present.length - lacking.length} of ${present.length} values of country `;
        expect(sentences[0]?.startsWith(scope)).toBe(true);
        expect(sentences[0]?.endsWith(`, not comparable: ${reason}.`)).toBe(true);
        const missing = sentences.find(text => text.startsWith('Not complete: ')) ?? '';
        if (lacking.length <= 4)
          for (const [value] of lacking) expect(missing).toMatch(new RegExp(`\\b${value}\\b`));
      }),
      { numRuns: runs(40) },
    );
  });

  test('in the table is a dash, beside which stands why', async () => {
    const { gatectl } = await gatewayOf({ country: { ...measured, FR: { before: 80, now: null } } });
    const { stdout, stderr } = await gatectl([...ASKED, '-m', 'visits', '-d', 'country']);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'Visits of 1 of 2 values of country fell by 60 (−60.0 %), not comparable: 1 of 2 values has no figure.',
        'Not complete: 1 of 2 values has no figure: FR.',
        'By country, without 1 of 2 values, which has no figure: one value, DE (−60).',
        expect.stringMatching(/^country {4}FR +80 +– +– +– +no figure$/),
      ]),
    );
    expect(stderr).toContain('warning: the periods are not comparable: 1 of 2 values has no figure: FR\n');
    const strict = await gatectl([...ASKED, '-m', 'visits', '-d', 'country', '--strict']);
    expect(strict.code).toBe(7);
  });

  test('of one dimension leaves the figures to another that has all of them, and withholds the verdict', async () => {
    const country: Rows = { ...measured, FR: { before: 80, now: null } };
    const device = { mobile: { before: 100, now: 90 }, desktop: { before: 80, now: 20 } };
    const { sentences, change, complete, conclusions } = await why({ country, device });
    expect(sentences[0]).toBe(
      'visits of the values of device fell by 70 (-38.9 %), not comparable: 1 of 2 values of country has no figure.',
    );
    expect(sentences).toContain('Not complete: 1 of 2 values of country has no figure: FR.');
    expect(sentences.at(-1)).toBe(
      'By country, without 1 of 2 values, which has no figure: one value, DE (-60).',
    );
    expect(conclusions[0].verdict).toBe('incomparable');
    expect({ change, complete }).toEqual({ change: -70, complete: false });
  });

  test('of any examined dimension proves no change, whichever is first, of sums and ratios', async () => {
    const side = fc.constantFrom('before' as const, 'now' as const);
    const metric = fc.constantFrom('visits', 'bounce_rate');
    const names = ['country', 'device', 'site'];
    const some = fc.subarray(names, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(some, side, metric, fc.boolean(), async (lacking, missing, metric, isDeep) => {
        const { gatectl } = await analytics(({ method, body }) => {
          if (method === 'GET') return { status: 404, body: '{}' };
          const { dimensions: [dimension = ''] = [] } = JSON.parse(body) as { dimensions: string[] };
          const ratio = '"bounce_rate":0.5,"visits":100';
          if (dimension === 'report_day')
            return {
              body: dailyRows('visits', '2026-02-28', [70, 70]).replaceAll('}', ',"bounce_rate":0.5}'),
            };
          const isNull =
            lacking.includes(dimension) &&
            (missing === 'now') === body.includes('2026-03-07') &&
            !body.includes('"in"');
          const own =
            metric === 'visits' ? '"bounce_rate":0.5,"visits":null' : '"bounce_rate":null,"visits":100';
          const rows = ['A', 'B', 'C'].map(
            value => `{"${dimension}":"${value}",${isNull && value === 'A' ? own : ratio}}`,
          );
          return { body: `{"rows":[${rows}],"total_rows":3}` };
        });
        const asked = [...ASKED, '-m', metric, '-d', names.join(','), ...(isDeep ? ['--depth', '2'] : [])];
        const json = await gatectl([...asked, '-o', 'json', '--strict']);
        const { complete, conclusions, sentences } = JSON.parse(json.stdout) as Explained;
        expect({ code: json.code, complete }).toEqual({ code: 7, complete: false });
        expect(conclusions[0].verdict).toBe('incomparable');
        expect(sentences[0]).toContain(', not comparable: ');
        for (const name of lacking.length < 3 ? lacking : [])
          expect(json.stderr).toContain(`1 of 3 values of ${name} has no figure: A`);
        if (lacking.length === 3) expect(json.stderr).toContain('1 of 3 values has no figure: A');
      }),
      { numRuns: runs(20) },
    );
  });

  test('of a value of the second level proves no change either', async () => {
    const { gatectl } = await analytics(({ method, body }) => {
      if (method === 'GET') return { status: 404, body: '{}' };
      if (body.includes('report_day')) return { body: dailyRows('visits', '2026-02-28', [70, 70]) };
      const isNow = body.includes('2026-03-07');
      const [dimension, figures] = body.includes('"dimensions":["device"]')
        ? ['device', body.includes('"in"') ? [100, isNow ? null : 50] : [200, isNow ? 150 : 200]]
        : ['country', [150, isNow ? 100 : 150]];
      const rows = [...(figures as (number | null)[]), 250].map(
        (visits, at) => `{"${dimension}":"v${at}","visits":${visits}}`,
      );
      return { body: `{"rows":[${rows}],"total_rows":${rows.length}}` };
    });
    const asked = [...ASKED, '-m', 'visits', '-d', 'country,device', '--depth', '2'];
    const { stdout, stderr, code } = await gatectl([...asked, '-o', 'json', '--strict']);
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringMatching(/within country v\d has no figure/),
    });
    expect((JSON.parse(stdout) as Explained).conclusions[0].verdict).toBe('incomparable');
  });

  test('of a day is no figure of the day', async () => {
    const byDay = dailyRows('visits', '2026-02-28', [70, 70]).replace(
      /("2026-03-10","visits":)\d+/,
      '$1null',
    );
    const { sentences } = await why({ country: measured }, byDay);
    expect(sentences[0]).toContain(', not comparable: 1 of 7 days has no figure.');
    expect(sentences).toContain('Not complete: there is no figure for 2026-03-10.');
  });

  test('of a ratio is none where there is no weight, and else withholds the ratio', async () => {
    const rateOf = async (rows: string) => {
      const { gatectl } = await analytics(({ method, body }) => {
        if (method === 'GET') return { status: 404, body: '{}' };
        if (body.includes('report_day')) return { body: '{"rows":[],"total_rows":0}' };
        return { body: `{"rows":[${rows}],"total_rows":2}` };
      });
      const asked = [...ASKED, '-m', 'bounce_rate', '-d', 'country', '-o', 'json'];
      return JSON.parse((await gatectl(asked)).stdout) as Explained;
    };
    const DE = '{"country":"DE","bounce_rate":0.5,"visits":10}';
    const nothing = await rateOf(`${DE},{"country":"FR","bounce_rate":null,"visits":0}`);
    expect(nothing.conclusions[0]).toMatchObject({ verdict: 'unchanged', withheld: null });
    const unknown = await rateOf(`${DE},{"country":"FR","bounce_rate":null,"visits":5}`);
    expect(unknown.conclusions[0].withheld).toBe('1 of 2 values has no figure');
  });
});

describe('where days and values contradict each other', () => {
  const rows = (before: Cell, now: Cell) => ({ country: { DE: { before, now } } });

  test('a period without rows of values, although its days have some, is not 0', async () => {
    const days = dailyRows('visits', '2026-02-28', [70, 70]);
    const { sentences, conclusions } = await why(rows(undefined, 70), days);
    expect(sentences[0]).toBe(
      'visits of the values of country rose by 70, not comparable: there are no rows of values for 2026-02-28 to 2026-03-06.',
    );
    expect(conclusions[0].verdict).toBe('incomparable');
  });

  test('values that do not add up to the days prove no change, and leave the headline to those that do', async () => {
    const days = dailyRows('visits', '2026-02-28', [100, 90]);
    const amount = fc.integer({ min: 0, max: 200 });
    await fc.assert(
      fc.asyncProperty(amount, amount, fc.boolean(), async (before, now, hasOther) => {
        const tag = { a: { before, now }, b: { before: 1, now: 1 } };
        const device = { mobile: { before: 60, now: 52 }, desktop: { before: 40, now: 38 } };
        const { sentences, conclusions, change, complete } = await why(
          { tag, ...(hasOther && { device }) },
          days,
        );
        const addsUp = before === 99 && now === 89;
        expect(complete).toBe(addsUp || hasOther);
        if (addsUp || hasOther) expect(change).toBe(-10);
        else {
          expect(conclusions[0].verdict).toBe('incomparable');
          expect(sentences[0]).toMatch(
            /^visits of the values of tag .*, not comparable: the values of tag do not add up to the days\.$/,
          );
        }
        const [own] = sentences.filter(text => text.startsWith('By tag'));
        expect(own?.startsWith('By tag, whose values do not add up to the days: ') ?? addsUp).toBe(!addsUp);
      }),
      { numRuns: runs(60) },
    );
  });

  test.each([
    ['cents that are rounded for each row', 33.34, true],
    ['a whole unit', 34.34, false],
  ])('values and days that differ by %s', async (_, other, isComplete) => {
    const country = { DE: { before: 66.67, now: 60.01 }, FR: { before: other, now: 30 } };
    const { complete } = await why({ country }, dailyRows('visits', '2026-02-28', [100.02, 90.01]));
    expect(complete).toBe(isComplete);
  });

  test('the figures of a ratio by value are those of its days', async () => {
    const reply = (dimension: string, rows: readonly (readonly [string, number, number])[]) => ({
      body: JSON.stringify({
        rows: rows.map(([value, epmv, visits]) => ({
          [dimension]: value,
          epmv,
          revenue: (epmv * visits) / 1000,
          visits,
        })),
        total_rows: rows.length,
      }),
    });
    const days = [
      '2026-02-28',
      ...Array.from({ length: 13 }, (_, at) => `2026-03-${at < 9 ? '0' : ''}${at + 1}`),
    ];
    const explained = async (hidden: number) => {
      const { gatectl } = await analytics(({ method, body }) => {
        if (method === 'GET') return { status: 404, body: '{}' };
        if (body.includes('report_day'))
          return reply(
            'report_day',
            days.map((day, at) => [day, at < 7 ? 100 : 75, 20]),
          );
        const isNow = body.includes('2026-03-07');
        return reply('country', [
          ['US', 100, 70],
          ['DE', isNow ? 50 : 100, 70 - hidden],
        ]);
      });
      const ran = await gatectl([...ASKED, '-m', 'epmv', '-d', 'country', '--strict']);
      return { code: ran.code, headline: ran.stdout.split('\n')[1] };
    };
    expect(await explained(0)).toEqual({
      code: 0,
      headline: expect.stringMatching(/^EPMV fell by 25\.00 \(−25\.0 %\): /),
    });
    expect((await explained(1)).code).toBe(7);
    expect(await explained(70)).toEqual({
      code: 7,
      headline: expect.stringMatching(/, not comparable: the values of country do not add up to the days\.$/),
    });
  });

  test('rows of values are not said to be none because the days have no figures', async () => {
    const { gatectl } = await gatewayOf(rows(70, 50), dailyRows('visits', '2026-02-28', [70]));
    const { code, stdout, stderr } = await gatectl([...ASKED, '-m', 'visits', '-d', 'country']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toContain(
      'there are no figures of visits by day for 7 to 13 March 2026, so its change is unknown\n',
    );
  });

  test('a figure that a sum of doubles left over gives no other one more decimals', async () => {
    const country = { DE: { before: 3.1745, now: 7.1065 }, FR: { before: 0.1 + 0.2, now: 0.3 } };
    const { gatectl } = await gatewayOf({ country });
    const { stdout } = await gatectl([...ASKED, '-m', 'visits', '-d', 'country']);
    expect(stdout).toContain('country DE makes up all of the rises of 3.932 (+3.932).\n');
    expect(stdout).toMatch(/\ncountry +DE +3\.17 +7\.11 +\+3\.93 /);
  });
});
