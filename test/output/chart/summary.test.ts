import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { overAxis, type Panel } from '../../../src/output/chart/chart.ts';
import { drawChart } from '../../../src/output/chart/draw.ts';
import { captionOf, summaryOf } from '../../../src/output/chart/summary.ts';
import type { Conclusion } from '../../../src/output/conclusion.ts';
import { PIPE } from '../styles.ts';

function panelOf(figures: readonly (string | undefined)[], more: Partial<Panel> = {}): Panel {
  return {
    title: 'visits',
    unit: undefined,
    shape: 'line',
    axis: 'report_day',
    positions: figures.map((_, at) => ({ label: `day ${at}` })),
    series: [
      {
        name: undefined,
        points: figures.map(digits => (digits === undefined ? undefined : { value: Number(digits), digits })),
      },
    ],
    ...more,
  };
}

describe('a chart in words', () => {
  test('has the total of a line first, then its extremes', () => {
    const [series] = panelOf(['3', undefined, '5']).series;
    if (series === undefined) throw new Error('no series');
    const panel = panelOf(['3', undefined, '5'], { series: [{ ...series, total: '8' }] });
    expect(summaryOf(panel)).toEqual([
      'visits: total 8 in 2 of 3 points, lowest 3 (day 0), highest 5 (day 2)',
    ]);
  });

  test('has no extremes where one point alone is whole', () => {
    const [series] = panelOf(['3', '2']).series;
    if (series === undefined) throw new Error('no series');
    const positions = [{ label: 'day 0' }, { label: 'day 1', part: 'not ended' }];
    expect(summaryOf(panelOf(['3', '2'], { positions }))).toEqual([
      'visits: of complete periods only 3 (day 0)',
    ]);
    const panel = panelOf([], { positions, series: [{ ...series, total: '5' }] });
    expect(summaryOf(panel)).toEqual(['visits: total 5, of complete periods only 3 (day 0)']);
    expect(captionOf(panel)).toEqual(['visits: total 5, of complete periods only 3 (day 0)']);
  });

  test('says of the figure of one day that it has not ended', () => {
    const positions = [{ label: 'day 0', part: 'not ended' }];
    expect(summaryOf(panelOf(['3'], { positions, shape: 'bars' }))).toEqual(['visits: 3 (day 0; not ended)']);
  });

  test('the largest step of a waterfall is no smaller than any other, by all digits', () => {
    const step = fc
      .bigInt({ min: 2n ** 53n, max: 2n ** 53n + 6n })
      .chain(size => fc.constantFrom(size, -size));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 9 }), steps => {
        const figures = [0n, ...steps, 0n].map(String);
        const [text = ''] = summaryOf(panelOf(figures, { shape: 'waterfall' }));
        const named = figures[Number(/largest step .*\(day (\d+)\)$/.exec(text)?.[1])];
        const sizeOf = (digits: bigint) => (digits < 0n ? -digits : digits);
        const most = steps.map(sizeOf).reduce((a, b) => (a > b ? a : b));
        expect(sizeOf(BigInt(named ?? ''))).toBe(most);
      }),
    );
  });

  test('"lowest", "highest" and "all" hold of every point, by all digits', () => {
    // Beyond 2^53, neighbours are the same double.
    const figure = fc.oneof(
      fc.integer().map(String),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 6n }).map(String),
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(
        fc.array(figure, { minLength: 2, maxLength: 20 }),
        fc.constantFrom('line' as const, 'bars' as const),
        (figures, shape) => {
          const present = figures.flatMap(digits => (digits === undefined ? [] : [BigInt(digits)]));
          fc.pre(present.length > 1);
          const [text = ''] = summaryOf(panelOf(figures, { shape }));
          const [least, most] = present.reduce(
            ([low, high], value) => [value < low ? value : low, value > high ? value : high],
            [present[0] as bigint, present[0] as bigint],
          );
          const numbers = text
            .match(/(?:lowest|highest|all) ([-\u2212]?[\d,]+)/g)
            ?.map(found => BigInt(found.replace('\u2212', '-').replace(/[^\d-]/g, '')));
          expect(numbers).toEqual(least === most ? [least] : [least, most]);
          expect(text.includes('all ')).toBe(least === most);
          for (const [, digits = '', place] of text.matchAll(/([-\u2212]?[\d,]+) \(day (\d+)\)/g))
            expect(figures[Number(place)]).toBe(digits.replaceAll(',', '').replace('\u2212', '-'));
        },
      ),
    );
  });
});

test('a caption has what is proven and the extremes of the current figures', () => {
  const points = [3, 5].map(value => ({ value, digits: String(value) }));
  const panel = panelOf(['1', '2'], {
    title: 'Visits',
    series: [
      { name: 'now', points, total: '8' },
      { name: 'before', points, total: '8', isBefore: true },
    ],
  });
  expect(captionOf(panel)).toEqual(['Visits, now: total 8, lowest 3 (day 0), highest 5 (day 1)']);
  const several = { ...panel, series: panel.series.map(({ isBefore: _, ...one }) => one) };
  expect(captionOf(several)).toEqual([]);
});

test('a part of a period is not called the lowest, unless there are only parts', () => {
  const whole = panelOf(['5', '4', '1'], { shape: 'line' });
  const marked = (parts: readonly number[]) => ({
    ...whole,
    positions: whole.positions.map((position, at) =>
      parts.includes(at) ? { ...position, part: '1 of 7 days' } : position,
    ),
  });
  expect(summaryOf(marked([2]))[0]).toContain('lowest 4 (');
  expect(summaryOf(marked([0, 1, 2]))[0]).toContain('lowest 1 (');
  const [line] = whole.series;
  const before = { name: 'before', points: line?.points ?? [], isBefore: true };
  const compared = summaryOf({ ...marked([2]), series: [...whole.series, before] });
  expect(compared).toEqual([expect.stringContaining('lowest 4 ('), expect.stringContaining('lowest 1 (')]);
});

