import fc from 'fast-check';
import { expect, test } from 'vitest';
import { additiveContributions, type Part, ratioContributions } from '../../src/analysis/contributions.ts';
import { changeBetween, EXACT_ZERO, exactFigure } from '../../src/analysis/exact-change.ts';
import { explain } from '../../src/analysis/explanation.ts';
import { addDays } from '../../src/apis/bda/days.ts';
import { stringifyJson } from '../../src/json/index.ts';
import { DailyFigures } from '../../src/operations/explain/daily-figures.ts';
import type { ExplainedDimension } from '../../src/operations/explain/explain-change.ts';
import { explanationColumns } from '../../src/operations/explain/explanation-columns.ts';
import { type ExplanationResult, resultOf } from '../../src/operations/explain/explanation-result.ts';
import type { Described } from '../../src/operations/explain/explanation-rows.ts';
import { cellWriter } from '../../src/output/cell.ts';
import { conclusionText } from '../../src/output/conclusion.ts';
import { presentationOf } from '../../src/output/presentation/column.ts';
import { figuresFormat } from '../../src/output/presentation/figures.ts';
import { runs } from '../support/runs.ts';
import { PIPE } from './styles.ts';

const figure = (digits: string) => exactFigure(digits) ?? EXACT_ZERO;
/** Ties, zeros, negatives, and exact decimals. */
const digits = fc.oneof(
  fc.constantFrom('0', '0', '1', '5', '-3', '100'),
  fc.integer({ min: -50, max: 1000 }).map(String),
  fc.stringMatching(/^(?:0|[1-9]\d{0,6})\.\d{1,9}$/),
);
const part = fc
  .tuple(digits, digits)
  .map(([before, now]): Part => ({ before: figure(before), now: figure(now) }));
const weighted = fc
  .tuple(digits, digits, fc.nat(1000), fc.nat(1000))
  .map(([before, now, then, later]): Part => {
    const weights = { weightBefore: figure(String(then)), weightNow: figure(String(later)) };
    return { before: figure(before), now: figure(now), ...weights };
  });
const manyParts = (one: typeof part) =>
  fc.oneof(
    { weight: 30, arbitrary: fc.array(one, { minLength: 1, maxLength: 30 }) },
    { weight: 1, arbitrary: fc.array(one, { minLength: 1000, maxLength: 1000 }) },
  );
const earlier = fc.array(
  fc.tuple(fc.double({ min: 1, max: 1000, noNaN: true }), fc.double({ min: 1, max: 1000, noNaN: true })),
  {
    maxLength: 26,
  },
);

interface Row {
  readonly value: string;
  readonly contribution: number;
  readonly share_percent: number | null;
  readonly before: number;
  readonly now: number;
  readonly status: string;
}

interface Explained {
  readonly headline: string;
  readonly sentences: readonly string[];
  readonly inWords: ExplanationResult['inWords'];
  readonly rows: readonly Row[];
  readonly jsonRows: ExplanationResult['rows'];
  readonly data: {
    readonly change: number;
    readonly conclusions: readonly [
      { verdict: string; usual: { unit: string; from: number; to: number } | null; percent: number | null },
    ];
  };
}

/** What is said of these parts, and the rows beside it, as a program reads them. */
function explanationOf(
  parts: readonly Part[],
  options: Partial<Described> & {
    readonly earlier?: readonly (readonly [number, number])[];
    readonly lengths?: { before: number; now: number };
    readonly daily?: DailyFigures;
  } = {},
): Explained | undefined {
  const { lengths = { before: 7, now: 7 }, isSum = true } = options;
  const contributions = isSum ? additiveContributions(parts, lengths) : ratioContributions(parts, 1);
  if (contributions === undefined) return undefined;
  const values = parts.map((_, at) => `v${at}`);
  const own = {
    dimension: 'country',
    slice: undefined,
    values,
    parts,
    unmeasured: [],
    differing: [],
    contributions,
  };
  const found: ExplainedDimension = { ...own, explanation: explain(parts, contributions) };
  const { sentences, inWords, rows, data } = resultOf(
    {
      dimensions: [found],
      within: undefined,
      unmeasured: [],
      omitted: [],
      daily: options.daily,
      lengths,
      earlier: options.earlier ?? [],
    },
    {
      ...{ metric: 'visits', days: { from: '2026-03-08', to: '2026-03-14' }, top: 3, isSum, factor: 1 },
      ...{ weight: isSum ? undefined : 'pageviews' },
      ...{ before: { from: '2026-03-01', to: '2026-03-07' }, requests: 3, lacks: [], isJudged: false },
      ...options,
    },
  );
  const [headline = ''] = sentences;
  return {
    headline,
    sentences,
    inWords,
    rows: JSON.parse(stringifyJson(rows)),
    jsonRows: rows,
    data: JSON.parse(stringifyJson(data)),
  };
}

/** How many values a row stands for. */
const countOf = ({ status, value }: Row) =>
  status === 'others' ? Number(/^\((\d+) other/.exec(value.replace(',', ''))?.[1]) : 1;
const sum = (figures: readonly number[]) => figures.reduce((all, one) => all + one, 0);
const near = (a: number, b: number) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));

test('whether a change is usual is withheld where a period has not ended or lacks rows', () => {
  const parts = [{ before: figure('100'), now: figure('52') }];
  const history = Array.from({ length: 26 }, () => [100, 52] as const);
  const text = '14 March 2026 has not ended yet';
  const stated = (...lacks: { brief: string; full: string }[]) =>
    explanationOf(parts, { earlier: history, lacks });
  expect(stated()?.headline).toBe('visits fell by 48 (-48.0 %), as usual (-48.0 % to -48.0 %).');
  const withheld = stated({ brief: text, full: text });
  expect(withheld?.headline).toBe(`visits fell by 48 (-48.0 %), not comparable: ${text}.`);
  expect(withheld?.sentences.at(-1)).toBe('By country: one value, v0 (-48).');
  const [{ verdict, usual }] = withheld?.data.conclusions ?? expect.unreachable();
  expect({ verdict, usual }).toEqual({ verdict: 'incomparable', usual: null });
});

