import { environmentVariable } from '../../config/platform.ts';
import { UsageError } from '../../errors/index.ts';
import { secretsInArgv } from '../../text/redactor.ts';
import type { Context } from './context.ts';

/** Throws UsageError for a text with an API key, which is about to be stored where others can read it: `where` says so. */
export function rejectKeys(
  text: string,
  { what, where }: { readonly what: string; readonly where: string },
  { io }: Pick<Context, 'io'>,
): void {
  const own = environmentVariable(io.env, 'GATECTL_API_KEY');
  const keys = secretsInArgv(text).filter(key => !key.startsWith('$'));
  if (keys.length === 0 && (own === undefined || !text.includes(own))) return;
  throw new UsageError(`${what} contains an API key, ${where}`, {
    code: 'key_on_command_line',
    hints: ['omit it: gatectl adds the key'],
  });
}
