import type { Input, Io } from '../terminal/io.ts';

/** An `Io` whose stdin fails with the signal's reason when it aborts, instead of waiting for more input. */
export function interruptible(io: Io, signal: AbortSignal): Io {
  let watched: Input | undefined;
  return Object.create(io, {
    stdin: {
      get() {
        watched ??= endedBy(signal, io.stdin);
        return watched;
      },
    },
  });
}

function endedBy(signal: AbortSignal, stdin: Input): Input {
  const end = () => {
    // Without a reader, the error would be uncaught.
    stdin.on('error', () => {});
    stdin.destroy(signal.reason);
  };
  // Delayed, because a prompt handles the signal too and restores the terminal first.
  signal.addEventListener('abort', () => setImmediate(end), { once: true });
  return stdin;
}
