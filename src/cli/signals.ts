import { InterruptedError } from '../errors/index.ts';
import type { Io } from '../terminal/io.ts';

/** Controls the handling of SIGINT and SIGTERM. */
export interface SignalControl {
  /** Restores the default: signals terminate the process. */
  readonly leave: () => void;
  /** The command has ended: its result must not become a failure, so a first signal is ignored. A second one terminates the process. */
  readonly end: () => void;
  /** Ignores SIGINT until the returned function is called. */
  readonly ignoreInterrupts: () => () => void;
  /**
   * From now on, the first signal aborts the returned one, and the command itself only `ms` later, or with the next signal.
   */
  readonly withGrace: (ms: number) => AbortSignal;
}

/** Aborts with InterruptedError on the first signal. */
export function listenForSignals(io: Pick<Io, 'onSignal'>, stopping: AbortController): SignalControl {
  let isIgnored = false;
  let hasEnded = false;
  let grace: { readonly ms: number; readonly asked: AbortController } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const listen = () =>
    io.onSignal(signal => {
      if (hasEnded) return;
      if (isIgnored && signal === 'SIGINT') stop = listen();
      else if (grace === undefined || grace.asked.signal.aborted)
        stopping.abort(new InterruptedError(signal));
      else {
        stop = listen();
        timer = setTimeout(() => stopping.abort(new InterruptedError(signal)), grace.ms);
        grace.asked.abort(new InterruptedError(signal));
      }
    });
  let stop = listen();
  return {
    leave: () => {
      clearTimeout(timer);
      stop();
    },
    end: () => {
      clearTimeout(timer);
      hasEnded = true;
    },
    ignoreInterrupts() {
      isIgnored = true;
      return () => {
        isIgnored = false;
      };
    },
    withGrace(ms) {
      grace ??= { ms, asked: new AbortController() };
      return grace.asked.signal;
    },
  };
}
