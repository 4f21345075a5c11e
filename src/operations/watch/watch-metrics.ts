import { DAYS_BEFORE } from '../../analysis/expected-figure.ts';
import { type AlertRules, type DayFigure, type JudgedDay, judgeDays } from '../../analysis/metric-health.ts';
import { addDays, type Day, type DayRange, dayCount } from '../../apis/bda/days.ts';
import type { Json } from '../../json/index.ts';
import type { Site } from '../rows/requested-rows.ts';

/** Days that a run catches up on, at most. */
const CATCH_UP_DAYS = 28;

/** What is an alert, unless the user decides otherwise. */
export const DEFAULT_RULES = { threshold: 3, minChange: 0.1, minVolume: 100, direction: 'drop' } as const;
/** Days until the figures of a day are final. */
export const SETTLE_DAYS = 1;

/** The figures of each metric by day, as the API has them. */
export interface WatchedFigures {
  readonly byMetric: ReadonlyMap<string, ReadonlyMap<Day, DayFigure & { readonly json: Json }>>;
  /** Whether no row is missing or wrong. */
  readonly isComplete: boolean;
}

/** The days that can be judged. */
export interface SettledDays {
  readonly to: Day;
  /** The days with data; undefined if the API does not report them. */
  readonly data: DayRange | undefined;
  /** Days that should have settled, and have too little data after them. */
  readonly late: number;
  /** The last day with data, where later days should have settled: those are judged, as days without rows. */
  readonly endedOn: Day | undefined;
}

/**
 * A day has settled once so many complete days with data follow it: the last day with data may still be incomplete. Undefined if no day
 * has settled.
 */
export function settledDays(
  data: DayRange | undefined,
  { today, settle }: { readonly today: Day; readonly settle: number },
): SettledDays | undefined {
  const byCalendar = addDays(today, -1 - settle);
  if (data === undefined) return { to: byCalendar, data, late: 0, endedOn: undefined };
  if (data.to < byCalendar && data.from <= data.to)
    return { to: byCalendar, data, late: 0, endedOn: data.to };
  const byData = addDays(data.to, -settle);
  const to = byData < byCalendar ? byData : byCalendar;
  if (to < data.from) return undefined;
  return { to, data, late: dayCount({ from: addDays(to, 1), to: byCalendar }), endedOn: undefined };
}

/** The days to request: enough before the last one to judge it, and those since a run some weeks ago. */
export function watchedDays({ to, data }: SettledDays): DayRange {
  const from = addDays(to, 1 - DAYS_BEFORE - CATCH_UP_DAYS);
  return { from: data !== undefined && data.from > from ? data.from : from, to };
}

export interface JudgedSeries {
  readonly metric: string;
  readonly site: Site | undefined;
  /** The figures of the days, as the API has them. */
  readonly figures: ReadonlyMap<Day, DayFigure & { readonly json: Json }>;
  readonly days: readonly JudgedDay[];
}

/** A metric of a site in messages and charts: `example.com: visits`. */
export function nameOf({ metric, site }: JudgedSeries): string {
  return site === undefined ? metric : `${site.name}: ${metric}`;
}

interface Judged {
  readonly series: readonly JudgedSeries[];
  readonly isComplete: boolean;
}

/** Judges each metric of each site. */
export async function watchMetrics(
  sites: readonly (Site | undefined)[],
  figuresOf: (site: Site | undefined, days: DayRange) => Promise<WatchedFigures>,
  {
    settled,
    settle,
    rules,
  }: { readonly settled: SettledDays; readonly settle: number; readonly rules: AlertRules },
): Promise<Judged> {
  const days = watchedDays(settled);
  const { endedOn } = settled;
  // The last days before the rows end may be incomplete.
  const isUnsettled = (day: Day) =>
    endedOn !== undefined && day <= endedOn && day > addDays(endedOn, -settle);
  const kindOf: AlertRules['kindOf'] = day => (isUnsettled(day) ? 'holiday' : rules.kindOf(day));
  const series: JudgedSeries[] = [];
  let areComplete = true;
  for (const site of sites) {
    const { byMetric, isComplete } = await figuresOf(site, days);
    areComplete &&= isComplete;
    for (const [metric, figures] of byMetric)
      series.push({ metric, site, figures, days: judgeDays(figures, days, { ...rules, kindOf }) });
  }
  return { series, isComplete: areComplete };
}