test('a dimension with one value, as of a filter, makes up all of a change and shows no cause', () => {
  const one = [{ before: figure('100'), now: figure('52') }];
  const history = Array.from({ length: 26 }, () => [100, 100] as const);
  expect(explanationOf(one, { earlier: history })?.headline).toBe(
    'visits fell by 48 (-48.0 %), more than usual (usually none): country has one value, v0 (-48), and shows no cause.',
  );
  const usual = Array.from({ length: 26 }, () => [100, 52] as const);
  expect(explanationOf(one, { earlier: usual })?.sentences).toContain('By country: one value, v0 (-48).');
  const two = [...one, { before: figure('100'), now: figure('100') }];
  expect(explanationOf(two, { earlier: history })?.headline).toContain('country v0 makes up all of the fall');
});

test('a rise that is less than usual is not explained by what rose', () => {
  const parts = [
    { before: figure('60'), now: figure('70') },
    { before: figure('40'), now: figure('40') },
  ];
  const history = Array.from({ length: 26 }, (_, at) => [100, 180 + (at % 2)] as const);
  const explained = explanationOf(parts, { earlier: history });
  expect(explained?.headline).toMatch(/^visits rose by 10 \(\+10\.0 %\), less than usual \(.* to .*\)\.$/);
  expect(explained?.sentences).toContain('By country: v0 makes up all of the rise (+10).');
});

/** Visits as the gateway lists them. */
const VISITS = { shown: presentationOf('visits') };
const isNumberOf = /[-+\u2212]?\d[\d,.]*/g;

test('for people it says the same, with labels and the marks of their language', () => {
  const german = { tag: 'de-DE', group: '.', decimal: ',' };
  fc.assert(
    fc.property(manyParts(part), earlier, (parts, history) => {
      const found = explanationOf(parts, { earlier: history });
      if (found === undefined) return;
      const bare = (texts: readonly string[], days: RegExp) =>
        texts.map(text =>
          text.replaceAll('\u2212', '-').replaceAll(days, 'days').replace('Visits', 'visits'),
        );
      const plain = bare(found.sentences, /2026-03-\d\d to 2026-03-\d\d/g);
      const words = (texts: readonly string[]) => texts.map(text => text.replaceAll(isNumberOf, 'N'));
      const english = bare(found.inWords(VISITS, {}), /\d+ to \d+ March 2026/g);
      expect(words(english)).toEqual(words(plain));
      const local = bare(found.inWords(VISITS, { locale: german }), /\d\d\.03\.2026 to \d\d\.03\.2026/g);
      const swapped = local.map(text =>
        text.replaceAll(/(?<=\d)[.,](?=\d)/g, mark => (mark === '.' ? ',' : '.')),
      );
      expect(swapped).toEqual(english);
      const labels = new Map([['visits', 'Sessions']]);
      expect(found.inWords({ ...VISITS, labels }, {})[0]).toMatch(/^Sessions /);
    }),
    { numRuns: runs(200) },
  );
});

test('no value is said to have moved most of all where another one moved as much', () => {
  const fallOf = (...now: string[]) =>
    explanationOf(now.map(digits => ({ before: figure('10'), now: figure(digits) })))?.headline;
  expect(fallOf('5', '5', '5')).toBe(
    'visits fell by 15 (-50.0 %): broad, 3 of 3 values of country fell, -5 each.',
  );
  expect(fallOf('4', '5', '5')).toContain('most of all v0 (-6, 38 % of the falls)');
  expect(fallOf('5', '5')).toBe(
    'visits fell by 10 (-50.0 %): broad, 2 of 2 values of country fell, -5 each.',
  );
  expect(fallOf('5', '5', '10')).toBe(
    'visits fell by 10 (-33.3 %): country v0 and v1 each make up 50 % of the fall (-5 each).',
  );
  expect(fallOf('5', '5', '10', '10', '10', '11')).toContain(
    'country v0 and v1 each make up 50 % of the falls of 10 (-5 each), against v5 (+1).',
  );
  expect(fallOf('5', '5', '14', '14', '10')).toContain(
    'nearly cancel, most of all country v0 and v1 (-5 and 50 % of the falls each) and v2 and v3 (+4 and 50 % of the rises each).',
  );
});

test('all values that contribute most are named, or counted', () => {
  const few = fc.constantFrom('0', '5', '10', '10', '20');
  const some = fc.array(
    fc.tuple(few, few).map(([before, now]): Part => ({ before: figure(before), now: figure(now) })),
    { minLength: 2, maxLength: 8 },
  );
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 8 }), fc.boolean(), (parts, days, isSum) => {
      const weighted = parts.map(part => ({ ...part, weightBefore: figure('3'), weightNow: figure('3') }));
      const lengths = { before: 7, now: days };
      const [found, short] = [100, 1].map(top =>
        explanationOf(isSum ? parts : weighted, { top, isSum, lengths }),
      );
      const moved = (found?.rows ?? []).filter(({ contribution }) => contribution !== 0);
      const [rises, falls] = [1, -1].map(sign => moved.filter(row => Math.sign(row.contribution) === sign));
      const size = (rows: readonly Row[] = []) => Math.abs(sum(rows.map(row => row.contribution)));
      const main = size(rises) >= size(falls) ? rises : falls;
      const tied = (main ?? []).filter(row => near(row.contribution, main?.[0]?.contribution ?? 0));
      if (found === undefined || tied.length < 2) return;
      const headline = found.sentences.join(' ');
      if (/broad, .* each[.,]/.test(headline)) expect(tied.length).toBe(main?.length);
      else if (tied.length <= 3)
        for (const { value } of tied) {
          expect(headline).toMatch(new RegExp(`\\b${value}\\b`));
          expect(short?.rows.map(row => row.value)).toContain(value);
        }
      else expect(headline).toContain(` and ${tied.length - 2} others `);
      expect(headline).toContain('each');
    }),
    { numRuns: runs(200) },
  );
});

