import { type Reader, readerByEmail } from '../../apis/subscriptions/reader.ts';
import { GatectlError, InterruptedError, UsageError } from '../../errors/index.ts';
import { withoutPasteDamage } from '../../terminal/paste-damage.ts';
import type { Context } from '../framework/context.ts';
import { redactReader } from '../framework/reader-flags.ts';

/** Clears the screen and the scrollback, so that no address remains. */
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/**
 * Prompts for an address, shows the reader on an empty screen, and prompts again, until the answer is empty. An error is printed, and
 * the next address may be typed; Ctrl-C throws InterruptedError.
 */
export async function promptForReaders(
  show: (reader: Reader) => Promise<void>,
  context: Context,
): Promise<undefined> {
  const { prompt, io, log } = context;
  context.out.withoutPager();
  for (;;) {
    const typed = await prompt?.input('Reader e-mail address (Enter to quit):', { check });
    const address = cleaned(typed ?? '');
    io.stderr.write(CLEAR);
    if (address === '') return undefined;
    try {
      const reader = readerByEmail(address);
      redactReader(reader, context);
      await show(reader);
    } catch (error) {
      if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
      log.warn(error.message, await context.hintsFor(error));
    }
    io.stderr.write('\n');
  }
}

function check(typed: string): true | string {
  const address = cleaned(typed);
  if (address === '') return true;
  try {
    readerByEmail(address);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return `${error.message}: type an address such as name@example.com`;
    throw error;
  }
}

function cleaned(typed: string): string {
  const pasted = withoutPasteDamage(typed);
  return 'value' in pasted ? pasted.value : typed.trim();
}