test('"of complete weeks" is said where, and only where, weeks are left out, and holds of the others', () => {
  const week = fc.record({ value: fc.integer({ min: 1, max: 9 }), isPart: fc.boolean() });
  fc.assert(
    fc.property(fc.array(week, { minLength: 2, maxLength: 8 }), fc.boolean(), (weeks, isBefore) => {
      const part = (isPart: boolean) => (isPart ? { part: '1 of 7 days' } : {});
      const points = weeks.map(({ value, isPart }) => ({
        value,
        digits: String(value),
        ...(isBefore && part(isPart)),
      }));
      const panel = panelOf([], {
        time: 'week',
        positions: weeks.map(({ isPart }, at) => ({
          label: `week ${at}`,
          ...(!isBefore && part(isPart)),
        })),
        series: [{ name: undefined, points, isBefore }],
      });
      const whole = weeks.filter(({ isPart }) => !isPart).map(({ value }) => value);
      const [text = ''] = summaryOf(panel);
      expect(text.includes('of complete weeks ')).toBe(whole.length > 0 && whole.length < weeks.length);
      const judged = whole.length > 0 ? whole : weeks.map(({ value }) => value);
      const [low, high] = [Math.min(...judged), Math.max(...judged)];
      const figures = [...text.matchAll(/(?:lowest|highest|all|only) (\d)/g)].map(([, digit]) =>
        Number(digit),
      );
      expect(figures).toEqual(low === high ? [low] : [low, high]);
    }),
  );
});

const FALL: Partial<Panel> = {
  shape: 'waterfall',
  positions: [
    { label: 'before' },
    { label: 'DE' },
    { label: '(8 others that fell)', isGroup: true },
    { label: '(none)' },
    { label: 'now' },
  ],
};
const fallen = (base: readonly number[], ...figures: string[]): Panel => {
  const panel = panelOf(figures, FALL);
  const levels = base.map(value => ({ value, digits: String(value) }));
  return { ...panel, series: [{ name: undefined, points: levels, isBase: true }, ...panel.series] };
};

test('the largest step of a waterfall is a value, and brackets are not doubled', () => {
  const text = (...figures: string[]) => summaryOf(fallen([0, 0, 0, 0, 0], ...figures))[0];
  expect(text('100', '-3', '-9', '-2', '86')).toBe('visits: 100 before, 86 now, largest step \u22123 (DE)');
  expect(text('100', '-3', '-9', '-4', '84')).toMatch(/, largest step \u22124 \(none\)$/);
  const bars = panelOf(['3', '2'], { shape: 'bars', positions: [{ label: '(none)' }, { label: 'DE' }] });
  expect(summaryOf(bars)).toEqual(['visits: lowest 2 (DE), highest 3 (none)']);
});

test('bars of a waterfall that are cut have a mark, and a line that says so', () => {
  const drawn = (panel: Panel, unicode = true) =>
    drawChart({ title: 'x', panels: [panel], notes: [] }, { ...PIPE, unicode }).split('\n');
  const cut = fallen([0, 797, 790, 780, 0], '797', '-7', '-10', '-7', '773');
  const lines = drawn(cut);
  expect(lines.filter(line => /^(?:before|now) /.test(line))).toEqual([
    expect.stringMatching(/ ≈█+$/),
    expect.stringMatching(/ ≈█+$/),
  ]);
  expect(lines).toContain('≈: the bar is cut, because the axis starts at 767');
  expect(drawn(cut, false)).toContain('~: the bar is cut, because the axis starts at 767');
  expect(captionOf(cut)).toEqual(['The bars of the totals are cut: the axis does not start at 0.']);
  const whole = fallen([0, 100, 60, 40, 0], '100', '-40', '-20', '-10', '30');
  expect(drawn(whole).join('\n')).not.toContain('≈');
  expect(captionOf(whole)).toEqual([]);
});

test('figures that are means are by day, and not per day', () => {
  expect(overAxis({ time: 'day', axis: 'device' })).toBe(' per day by device');
  expect(overAxis({ time: 'day', axis: '', isMean: true })).toBe(' by day');
  expect(overAxis({ time: 'day', axis: 'device', isMean: true })).toBe(' by day, device');
});

test('the only day of a comparison is stated once', () => {
  const conclusion: Conclusion = {
    ...{ kind: 'change' as const, metric: 'visits', unit: undefined, value: '3750', before: '3887' },
    ...{ difference: '-137', percent: '-3.5', basis: 'rows' as const, exceedsRows: false },
    completeness: { kind: 'complete' },
  };
  const points = (digits: string) => [{ value: Number(digits), digits }];
  const panel = (label: string, more: Partial<Panel> = {}) =>
    panelOf([], {
      ...{ shape: 'bars', title: 'Visits', positions: [{ label }], conclusion, ...more },
      series: [
        { name: 'now', points: points('3750') },
        { name: 'before', points: points('3887'), isBefore: true },
      ],
    });
  const stated = 'Visits: 3,750 (before: 3,887), change \u2212137 (\u22123.5 %)';
  expect(summaryOf(panel('Thu 12 Mar', { time: 'day' }))).toEqual([stated]);
  expect(summaryOf(panel('DE'))).toHaveLength(2);
  expect(
    summaryOf(panel('Thu 12 Mar', { time: 'day', positions: [{ label: 'Thu 12 Mar', part: 'not ended' }] })),
  ).toHaveLength(2);
});