test('"broad" is a change of three in four values by about as many percent as the whole', () => {
  const size = fc.integer({ min: 1, max: 10_000 });
  const percent = fc.oneof(fc.integer({ min: -100, max: 100 }), fc.integer({ min: -60, max: -40 }));
  const some = fc.array(fc.tuple(size, percent), { minLength: 2, maxLength: 12 });
  const headlineOf = (values: readonly (readonly [size: number, percent: number])[]) =>
    explanationOf(
      values.map(([own, by]) => ({
        before: figure(String(own)),
        now: figure(String((own * (100 + by)) / 100)),
      })),
    )?.headline ?? '';
  fc.assert(
    fc.property(some, values => {
      if (!headlineOf(values).includes('broad')) return;
      const all = sum(values.map(([own]) => own));
      const changes = values.map(([own, by]) => (own * by) / 100);
      const whole = sum(changes);
      const isAlike = ([own, by]: readonly [number, number]) => {
        const ratio = by / ((100 * whole) / all);
        return own > 0 && ratio > 0.499 && ratio < 2.001;
      };
      expect(values.filter(isAlike).length).toBeGreaterThanOrEqual(0.75 * values.length);
      for (const [at, [own]] of values.entries())
        expect((changes[at] ?? 0) / whole - own / all).toBeLessThan(0.251);
    }),
    { numRuns: runs(300) },
  );
  fc.assert(
    fc.property(
      fc.array(size, { minLength: 2, maxLength: 12 }),
      fc.integer({ min: 1, max: 99 }),
      (sizes, by) => {
        expect(headlineOf(sizes.map(own => [own, -by]))).toContain(
          `broad, ${sizes.length} of ${sizes.length} `,
        );
      },
    ),
    { numRuns: runs(100) },
  );
  const small = [
    [5000, -50],
    [500, -1],
    [500, -1],
    [500, 0],
  ] as const;
  expect(headlineOf(small)).toContain(': country v0 makes up over 99 % of the fall (-2,500).');
  const equal = [-50, -40, -60, 5].map(by => [1000, by] as const);
  expect(headlineOf(equal)).toContain(': broad, 3 of 4 values of country fell, most of all v2 ');
});

test('a share is rounded once', () => {
  // 62 of 166 is 37.349 %: of two decimals, it would be 37.4 %.
  const found = explanationOf([
    { before: figure('100'), now: figure('38') },
    { before: figure('200'), now: figure('96') },
  ]);
  const [, row] = found?.rows ?? [];
  expect(figuresFormat({ figure: 'percent', isChange: false }, [])(String(row?.share_percent))).toBe(
    '37.3 %',
  );
});

test('a share reads 100 % or "all" only if it is all, and 0 % only if it is nothing', () => {
  const size = fc.bigInt({ min: 1n, max: 10n ** 15n });
  const near = fc.tuple(fc.bigInt({ min: 1n, max: 9n }), fc.integer({ min: 4, max: 15 }));
  fc.assert(
    fc.property(size, near, fc.constantFrom(undefined, 0, 1, 3), (large, [few, power], decimals) => {
      const sizes = [large * 10n ** BigInt(power), few];
      const parts = sizes.map(own => ({ before: figure('0'), now: figure(String(own)) }));
      const found = explanationOf(parts) as Explained;
      expect(found.headline).toContain(' makes up over 99 % of the rise ');
      const [share] = explanationColumns(presentationOf('visits'), {
        isPerDay: false,
        isSum: true,
        sharesOf: undefined,
      }).filter(({ key }) => key === 'share_percent');
      const write = cellWriter({ ...PIPE, decimals }, found.jsonRows, share === undefined ? [] : [share]);
      const texts = found.jsonRows.map(row => write(row.share_percent, share ?? expect.unreachable()));
      for (const text of texts) expect(text).not.toMatch(/^(?:100|0)(?:\.0*)? %$/);
    }),
    { numRuns: runs(200) },
  );
});

test('a fall reads -100 % only if nothing is left', () => {
  const left = fc.integer({ min: 0, max: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 10_000_000 }), left, (before, now) => {
      const found = explanationOf([
        { before: figure(String(before)), now: figure(String(now)) },
      ]) as Explained;
      const texts = [found.headline, found.inWords(VISITS, {})[0]];
      const change = { value: String(now), before: String(before), difference: String(now - before) };
      const percent = changeBetween(change.before, change.value)?.relative;
      const total = {
        kind: 'change',
        metric: 'visits',
        unit: undefined,
        basis: 'rows',
        exceedsRows: false,
      } as const;
      const conclusion = { ...total, ...change, percent, completeness: { kind: 'complete' } } as const;
      for (const text of [...texts, conclusionText(conclusion), conclusionText(conclusion, {})])
        expect(/[-\u2212]100(?:\.0*)? %/.test(text ?? ''), text).toBe(now === 0);
    }),
    { numRuns: runs(300) },
  );
});

test('for people, a ratio is in percent and its change in points', () => {
  const parts = [
    { before: figure('432'), now: figure('405'), weightBefore: figure('1000'), weightNow: figure('1000') },
  ];
  const found = explanationOf(parts, { isSum: false, metric: 'bounce_rate' });
  expect(found?.sentences[0]).toMatch(/^bounce_rate fell by 0.02700 \(-6.3 %\)/);
  expect(found?.inWords({ shown: presentationOf('bounce_rate') }, {}).slice(0, 2)).toEqual([
    expect.stringMatching(/^Bounce rate fell by 2.7 pp \(\u22126.3 %\): device|country/),
    'From 43.2 % (1 to 7 March 2026) to 40.5 % (8 to 14 March 2026).',
  ]);
});

