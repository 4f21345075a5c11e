import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../support/runs.ts';
import { analytics, dailyRows } from '../analytics.ts';

const ASKED = [
  ...['bda', 'why', '--data-set', 'pageview', '--tz', 'UTC', '--from', '2026-03-07', '--to', '2026-03-13'],
  ...['-m', 'visits', '-o', 'json'],
];

type Cell = number | null;
type Values = readonly (readonly [before: Cell, now: Cell])[];

interface Explained {
  readonly sentences: readonly string[];
  readonly dimensions: readonly { readonly dimension: string; readonly score: number }[];
}

/** The sums of both periods. */
const totalsOf = (values: Values) =>
  [0, 1].map(side => values.reduce((sum, cells) => sum + (cells[side] ?? 0), 0));

async function why(dimensions: Readonly<Record<string, Values>>): Promise<Explained> {
  const { gatectl } = await analytics(({ method, body }) => {
    if (method === 'GET') return { status: 404, body: '{}' };
    const { dimensions: [dimension = ''] = [] } = JSON.parse(body) as { dimensions: string[] };
    if (dimension === 'report_day')
      return { body: dailyRows('visits', '2026-02-28', totalsOf(dimensions.country ?? [])) };
    const side = body.includes('2026-03-07') ? 1 : 0;
    const rows = (dimensions[dimension] ?? []).map((cells, at) => ({
      [dimension]: `${dimension}${at}`,
      visits: cells[side],
    }));
    return { body: JSON.stringify({ rows, total_rows: rows.length }) };
  });
  const { stdout, stderr } = await gatectl([...ASKED, '-d', Object.keys(dimensions).join(',')]);
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

test('dimensions are in the order of complete ones, ones that add up, ones with several values, and scores', async () => {
  const cell = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<Cell>(0, 10, 20, 30, 100) },
    { weight: 1, arbitrary: fc.constant<Cell>(null) },
  );
  const values = fc.oneof(
    fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 4 }),
    fc.tuple(fc.tuple(cell, cell)),
  );
  await fc.assert(
    fc.asyncProperty(values, values, values, async (country, device, gender) => {
      const given: Readonly<Record<string, Values>> = { country, device, gender };
      const measured = (dimension: string) =>
        (given[dimension] ?? []).filter(([before, now]) => before !== null && now !== null).length;
      fc.pre(Object.keys(given).every(dimension => measured(dimension) > 0));
      const { dimensions } = await why(given);
      const places = dimensions.map(({ dimension, score }) => [
        measured(dimension) < (given[dimension]?.length ?? 0) ? 1 : 0,
        measured(dimension) === given[dimension]?.length &&
        String(totalsOf(given[dimension])) !== String(totalsOf(country))
          ? 1
          : 0,
        measured(dimension) === 1 ? 1 : 0,
        -score,
      ]);
      const inOrder = places.toSorted((a, b) => a.map((own, at) => own - (b[at] ?? 0)).find(Boolean) ?? 0);
      expect(places).toEqual(inOrder);
    }),
    { numRuns: runs(40) },
  );
});

test('a dimension with one value leaves the headline to one with several', async () => {
  const { sentences } = await why({
    country: [[0, 60]],
    device: [
      [0, 30],
      [0, 20],
      [0, 10],
    ],
  });
  expect(sentences[0]).toContain(': device device0 makes up 50 % of the rise (+30).');
  expect(sentences).toContain('By country: one value, country0 (+60).');
});
