import type { Clock } from '../../http/clock.ts';
import type { Machine } from '../../operations/machine.ts';
import type { Context } from './context.ts';

/** What a lock and stored results need to know of this machine, whose time files have too. A signal ends waits for locks. */
export function lockMachine({ io, clock, signal }: Pick<Context, 'io' | 'clock' | 'signal'>): Machine {
  const { env, homedir, platform, now } = io;
  const { pid, uid, identify, find } = io.self;
  return {
    ...{ env, homedir, platform, now, pid, uid, identify, find },
    sleep: ms => clock.sleep(ms, signal),
  };
}

/** The clock of this machine, for what is compared across runs: that of the embedded gateway starts anew in each. */
export function machineClock({ clock, io }: Pick<Context, 'clock' | 'io'>): Clock {
  return { ...clock, now: io.now };
}

/** The gateway as stored results name it: the port of the embedded one differs in each run. */
export async function gatewayName(context: Context): Promise<string> {
  return context.globals.sandbox ? 'sandbox' : ((await context.settings()).baseUrl.value ?? '');
}
