import { Decimal } from 'decimal.js';
import { ownSpelling, scalarText } from '../apis/bda/fields.ts';
import type { Json, JsonRecord } from '../json/index.ts';
import { isNumberText } from './values.ts';

type Row = JsonRecord;

export interface CompareOptions {
  /** Columns that identify a row, by their v2 names. */
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  /** v2 column name to v1 column name, where they differ. */
  readonly v1Columns?: Readonly<Record<string, string>>;
  /** Metric to the number of decimals that the v1 request sets. */
  readonly decimals?: Readonly<Record<string, number>>;
  /** Metrics that v1 is known to round, possibly to integers. Any other metric is compared exactly. */
  readonly rounded?: readonly string[];
}

/**
 * `same`: equal in every row. `rounded`: equal once v1's rounding is allowed for. `different`: some row differs by more.
 * `absent`: one side has no such column. `unverified`: no rows to compare.
 */
export type Verdict = 'same' | 'rounded' | 'different' | 'absent' | 'unverified';

export interface MetricComparison {
  readonly metric: string;
  readonly verdict: Verdict;
  /** Decimals of v1: as requested, or the maximum among its values. */
  readonly decimals: number;
  readonly compared: number;
  readonly differing: number;
  /** The versions without such a column; set if the verdict is `absent`. */
  readonly lacking?: readonly ('v1' | 'v2')[];
  /** The largest difference beyond rounding, as decimal text without its sign. */
  readonly largest?: string;
}

/** One value that differs between v1 and v2, as text. */
export interface Difference {
  readonly row: Readonly<Record<string, string>>;
  readonly metric: string;
  readonly v1: string;
  readonly v2: string;
  /** v2 minus v1; absent unless both are numbers. */
  readonly difference?: string;
}

export interface Comparison {
  /** The same rows in both versions, no metric different or absent. True, though unverified, if neither has rows. */
  readonly parity: boolean;
  readonly joined: number;
  /** Dimensions of rows that only one version has. */
  readonly onlyV1: readonly Readonly<Record<string, string>>[];
  readonly onlyV2: readonly Readonly<Record<string, string>>[];
  readonly metrics: readonly MetricComparison[];
  readonly differences: readonly Difference[];
}

/** More decimals than a figure has. */
const MOST_DECIMALS = 100;

/** Precise enough that no difference is rounded. */
const Exact = Decimal.clone({ precision: 200 });

/** Joins the rows of v1 and v2 on the dimensions (case-insensitive names) and compares each metric exactly, or to the rounding that the migration announced. */
export function compareRows(
  v1Rows: readonly Row[],
  v2Rows: readonly Row[],
  options: CompareOptions,
): Comparison {
  const v1 = readRows(v1Rows, options, options.v1Columns ?? {});
  const v2 = readRows(v2Rows, options, {});
  const pairs: [KeyedRow, KeyedRow][] = [];
  const onlyV1: KeyedRow[] = [];
  for (const [key, row] of v1) {
    const partner = v2.get(key);
    if (partner === undefined) onlyV1.push(row);
    else pairs.push([row, partner]);
  }
  const onlyV2 = [...v2].filter(([key]) => !v1.has(key)).map(([, row]) => row);
  const columns = options.metrics.map(metric => compareMetric(metric, pairs, options));
  const metrics = columns.map(column => column.comparison);
  return {
    parity:
      onlyV1.length + onlyV2.length === 0 &&
      metrics.every(({ verdict }) => verdict !== 'different' && verdict !== 'absent'),
    joined: pairs.length,
    onlyV1: onlyV1.map(({ dimensions }) => dimensions),
    onlyV2: onlyV2.map(({ dimensions }) => dimensions),
    metrics,
    differences: columns.flatMap(column => column.differences),
  };
}

interface KeyedRow {
  readonly dimensions: Readonly<Record<string, string>>;
  /** Metric to its value as text; null is `null`. */
  readonly figures: ReadonlyMap<string, string>;
}