test('for people, figures have the unit and the format of the metric, and those of a list as many decimals', () => {
  const parts = [
    { before: figure('7200'), now: figure('3700.25') },
    { before: figure('30'), now: figure('75.5') },
  ];
  const found = explanationOf(parts, { metric: 'engaged_time' });
  expect(found?.inWords({ shown: presentationOf('engaged_time') }, {}).slice(0, 2)).toEqual([
    'Engaged time fell by 57 m 34 s (\u221247.8 %): country v0 makes up all of the falls of 58 m 20 s (\u221258 m 20 s).',
    'From 2 h 0 m 30 s (1 to 7 March 2026) to 1 h 2 m 56 s (8 to 14 March 2026).',
  ]);
  const dollars = { shown: presentationOf('revenue', () => ({ unit: 'USD' })) };
  const earlier = Array.from({ length: 26 }, (_, at) => [100, at % 2 === 0 ? 95 : 105.3] as const);
  const small = [
    { before: figure('4.138'), now: figure('4.1') },
    { before: figure('0.001'), now: figure('0.005') },
  ];
  const ofMoney = (options: object = {}) => explanationOf(small, { metric: 'revenue', ...options });
  expect(ofMoney()?.inWords(dollars, {})[0]).toBe(
    'Revenue fell by 0.03 USD (\u22120.8 %): country v0 makes up all of the falls of 0.038 USD (\u22120.038 USD), against v1 (+0.004 USD).',
  );
  expect(ofMoney({ earlier })?.inWords(dollars, {})[0]).toMatch(/ \(\u2212\d+\.\d % to \+\d+\.\d %\)\.$/);
  expect(ofMoney()?.sentences[0]).toMatch(/^revenue fell by 0.034 \(-0.8 %\)/);
});

/** A shown figure in exact digits: `1,234.50 USD`, `2 h 0 m 30 s`. */
function shownFigure(text: string) {
  const units = { h: 3600, m: 60, s: 1 };
  const parts = [...text.matchAll(/([\d,.]*\d) ?([hms]\b)?/g)];
  return parts.reduce(
    (all, [, digits = '', unit = 's']) =>
      all.plus(figure(digits.replaceAll(',', '')).times(units[unit as keyof typeof units])),
    EXACT_ZERO,
  );
}

test('the stated figures differ by the stated difference, for programs and for people', () => {
  const amount = fc.oneof(
    fc.stringMatching(/^[0-9]\.\d{1,6}$/),
    fc.stringMatching(/^[1-9]\d{0,6}\.\d{1,10}$/),
    fc.stringMatching(/^[1-9]\d{0,5}$/),
    fc.stringMatching(/^0\.0{0,4}[1-9]\d{0,5}$/),
    fc.stringMatching(/^17\.18[0-9]{0,4}$/),
  );
  const metric = fc.constantFrom('visits', 'revenue', 'epmv', 'engaged_time', 'bounce_rate', 'signups');
  const days = fc.constantFrom(7, 7, 6);
  fc.assert(
    fc.property(amount, amount, metric, days, (before, now, name, length) => {
      fc.pre(before !== now);
      const isSum = name !== 'epmv' && name !== 'bounce_rate';
      const weights = isSum ? {} : { weightBefore: figure('1000'), weightNow: figure('1000') };
      const parts = [{ before: figure(before), now: figure(now), ...weights }];
      const lengths = { before: 7, now: length };
      const found = explanationOf(parts, { isSum, metric: name, lengths });
      const texts = [found?.sentences ?? [], found?.inWords({ shown: presentationOf(name) }, {}) ?? []];
      for (const [at, [headline = '', periods = '']] of texts.entries()) {
        if (/did not change/.test(headline)) continue;
        const [, verb, size = ''] = / (fell|rose) by (.*?)(?: \(|: )/.exec(headline) ?? [];
        const [, from = '', to = ''] = /[Ff]rom (.*?) \(.*?\) to (.*?) \(/.exec(periods) ?? [];
        for (const text of [size, from, to]) expect(text).toMatch(/\d/);
        expect(/ v0 \([-+\u2212](.*?)\), and shows/.exec(headline)?.[1]).toBe(size);
        const isMoney = at === 1 && (name === 'revenue' || name === 'epmv');
        if (isMoney) for (const text of [size, from, to]) expect(text).toMatch(/\.\d{2,}$/);
        const shown = shownFigure(to).minus(shownFigure(from));
        expect(shownFigure(size).isZero(), headline).toBe(false);
        for (const [text, digits] of [
          [from, before],
          [to, now],
        ] as const)
          expect(shownFigure(text).isZero(), periods).toBe(figure(digits).isZero());
        const stated = shownFigure(size).times(verb === 'fell' ? -1 : 1);
        // Cents are rounded: from ten of them on, the difference may be one more or less.
        const unit = figure(`1e-${/\.(\d+)/.exec(size)?.[1]?.length ?? 0}`);
        const isClose = isMoney && stated.abs().gte(unit.times(10));
        const gap = shown.minus(stated).abs();
        expect(gap.lte(isClose ? unit : EXACT_ZERO), `${headline} ${periods}`).toBe(true);
      }
    }),
    { numRuns: runs(1000) },
  );
});

test('figures are stated with as few digits as agree', () => {
  const stated = (before: string, now: string, metric = 'revenue') =>
    explanationOf([{ before: figure(before), now: figure(now) }], { metric })
      ?.sentences.slice(0, 2)
      .join(' ');
  // 7.11 - 3.17 would be 3.94.
  expect(stated('3.1745', '7.1065')).toMatch(/rose by 3\.932 .* From 3\.175 .* to 7\.107 /);
  // No fewer than usual: "24.0" would stand beside a contribution of -23.96.
  expect(stated('797.18267', '773.22724')).toMatch(
    /fell by 23\.95543 .* v0 \(-23\.95543\).* From 797\.18267 /,
  );
  expect(stated('17.18751', '17.1879')).toMatch(/rose by 0\.00039 .* From 17\.18751 .* to 17\.18790 /);
  expect(stated('200', '100.25')).toMatch(/fell by 99\.75 .* From 200 .* to 100\.25 /);
});

test('days without rows of a rare event are counted in words', () => {
  const remarkOn = (...days: string[]) => {
    const rows = ['2026-02-01', ...days].map(
      day => [day, { value: day, figure: figure('1'), weight: undefined }] as const,
    );
    const daily = new DailyFigures(new Map(rows), { kind: 'additive' }, [
      { from: '2026-03-01', to: '2026-03-14' },
    ]);
    return explanationOf([{ before: figure('1'), now: figure(String(days.length)) }], { daily })
      ?.sentences[3];
  };
  const days = Array.from({ length: 7 }, (_, at) => `2026-03-${String(at + 8).padStart(2, '0')}`);
  const earlier = Array.from({ length: 7 }, (_, at) => `2026-03-0${at + 1}`);
  expect(remarkOn(...earlier, ...days.slice(0, 6))).toBe('1 day without rows counts as zero.');
  expect(remarkOn(...earlier.slice(1), ...days.slice(0, 5))).toBe(
    '3 days without rows count as zero (1 of them before).',
  );
  expect(remarkOn(...earlier.slice(1), ...days)).toBe('1 day without rows counts as zero (before).');
});

test('no share of a figure below zero is stated, because none means anything', () => {
  const changes = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 }));
  fc.assert(
    fc.property(changes, fc.boolean(), ([before, now], isSum) => {
      const weights = { weightBefore: figure('10'), weightNow: figure('10') };
      const parts = [{ before: figure(String(before)), now: figure(String(now)), ...(!isSum && weights) }];
      const { headline, data } = explanationOf(parts, { isSum }) as Explained & {
        data: { change_percent: number | null };
      };
      const [{ percent }] = data.conclusions;
      expect([percent === null, data.change_percent === null]).toEqual([before <= 0, before <= 0]);
      const [state = ''] = headline.split(':');
      expect(/ %\)/.test(state)).toBe(before > 0 && before !== now);
    }),
    { numRuns: runs(100) },
  );
});

