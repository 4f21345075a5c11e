import type { CheckedAccess } from '../../apis/subscriptions/access.ts';
import type { GatectlError } from '../../errors/index.ts';
import type { Clock } from '../../http/clock.ts';
import { isTransient } from './check-access.ts';

/** Which decision ends the wait: `allowed`, or `denied` for any other. */
type AwaitedAccess = 'allowed' | 'denied';

interface WaitOptions {
  readonly until: AwaitedAccess;
  /** Milliseconds after which the wait ends. With 0 there is one check. */
  readonly timeLimit: number;
  /** Milliseconds between the ends of one check and the start of the next. */
  readonly interval: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A check that failed while the one before it did not. */
  readonly onFailure: (error: GatectlError) => void;
}

export interface AccessChange {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly access: CheckedAccess;
  /** Whether it is what was awaited. */
  readonly isAwaited: boolean;
}

/**
 * Checks access again and again, one check at a time, and yields the first decision and each change of decision or reason. Ends
 * after the awaited decision or the time limit. Throws what a check throws that is not transient, and the error of the last
 * check where it failed.
 */
export async function* waitForAccess(
  check: () => Promise<CheckedAccess>,
  { until, timeLimit, interval, clock, signal, onFailure }: WaitOptions,
): AsyncGenerator<AccessChange> {
  const end = clock.now() + timeLimit;
  let last: CheckedAccess | undefined;
  let failure: GatectlError | undefined;
  for (;;) {
    try {
      const access = await check();
      failure = undefined;
      if (access.decision !== last?.decision || access.reasonCode !== last.reasonCode) {
        const isAwaited = access.allowed === (until === 'allowed');
        yield { at: clock.now(), access, isAwaited };
        if (isAwaited) return;
      }
      last = access;
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (failure === undefined) onFailure(error);
      failure = error;
    }
    const left = end - clock.now();
    if (left <= 0) break;
    await clock.sleep(Math.min(interval, left), signal);
  }
  if (failure !== undefined) throw failure;
}
