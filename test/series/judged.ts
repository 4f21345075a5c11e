import { followAlert, type WatchedSeries } from '../../src/analysis/alerts.ts';
import { DAYS_BEFORE, median } from '../../src/analysis/expected-figure.ts';
import {
  type AlertRules,
  type DayFigure,
  type DayKind,
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

export interface Verdict {
  readonly years: number;
  /** The usual deviation of a day from what is expected, as a logarithm. */
  readonly noise: number;
  /** Alerts that are reported in a year in which nothing was planted. */
  readonly alertsPerYear: number;
  /** The share of planted incidents that are found, on their day; of a decline, within three weeks; of rows that end, on the first day. */
  readonly zero: number;
  readonly half: number;
  readonly fifth: number;
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
  const judge = (changed: readonly (number | undefined)[], to: number) => {
    const from = Math.max(0, to - DAYS_BEFORE);
    const own = days.slice(from, to + 1);
    const range = { from: own[0] as Day, to: own.at(-1) as Day };
    return judgeDays(figuresOf(own, changed.slice(from, to + 1)), range, rules);
  };
  const all = judgeDays(figuresOf(days, values), { from: days[0] as Day, to: days.at(-1) as Day }, rules);
  const judged = all.slice(warmUp);
  const ratios = judged.flatMap(({ value, expected, band }) =>
    band === undefined || expected === undefined || !value ? [] : [Math.abs(Math.log(value / expected))],
  );
  let series: WatchedSeries | undefined;
  let opened = 0;
  for (const day of judged) {
    const { series: after, event } = followAlert(series, [day]);
    if (event === 'opened') opened += 1;
    series = after;
  }
  const random = seeded(seed);
  const found = { zero: 0, half: 0, fifth: 0, decline: 0, ended: 0 };
  for (let plant = 0; plant < plants; plant += 1) {
    let at = warmUp + Math.floor(random() * (days.length - warmUp - DECLINE_DAYS - 1));
    // A day that is no alert by itself, and on which the metric is watched.
    while (all[at]?.status !== 'ok' || kindOf(days[at] as Day) !== 'plain' || !values[at])
      at = at + 1 < days.length - DECLINE_DAYS ? at + 1 : warmUp;
    const isFound = (changed: readonly (number | undefined)[]) =>
      judge(changed, at).at(-1)?.status === 'alert';
    const times = (share: number) => values.with(at, Math.round((values[at] ?? 0) * share));
    if (isFound(times(0))) found.zero += 1;
    if (isFound(times(0.5))) found.half += 1;
    if (isFound(times(0.8))) found.fifth += 1;
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
  return {
    years: judged.length / 365.25,
    noise: 1.4826 * median(ratios),
    alertsPerYear: (opened * 365.25) / judged.length,
    zero: share(found.zero),
    half: share(found.half),
    fifth: share(found.fifth),
    decline: share(found.decline),
    ended: share(found.ended),
  };
}