test('values that raise a ratio are not said to have risen themselves', () => {
  // Each ratio is constant; the values with high ones become a larger share, by as much for each of three sizes.
  const parts = [
    ['100', '300', '10', '30'],
    ['90', '270', '10', '30'],
    ['80', '240', '10', '30'],
    ['1', '0', '60', '0'],
  ].map(([before = '', now = '', weightBefore = '', weightNow = '']) => ({
    ...{ before: figure(before), now: figure(now) },
    ...{ weightBefore: figure(weightBefore), weightNow: figure(weightNow) },
  }));
  fc.assert(
    fc.property(fc.oneof(fc.constant(parts), manyParts(weighted)), some => {
      const found = explanationOf(some, { isSum: false });
      for (const sentence of found?.sentences ?? [])
        expect(sentence.replace(/broad, it (?:rose|fell) in \d+ of/, '')).not.toMatch(
          /values of country (?:rose|fell)|^By .* (?:rose|fell)\b/,
        );
      for (const { value } of found?.rows ?? []) expect(value).not.toMatch(/that (?:rose|fell)/);
    }),
    { numRuns: runs(100) },
  );
  expect(explanationOf(parts, { isSum: false })?.headline).toMatch(
    /^visits rose by [^:]*, mostly because the mix of the values of country changed \(\+5.*\): v3 has 0 % of pageviews \(before 67 %\)\.$/,
  );
});

test('a rise where it usually falls is not more than a usual fall', () => {
  const earlier = Array.from({ length: 20 }, (_, at) => [100, 50 + (at % 2)] as const);
  const headline = (now: string) =>
    explanationOf([{ before: figure('100'), now: figure(now) }], { earlier })?.headline;
  expect(headline('110')).toContain('rose by 10 (+10.0 %), where it usually falls (-51.5 % to -47.4 %)');
  expect(headline('90')).toContain('fell by 10 (-10.0 %), less than usual (-51.5 % to -47.4 %)');
});

test('a headline names the largest contributor of the rows beside it, or says why it names none', () => {
  fc.assert(
    fc.property(manyParts(part), earlier, (parts, history) => {
      const { headline, rows, data } = explanationOf(parts, { earlier: history }) as Explained;
      const [{ verdict }] = data.conclusions;
      const moved = rows.filter(({ contribution, status }) => contribution !== 0 && status !== 'others');
      const largest = Math.max(0, ...moved.map(({ contribution }) => Math.abs(contribution)));
      for (const row of moved.slice(0, 1)) expect(Math.abs(row.contribution)).toBe(largest);
      if (verdict === 'usual') expect(headline).toMatch(/, as usual \(.* to .*\)\.$/);
      else if (verdict === 'unchanged') expect(headline).toMatch(/did not change/);
      else if (!/, less than usual \(.*\)\.$/.test(headline))
        expect(
          moved.some(
            ({ value, contribution }) =>
              Math.abs(contribution) === largest && new RegExp(`\\b${value}\\b`).test(headline),
          ),
        ).toBe(true);
    }),
    { numRuns: runs(100) },
  );
});

