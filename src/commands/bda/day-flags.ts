import {
  lastDays,
  PERIODS,
  type Period,
  periodAround,
  periodBefore,
  readDay,
} from '../../analysis/relative-dates.ts';
import { addDays, type Day, type DayRange, dayCount, dayIn, isDay } from '../../apis/bda/days.ts';
import { existingTimeZone, machineTimeZone } from '../../config/resolve.ts';
import { UsageError } from '../../errors/index.ts';
import { counted } from '../../terminal/grouped.ts';
import type { Context } from '../framework/context.ts';
import { boolean, oneOf, string, type ValuesOf } from '../framework/define-command.ts';

const DAY_WORDS = ['today', 'yesterday', '-7d', '-4w', '-3m', '-1y'];

/** The flags that say which days are asked about. */
export const DAY_FLAGS = {
  from: string(
    '--from <day>',
    'the first day: YYYY-MM-DD, today, yesterday, or a time ago such as -7d, -4w, -3m',
    { completes: DAY_WORDS },
  ),
  to: string('--to <day>', 'the last day, in the same words (default with --from: yesterday)', {
    completes: DAY_WORDS,
  }),
  last: string('--last <span>', 'the days up to yesterday: 7d, 4w, 3m, 1y', {
    completes: ['7d', '4w', '3m', '1y'],
  }),
  this: oneOf('--this <period>', `the complete days of the running ${PERIODS.join(', ')}`, PERIODS),
  previous: oneOf('--previous <period>', `the whole ${PERIODS.join(', ')} before the running one`, PERIODS),
  includeToday: boolean(
    '--include-today',
    'let --last, --this and --from end today, although the day is not over',
  ),
};

export type DayFlags = ValuesOf<typeof DAY_FLAGS>;

/** The days that flags ask for. An end that no flag says is left open. */
export interface RequestedDays {
  readonly from: Day | undefined;
  readonly to: Day | undefined;
  /** The flags as typed; undefined where none was. */
  readonly origin: string | undefined;
  /** Whether the same flags mean other days on another day. */
  readonly isRelative: boolean;
  /** The period that the days are, all of it; undefined where flags say the days in another way. */
  readonly period?: Period | undefined;
}

const NO_DAYS: RequestedDays = { from: undefined, to: undefined, origin: undefined, isRelative: false };

/**
 * Works the days out in the profile's time zone, and says relative ones back. `hasEnd` tells that the last day is known from
 * elsewhere. Throws UsageError.
 */
export async function daysFromFlags(
  flags: DayFlags,
  context: Context,
  { hasEnd = false }: { readonly hasEnd?: boolean } = {},
): Promise<RequestedDays> {
  const ways = [
    flags.from === undefined ? '' : `--from ${flags.from}`,
    flags.from === undefined && flags.to !== undefined ? `--to ${flags.to}` : '',
    flags.last === undefined ? '' : `--last ${flags.last}`,
    flags.this === undefined ? '' : `--this ${flags.this}`,
    flags.previous === undefined ? '' : `--previous ${flags.previous}`,
  ].filter(way => way !== '');
  if (ways.length > 1)
    throw new UsageError(`${ways[0]} and ${ways[1]} don't go together`, {
      code: 'conflicting_options',
      hints: ['say the days in one way'],
    });
  const [way] = ways;
  if (way === undefined) {
    if (flags.includeToday)
      throw new UsageError('--include-today says no days by itself', {
        hints: ['type --last 7d --include-today'],
      });
    return NO_DAYS;
  }
  const origin = flags.from !== undefined && flags.to !== undefined ? `${way} --to ${flags.to}` : way;
  // Days that are said in full are the same everywhere; to know the day somewhere costs as much as half a start.
  if (flags.from !== undefined && flags.to !== undefined && isDay(flags.from) && isDay(flags.to))
    return { from: flags.from, to: flags.to, origin, isRelative: false };
  const timeZone = await timeZoneOf(context);
  const today = dayIn(context.clock.now(), timeZone);
  const asked = askedDays(flags, today, hasEnd);
  const isRelative = asked.endIsOurs || [flags.from, flags.to].some(day => day !== undefined && !isDay(day));
  if (isRelative) sayBack(asked, timeZone, context);
  return { from: asked.from, to: asked.to, origin, isRelative, period: flags.previous };
}

/** Which day it is where the profile says, or else here. */
export async function todayOf(context: Context): Promise<Day> {
  return dayIn(context.clock.now(), await timeZoneOf(context));
}

const warned = new WeakSet<Context>();

/** The time zone in which days begin. A machine whose zone is unknown is in UTC, which is noted once. */
export async function timeZoneOf(context: Context): Promise<string> {
  const zone = existingTimeZone(await context.settings()) ?? machineTimeZone();
  if (zone !== undefined) return zone;
  if (!warned.has(context)) {
    const { TZ = '' } = context.io.env;
    context.log.note(`TZ=${TZ === '' ? "''" : TZ} is not a time zone; using UTC`);
  }
  warned.add(context);
  return 'UTC';
}

function sayBack({ from, to }: Pick<RequestedDays, 'from' | 'to'>, timeZone: string, context: Context): void {
  const count = from === undefined || to === undefined ? 0 : dayCount({ from, to });
  const days = count === 0 ? '' : `: ${counted(count, 'day')}`;
  const range = [from === undefined ? '' : `from ${from}`, to === undefined ? '' : `to ${to}`];
  context.log.note(`${range.filter(end => end !== '').join(' ')}${days} (${timeZone})`);
}

function askedDays(
  flags: DayFlags,
  today: Day,
  hasEnd: boolean,
): { from: Day | undefined; to: Day | undefined; endIsOurs: boolean } {
  const end = flags.includeToday ? today : addDays(today, -1);
  const ours = (range: DayRange) => ({ ...range, endIsOurs: true });
  if (flags.last !== undefined) {
    const range = lastDays(flags.last, end);
    if (range !== undefined) return ours(range);
    throw new UsageError(`--last can't be '${flags.last}'`, {
      code: 'invalid_value',
      hints: ['a number of days, weeks, months or years: 7d, 4w, 3m, 1y'],
    });
  }
  if (flags.this !== undefined)
    return ours(begun(flags.this, { from: periodAround(flags.this, today).from, to: end }));
  if (flags.previous !== undefined) return ours(periodBefore(flags.previous, today));
  const from = dayFlag('--from', flags.from, today);
  const to = dayFlag('--to', flags.to, today);
  if (from === undefined || to !== undefined || hasEnd) return { from, to, endIsOurs: false };
  return ours(begun(`day ${from}`, { from, to: end }));
}

/** Throws UsageError for a range that has no complete day yet. */
function begun(what: string, range: DayRange): DayRange {
  if (range.from <= range.to) return range;
  throw new UsageError(`the ${what} has no complete day yet`, {
    hints: ['add --include-today to count today, or say the last day: --to DAY'],
  });
}

function dayFlag(name: string, given: string | undefined, today: Day): Day | undefined {
  if (given === undefined) return undefined;
  const day = readDay(given, today);
  if (day !== undefined) return day;
  const exists = /^\d{4}-\d\d-\d\d$/.test(given) ? 'there is no such day; ' : '';
  throw new UsageError(`${name} can't be '${given}'`, {
    code: 'invalid_value',
    hints: [`${exists}type YYYY-MM-DD, today, yesterday, or a time ago such as -7d, -4w, -3m`],
  });
}
