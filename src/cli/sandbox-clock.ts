import type { Globals } from '../commands/framework/context.ts';
import { isLoopbackHost } from '../config/values.ts';
import { type Clock, clockFrom, sleepFor } from '../http/clock.ts';
import type { Io } from '../terminal/io.ts';
import { SANDBOX_START } from '../wire/sandbox-start.ts';

/** The clock of a command: that of the embedded gateway where one is used, so that both agree on the day. Throws a UsageError. */
export function clockOf(io: Io, globals: Globals): Clock {
  const start = sandboxStart(io.env, globals);
  return {
    now: start === undefined ? io.now : clockFrom(start, 'GATECTL_SANDBOX_CLOCK', io.now),
    isSandbox: start !== undefined && start !== 'now',
    random: io.random,
    sleep: io.sleep ?? sleepFor,
  };
}

/** `sandbox serve` prints the variable beside GATECTL_BASE_URL; it never applies to a gateway on another machine. */
function sandboxStart(env: Io['env'], { sandbox, flags }: Globals): string | undefined {
  const { GATECTL_SANDBOX_CLOCK: set = '', GATECTL_BASE_URL: served = '' } = env;
  if (sandbox) return set || SANDBOX_START;
  if (set === '' || flags.baseUrl !== undefined || flags.profile !== undefined) return undefined;
  return URL.canParse(served) && isLoopbackHost(new URL(served).hostname) ? set : undefined;
}