/** Rows by their dimensions; rows with equal dimensions are numbered, so that they pair up in order. */
function readRows(
  rows: readonly Row[],
  { dimensions, metrics }: CompareOptions,
  names: Readonly<Record<string, string>>,
): Map<string, KeyedRow> {
  const keyed = new Map<string, KeyedRow>();
  const turns = new Map<string, number>();
  for (const row of rows) {
    const cell = (column: string): Json | undefined => {
      const renamed = Object.hasOwn(names, column) ? names[column] : undefined;
      const own = (renamed && ownSpelling(row, renamed)) ?? ownSpelling(row, column);
      return own === undefined ? undefined : row[own];
    };
    const values = dimensions.map(name => cell(name) ?? null);
    const shown = values.map(cellText);
    const key = JSON.stringify(values.map((value, index) => (value === null ? null : shown[index])));
    const turn = (turns.get(key) ?? 0) + 1;
    turns.set(key, turn);
    const figures = metrics.flatMap((metric): [string, string][] => {
      const value = cell(metric);
      return value === undefined ? [] : [[metric, cellText(value)]];
    });
    const named = Object.fromEntries(dimensions.map((name, index) => [name, shown[index] ?? '']));
    keyed.set(`${key} ${turn}`, { dimensions: named, figures: new Map(figures) });
  }
  return keyed;
}

/** Removes a midnight time from a date, so that both spellings of a day compare equal. */
function cellText(value: unknown): string {
  const text = scalarText(value) ?? JSON.stringify(value ?? null);
  return /^(\d{4}-\d\d-\d\d)[T ]00:00(:00(\.0+)?)?(Z|[+-]00:?00)?$/.exec(text)?.[1] ?? text;
}

function compareMetric(
  metric: string,
  pairs: readonly [KeyedRow, KeyedRow][],
  options: Pick<CompareOptions, 'decimals' | 'rounded'>,
): { comparison: MetricComparison; differences: Difference[] } {
  const figures = pairs.map(([one, two]) => ({
    row: one.dimensions,
    v1: one.figures.get(metric),
    v2: two.figures.get(metric),
  }));
  const requested = options.decimals?.[metric];
  const decimals = figures.reduce(
    (most, { v1 }) => Math.max(most, decimalsOf(v1)),
    Math.min(requested ?? 0, MOST_DECIMALS),
  );
  const mayRound = requested !== undefined || options.rounded?.includes(metric) === true;
  /** The decimals to which v1 is rounded: those announced, unless it shows more. */
  const placesOf = (v1: string) => {
    if (!mayRound) return MOST_DECIMALS;
    if (requested === undefined) return decimals;
    return new Exact(v1.trim()).decimalPlaces() > requested ? MOST_DECIMALS : requested;
  };
  const sides = ['v1', 'v2'] as const;
  const lacking = sides.filter(side => figures.every(figure => figure[side] === undefined));
  if (figures.length > 0 && lacking.length > 0)
    return {
      comparison: { metric, verdict: 'absent', decimals, compared: 0, differing: 0, lacking },
      differences: [],
    };
  let exact = true;
  let largest: Decimal | undefined;
  const differences: Difference[] = [];
  for (const { row, v1 = 'nothing', v2 = 'nothing' } of figures) {
    if (v1 === v2) continue;
    const gap = difference(v1, v2);
    if (gap?.isZero()) continue;
    if (gap?.abs().lte(tolerance(v1, placesOf(v1)))) {
      exact = false;
      continue;
    }
    if (gap !== undefined && (largest === undefined || gap.abs().gt(largest))) largest = gap.abs();
    differences.push({ row, metric, v1, v2, ...(gap !== undefined && { difference: formatNumber(gap) }) });
  }
  const verdict =
    figures.length === 0 ? 'unverified' : differences.length > 0 ? 'different' : exact ? 'same' : 'rounded';
  const comparison = {
    metric,
    verdict,
    decimals,
    compared: figures.length,
    differing: differences.length,
    ...(largest !== undefined && { largest: formatNumber(largest) }),
  } as const;
  return { comparison, differences };
}

/** Plain digits, or an exponent for very large and very small numbers. */
function formatNumber(number: Decimal): string {
  return Math.abs(number.e) > 40 ? number.toExponential() : number.toFixed();
}

/** v2 minus v1, exact; undefined unless both are numbers. */
function difference(v1: string, v2: string): Decimal | undefined {
  return isNumberText(v1) && isNumberText(v2) ? new Exact(v2.trim()).minus(v1.trim()) : undefined;
}

function decimalsOf(text: string | undefined): number {
  if (text === undefined || !isNumberText(text)) return 0;
  const plain = /^[^.e]*\.(\d*)$/i.exec(text.trim());
  return Math.min(MOST_DECIMALS, plain?.[1]?.length ?? new Exact(text.trim()).decimalPlaces());
}

/** Half a unit in the last place of v1, or in the 15th digit: a double has no more, so those beyond are noise. */
function tolerance(v1: string, decimals: number): Decimal {
  const exponent = new Exact(v1.trim()).e;
  const places = Math.min(decimals, Math.max(0, 14 - exponent));
  return new Exact(`5e${-places - 1}`);
}