test('a share is one of all rises or of all falls, never above 100 %, and each direction has all of it', () => {
  fc.assert(
    fc.property(manyParts(part), fc.integer({ min: 1, max: 40 }), (parts, top) => {
      const { headline, rows } = explanationOf(parts, { top }) as Explained;
      for (const sign of [1, -1]) {
        const own = rows.filter(({ contribution }) => Math.sign(contribution) === sign);
        const all = sum(own.map(({ contribution }) => contribution));
        for (const { share_percent: share, contribution } of own) {
          expect(share).toBeLessThanOrEqual(100);
          expect(Math.abs((share ?? 0) - (100 * contribution) / all)).toBeLessThan(0.02);
        }
      }
      for (const [, percent] of headline.matchAll(/(\d+) % of the/g))
        expect(Number(percent)).toBeLessThan(101);
      if (/ makes up all of the (?:rise|fall)\b/.test(headline))
        expect(rows.filter(({ contribution }) => contribution !== 0)).toHaveLength(1);
    }),
    { numRuns: runs(100) },
  );
});

test('"broad", "cancel" and "against" hold of the rows beside them, whatever --top hides', () => {
  fc.assert(
    fc.property(manyParts(part), fc.integer({ min: 1, max: 40 }), (parts, top) => {
      const { headline, rows } = explanationOf(parts, { top }) as Explained;
      const side = (sign: number) => rows.filter(({ contribution }) => Math.sign(contribution) === sign);
      const [rises, falls] = [1, -1].map(sign =>
        Math.abs(sum(side(sign).map(({ contribution }) => contribution))),
      ) as [number, number];
      const broad = /broad, (\d+) of (\d+) values of country (rose|fell)/.exec(
        headline.replaceAll(/(\d),(\d)/g, '$1$2'),
      );
      if (broad !== null) {
        const [, some, all, verb] = broad;
        expect(sum(rows.map(countOf))).toBe(Number(all));
        expect(sum(side(verb === 'rose' ? 1 : -1).map(countOf))).toBe(Number(some));
        expect(Number(some)).toBeGreaterThanOrEqual(0.75 * Number(all));
      }
      const [less, more] = [Math.min(rises, falls), Math.max(rises, falls)];
      if (headline.includes('partly cancel') || headline.includes('nearly cancel')) {
        expect(less / more).toBeGreaterThan(headline.includes('nearly') ? 0.799 : 0.499);
        for (const sign of [1, -1]) expect(headline).toMatch(new RegExp(`\\b${side(sign)[0]?.value}\\b`));
      }
      // Nothing as large as what is named is left out.
      const opposite = side(rises > falls ? -1 : 1)[0];
      const own = side(rises > falls ? 1 : -1)[0];
      if (
        /did not change/.test(headline) ||
        opposite === undefined ||
        own === undefined ||
        opposite.status === 'others'
      )
        return;
      if (Math.abs(opposite.contribution) > Math.abs(own.contribution))
        expect(headline).toMatch(new RegExp(`\\b${opposite.value}\\b`));
    }),
    { numRuns: runs(100) },
  );
});

test('"as usual" and "more than usual" hold of the range in the sentence', () => {
  fc.assert(
    fc.property(manyParts(part), earlier, (parts, history) => {
      const { headline, data } = explanationOf(parts, { earlier: history }) as Explained;
      const [{ verdict, usual, percent }] = data.conclusions;
      expect(verdict === 'unknown').toBe(usual === null && data.change !== 0);
      if (usual === null || verdict === 'unchanged') return;
      const size = usual.unit === 'percent' ? Number(percent) : data.change;
      const slack = usual.unit === 'percent' ? 0 : 0.005 * Math.max(1, Math.abs(size));
      if (verdict === 'usual') expect(size >= usual.from - slack && size <= usual.to + slack).toBe(true);
      else expect(size <= usual.from + slack || size >= usual.to - slack).toBe(true);
      expect(headline).toMatch(verdict === 'usual' ? /, as usual \(/ : /, (?:more|less) than usual \(/);
    }),
    { numRuns: runs(100) },
  );
});

test('a change that rounds to zero is not usual where there is usually none', () => {
  const history = Array.from({ length: 26 }, () => [1_000_000, 1_000_000] as const);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), fc.boolean(), (size, isFall) => {
      const now = 1_000_000 + (isFall ? -size : size);
      const parts = [
        { before: figure('600000'), now: figure(String(now - 400_000)) },
        { before: figure('400000'), now: figure('400000') },
      ];
      const { headline, data } = explanationOf(parts, { earlier: history }) as Explained;
      expect(data.conclusions[0].verdict).toBe('unusual');
      expect(headline).toContain(', more than usual (usually none): country v0 makes up all of the ');
    }),
    { numRuns: runs(50) },
  );
});

test('periods of unequal length are compared per day, and the sentence says so', () => {
  const length = fc.integer({ min: 1, max: 31 });
  fc.assert(
    fc.property(manyParts(part), length, length, (parts, before, now) => {
      const { headline, sentences, rows, data } = explanationOf(parts, {
        lengths: { before, now },
        before: { from: '2026-01-01', to: addDays('2026-01-01', before - 1) },
        days: { from: '2026-03-01', to: addDays('2026-03-01', now - 1) },
        top: 5,
      }) as Explained;
      const isPerDay = before !== now;
      expect(headline.startsWith('visits per day ')).toBe(isPerDay);
      expect(sentences[1]?.startsWith('Per day, because the periods differ in length: ') === true).toBe(
        isPerDay,
      );
      const total = (side: 'before' | 'now') => sum(rows.map(row => row[side]));
      expect(near(total('now') - total('before'), data.change)).toBe(true);
      const all = sum(parts.map(one => one.now.toNumber()));
      expect(near(total('now'), isPerDay ? all / now : all)).toBe(true);
    }),
    { numRuns: runs(100) },
  );
});

