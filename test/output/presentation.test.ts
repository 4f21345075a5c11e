import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonNumber } from '../../src/json/index.ts';
import {
  changeOf,
  headingOf,
  type Presentation,
  presentationOf,
} from '../../src/output/presentation/column.ts';
import { datesFormat, dateText, periodText } from '../../src/output/presentation/dates.ts';
import { agreeingStyle, figuresFormat, percentChange } from '../../src/output/presentation/figures.ts';
import { ENGLISH, localeOf, machineLocale } from '../../src/output/presentation/locale.ts';
import { render } from '../../src/output/render.ts';
import { PIPE } from './styles.ts';

const GERMAN = localeOf('de-DE');
const shown = (name: string, figures: string[], unit?: string) =>
  figures.map(
    figuresFormat(
      presentationOf(name, () => (unit === undefined ? undefined : { unit })),
      figures,
    ),
  );

test('a column is called what the gateway calls it, then what the documentation does, then by its name', () => {
  expect(headingOf(presentationOf('pageviews', () => ({ label: 'Views' })))).toBe('Views');
  expect(headingOf(presentationOf('pageviews'))).toBe('Page views');
  expect(headingOf(presentationOf('page_url'))).toBe('Page URL');
  expect(headingOf(presentationOf('__proto__'))).toBe('Proto');
  expect(headingOf(presentationOf('constructor'))).toBe('Constructor');
  expect(headingOf(presentationOf('_'))).toBe('_');
});

test('a unit is in the heading, unless the figures have it', () => {
  const headings = [
    ['revenue', 'USD'],
    ['visits', 'count'],
    ['bounce_rate', 'ratio'],
    ['engaged_time', 'seconds'],
    ['copies', 'count per visit'],
    ['pages_per_visit', 'count per visit'],
  ].map(([name = '', unit]) => headingOf(presentationOf(name, () => ({ unit }))));
  expect(headings).toEqual([
    'Revenue (USD)',
    'Visits',
    'Bounce rate',
    'Engaged time',
    'Copies (count per visit)',
    'Pages per visit',
  ]);
});

test('the columns of a comparison are called after their figure', () => {
  const facts = (name: string) => (name === 'revenue' ? { unit: 'USD' } : undefined);
  const headings = ['revenue_before', 'revenue_change', 'revenue_change_percent'].map(name =>
    headingOf(presentationOf(name, facts)),
  );
  expect(headings).toEqual(['Revenue before (USD)', 'Revenue change (USD)', 'Revenue change %']);
});

test('figures are written by their kind', () => {
  expect(shown('visits', ['1234567', '-5'])).toEqual(['1,234,567', '−5']);
  expect(shown('bounce_rate', ['0.44', '1', '0', '0.4449'])).toEqual([
    '44.0 %',
    '100.0 %',
    '0.0 %',
    '44.5 %',
  ]);
  expect(shown('revenue', ['1234.5', '12345678901234567890.125'])).toEqual([
    '1,234.50',
    '12,345,678,901,234,567,890.13',
  ]);
  expect(shown('engaged_time', ['192', '9.25', '59.4', '59.5', '7265', '1234567'])).toEqual([
    '3 m 12 s',
    '9.3 s',
    '59 s',
    '1 m 0 s',
    '2 h 1 m',
    '342 h 56 m',
  ]);
  expect(shown('x', ['1.5', '20.25', '3'], 'count per visit')).toEqual(['1.50', '20.25', '3.00']);
  expect(shown('visits_change', ['-12', '0', '12'])).toEqual(['−12', '0', '+12']);
  expect(shown('visits_change_percent', ['-0.4992', '0', '1234.5'])).toEqual([
    '−0.5 %',
    '0.0 %',
    '+1,234.5 %',
  ]);
});

test('a time of an hour or more is rounded to minutes once, from all of its digits', () => {
  expect(shown('engaged_time', ['3599.4', '3599.5', '7229.6', '7229.999', '7230', '-7229.6'])).toEqual([
    '59 m 59 s',
    '1 h 0 m',
    '2 h 0 m',
    '2 h 0 m',
    '2 h 1 m',
    '−2 h 0 m',
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 3_600_000, max: 4_000_000_000 }), thousandths => {
      const minutes = Math.floor((thousandths + 30_000) / 60_000);
      const [text = ''] = shown('engaged_time', [String(thousandths / 1000)]);
      expect(text.replace(',', '')).toBe(`${Math.floor(minutes / 60)} h ${minutes % 60} m`);
    }),
  );
});

test('a ratio above 1 is a number, because it is no share', () => {
  expect(shown('bounce_rate', ['0.5', '3.25'])).toEqual(['0.50', '3.25']);
});

