import { type Day, dayIn } from '../apis/bda/days.ts';
import { existingTimeZone, machineTimeZone } from '../config/resolve.ts';
import { oneDay, sentence } from '../output/sentence.ts';
import type { Analytics } from './listings/analytics.ts';

type Zoned = Pick<Analytics, 'clock' | 'io' | 'log' | 'settings'>;

const noted = new WeakSet<object>();

/** The current day in the time zone of the settings, or of this machine. That of the embedded gateway is noted once. */
export async function todayOf(machine: Zoned): Promise<Day> {
  const today = dayIn(machine.clock.now(), await timeZoneOf(machine));
  if (machine.clock.isSandbox && !noted.has(machine))
    machine.log.note(sentence`in the sandbox it is ${oneDay(today)}`);
  noted.add(machine);
  return today;
}

const warned = new WeakSet<object>();

/** The time zone in which days begin. A machine whose zone is unknown uses UTC, which is noted once. */
export async function timeZoneOf(machine: Zoned): Promise<string> {
  const zone = existingTimeZone(await machine.settings()) ?? machineTimeZone();
  if (zone !== undefined) return zone;
  if (!warned.has(machine)) {
    const { TZ = '' } = machine.io.env;
    machine.log.note(`TZ=${TZ === '' ? "''" : TZ} is not a time zone; using UTC`);
  }
  warned.add(machine);
  return 'UTC';
}
