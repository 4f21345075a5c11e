import { resolve } from 'node:path';
import { UsageError } from '../../errors/index.ts';
import { missingArgument } from '../../errors/usage.ts';
import { isThere } from '../../files/if-there.ts';
import type { Context } from './context.ts';

/** The path of a file to create. Throws UsageError if there is one, and FileError if that cannot be known. */
export async function newFilePath(file: string, { io }: Pick<Context, 'io'>): Promise<string> {
  const path = resolve(io.cwd, file);
  if (!(await isThere(path))) return path;
  throw new UsageError(`${file} already exists`, {
    code: 'name_exists',
    hints: ['edit it, or name another file'],
  });
}

/**
 * What a new file requires and a flag or a prompt says. Throws UsageError if none does; `command` prompts, and `flags` are an example.
 */
export function requiredAnswer<Value>(
  flag: string,
  value: Value | undefined,
  { command, flags }: { readonly command: string; readonly flags: string },
): Value {
  if (value !== undefined) return value;
  throw missingArgument(
    `${flag} is required`,
    `type ${command} ${flags}`,
    `on a terminal, ${command} prompts for everything`,
  );
}