test('a figure is written as in the locale, and has all digits on request', () => {
  const revenue = presentationOf('revenue', () => ({ unit: 'USD' }));
  expect(figuresFormat(revenue, ['1234.5'])('1234.5')).toBe('1,234.50');
  expect(figuresFormat(revenue, ['1234.5'], { locale: GERMAN })('1234.5')).toBe('1.234,50');
  expect(figuresFormat(revenue, ['1234.56789'], { decimals: 'all' })('1234.56789')).toBe('1,234.56789');
  expect(figuresFormat(presentationOf('bounce_rate'), ['0.4444'], { decimals: 'all' })('0.4444')).toBe(
    '0.4444',
  );
  expect(percentChange('-0.4992', { unicode: false })).toBe('-0.5 %');
});

test('a date has no marks of direction, which a terminal would show as escapes', () => {
  const arabic = localeOf('ar-EG');
  expect(dateText('2026-11-26', { locale: arabic })).toBe('26/11/2026');
  expect(dateText('2026-11', { locale: arabic })).toBe('11/2026');
});

test('a locale is of a flag or of the environment', () => {
  expect([localeOf('de-DE'), localeOf('en-US'), localeOf('fr_FR!')]).toEqual([
    { tag: 'de-DE', group: '.', decimal: ',' },
    ENGLISH,
    undefined,
  ]);
  expect(machineLocale({ LANG: 'de_DE.UTF-8' })).toEqual(GERMAN);
  expect(machineLocale({ LANG: 'de_DE.UTF-8', LC_ALL: 'C.UTF-8' })).toBe(ENGLISH);
  expect(machineLocale({ LANG: 'nonsense!' })).toBe(ENGLISH);
  expect(machineLocale({})).toBe(ENGLISH);
});

test('a typed locale may have the form of LANG', () => {
  for (const tag of ['de_DE.UTF-8', 'de_DE', 'de_DE@euro']) expect(localeOf(tag)).toEqual(GERMAN);
  for (const tag of ['C', 'C.UTF-8', 'POSIX', 'en_US.UTF-8']) expect(localeOf(tag)).toBe(ENGLISH);
});

test('days are named in tables and written out in sentences', () => {
  const days = ['2026-11-16', '2026-11-22 (5 of 7 days)', '2026-11', '2026-02-31', 'none'];
  expect(days.map(datesFormat(days.slice(0, 3)))).toEqual([
    'Mon 16 Nov',
    'Sun 22 Nov (5 of 7 days)',
    'Nov 2026',
    '2026-02-31',
    'none',
  ]);
  expect(datesFormat(['2025-12-31', '2026-01-01'])('2025-12-31')).toBe('Wed 31 Dec 2025');
  expect(datesFormat([], { locale: GERMAN })('2026-11-16')).toBe('Mon 16.11.2026');
  expect(periodText({ from: '2026-11-16', to: '2026-11-22' })).toBe('16 to 22 November 2026');
  expect(periodText({ from: '2026-11-30', to: '2026-12-06' })).toBe('30 November to 6 December 2026');
  expect(periodText({ from: '2025-12-29', to: '2026-01-04' })).toBe('29 December 2025 to 4 January 2026');
  expect(periodText({ from: '2026-11-16', to: '2026-11-16' })).toBe('16 November 2026');
  expect(periodText({ from: '2026-11-16', to: '2026-11-22' }, { locale: GERMAN })).toBe(
    '16.11.2026 to 22.11.2026',
  );
  expect(dateText('2026-11')).toBe('November 2026');
});

const digits = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.stringMatching(/^\d{0,18}$/))
  .map(([integer, decimals]) => (decimals === '' ? String(integer) : `${integer}.${decimals}`));
const kind = fc.constantFrom('visits', 'revenue', 'bounce_rate', 'engaged_time', 'x', 'x_change');

test('a figure that is not zero never looks like zero, and a fall never like a rise', () => {
  fc.assert(
    fc.property(kind, fc.array(digits, { minLength: 1, maxLength: 5 }), (name, figures) => {
      for (const [at, text] of shown(name, figures).entries()) {
        const figure = figures[at] ?? '';
        const isZero = !/[1-9]/.test(figure);
        expect(/[1-9]/.test(text)).toBe(!isZero);
        expect(text.startsWith('−')).toBe(figure.startsWith('-') && !isZero);
      }
    }),
  );
});

test('with all decimals, no digit is lost in any locale', () => {
  fc.assert(
    fc.property(
      kind,
      digits,
      fc.constantFrom('en', 'de-DE', 'fr-FR', 'es-ES', 'sv-SE'),
      (name, figure, tag) => {
        const locale = localeOf(tag);
        const text = figuresFormat(presentationOf(name), [figure], { locale, decimals: 'all' })(figure);
        expect(text.replace(/\D/g, '')).toBe(figure.replace(/\D/g, ''));
      },
    ),
  );
});

