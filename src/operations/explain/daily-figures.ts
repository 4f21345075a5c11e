import type { Decimal } from 'decimal.js';
import { EXACT_ZERO } from '../../analysis/exact-change.ts';
import type { MetricKind } from '../../analysis/metric-kinds.ts';
import { startOf } from '../../analysis/periods.ts';
import { addDays, type Day, type DayRange, dayCount } from '../../apis/bda/days.ts';
import { textOf } from '../../json/index.ts';
import type { FiguresByValue } from './period-figures.ts';

/** A metric that has rows on fewer days is one of rare events: then a day without rows counts, as zero. */
const LEAST_DAILY = 0.9;

/** A metric by day, which shows which days have no rows, and which changes are usual. */
export class DailyFigures {
  readonly #days = new Map<Day, { readonly figure: Decimal; readonly weight: Decimal | undefined }>();
  readonly #factor: number;
  readonly #isSum: boolean;
  /** Whether most days have rows, so that one without them lacks data. */
  readonly isDaily: boolean;

  constructor(found: FiguresByValue, kind: MetricKind) {
    for (const { value, figure, weight } of found.values()) {
      const day = startOf(textOf(value));
      if (day !== undefined) this.#days.set(day, { figure, weight });
    }
    this.#isSum = kind.kind === 'additive';
    this.#factor = kind.kind === 'ratio' ? (kind.factor ?? 1) : 1;
    const days = [...this.#days.keys()].sort();
    const span = dayCount({ from: days[0] ?? '', to: days.at(-1) ?? '' });
    this.isDaily = days.length >= LEAST_DAILY * span;
  }

  /** The days of a range that have no rows. */
  without(range: DayRange): Day[] {
    return daysOf(range).filter(day => !this.#days.has(day));
  }

  /** How many days a range counts. */
  counted(range: DayRange): number {
    return dayCount(range) - (this.isDaily ? this.without(range).length : 0);
  }

  /** The metric per day, or the ratio; undefined where days lack data. */
  mean(range: DayRange): number | undefined {
    const days = daysOf(range);
    if (this.counted(range) < days.length || this.without(range).length === days.length) return undefined;
    const all = days.flatMap(day => this.#days.get(day) ?? []);
    const figure = all.reduce((sum, one) => sum.plus(one.figure), EXACT_ZERO).toNumber();
    if (this.#isSum) return figure / days.length;
    const weight = all.reduce((sum, one) => sum.plus(one.weight ?? 0), EXACT_ZERO).toNumber();
    return weight === 0 ? undefined : (this.#factor * figure) / weight;
  }

  /** The sum of the days in a range. */
  total(range: DayRange): Decimal {
    return daysOf(range).reduce((sum, day) => sum.plus(this.#days.get(day)?.figure ?? 0), EXACT_ZERO);
  }
}

function daysOf({ from, to }: DayRange): Day[] {
  return Array.from({ length: dayCount({ from, to }) }, (_, at) => addDays(from, at));
}
