import { followAlert, type WatchedSeries } from '../../src/analysis/alerts.ts';
import { DAYS_BEFORE, median } from '../../src/analysis/expected-figure.ts';
import {
  type AlertRules,
  type DayFigure,
  type DayKind,
  type JudgedDay,
  judgeDays,
} from '../../src/analysis/metric-health.ts';
import type { Day } from '../../src/apis/bda/days.ts';
import { seeded } from '../analysis/simulated-years.ts';

export const RULES: Omit<AlertRules, 'kindOf'> = {
  threshold: 3,
  minChange: 0.1,
  minVolume: 100,
  direction: 'drop',
};
/** Days after which a series is judged, and days of a decline. */
const WARM_UP = 200;
const DECLINE_DAYS = 21;
/** Days before a day that show whether there is traffic. */
const TRAFFIC_DAYS = 112;
/** Of an alert with a day on which a smaller share of what is expected came, nobody would say that nothing happened. */
const CLOSED = 0.1;
/** A weekday is quiet where its usual deviation in half a year before and after is smaller. */
const QUIET = { noise: 0.2, weeks: 26 };

export interface Verdict {
  readonly years: number;
  /** The usual deviation of a day from what is expected, as a logarithm. */
  readonly noise: number;
  /** Alerts that are reported in a year in which nothing was planted, and apart from them those of a place that was closed. */
  readonly alertsPerYear: number;
  readonly closingsPerYear: number;
  /** The share of days on which a fall by a half, or by a fifth, is an alert: of those of quiet weekdays, and of all. */
  readonly quietHalf: number;
  readonly half: number;
  readonly fifth: number;
  /** The share of planted incidents that are found, on their day; of a decline, within three weeks; of rows that end, on the first day. */
  readonly zero: number;
  readonly decline: number;
  readonly ended: number;
}

/** Figures by day; a missing one has no row. */
export function figuresOf(
  days: readonly Day[],
  values: readonly (number | undefined)[],
): Map<Day, DayFigure> {
  const found = new Map<Day, DayFigure>();
  for (const [at, day] of days.entries()) {
    const value = values[at];
    if (value !== undefined) found.set(day, { value, volume: value });
  }
  return found;
}

/** Judges a series as it is, and with incidents planted in days on which there was traffic and no alert. */
export function verdictOf(
  days: readonly Day[],
  values: readonly number[],
  kindOf: (day: Day) => DayKind,
  { plants, seed }: { readonly plants: number; readonly seed: number },
): Verdict {
  const rules = { ...RULES, kindOf };
  const warmUp = Math.min(WARM_UP, Math.floor(days.length / 2));
  const judge = (changed: readonly (number | undefined)[], to: number, daysBefore = DAYS_BEFORE) => {
    const from = Math.max(0, to - daysBefore);
    const own = days.slice(from, to + 1);
    const range = { from: own[0] as Day, to: own.at(-1) as Day };
    return judgeDays(figuresOf(own, changed.slice(from, to + 1)), range, rules);
  };
  const all = judgeDays(figuresOf(days, values), { from: days[0] as Day, to: days.at(-1) as Day }, rules);
  const judged = all.slice(warmUp);
  const { closings, others } = alertsOf(judged);
  // The band of a day does not depend on its own figure, so each day shows what would be an alert.
  const ordinary = judged.flatMap((each, at) => {
    const { day, status, value, band } = each;
    if (status !== 'ok' || kindOf(day) !== 'plain' || !value || band === undefined) return [];
    const isBelow = (share: number) => Math.round(value * share) < band.low;
    return [{ half: isBelow(0.5), fifth: isBelow(0.8), isQuiet: noiseOfWeekday(judged, at) < QUIET.noise }];
  });
  const quiet = ordinary.filter(({ isQuiet }) => isQuiet);
  const shareOf = (found: readonly boolean[]) => found.filter(Boolean).length / found.length;
  const random = seeded(seed);
  const found = { zero: 0, decline: 0, ended: 0 };
  for (let plant = 0; plant < plants; plant += 1) {
    let at = warmUp + Math.floor(random() * (days.length - warmUp - DECLINE_DAYS - 1));
    // A day that is no alert by itself, and on which the metric is watched.
    while (all[at]?.status !== 'ok' || kindOf(days[at] as Day) !== 'plain' || !values[at])
      at = at + 1 < days.length - DECLINE_DAYS ? at + 1 : warmUp;
    const isFound = (changed: readonly (number | undefined)[]) =>
      judge(changed, at, TRAFFIC_DAYS).at(-1)?.status === 'alert';
    if (isFound(values.with(at, 0))) found.zero += 1;
    if (isFound(values.map((value, each) => (each >= at ? undefined : value)))) found.ended += 1;
    const falling = values.map((value, each) => Math.round(value * 0.98 ** Math.max(0, each - at + 1)));
    if (
      judge(falling, at + DECLINE_DAYS - 1)
        .slice(-DECLINE_DAYS)
        .some(({ status }) => status === 'alert')
    )
      found.decline += 1;
  }
  const share = (count: number) => count / plants;
  const perYear = (count: number) => (count * 365.25) / judged.length;
  return {
    years: judged.length / 365.25,
    noise: noiseOf(judged),
    alertsPerYear: perYear(others),
    closingsPerYear: perYear(closings),
    quietHalf: shareOf(quiet.map(({ half }) => half)),
    half: shareOf(ordinary.map(({ half }) => half)),
    fifth: shareOf(ordinary.map(({ fifth }) => fifth)),
    zero: share(found.zero),
    decline: share(found.decline),
    ended: share(found.ended),
  };
}

/** The usual deviation of days from what is expected, as a logarithm. */
function noiseOf(judged: readonly JudgedDay[]): number {
  const ratios = judged.flatMap(({ value, expected, band }) =>
    band === undefined || expected === undefined || !value ? [] : [Math.abs(Math.log(value / expected))],
  );
  return 1.4826 * median(ratios);
}

function noiseOfWeekday(judged: readonly JudgedDay[], at: number): number {
  const weeks = Array.from({ length: 2 * QUIET.weeks + 1 }, (_, week) => week - QUIET.weeks);
  return noiseOf(weeks.filter(week => week !== 0).flatMap(week => judged[at + 7 * week] ?? []));
}

/** How many alerts are reported: those with a day on which the place was closed, and others. */
function alertsOf(judged: readonly JudgedDay[]): { readonly closings: number; readonly others: number } {
  const alerts: { isClosing: boolean }[] = [];
  let series: WatchedSeries | undefined;
  for (const day of judged) {
    const { series: after, event } = followAlert(series, [day]);
    series = after;
    if (event === 'opened') alerts.push({ isClosing: false });
    const open = day.status === 'alert' ? alerts.at(-1) : undefined;
    if (open !== undefined && (day.value ?? 0) < CLOSED * (day.expected ?? 0)) open.isClosing = true;
  }
  const closings = alerts.filter(({ isClosing }) => isClosing).length;
  return { closings, others: alerts.length - closings };
}
