import { GatectlError } from '../../errors/index.ts';

/** Whether a check failed for a reason that applies to all readers. */
export function failsEveryReader({ kind }: GatectlError): boolean {
  return kind === 'auth' || kind === 'interrupted' || kind === 'usage' || kind === 'file';
}

/** Whether the same check may succeed later: the gateway or the network failed, or the API refused this one request. */
export function isTransient(error: unknown): error is GatectlError {
  return error instanceof GatectlError && !failsEveryReader(error) && error.kind !== 'api';
}
