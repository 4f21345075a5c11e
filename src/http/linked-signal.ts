/** A signal that aborts with the first of several, and a function that unlinks it. */
interface LinkedSignal {
  readonly signal: AbortSignal;
  readonly release: () => void;
}

/** Links signals until `release`, because `AbortSignal.any` keeps every result alive on a long-lived signal. */
export function linkSignals(signals: readonly [AbortSignal, ...AbortSignal[]]): LinkedSignal {
  if (signals.length === 1) return { signal: signals[0], release: () => {} };
  const controller = new AbortController();
  const abort = () => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    },
  };
}
