import { InterruptedError } from '../errors/index.ts';
import type { Io } from '../terminal/io.ts';

/** Controls the handling of SIGINT and SIGTERM. */
export interface SignalControl {
  /** Restores the default: signals terminate the process. */
  readonly leave: () => void;
  /** Ignores SIGINT until the returned function is called. */
  readonly ignoreInterrupts: () => () => void;
}

/** Aborts with InterruptedError on the first signal. */
export function listenForSignals(io: Pick<Io, 'onSignal'>, stopping: AbortController): SignalControl {
  let isIgnored = false;
  const listen = () =>
    io.onSignal(signal => {
      if (isIgnored && signal === 'SIGINT') stop = listen();
      else stopping.abort(new InterruptedError(signal));
    });
  let stop = listen();
  return {
    leave: () => stop(),
    ignoreInterrupts() {
      isIgnored = true;
      return () => {
        isIgnored = false;
      };
    },
  };
}
