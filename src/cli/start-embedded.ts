import { invalidValue } from '../errors/usage.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import type { Io } from '../terminal/io.ts';
import { embeddedBrand } from './active-settings.ts';

/** Starts the embedded gateway for `--sandbox`, as the environment says. Throws UsageError. */
export async function startEmbedded(io: Io, now: () => number): Promise<Sandbox> {
  return await startSandbox({ now, brand: embeddedBrand(io), restates: isRestating(io.env) });
}

/** Whether GATECTL_SANDBOX_RESTATE is set. Throws UsageError for a value other than 0 and 1. */
function isRestating({ GATECTL_SANDBOX_RESTATE: value = '' }: Io['env']): boolean {
  if (['', '0', '1'].includes(value)) return value === '1';
  throw invalidValue(`invalid GATECTL_SANDBOX_RESTATE '${value}'`, 'set it to 1, or unset it');
}
