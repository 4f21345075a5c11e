import { UsageError } from '../errors/index.ts';

/** Time and randomness, injected so that tests do not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether it shows the time of the embedded gateway rather than that of this machine. */
  readonly isSandbox?: boolean;
  /** A number in [0, 1). */
  random(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Waits in real time, as `Clock.sleep`. */
export async function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const interrupt = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', interrupt);
      resolve();
    }, ms);
    signal?.addEventListener('abort', interrupt, { once: true });
  });
}

/** Lets a process end before the timer; where timers are numbers, no process waits for them. */
export function unref(timer: NodeJS.Timeout): void {
  timer.unref?.();
}

/**
 * A clock that starts at `start`, an RFC 3339 time, and advances with `now`; `now` itself for the word now. Throws a UsageError that
 * names `source` for an invalid time.
 */
export function clockFrom(start: string, source: string, now: () => number): () => number {
  if (start === 'now') return now;
  const at = Date.parse(start);
  if (Number.isNaN(at))
    throw new UsageError(`${source} is not a time`, {
      code: 'invalid_value',
      reason: 'not_a_time',
    });
  const offset = at - now();
  return () => now() + offset;
}
