import type { OpenDays } from '../../analysis/periods.ts';
import { dayIn } from '../../apis/bda/days.ts';
import { existingTimeZone, machineTimeZone } from '../../config/resolve.ts';
import type { Analytics } from '../listings/analytics.ts';
import { todayOf } from '../today.ts';

/**
 * The days that have not ended. The time zone of the gateway is not documented, so in one that was typed for this run, and is not that of
 * this machine, a day that has not ended in UTC may still grow.
 */
export async function openDaysOf(
  machine: Pick<Analytics, 'clock' | 'io' | 'log' | 'settings'>,
): Promise<OpenDays> {
  const today = await todayOf(machine);
  const settings = await machine.settings();
  const utcDay = dayIn(machine.clock.now(), 'UTC');
  const isTyped = settings.timeZone.origin.startsWith('flag');
  const isInUtc = isTyped && existingTimeZone(settings) !== machineTimeZone() && utcDay < today;
  return { from: isInUtc ? utcDay : today, isInUtc };
}
