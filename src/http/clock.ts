/** Time and randomness, injected so that tests do not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A number in [0, 1). */
  random(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Waits in real time, as `Clock.sleep`. */
export async function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  const { setTimeout: timer } = await import('node:timers/promises');
  try {
    await timer(ms, undefined, { signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}
