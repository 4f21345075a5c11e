import { addDays, type Day, type DayRange } from '../apis/bda/days.ts';
import {
  AS_THEY_ARE,
  type Comparable,
  LOGARITHMS,
  median,
  type Scale,
  sameWeekdays,
  seasonMove,
  usualDeviation,
  YEAR_DAYS,
} from './expected-figure.ts';
import { slowChecker } from './slow-change.ts';

/** The figure of a metric on one day. */
export interface DayFigure {
  readonly value: number;
  /** What the figure is based on, such as the visits of a ratio; for a sum, the figure itself. */
  readonly volume: number;
}

export const DIRECTIONS = ['drop', 'rise', 'both'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What a calendar tells of a day: a holiday, one beside or between holidays, or neither. */
export type DayKind = 'holiday' | 'beside' | 'plain';

export interface AlertRules {
  /** How many usual deviations a figure must be away from the expected one. */
  readonly threshold: number;
  /** The least change that matters, as a share of the expected figure. */
  readonly minChange: number;
  /** The least usual volume of a day that is judged. */
  readonly minVolume: number;
  readonly direction: Direction;
  /** No other day is compared with a holiday, and one beside it may differ more. */
  readonly kindOf: (day: Day) => DayKind;
}

/**
 * `ok` and `alert` were judged. `no_data`: no figure, and none was expected. `low_volume`: the usual volume is too low. `too_few_days`:
 * less than four of the same weekdays in the eight weeks before can be compared. `holiday`: not comparable.
 */
type DayStatus = 'ok' | 'alert' | 'holiday' | 'no_data' | 'low_volume' | 'too_few_days';

/** `drop`, `rise`: out of the band. `zero`, `no_rows`: where there was traffic. `decline`: of weeks, with no day out of the band. */
type AlertReason = 'drop' | 'rise' | 'zero' | 'no_rows' | 'decline';

export interface JudgedDay {
  readonly day: Day;
  readonly status: DayStatus;
  /** Of an alert. */
  readonly reason: AlertReason | undefined;
  readonly value: number | undefined;
  /** The median of the same weekdays of the weeks before, at the level of the days before and of the season. */
  readonly expected: number | undefined;
  /** The figures that are as expected: a drop is below, a rise above. */
  readonly band: { readonly low: number; readonly high: number } | undefined;
  /** The change against the expected figure, as a share of it; of a decline, that of the last weeks against those before. */
  readonly change: number | undefined;
  /** The distance from the expected figure in usual deviations; of a zero, it has no meaning. */
  readonly deviations: number | undefined;
  /** Same weekdays that it was compared with. */
  readonly compared: number;
  /** The days of a decline, and those before that they are compared with. */
  readonly decline?: { readonly days: number; readonly before: number };
}

const LEAST_WEEKS = 4;
/** From this usual volume on, a zero or a missing row is no chance, whatever the least volume is. */
const LEAST_TRAFFIC = 20;
/** Weeks that show whether there is traffic on a weekday; days that show it of a new site. */
const TRAFFIC_WEEKS = { most: 8, least: 3 };
const TRAFFIC_DAYS = { most: 14, least: 7 };
/**
 * From so many usual deviations on, an alert is an incident, whatever the threshold is: with a low one, alerts are frequent, and without
 * their days the expected figure would rise until no day is left to compare with.
 */
const INCIDENT = 3;
/** How much more a day beside a holiday may differ than other days, and than those at this time of the years before. */
const BESIDE = { deviations: 2, remembered: 1.2, yearsBack: [YEAR_DAYS, 2 * YEAR_DAYS], around: 7 };

/**
 * Judges days one after the other, each by the days before it. A day that is an incident is not compared with later, so that it does
 * not become what is expected before it lasts for weeks. From the first day below zero on, figures are compared without logarithms.
 */
export function judgeDays(
  figures: ReadonlyMap<Day, DayFigure>,
  { from, to }: DayRange,
  rules: AlertRules,
): JudgedDay[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  const judged = judgeOn(LOGARITHMS, days, figures, rules);
  const negative = days.findIndex(day => (figures.get(day)?.value ?? 0) < 0);
  if (negative < 0) return judged;
  return [...judged.slice(0, negative), ...judgeOn(AS_THEY_ARE, days, figures, rules).slice(negative)];
}

function judgeOn(
  scale: Scale,
  days: readonly Day[],
  figures: ReadonlyMap<Day, DayFigure>,
  rules: AlertRules,
): JudgedDay[] {
  const kinds = days.map(rules.kindOf);
  const sizes = scale.sizesOf(days.map(day => figures.get(day)?.value));
  const comparable = days.map((day, at): Comparable | undefined => {
    const [size, figure] = [sizes[at], figures.get(day)];
    if (size === undefined || figure === undefined || kinds[at] === 'holiday') return undefined;
    return { size, volume: figure.volume, isPlain: kinds[at] === 'plain' };
  });
  const plain = days.map((day, at) => (kinds[at] === 'plain' ? figures.get(day)?.value : undefined));
  const declineAt = slowChecker(plain);
  const first = days.findIndex(day => figures.has(day));
  /** Errors of the expectation: all, without the season, and those that show which are usual. */
  const errors: { all: number[]; seasonal: number[]; usual: number[] } = { all: [], seasonal: [], usual: [] };

  return days.map((day, at) => {
    const judged = judge(day, at);
    const { status } = judged;
    if (status === 'alert' && !(Math.abs(judged.deviations ?? INCIDENT) < INCIDENT)) {
      comparable[at] = undefined;
      plain[at] = undefined;
    }
    // Each day, because the check remembers what was usual.
    const decline = declineAt(at);
    if (decline === undefined || status !== 'ok' || plain[at] === undefined || rules.direction === 'rise')
      return judged;
    return {
      ...judged,
      status: 'alert',
      reason: 'decline',
      change: decline.change,
      decline: { days: decline.days, before: decline.before },
    };
  });

  function judge(day: Day, at: number): JudgedDay {
    const value = figures.get(day)?.value;
    const size = sizes[at];
    const weekdays = sameWeekdays(comparable, at);
    const ordinary = weekdays.filter(({ isPlain }) => isPlain);
    // Days beside holidays vary more: they count only where there are too few others.
    const own = ordinary.length < LEAST_WEEKS ? weekdays : ordinary;
    const usual = own.length < LEAST_WEEKS ? undefined : median(own.map(({ size }) => size));
    const season = seasonMove(errors.seasonal, at);
    const expected = usual === undefined ? undefined : scale.figureOf(usual + season);
    const none = { reason: undefined, band: undefined, change: undefined, deviations: undefined };
    const base = { day, value, expected, compared: own.length };
    const unjudged = (status: DayStatus): JudgedDay => ({ ...base, ...none, expected: undefined, status });
    if (kinds[at] === 'holiday') {
      if (value && size !== undefined && usual !== undefined) errors.all[at] = size - usual - season;
      return unjudged('holiday');
    }
    // Who watches rises only wants to see a zero.
    const isGone = value === undefined || (value === 0 && rules.direction !== 'rise');
    if (isGone && trafficBefore(at) >= LEAST_TRAFFIC)
      return { ...base, ...none, status: 'alert', reason: value === 0 ? 'zero' : 'no_rows', change: -1 };
    if (value === undefined) return unjudged('no_data');
    if (usual === undefined || expected === undefined || size === undefined) return unjudged('too_few_days');
    errors.seasonal[at] = size - usual;
    const volume = median(own.map(each => each.volume));
    if (volume < rules.minVolume || expected <= 0) return unjudged('low_volume');
    const spread = own.map(each => each.size - usual);
    const isBeside = kinds[at] === 'beside';
    const unit = scale.unitOf(expected);
    const ordinarySigma = usualDeviation(spread, errors.usual, at, { volume, unit });
    const sigma = (isBeside ? BESIDE.deviations : 1) * ordinarySigma;
    const error = size - usual - season;
    errors.all[at] = error;
    const remembered = isBeside ? rememberedBeside(at) : 0;
    // The holiday next to it keeps nobody away: such a day shows a decline as any other does.
    if (isBeside && remembered !== undefined && remembered < INCIDENT * ordinarySigma) plain[at] = value;
    const reach = Math.max(rules.threshold * sigma, remembered ?? farthestHoliday(at));
    const most = Math.max(reach, INCIDENT * sigma);
    if (!isBeside) errors.usual[at] = Math.max(-most, Math.min(most, error));
    const low = Math.min(scale.figureOf(usual + season - reach), expected * (1 - rules.minChange));
    const high = Math.max(scale.figureOf(usual + season + reach), expected * (1 + rules.minChange));
    const isDrop = value < low && rules.direction !== 'rise';
    const isRise = value > high && rules.direction !== 'drop';
    const reason = isDrop ? 'drop' : isRise ? 'rise' : undefined;
    const status = reason === undefined ? 'ok' : 'alert';
    const figure = { band: { low, high }, change: value / expected - 1, deviations: error / sigma };
    return { ...base, ...figure, status, reason };
  }

  /** The usual volume on this weekday, alerts included; of a site without so many weeks, on any day. A day without a row is a zero. */
  function trafficBefore(at: number): number {
    if (first < 0) return 0;
    const volumes = (indices: readonly number[]) =>
      indices
        .filter(index => index >= first && kinds[index] !== 'holiday')
        .map(index => figures.get(days[index] as Day))
        .map(figure => (figure === undefined || figure.value === 0 ? 0 : figure.volume));
    const same = volumes(Array.from({ length: TRAFFIC_WEEKS.most }, (_, week) => at - 7 * (week + 1)));
    if (same.length >= TRAFFIC_WEEKS.least) return median(same);
    if (same.includes(0)) return 0;
    const recent = volumes(Array.from({ length: TRAFFIC_DAYS.most }, (_, back) => at - back - 1));
    return recent.length < TRAFFIC_DAYS.least ? 0 : median(recent);
  }

  function errorsOf(kind: DayKind, from: number, to: number): number[] {
    const start = Math.max(0, from);
    const own = errors.all.slice(start, Math.max(0, to));
    return own.flatMap((error = 0, index) => (kinds[start + index] === kind ? Math.abs(error) : []));
  }

  /** How far a day beside holidays may be from what is expected: a little further than those at this time of the years before. */
  function rememberedBeside(at: number): number | undefined {
    const known = BESIDE.yearsBack.flatMap(back =>
      errorsOf('beside', at - back - BESIDE.around, at - back + BESIDE.around + 1),
    );
    return known.length > 0 ? BESIDE.remembered * Math.max(...known) : undefined;
  }

  /** Where no year shows how far it may be: as far as any holiday. */
  function farthestHoliday(at: number): number {
    return Math.max(0, ...errorsOf('holiday', at - 2 * YEAR_DAYS, at));
  }
}
