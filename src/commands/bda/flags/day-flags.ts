import { COMPARISONS, type ComparedWith, readComparison, readDays } from '../../../analysis/compared-days.ts';
import {
  CALENDAR_PERIODS,
  type CalendarPeriod,
  periodContaining,
  previousPeriod,
} from '../../../analysis/periods.ts';
import {
  type DatePhrase,
  daysWithYearLast,
  lastDays,
  periodNamed,
  readDatePhrase,
} from '../../../analysis/relative-dates.ts';
import { addDays, type Day, type DayRange, dayCount, isDay } from '../../../apis/bda/days.ts';
import { cannotCombine, invalidUsage, invalidValue } from '../../../errors/usage.ts';
import { timeZoneOf, todayOf } from '../../../operations/today.ts';
import { counted, oneDay, sentence } from '../../../output/sentence.ts';
import type { Context } from '../../framework/context.ts';
import { boolean, inGroup, oneOf, string, type ValuesOf } from '../../framework/define-command.ts';

const DAY_WORDS = ['today', 'yesterday', '-7d', '-4w', '-3m', '-1y'];

/** The flags that select the days. */
export const DAY_FLAGS = inGroup('Days', {
  from: string('--from <day>', "first day: 2026-10-05, 2026-10, yesterday, '1 Nov', -7d", {
    completes: DAY_WORDS,
  }),
  to: string('--to <day>', 'last day, in the same form (default: yesterday)', {
    completes: DAY_WORDS,
  }),
  last: string('--last <span>', 'days up to yesterday: 7d, 4w, 3m, 1y', {
    completes: ['7d', '4w', '3m', '1y'],
  }),
  this: oneOf('--this <period>', 'complete days of this week, month, quarter, year', CALENDAR_PERIODS),
  previous: oneOf(
    '--previous <period>',
    'the week, month, quarter or year before this one',
    CALENDAR_PERIODS,
  ),
  month: string('--month <month>', "a month: 2026-10, Oct, 'last month'"),
  period: string('--period <days>', "days in words: 2026-Q3, 'this week', 'last 7 days'"),
  includeToday: boolean('--include-today', 'include today, which has not ended yet'),
});

type DayFlags = Partial<ValuesOf<typeof DAY_FLAGS>>;

/** The days that flags select. An end that no flag sets stays open. */
export interface RequestedDays {
  readonly from: Day | undefined;
  readonly to: Day | undefined;
  /** The flags as typed; undefined for none. */
  readonly origin: string | undefined;
  /** Whether the same flags select other days on another day. */
  readonly isRelative: boolean;
  /** The calendar period that the days are, or whose days so far they are; undefined for other days. */
  readonly period?: CalendarPeriod | undefined;
}

const NO_DAYS: RequestedDays = { from: undefined, to: undefined, origin: undefined, isRelative: false };
const HELP = 'gatectl help dates lists all forms';
const DAY_HINT = `pass a day such as 2026-10-05, a month such as 2026-10, or words such as yesterday, '1 Nov' or -7d; ${HELP}`;

/**
 * Resolves the flags in the time zone of the settings, and prints the days as a note unless they are given in full. `hasEnd`:
 * the request sets the last day. Throws UsageError.
 */
export async function daysFromFlags(
  flags: DayFlags,
  context: Context,
  { hasEnd = false }: { readonly hasEnd?: boolean } = {},
): Promise<RequestedDays> {
  const origin = typedFlags(flags);
  if (origin === undefined) {
    if (!flags.includeToday) return NO_DAYS;
    throw invalidUsage('--include-today selects no days by itself', 'pass --last 7d --include-today');
  }
  // Days typed in full need no time zone, which is expensive to load.
  if (flags.from !== undefined && flags.to !== undefined && isDay(flags.from) && isDay(flags.to))
    return { ...inOrder(flags.from, flags.to), origin, isRelative: false };
  const timeZone = await timeZoneOf(context);
  const today = await todayOf(context);
  const days = resolveDays(flags, today, hasEnd);
  const isInFull = [flags.from, flags.to].every(day => day === undefined || isDay(day));
  if (days.isRelative || !isInFull || flags.month !== undefined || flags.period !== undefined)
    noteDays(days, timeZone, context);
  return { ...days, origin };
}

/** Throws UsageError for flags that select no days, or cannot be combined. */
export async function checkDayFlags(flags: DayFlags, context: Context): Promise<void> {
  if (typedFlags(flags) !== undefined) resolveDays(flags, await todayOf(context), false);
}

/** The flags as typed. Throws UsageError for two that cannot be combined. */
function typedFlags(flags: DayFlags): string | undefined {
  const { from, to } = flags;
  const range = [from === undefined ? '' : `--from ${from}`, to === undefined ? '' : `--to ${to}`];
  const typed = (['last', 'this', 'previous', 'month', 'period'] as const).flatMap(name =>
    flags[name] === undefined ? [] : [`--${name} ${flags[name]}`],
  );
  const all = [
    ...((from ?? to) === undefined ? [] : [range.filter(text => text !== '').join(' ')]),
    ...typed,
  ];
  if (all.length > 1)
    throw cannotCombine(`${from === undefined ? all[0] : range[0]} and ${all[1]}`, 'pass one of them');
  return all[0];
}

/** What `--compare` names; of a period that is not over, its days that have ended. Throws UsageError. */
export async function comparedWith(text: string, context: Context): Promise<ComparedWith> {
  const today = await todayOf(context);
  const found = checkedComparison(text, today);
  // A single day is never shortened.
  if (typeof found !== 'object' || found.from === found.to || found.to < today) return found;
  if (found.from < today) return { from: found.from, to: addDays(today, -1) };
  throw invalidUsage(
    `no day of --compare '${text}' has ended`,
    `today is ${today}; choose a period that began before it`,
  );
}

