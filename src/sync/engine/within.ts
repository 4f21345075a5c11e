/** Waits for some time, as a clock does. */
interface Sleeper {
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Resolves as `work` does, or rejects after `ms` milliseconds: a connection that no longer passes anything on ends by itself only after hours. */
export async function within<Value>(clock: Sleeper, ms: number, work: Promise<Value>): Promise<Value> {
  const done = new AbortController();
  const late = clock.sleep(ms, done.signal).then(
    () => Promise.reject(new Error('timeout exceeded')),
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    // Whichever lost the race has no other listener.
    work.catch(() => {});
  }
}
