import { setImmediate as nextTurn } from 'node:timers/promises';
import { vi } from 'vitest';

const STEP_MS = 20;
/** What was sent arrives within one of them: both ends of the connection are in this process. */
const TURNS_A_STEP = 4;

/**
 * Runs something in time that stands still until `pass` is called, as by a server that has the request in hand, and that goes by in
 * steps from then on. How fast the machine is decides nothing.
 */
export async function inStillTime<Value>(run: (pass: () => void) => Promise<Value>): Promise<Value> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  let isOver = false;
  let passing: Promise<void> | undefined;
  const steps = async () => {
    while (!isOver) {
      for (let turn = 0; turn < TURNS_A_STEP; turn += 1) await nextTurn();
      await vi.advanceTimersByTimeAsync(STEP_MS);
    }
  };
  try {
    return await run(() => {
      passing ??= steps();
    });
  } finally {
    isOver = true;
    await passing;
    vi.useRealTimers();
  }
}
