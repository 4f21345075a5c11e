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
  WEEKS,
  YEAR_DAYS,
} from './expected-figure.ts';
import { type Decline, slowChecker } from './slow-change.ts';

/** The figure of a metric on one day. */
export interface DayFigure {
  readonly value: number;
  /** What the figure is based on, such as the visits of a ratio; for a sum, the size of the figure itself. */
  readonly volume: number;
  /** The visits of a sum that is no count, such as money: what the least volume is of, instead of `volume`. */
  readonly visits?: number | undefined;
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
  /** The least usual volume of a day that is judged; of a sum that is no count, its visits. */
  readonly minVolume: number;
  readonly direction: Direction;
  /** No other day is compared with a holiday, and one beside it may differ more. */
  readonly kindOf: (day: Day) => DayKind;
}

/**
 * `ok` and `alert` were judged. `no_data`: no figure, and none was expected. `low_volume`: the usual volume is too low. `too_few_days`:
 * less than four of the same weekdays in the eight weeks before can be compared. `after_alerts`: the same, because the others, or the
 * days that show the level, were alerts. `holiday`: not comparable.
 */
export type DayStatus =
  | 'ok'
  | 'alert'
  | 'holiday'
  | 'no_data'
  | 'low_volume'
  | 'too_few_days'
  | 'after_alerts';

/**
 * `drop`, `rise`: out of the band. `zero`, `no_rows`: where there was traffic. `negative`: where no figure was below zero. `decline`: of
 * weeks, with no day out of the band.
 */
type AlertReason = 'drop' | 'rise' | 'zero' | 'negative' | 'no_rows' | 'decline';

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
  /** The change against the expected figure, as a share of it; undefined where that is not above zero. */
  readonly change: number | undefined;
  /** The distance from the expected figure in usual deviations; of a zero, it has no meaning. */
  readonly deviations: number | undefined;
  /** Same weekdays that it was compared with. */
  readonly compared: number;
  /** Of the reason `decline`, whose figures are not those of the day. */
  readonly decline?: Decline;
}

/** What was usual on the days before. */
interface Traffic extends DayFigure {
  readonly basis: number;
}

const LEAST_WEEKS = 4;
/** From this usual volume on, a zero or a missing row is no chance, whatever the least volume is. */
const LEAST_TRAFFIC = 20;
const NO_TRAFFIC: Traffic = { value: 0, volume: 0, basis: 0 };
/** Weeks that show whether there is traffic on a weekday; days that show it of a new site. */
const TRAFFIC = { leastWeeks: 3, mostDays: 14, leastDays: 7 };
/**
 * From so many usual deviations on, an alert is an incident, whatever the threshold is: with a low one, alerts are frequent, and without
 * their days the expected figure would rise until no day is left to compare with.
 */
const INCIDENT = 3;
/** How much more a day beside a holiday may differ than other days, and than those at this time of the years before. */
const BESIDE = { deviations: 2, remembered: 1.2, yearsBack: [YEAR_DAYS, 2 * YEAR_DAYS], around: 7 };

/**
 * Judges days one after the other, each by the days before it. A day that is an incident is not compared with later, so that it does
 * not become what is expected before it lasts for weeks. From the first day on which a figure below zero is ordinary, figures are
 * compared without logarithms.
 */
export function judgeDays(
  figures: ReadonlyMap<Day, DayFigure>,
  { from, to }: DayRange,
  rules: AlertRules,
): JudgedDay[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  const judged = judgeInDirection(days, figures, rules);
  if (rules.direction !== 'both') return judged;
  // Rises are incidents only where they are watched, and what is an incident changes the level that shows a decline.
  const falls = judgeInDirection(days, figures, { ...rules, direction: 'drop' });
  return judged.map((day, at) => withDecline(day, falls[at]?.decline));
}

function judgeInDirection(
  days: readonly Day[],
  figures: ReadonlyMap<Day, DayFigure>,
  rules: AlertRules,
): JudgedDay[] {
  const inLogarithms = judgeOn(LOGARITHMS, days, figures, rules).judged;
  if (!days.some(day => isNegative(figures.get(day)))) return inLogarithms;
  const { judged, ordinaryNegative } = judgeOn(AS_THEY_ARE, days, figures, rules);
  return [...inLogarithms.slice(0, ordinaryNegative), ...judged.slice(ordinaryNegative)];
}

