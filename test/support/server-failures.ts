import { afterEach, expect } from 'vitest';

// For vitest's setupFiles: an error in what answers the requests of a test fails that test. As a rejection that nobody awaits it would
// fail the whole run, without a name.

const failures: Error[] = (() => {
  const shared = globalThis as { serverFailures?: Error[] };
  shared.serverFailures ??= [];
  return shared.serverFailures;
})();

/** Runs what answers a request. If it fails, the test fails, and `give up` ends the connection, for which it would wait otherwise. */
export function answering(answer: () => unknown, giveUp: () => void): void {
  const { currentTestName } = expect.getState();
  const failed = (error: unknown) => {
    // The client went away before its request was complete.
    if ((error as NodeJS.ErrnoException | null)?.code === 'ECONNRESET') return;
    failures.push(new Error(`a server of "${currentTestName}" failed: ${error}`, { cause: error }));
    giveUp();
  };
  try {
    Promise.resolve(answer()).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Throws the first of the failures so far. */
export function throwServerFailure(): void {
  const [failure] = failures.splice(0);
  if (failure !== undefined) throw failure;
}

afterEach(throwServerFailure);
