import type { Input, Io } from '../terminal/io.ts';

/** The process as a command sees it: whoever reads stdin gets the reason of the signal, instead of waiting on for more input. */
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
    // Where nobody reads, the error is nobody's.
    stdin.on('error', () => {});
    stdin.destroy(signal.reason);
  };
  // A prompt hears the signal too, and puts the terminal right first.
  signal.addEventListener('abort', () => setImmediate(end), { once: true });
  return stdin;
}