/** A day that is as expected, and belongs to a decline. */
function withDecline(judged: JudgedDay, decline: Decline | undefined): JudgedDay {
  if (decline === undefined || judged.status !== 'ok') return judged;
  return { ...judged, status: 'alert', reason: 'decline', decline };
}

/** What the least volume is of. */
function basisOf({ volume, visits }: DayFigure): number {
  return visits ?? volume;
}

function isNegative(figure: DayFigure | undefined): boolean {
  return figure !== undefined && figure.value < 0;
}

/** `ordinaryNegative`: the index of the first day below zero that is no incident; after all days if there is none. */
function judgeOn(
  scale: Scale,
  days: readonly Day[],
  figures: ReadonlyMap<Day, DayFigure>,
  rules: AlertRules,
): { readonly judged: JudgedDay[]; readonly ordinaryNegative: number } {
  const kinds = days.map(rules.kindOf);
  const values = days.map(day => figures.get(day)?.value);
  const isHoliday = (at: number) => kinds[at] === 'holiday';
  const sizes = scale.sizesOf(values, isHoliday);
  const known = days.map((day, at): Comparable | undefined => {
    const [size, figure] = [sizes[at], figures.get(day)];
    if (size === undefined || figure === undefined || isHoliday(at)) return undefined;
    return { size, volume: figure.volume, basis: basisOf(figure), isPlain: kinds[at] === 'plain' };
  });
  /** Without incidents. */
  const comparable = [...known];
  const plain = days.map((_, at) => (kinds[at] === 'plain' ? values[at] : undefined));
  const all = values.map((value, at) => (isHoliday(at) ? undefined : value));
  const declineAt = slowChecker({ comparable: plain, all, minChange: rules.minChange });
  const first = days.findIndex(day => figures.has(day));
  /** Days without traffic from an alert on, judged or not: they do not lower what is expected of the next. */
  const off = new Set<number>();
  let hasNegative = false;
  /** Days below zero that are no incidents. */
  const ordinaryNegatives: number[] = [];
  /** Errors of the expectation: all, without the season, and those that show which are usual. */
  const errors: { all: number[]; seasonal: number[]; usual: number[] } = { all: [], seasonal: [], usual: [] };

  const judged = days.map((day, at) => {
    const judged = judge(day, at);
    const { status, reason } = judged;
    const isOff = reason === 'zero' || reason === 'negative' || reason === 'no_rows';
    if (isOff || (off.has(at - 1) && !hasTraffic(at))) off.add(at);
    if (status === 'alert' && !(Math.abs(judged.deviations ?? INCIDENT) < INCIDENT)) {
      comparable[at] = undefined;
      plain[at] = undefined;
    }
    // Each day, because the check remembers what was usual.
    const decline = declineAt(at);
    return rules.direction === 'drop' && plain[at] !== undefined ? withDecline(judged, decline) : judged;
  });
  return { judged, ordinaryNegative: ordinaryNegatives[0] ?? days.length };

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
    if (isHoliday(at)) {
      if (value && size !== undefined && usual !== undefined) errors.all[at] = size - usual - season;
      return unjudged('holiday');
    }
    const alert = (reason: AlertReason, before: Traffic): JudgedDay => {
      const usually = expected ?? before.value;
      const change = value !== undefined && usually > 0 ? value / usually - 1 : undefined;
      return { ...base, ...none, expected: usually, status: 'alert', reason, change };
    };
    if (value === undefined) {
      const any = trafficBefore(at, value => value !== 0);
      return any.basis >= LEAST_TRAFFIC ? alert('no_rows', any) : unjudged('no_data');
    }
    const isPositive = at - 7 * WEEKS > (ordinaryNegatives.at(-1) ?? Number.NEGATIVE_INFINITY);
    const traffic = isPositive ? trafficBefore(at) : NO_TRAFFIC;
    const hadTraffic = traffic.volume >= LEAST_TRAFFIC;
    if (value === 0 && hadTraffic) return alert('zero', traffic);
    const inBand = judgeByBand();
    if (value >= 0) return inBand;
    // The first figure below zero is at least as bad as a zero; a later one, unless it is as expected.
    const isExpected = hasNegative && inBand.band !== undefined && value >= inBand.band.low;
    hasNegative = true;
    if (hadTraffic && !isExpected) return alert('negative', traffic);
    ordinaryNegatives.push(at);
    return inBand;

    function judgeByBand(): JudgedDay {
      if (value === undefined || usual === undefined || expected === undefined || size === undefined)
        return judgeWithoutUsual();
      errors.seasonal[at] = size - usual;
      const volume = median(own.map(each => each.volume));
      if (median(own.map(each => each.basis)) < rules.minVolume) return unjudged('low_volume');
      const spread = own.map(each => each.size - usual);
      const isBeside = kinds[at] === 'beside';
      const unit = scale.unitOf(own.map(each => each.size));
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
      const least = rules.minChange * Math.abs(expected);
      const low = Math.min(scale.figureOf(usual + season - reach), expected - least);
      const high = Math.max(scale.figureOf(usual + season + reach), expected + least);
      const change = expected > 0 ? value / expected - 1 : undefined;
      return { ...base, ...verdict(value, low, high), change, deviations: error / sigma };
    }

    /** Where zeros were usual, so is a zero; otherwise the day has nothing to be compared with. */
    function judgeWithoutUsual(): JudgedDay {
      const zeros = sameDays(at).flatMap(index =>
        known[index] === comparable[index] ? (values[index] ?? []) : [],
      );
      if (zeros.length < LEAST_WEEKS || median(zeros) !== 0)
        return unjudged(sameWeekdays(known, at).length < LEAST_WEEKS ? 'too_few_days' : 'after_alerts');
      const compared = zeros.length;
      const volume = median(sameDays(at).flatMap(index => figures.get(days[index] as Day)?.volume ?? []));
      if (volume < rules.minVolume) return { ...unjudged('low_volume'), compared };
      return { ...base, ...none, ...verdict(value ?? 0, 0, Math.max(...zeros)), expected: 0, compared };
    }
  }

  function verdict(value: number, low: number, high: number) {
    const isDrop = value < low && rules.direction !== 'rise';
    const isRise = value > high && rules.direction !== 'drop';
    const reason: AlertReason | undefined = isDrop ? 'drop' : isRise ? 'rise' : undefined;
    const status: DayStatus = reason === undefined ? 'ok' : 'alert';
    return { band: { low, high }, status, reason };
  }

  /** The same weekdays of the eight weeks before, without holidays. */
  function sameDays(at: number): number[] {
    return Array.from({ length: WEEKS }, (_, week) => at - 7 * (week + 1)).filter(
      index => index >= Math.max(0, first) && !isHoliday(index),
    );
  }

  /**
   * What is usual on this weekday; on a site without so many weeks, on any day. A day without a row, or whose figure is none of traffic,
   * is a zero. Where at least half of the days had traffic, it is what those had, and the days of an outage do not lower it; of an outage
   * that has ended, they do not count at all.
   */
  function trafficBefore(at: number, isTraffic = (value: number) => value > 0): Traffic {
    const hasRecovered = Array.from({ length: 7 }, (_, back) => at - back - 1).some(hasTraffic);
    const of = (indices: readonly number[]) => {
      const trafficOn = (index: number) => {
        const figure = figures.get(days[index] as Day) ?? NO_TRAFFIC;
        return isTraffic(figure.value) ? figure : NO_TRAFFIC;
      };
      const others = indices.filter(index => !off.has(index));
      const counted = hasRecovered && others.length > 0 ? others : indices;
      if (2 * counted.filter(index => trafficOn(index) !== NO_TRAFFIC).length < counted.length)
        return NO_TRAFFIC;
      const known = (others.length > 0 ? others : indices).map(trafficOn);
      return {
        volume: median(known.map(({ volume }) => volume)),
        basis: median(known.map(basisOf)),
        value: median(known.flatMap(each => (each === NO_TRAFFIC ? [] : each.value))),
      };
    };
    const same = first < 0 ? [] : sameDays(at);
    if (same.length >= TRAFFIC.leastWeeks) return of(same);
    const isQuiet = same.some(index => of([index]).volume === 0);
    const recent = Array.from({ length: TRAFFIC.mostDays }, (_, back) => at - back - 1).filter(
      index => first >= 0 && index >= first && !isHoliday(index),
    );
    return isQuiet || recent.length < TRAFFIC.leastDays ? NO_TRAFFIC : of(recent);
  }

  function hasTraffic(at: number): boolean {
    return (values[at] ?? 0) > 0;
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
