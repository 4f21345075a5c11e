import { type Engine, readEngine } from '../../sync/engine/engine-url.ts';
import type { Context } from './context.ts';

/** The engine of a command line or of GATECTL_ENGINE; its password is redacted from now on. Throws UsageError. */
export function engineOf(
  flag: string | undefined,
  { io, redactor }: Pick<Context, 'io' | 'redactor'>,
): Engine {
  const engine = readEngine(flag, io.env);
  if (engine.password !== undefined) redactor.add(engine.password);
  return engine;
}
