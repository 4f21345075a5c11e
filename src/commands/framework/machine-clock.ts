import type { Clock } from '../../http/clock.ts';
import type { Context } from './context.ts';

/** The clock of this machine, for what is compared across runs: that of the embedded gateway starts anew in each. */
export function machineClock({ clock, io }: Pick<Context, 'clock' | 'io'>): Clock {
  return { ...clock, now: io.now };
}
