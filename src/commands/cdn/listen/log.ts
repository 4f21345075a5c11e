import { type Json, stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';

/** Writes a line to the log of a listener. */
export type ListenerLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  facts: Readonly<Record<string, Json>>,
) => void;

/** Prints lines of JSON to stderr; with `--quiet`, not those of the level info. */
export function listenerLog({ io, redactor, globals }: Context): ListenerLog {
  return (level, message, facts) => {
    if (globals.quiet && level === 'info') return;
    const line = stringifyJson({ time: new Date(io.now()).toISOString(), level, message, ...facts });
    io.stderr.write(`${redactor.redact(line)}\n`);
  };
}
