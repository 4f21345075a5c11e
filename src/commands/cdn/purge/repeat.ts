import type { Context } from '../../framework/context.ts';
import type { PurgeFlags } from './flags.ts';

/** Purges again after the pause of `--repeat-after`, if set. */
export async function repeatLater(
  { repeatAfter }: PurgeFlags,
  context: Context,
  purgeAgain: () => Promise<void>,
): Promise<void> {
  if (repeatAfter === undefined) return;
  context.log.note(`purging again in ${repeatAfter} s`);
  await context.clock.sleep(repeatAfter * 1000, context.signal);
  await purgeAgain();
}
