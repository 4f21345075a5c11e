import { BrokenPipeError, GatectlError } from '../../errors/index.ts';
import { isLongPause } from '../../http/retry.ts';

/** `access --exit-code`: the decision is not `allowed`. */
export const NO_ACCESS = 3;

/** Waits for the output. A closed pipe usually ends a command with success, which here would mean `allowed`. */
export async function ignoreBrokenPipe(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof BrokenPipeError)) throw error;
  }
}

/** Whether a check failed for a reason that applies to all readers. */
export function failsEveryReader(error: GatectlError): boolean {
  const { kind } = error;
  return (
    kind === 'auth' || kind === 'interrupted' || kind === 'usage' || kind === 'file' || isLongPause(error)
  );
}

/** Whether the same check may succeed later: the gateway or the network failed, or the API refused this one request. */
export function isTransient(error: unknown): error is GatectlError {
  return error instanceof GatectlError && !failsEveryReader(error) && error.kind !== 'api';
}
