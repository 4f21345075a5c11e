import { LOCAL_VALUES, type LocalValue } from '../../commands/framework/define-command.ts';
import { GatectlError } from '../../errors/index.ts';
import type { Io } from '../../terminal/io.ts';
import { localValues } from './local-values.ts';

/**
 * Called by completion scripts as `gatectl __complete KIND .CURRENT WORD…`. Prints one candidate per line, `WORD<TAB>SUMMARY`.
 * The dot preserves an empty word. Errors yield no candidates, because completion must not print any.
 */
export async function complete(argv: readonly string[], io: Io): Promise<void> {
  const [kind, current = '', ...typed] = argv;
  if (!isLocal(kind)) return;
  try {
    const candidates = await localValues(kind, current.slice(1), typed, io);
    const lines = candidates.map(({ word, about }) =>
      about ? `${oneLine(word)}\t${oneLine(about)}` : oneLine(word),
    );
    io.stdout.write(lines.map(line => `${line}\n`).join(''));
  } catch (error) {
    if (!(error instanceof GatectlError)) throw error;
  }
}

function isLocal(kind: string | undefined): kind is LocalValue {
  return LOCAL_VALUES.some(value => value === kind);
}

/** Names come from an API: characters that would end a line, move the cursor or reorder text become blanks. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
}