test('a ratio that falls although every value rose is said to have fallen by mix', () => {
  const shares = [
    { before: figure('90'), now: figure('11'), weightBefore: figure('900'), weightNow: figure('100') },
    { before: figure('1'), now: figure('18'), weightBefore: figure('100'), weightNow: figure('900') },
  ];
  const { sentences } = explanationOf(shares, { isSum: false }) as Explained;
  expect(sentences.find(text => text.startsWith('Mix'))).toBe(
    'Mix: visits fell, although it rose in 2 of 2 values of country and fell in none (mix -0.07200, performance +0.01000).',
  );
});

test('mix and performance of a ratio hold of the rows', () => {
  fc.assert(
    fc.property(manyParts(weighted), parts => {
      const found = explanationOf(parts, { isSum: false, top: 2000 });
      if (found === undefined) return;
      const { sentences, rows, data } = found;
      const total = (key: string) =>
        sum(rows.map(row => (row as unknown as Record<string, number>)[key] ?? 0));
      expect(near(total('mix') + total('rate'), data.change)).toBe(true);
      const text = sentences.find(sentence => /^(?:Mix|Performance|Both)/.test(sentence)) ?? '';
      if (text.startsWith('Mix')) expect(total('mix') * data.change).toBeGreaterThanOrEqual(0);
      if (text.startsWith('Performance')) expect(total('rate') * data.change).toBeGreaterThanOrEqual(0);
      const paradox = /although it (rose|fell) in (\d+) of/.exec(text);
      if (paradox === null) return;
      const sign = paradox[1] === 'rose' ? 1 : -1;
      expect(Math.sign(data.change)).toBe(-sign);
      const both = rows
        .filter((_, at) => at >= 0)
        .filter(
          ({ status, before, now }) =>
            status !== 'new' && status !== 'gone' && before !== null && now !== null,
        );
      expect(
        both.filter(({ before, now }) => Math.sign(now - before) === -sign && !near(now, before)),
      ).toEqual([]);
    }),
    { numRuns: runs(100) },
  );
});

interface RatioRow extends Row {
  readonly mix: number;
  readonly rate: number;
  readonly weight_percent_before: number;
  readonly weight_percent: number;
}

const amount = fc.integer({ min: 1, max: 1000 });
/** Values with positive weights and figures: `[figure before, figure now, weight before, weight now]`. */
const ratioParts = fc.array(fc.tuple(amount, amount, amount, amount), { minLength: 2, maxLength: 6 });
const ratiosOf = (values: readonly (readonly number[])[]) => {
  const parts = values.map(own => {
    const [before, now, weightBefore, weightNow] = own.map(one => figure(String(one)));
    return { before, now, weightBefore, weightNow } as Part;
  });
  const found = explanationOf(parts, { isSum: false, top: 1000 }) as Explained;
  return { ...found, rows: found.rows as unknown as readonly RatioRow[] };
};
const share = (percent: number) =>
  percent < 0.5 ? 'under 1' : percent > 99.5 ? 'over 99' : percent.toFixed(0);

test('a ratio that changed mostly by mix names no value as its cause, but the share that adds most to the mix', () => {
  fc.assert(
    fc.property(ratioParts, values => {
      const { headline, rows, data } = ratiosOf(values);
      const [mix, rate] = [sum(rows.map(row => row.mix)), sum(rows.map(row => row.rate))];
      const part = Math.abs(mix) / (Math.abs(mix) + Math.abs(rate));
      if (data.change === 0 || Math.abs(part - 0.8) < 1e-6 || Math.abs(part - 0.5) < 1e-6) return;
      const isMix = part > 0.8 || (mix * rate < 0 && part > 0.5);
      expect(headline.includes('because the mix of the values of country changed')).toBe(isMix);
      if (!isMix) return;
      expect(mix * data.change).toBeGreaterThan(0);
      expect(headline).not.toMatch(/makes? up|broad|cancel/);
      expect(headline.includes('mostly because')).toBe(part > 0.8);
      expect(headline.includes('against performance')).toBe(part < 0.8);
      const [, value] = /: (v\d+) has /.exec(headline) ?? [];
      const named = rows.find(row => row.value === value) ?? expect.unreachable();
      for (const row of rows)
        expect(named.mix * Math.sign(mix)).toBeGreaterThanOrEqual(row.mix * Math.sign(mix));
      const shares = [share(named.weight_percent), share(named.weight_percent_before)];
      if (shares[0] !== shares[1] && shares.every(one => !one.startsWith('9') && Number(one) > 1))
        expect(headline).toContain(`has ${shares[0]} % of pageviews (before ${shares[1]} %)`);
    }),
    { numRuns: runs(300) },
  );
});

test('the shares of a ratio are those of its weights', () => {
  fc.assert(
    fc.property(ratioParts, values => {
      const { rows } = ratiosOf(values);
      for (const [key, at] of [
        ['weight_percent_before', 2],
        ['weight_percent', 3],
      ] as const) {
        const all = sum(values.map(own => own[at] ?? 0));
        for (const row of rows)
          expect(row[key]).toBeCloseTo((100 * (values[Number(row.value.slice(1))]?.[at] ?? 0)) / all, 8);
      }
    }),
    { numRuns: runs(100) },
  );
});

test('a ratio whose values changed by the same percentage changed broadly, and "broad" counts the ratios beside it', () => {
  const divisor = fc.integer({ min: 2, max: 9 });
  const sizes = fc.array(fc.tuple(amount, amount), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(sizes, divisor, (values, by) => {
      const { headline } = ratiosOf(values.map(([own, weight]) => [own * by, own, weight, weight]));
      expect(headline).toContain(
        `: broad, it fell in ${values.length} of ${values.length} values of country, `,
      );
    }),
    { numRuns: runs(100) },
  );
  fc.assert(
    fc.property(ratioParts, values => {
      const { headline, rows, data } = ratiosOf(values);
      const [, verb, some, all] = /broad, it (rose|fell) in (\d+) of (\d+) values/.exec(headline) ?? [];
      if (verb === undefined) return;
      const own = rows.filter(({ before, now }) => Math.sign(now - before) === (verb === 'rose' ? 1 : -1));
      expect(Math.sign(data.change)).toBe(verb === 'rose' ? 1 : -1);
      expect([own.length, rows.length]).toEqual([Number(some), Number(all)]);
      expect(own.length).toBeGreaterThanOrEqual(0.75 * rows.length);
    }),
    { numRuns: runs(300) },
  );
});