/** Reads a comparison. Throws UsageError. */
export function checkedComparison(text: string, today: Day): ComparedWith {
  const found = readComparison(text, today);
  if (found !== undefined) return found;
  throw invalidValue(
    `cannot compare with '${text}': not a period`,
    `pass ${COMPARISONS.join(' or ')}, a period such as 2026-09 or 2026-Q3, or days as 2026-09-01..2026-09-14`,
  );
}

function noteDays({ from, to }: OpenDays, timeZone: string, context: Context): void {
  const days =
    from === undefined
      ? sentence`to ${oneDay(to ?? '')}`
      : to === undefined
        ? sentence`from ${oneDay(from)}`
        : sentence`${{ from, to }}, ${counted(dayCount({ from, to }), 'day')}`;
  context.log.note(sentence`${days} (${timeZone})`);
}

/** Throws UsageError for days whose last is before the first. */
function inOrder(from: Day, to: Day): DayRange {
  if (from <= to) return { from, to };
  throw invalidValue(`--from ${from} is after --to ${to}`, `swap them: --from ${to} --to ${from}`);
}

type OpenDays = Omit<RequestedDays, 'origin'>;

function resolveDays(flags: DayFlags, today: Day, hasEnd: boolean): OpenDays {
  const yesterday = addDays(today, -1);
  const end = flags.includeToday ? today : yesterday;
  if (flags.last !== undefined) return { ...daysOfSpan(flags.last, end), isRelative: true };
  if (flags.this !== undefined) {
    const { from } = periodContaining(today, flags.this);
    const days = withCompleteDays(flags.this, { from, to: end }, today);
    return { ...days, isRelative: true, period: flags.this };
  }
  if (flags.previous !== undefined)
    return { ...previousPeriod(today, flags.previous), isRelative: true, period: flags.previous };
  const phrase = phraseOf(flags, today);
  if (phrase !== undefined) return truncateAt(end, phrase, today);
  const from = dayOfFlag('--from', flags.from, today);
  const to = dayOfFlag('--to', flags.to, today);
  const isRelative = (from?.isRelative ?? false) || (to?.isRelative ?? false);
  if (from === undefined || to !== undefined || hasEnd) {
    // A period that is not over ends with the last complete day; a single day is never shortened.
    const isTruncated = to !== undefined && to.from <= end && end < to.to;
    const last = isTruncated ? end : to?.to;
    if (from === undefined || last === undefined)
      return { from: from?.from, to: last, isRelative: isRelative || isTruncated };
    const range = { from: from.from, to: last };
    const days = isTruncated
      ? withCompleteDays(`day ${from.from}`, range, today)
      : inOrder(range.from, range.to);
    return { ...days, isRelative: isRelative || isTruncated };
  }
  return { ...withCompleteDays(`day ${from.from}`, { from: from.from, to: end }, today), isRelative: true };
}

/** Throws UsageError for an invalid span, with a hint if it is a period. */
function daysOfSpan(text: string, end: Day): DayRange {
  const range = lastDays(text, end);
  if (range !== undefined) return range;
  const period = periodNamed(text);
  throw invalidValue(
    `invalid --last '${text}'`,
    ...(period === undefined
      ? ['pass a number of days, weeks, months or years: 7d, 4w, 3m, 1y']
      : [
          `for the previous ${period}, pass --previous ${period}`,
          `for the days up to yesterday, pass --last ${SPAN_OF[period]}`,
        ]),
  );
}

const SPAN_OF = { week: '7d', month: '1m', quarter: '3m', year: '1y' };

/** The days of `--month` or `--period`. Throws UsageError. */
function phraseOf({ month, period }: DayFlags, today: Day): DatePhrase | undefined {
  if (month !== undefined) {
    const found = readDatePhrase(month, today);
    if (found?.period === 'month') return found;
    throw invalidValue(
      `invalid --month '${month}'`,
      "pass a month: 2026-10, Oct, 'Oct 2026', 'last month' or 'this month'",
    );
  }
  if (period === undefined) return undefined;
  const found = readDays(period, today);
  if (found !== undefined) return found;
  throw invalidValue(
    `invalid --period '${period}'`,
    `pass days such as 2026-Q3, 2026-09-01..2026-09-14, 'this week' or yesterday; ${HELP}`,
  );
}

/** Ends a period that is not over with the last complete day. Throws UsageError if there is none. */
function truncateAt(end: Day, { from, to, period, isRelative }: DatePhrase, today: Day): OpenDays {
  const named = period && { period };
  if (from === to || to <= end) return { from, to, isRelative, ...named };
  const days = withCompleteDays(`${period ?? 'day'} ${from}`, { from, to: end }, today);
  return { ...days, isRelative: true, ...named };
}

/** Throws UsageError for a range without a complete day. */
function withCompleteDays(what: string, range: DayRange, today: Day): DayRange {
  if (range.from <= range.to) return range;
  if (range.from > today)
    throw invalidUsage(`the ${what} is in the future`, `today is ${today}; choose days before it`);
  throw invalidUsage(
    `the ${what} has no complete day yet`,
    'add --include-today to include today, or set the last day: --to DAY',
  );
}

function dayOfFlag(name: string, given: string | undefined, today: Day): DatePhrase | undefined {
  if (given === undefined) return undefined;
  const found = readDatePhrase(given, today);
  if (found !== undefined) return found;
  const exists = /^\d{4}-\d\d-\d\d$/.test(given) ? 'there is no such day; ' : '';
  const readings = daysWithYearLast(given);
  throw invalidValue(
    `invalid ${name} '${given}'`,
    readings.length > 1 ? `it may be ${readings.join(' or ')}: pass one of them` : `${exists}${DAY_HINT}`,
  );
}
