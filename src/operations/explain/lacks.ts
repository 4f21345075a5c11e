import type { Decimal } from 'decimal.js';
import { missingText } from '../../analysis/data-days.ts';
import { plain } from '../../analysis/exact-change.ts';
import { namedDays } from '../../analysis/missing-days.ts';
import { unfinishedText } from '../../analysis/periods.ts';
import { type Day, type DayRange, dayCount } from '../../apis/bda/days.ts';
import { placesBetween } from '../../output/agreeing-places.ts';
import { groupThousands, roundVisibly } from '../../output/number.ts';
import { counted, joined, type Sentence, sentence } from '../../output/sentence.ts';
import { valueName } from '../../output/value-name.ts';
import type { DailyFigures } from './daily-figures.ts';
import type { DifferingSums } from './differing-sums.ts';
import type { UnmeasuredDimension } from './explain-change.ts';

/** Something that the figures of two periods lack, so that their change is not judged. */
export interface Lack {
  /** For a headline: `3 of 7 days have no rows`. */
  readonly brief: Sentence;
  /** With its days: `there are no rows for 9 to 11 March 2026`. */
  readonly full: Sentence;
}

/** Decimals of sums. */
const MOST_PLACES = 10;
/** More separate days are counted. */
const MOST_NAMED = 4;

interface ComparedFigures {
  readonly days: DayRange;
  readonly before: DayRange;
  readonly today: Day;
  /** The days with data, if they are known. */
  readonly data: DayRange | undefined;
  readonly daily: DailyFigures | undefined;
  /** Whether the dimension has rows in a period. */
  readonly hasRows: (side: 'before' | 'now') => boolean;
  /** The dimension that the change is a sum of. */
  readonly dimension: string;
  /** The examined dimensions that have values without a figure. */
  readonly unmeasured: readonly UnmeasuredDimension[];
  /** Where the values of the dimension do not add up to the days. */
  readonly differing: readonly DifferingSums[];
  /** Whether a response lacks rows. */
  readonly lacksRows: boolean;
}

/** What the figures of two periods lack. */
export function lacksOf({
  days,
  before,
  today,
  data,
  daily,
  hasRows,
  dimension,
  unmeasured,
  differing,
  lacksRows,
}: ComparedFigures): Lack[] {
  const alike = (text: Sentence | undefined): Lack[] =>
    text === undefined ? [] : [{ brief: text, full: text }];
  const open = { from: today, isInUtc: false };
  // Rare events may have none in a period.
  const isEmpty = (side: 'before' | 'now', range: DayRange) =>
    !hasRows(side) && daily?.total(range).isZero() !== true;
  const lacks = [
    ...[days, before].flatMap(range => alike(unfinishedText(range, open))),
    ...alike(lacksRows ? 'rows are missing' : undefined),
    ...alike(isEmpty('before', before) ? sentence`there are no rows of values for ${before}` : undefined),
    ...alike(isEmpty('now', days) ? sentence`there are no rows of values for ${days}` : undefined),
    ...(daily === undefined && data !== undefined
      ? [before, days].flatMap(range => {
          return alike(missingText(range, data));
        })
      : []),
    ...daysWithout('no rows', [before, days], range => missingDaysOf(daily, range, today)),
    ...daysWithout('no figure', [before, days], range => daily?.unmeasured(range) ?? []),
    ...unmeasured.map(one => valuesWithout(one, dimension)),
  ];
  // What else they lack makes the sums differ.
  return lacks.length > 0 ? lacks : otherSums(differing, dimension);
}

/** The days of a range without rows that have ended. */
function missingDaysOf(daily: DailyFigures | undefined, range: DayRange, today: Day): Day[] {
  return daily?.lacking(range).filter(day => day < today) ?? [];
}

/** What the figures lack, as a warning; undefined if nothing. */
export function lacksText(lacks: readonly Lack[]): Sentence | undefined {
  const all = joined(lacks.map(({ full }) => full));
  return all && sentence`the periods are not comparable: ${all}`;
}

function daysWithout(
  what: string,
  [before, now]: readonly [DayRange, DayRange],
  lacking: (range: DayRange) => readonly Day[],
): Lack[] {
  const [then, own] = [lacking(before), lacking(now)];
  const all = [...then, ...own].sort();
  if (all.length === 0) return [];
  const of = (some: readonly Day[], range: DayRange) =>
    sentence`${some.length} of ${counted(dayCount(range), 'day')}`;
  const parts = [
    ...(own.length > 0 ? [of(own, now)] : []),
    ...(then.length > 0 ? [sentence`${of(then, before)} before`] : []),
  ];
  const verb = all.length === 1 ? 'has' : 'have';
  return [
    {
      brief: sentence`${joined(parts, ' and ') ?? ''} ${verb} ${what}`,
      full: sentence`there ${what === 'no rows' ? 'are' : 'is'} ${what} for ${namedDays(all)}`,
    },
  ];
}

/** The dimension that the change is a sum of is named beside it. */
function valuesWithout({ dimension, slice, all, unmeasured }: UnmeasuredDimension, summed: string): Lack {
  const within = slice === undefined ? '' : ` within ${slice.dimension} ${valueName(slice.value)}`;
  const of = dimension === summed ? '' : ` of ${dimension}${within}`;
  const verb = unmeasured.length === 1 ? 'has' : 'have';
  const brief = sentence`${unmeasured.length} of ${counted(all, 'value')}${of} ${verb} no figure`;
  const names = unmeasured.map(({ value }) => valueName(value));
  const named = names.length > MOST_NAMED ? '' : `: ${names.join(', ')}`;
  return { brief, full: sentence`${brief}${named}` };
}

function otherSums(differing: readonly DifferingSums[], dimension: string): Lack[] {
  const sums = differing.map(({ days, byValue, byDay }) => {
    const [values, all] = textsOf(byValue, byDay);
    return sentence`for ${days}, the values of ${dimension} add up to ${values}, and the days to ${all}`;
  });
  const full = joined(sums);
  if (full === undefined) return [];
  return [{ brief: sentence`the values of ${dimension} do not add up to the days`, full }];
}

/** Two figures that differ, with two decimals or as many as tell them apart. */
function textsOf(one: Decimal, other: Decimal): [string, string] {
  const written = (places: number): [string, string] => [
    groupThousands(roundVisibly(plain(one), places)),
    groupThousands(roundVisibly(plain(other), places)),
  ];
  const places = placesBetween(2, MOST_PLACES).find(each => written(each)[0] !== written(each)[1]);
  return written(places ?? MOST_PLACES);
}