test('mix and performance that work against each other are both named', () => {
  const cancel = ratiosOf([
    [630, 420, 700, 350],
    [105, 315, 700, 1050],
  ]);
  expect(cancel.headline).toBe('visits did not change: 0.5250 in both periods.');
  expect(cancel.sentences).toContainEqual(
    expect.stringMatching(
      /^Mix and performance of the values of country cancel \(mix -0\.2.*, performance \+0\.2.*\)\.$/,
    ),
  );
  fc.assert(
    fc.property(ratioParts, values => {
      const { sentences, rows, data } = ratiosOf(values);
      const [mix, rate] = [sum(rows.map(row => row.mix)), sum(rows.map(row => row.rate))];
      const less = Math.min(Math.abs(mix), Math.abs(rate)) / (Math.abs(mix) + Math.abs(rate));
      if (mix * rate >= 0 || less < 0.201 || data.change === 0) return;
      const [text = ''] = sentences.filter(one => / \(mix .*, performance .*\)\.$/.test(one));
      if (text.includes(', although it ')) return;
      const [did, undid] = data.change > 0 ? ['raised', 'lowered'] : ['lowered', 'raised'];
      const [first, second] = mix * data.change > 0 ? ['Mix', 'performance'] : ['Performance', 'mix'];
      expect(text).toContain(
        `${first} of the values of country ${did} visits, and ${second} ${undid} it (mix `,
      );
    }),
    { numRuns: runs(200) },
  );
});

test('one value of a ratio, which shows no cause, has no sentence on mix and performance', () => {
  const { headline, sentences } = ratiosOf([[700, 350, 7, 7]]);
  expect(headline).toContain('country has one value, v0 (-50), and shows no cause.');
  expect(sentences.join(' ')).not.toMatch(/mix|performance/i);
});

test('"usually none", or any other single change, is at least nine of ten earlier ones', () => {
  const move = fc.constantFrom(100, 100, 100, 150, 66);
  fc.assert(
    fc.property(
      fc.array(move, { minLength: 8, maxLength: 26 }),
      fc.integer({ min: 101, max: 200 }),
      (moves, now) => {
        const parts = [{ before: figure('100'), now: figure(String(now)) }];
        const { headline, sentences } = explanationOf(parts, {
          earlier: moves.map(later => [100, later] as const),
        }) as Explained;
        const equal = moves.filter(later => later === 100).length;
        const most = Math.max(...[100, 150, 66].map(one => moves.filter(later => later === one).length));
        if (headline.includes('usually none')) expect(equal).toBeGreaterThanOrEqual(0.9 * moves.length);
        if (/\((\S+ %) to \1\)/.test(headline)) expect(most).toBeGreaterThanOrEqual(0.9 * moves.length);
        const [unknown = ''] = sentences.filter(text =>
          text.startsWith('Which changes are usual is unknown'),
        );
        const [, some, all] = /: (\d+) of (\d+) earlier changes are equal/.exec(unknown) ?? [];
        if (unknown !== '') expect([Number(some), Number(all)]).toEqual([most, moves.length]);
        if (equal >= 0.9 * moves.length) expect(headline).toContain('usually none');
      },
    ),
    { numRuns: runs(300) },
  );
  const promotions = Array.from(
    { length: 26 },
    (_, at) => [700, at < 5 ? 1050 : at < 10 ? 467 : 700] as const,
  );
  const { headline, sentences } = explanationOf([{ before: figure('700'), now: figure('910') }], {
    earlier: promotions,
  }) as Explained;
  expect(headline).toMatch(/^visits rose by 210 \(\+30\.0 %\): /);
  expect(sentences).toContain(
    'Which changes are usual is unknown: 16 of 26 earlier changes are equal, and the others are not.',
  );
});

test('the figures of a table agree visibly with the contribution beside them, however small', () => {
  const cellsOf = (parts: readonly Part[]) => {
    const found = explanationOf(parts, { metric: 'revenue' }) as Explained;
    const dollars = presentationOf('revenue', () => ({ unit: 'USD' }));
    const columns = explanationColumns(dollars, { isPerDay: false, isSum: true, sharesOf: undefined });
    const write = cellWriter(PIPE, found.jsonRows, columns);
    return found.jsonRows.map(row =>
      columns.slice(3, 6).map(column => write(row[column.key], column).replace('\u2212', '-')),
    );
  };
  expect(cellsOf([{ before: figure('0.008641969'), now: figure('0.007777') }])).toEqual([
    ['0.009', '0.008', '-0.001'],
  ]);
  const cents = fc.integer({ min: 1, max: 2000 }).map(units => figure((units / 10_000).toFixed(4)));
  fc.assert(
    fc.property(fc.array(fc.tuple(cents, cents), { minLength: 1, maxLength: 5 }), pairs => {
      for (const [before = '', now = '', change = ''] of cellsOf(
        pairs.map(([then, later]) => ({ before: then, now: later })),
      )) {
        if (/[1-9]/.test(change)) expect(now).not.toBe(before);
        const places = Math.min(...[before, now, change].map(text => text.split('.')[1]?.length ?? 0));
        expect(Math.abs(Number(now) - Number(before) - Number(change))).toBeLessThan(1.6 * 10 ** -places);
      }
    }),
    { numRuns: runs(200) },
  );
});