test('labels and formats never change a figure or a name for programs', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ name: kind, figure: digits }), { minLength: 1 }), cells => {
      const row = Object.fromEntries(cells.map(({ name, figure }) => [name, jsonNumber(figure)]));
      const columns = Object.keys(row).map(key => ({ key, kind: 'number' as const }));
      const presented = columns.map(column => ({ ...column, presentation: presentationOf(column.key) }));
      const style = { ...PIPE, locale: GERMAN, decimals: 1 };
      for (const format of ['json', 'ndjson', 'csv', 'tsv'] as const)
        expect(render([row], { columns: presented }, format, style)).toBe(
          render([row], { columns }, format, PIPE),
        );
    }),
  );
});

test('small figures of a list have as many decimals as the smallest, unless that has far more', () => {
  const texts = (figure: Presentation['figure'], ...figures: string[]) =>
    figures.map(figuresFormat({ figure, isChange: true }, figures));
  expect(texts('money', '0.0213', '0.0176', '-0.0041')).toEqual(['+0.021', '+0.018', '\u22120.004']);
  expect(texts('ratio', '0.0001', '0.0000467')).toEqual(['+0.010 pp', '+0.005 pp']);
  expect(texts('money', '0.5', '0.0000004')).toEqual(['+0.50', '+0.0000004']);
  expect(texts('money', '10.5', '0.001')).toEqual(['+10.50', '+0.001']);
});

test('displayed figures agree with their displayed change, or have more decimals until they do', () => {
  const figure = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 999 }));
  const digitsOf = ([whole, part]: [number, number]) => `${whole}.${String(part).padStart(3, '0')}`;
  fc.assert(
    fc.property(
      figure,
      figure,
      fc.constantFrom('money' as const, 'number' as const, 'percent' as const),
      fc.constantFrom(undefined, 0, 1, 2),
      (now, then, kind, decimals) => {
        const [value, before] = [digitsOf(now), digitsOf(then)];
        const thousandths = now[0] * 1000 + now[1] - then[0] * 1000 - then[1];
        const difference = String(thousandths / 1000);
        const style = agreeingStyle({ figure: kind }, [{ now: value, before, difference }], { decimals });
        const format = figuresFormat({ figure: kind, isChange: false }, [value, before], style);
        const change = figuresFormat(changeOf({ figure: kind, isChange: false }), [value, before], style);
        const number = (text: string) => Number(text.replace('\u2212', '-').replace(/[+%p ]/g, ''));
        const shown = number(format(value)) - number(format(before));
        const stated = number(change(difference));
        if (thousandths !== 0) {
          expect(format(value)).not.toBe(format(before));
          expect(stated).not.toBe(0);
        }
        const unit = 10 ** -(format(value).split('.')[1]?.replace(/\D/g, '').length ?? 0);
        const isVisible = Math.abs(stated) > 9.5 * unit;
        expect(Math.abs(shown - stated)).toBeLessThan(isVisible ? 1.5 * unit : unit / 2);
      },
    ),
  );
});

test('"from 3 to 3, +1" has a decimal', () => {
  const compared = [{ now: '3.4', before: '2.6', difference: '0.8' }];
  expect(agreeingStyle({ figure: 'money' }, compared, { decimals: 0 })).toEqual({ decimals: 1 });
});

test('a table of few decimals shows that a changed figure has changed', () => {
  const row = { share: jsonNumber('3.4'), share_before: jsonNumber('2.6'), share_change: jsonNumber('0.4') };
  const columns = Object.keys(row).map(key => ({
    key,
    kind: 'number' as const,
    presentation: presentationOf(key),
  }));
  const table = (rows: (typeof row)[]) => render(rows, { columns }, 'table', { ...PIPE, decimals: 0 });
  expect(table([row])).toMatch(/3\.4 +2\.6 +\+0\.4\n/);
  expect(table([{ ...row, share_before: jsonNumber('1.4'), share_change: jsonNumber('2') }])).toMatch(
    / 3 +1 +\+2\n/,
  );
});

test.each([
  ['1'.padEnd(61, '0'), '1.00E60'],
  [`-${'9'.repeat(61)}`, '\u22121.00E61'],
  ['123456'.padEnd(70, '7'), '1.23E69'],
  ['1'.padEnd(60, '0'), `1${',000'.repeat(19)}`.replace(/^1,000/, '100,000')],
])('a figure of more than sixty digits is written in powers of ten: %s', (digits, text) => {
  expect(figuresFormat({ figure: 'count', isChange: false }, [digits])(digits)).toBe(text);
  const all = figuresFormat({ figure: 'count', isChange: false }, [digits], { decimals: 'all' })(digits);
  expect(all.replace(/[^0-9]/g, '')).toBe(digits.replace('-', ''));
});
