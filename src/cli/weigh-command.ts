import type { InnerContext } from '../commands/framework/context.ts';
import { UsageError } from '../errors/index.ts';
import type { Denial } from '../operations/writes/weighed-write.ts';
import { WeighedOnly } from '../operations/writes/write-governor.ts';
import type { Parsed } from './parser.ts';

/**
 * Why the policies refuse a command line; none where they allow it, or where it changes nothing. It runs up to its first write, so that
 * nothing is changed. Throws what the command throws before.
 */
export async function weighCommand(
  { leaf, input }: Extract<Parsed, { kind: 'run' }>,
  { context, close }: InnerContext,
): Promise<readonly Denial[]> {
  try {
    if (leaf.effect === 'read') return [];
    if (leaf.name === 'mcp')
      throw new UsageError('gatectl mcp runs until it is stopped: check the command of a single change', {
        code: 'invalid_value',
      });
    if ((await context.settings()).readOnly.value)
      return [{ policy: 'read-only', rule: undefined, reason: 'only reads are allowed here' }];
    (await context.writes()).weighOnly();
    await leaf.run(input, context);
    return [];
  } catch (error) {
    if (error instanceof WeighedOnly) return error.denials;
    throw error;
  } finally {
    await close();
  }
}
