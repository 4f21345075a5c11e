import type { Decimal } from 'decimal.js';
import { EXACT_ZERO } from '../../analysis/exact-change.ts';
import type { MetricKind } from '../../analysis/metric-kinds.ts';
import { areRare, daysOf } from '../../analysis/missing-days.ts';
import { startOf } from '../../analysis/periods.ts';
import { type Day, type DayRange, dayCount, weekday } from '../../apis/bda/days.ts';
import { textOf } from '../../json/index.ts';
import type { Figure, FiguresByValue } from './period-figures.ts';

/** Of so many days of a weekday, such a share has rows where one without them lacks data. */
const LEAST_KNOWN = 4;
const LEAST_DAILY = 0.9;

/** A metric by day, which shows which days lack data, and which changes are usual. */
export class DailyFigures {
  readonly #days = new Map<Day, Figure>();
  readonly #factor: number;
  readonly #isSum: boolean;
  /** The weekdays of which a day without rows has no events: then it counts as zero. */
  readonly #mayBeZero: readonly boolean[];

  /** What is usual is judged by the days before those of `compared`. */
  constructor(found: FiguresByValue, kind: MetricKind, compared: readonly DayRange[]) {
    for (const { value, figure, weight } of found.values()) {
      const day = startOf(textOf(value));
      if (day !== undefined) this.#days.set(day, { figure, weight });
    }
    this.#isSum = kind.kind === 'additive';
    this.#factor = kind.kind === 'ratio' ? (kind.factor ?? 1) : 1;
    this.#mayBeZero = this.#quietWeekdays(compared);
  }

  #quietWeekdays(compared: readonly DayRange[]): boolean[] {
    const days = [...this.#days.keys()].sort();
    const isCompared = (day: Day) => compared.some(({ from, to }) => from <= day && day <= to);
    const earlier = daysOf({ from: days[0] ?? '', to: days.at(-1) ?? '' }).filter(day => !isCompared(day));
    const events = earlier.flatMap(day => {
      const found = this.#days.get(day);
      const events = found?.weight ?? found?.figure;
      return events === undefined ? [] : [events.abs().toNumber()];
    });
    const isRare = events.length < earlier.length && areRare(events);
    return Array.from({ length: 7 }, (_, at) => {
      const own = earlier.filter(day => weekday(day) === at);
      const known = own.filter(day => this.#days.has(day)).length;
      return own.length >= LEAST_KNOWN && (isRare || known < LEAST_DAILY * own.length);
    });
  }

  /** The days of a range that lack rows. */
  lacking(range: DayRange): Day[] {
    return this.#without(range).filter(day => !this.#mayBeZero[weekday(day)]);
  }

  /** The days of a range whose rows have no figure. */
  unmeasured(range: DayRange): Day[] {
    return daysOf(range).filter(day => this.#days.has(day) && this.#days.get(day)?.figure === undefined);
  }

  /** The days of a range without rows that count as zero. */
  zeros(range: DayRange): Day[] {
    return this.#without(range).filter(day => this.#mayBeZero[weekday(day)]);
  }

  #without(range: DayRange): Day[] {
    return daysOf(range).filter(day => !this.#days.has(day));
  }

  /** How many days a range counts. */
  counted(range: DayRange): number {
    return dayCount(range) - this.lacking(range).length - this.unmeasured(range).length;
  }

  /** The metric per day, or the ratio; undefined where days lack data. */
  mean(range: DayRange): number | undefined {
    const days = daysOf(range);
    if (this.counted(range) < days.length || this.#without(range).length === days.length) return undefined;
    const figure = this.total(range).toNumber();
    if (this.#isSum) return figure / days.length;
    const weight = this.weight(range).toNumber();
    return weight === 0 ? undefined : (this.#factor * figure) / weight;
  }

  /** The sum of the days in a range. */
  total(range: DayRange): Decimal {
    return daysOf(range).reduce((sum, day) => sum.plus(this.#days.get(day)?.figure ?? 0), EXACT_ZERO);
  }

  /** The weight of the days in a range. */
  weight(range: DayRange): Decimal {
    return daysOf(range).reduce((sum, day) => sum.plus(this.#days.get(day)?.weight ?? 0), EXACT_ZERO);
  }
}
