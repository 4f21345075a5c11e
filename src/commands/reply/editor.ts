import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { withoutSecrets } from '../../config/platform.ts';
import { FileError, UsageError } from '../../errors/index.ts';
import { invalidInput, invalidValue, missingArgument } from '../../errors/usage.ts';
import { mkdtemp, rm, writeFile } from '../../files/disk.ts';
import { fileError } from '../../files/file-error.ts';
import { readText } from '../../files/text-source.ts';
import { isInteractive } from '../../terminal/io.ts';
import { splitShellWords } from '../../text/shell-words.ts';
import type { Context } from '../framework/context.ts';

/**
 * Opens a text in the user's editor, VISUAL or EDITOR, and calls `accept` with the result, without Windows line ends. If that throws,
 * the file stays, and a hint names it. Throws UsageError without an editor, and FileError if it fails.
 */
export async function editText(
  text: string,
  accept: (text: string) => Promise<void>,
  context: Pick<Context, 'io' | 'signal' | 'log' | 'hintsFor'>,
): Promise<void> {
  const { io } = context;
  const [program, ...args] = editorWords(context);
  const folder = await temporaryFolder(io.env.TMPDIR || io.env.TEMP || '/tmp');
  const path = join(folder, 'reply.txt');
  let isWorthKeeping = false;
  try {
    await writeFile(path, `${text}\n`, { mode: 0o600 });
    await runEditor([program, ...args, path], context);
    isWorthKeeping = true;
    const edited = (await readText(path)).replaceAll('\r\n', '\n').trimEnd();
    await accept(edited);
    isWorthKeeping = false;
  } catch (error) {
    if (!(error instanceof UsageError)) {
      if (isWorthKeeping) context.log.warn(`the reply was not saved; your text is in ${path}`);
      throw error;
    }
    isWorthKeeping = true;
    throw invalidInput(error.message, ...(await context.hintsFor(error)), `your text is in ${path}`);
  } finally {
    if (!isWorthKeeping) await rm(folder, { recursive: true, force: true });
  }
}

function editorWords({ io }: Pick<Context, 'io'>): [string, ...string[]] {
  const { env, platform } = io;
  const chosen = env.VISUAL || env.EDITOR;
  const fallback = platform === 'win32' ? 'notepad' : 'vi';
  if (!chosen && !isInteractive(io))
    throw missingArgument(
      'there is no terminal for an editor',
      'pass the text: --file FILE, or --file - for stdin',
    );
  const { words, unclosed } = splitShellWords(chosen || fallback, platform);
  const [program, ...args] = words;
  if (program !== undefined && unclosed === undefined) return [program, ...args];
  throw invalidValue(`the editor '${chosen}' is not a command`, 'set VISUAL or EDITOR');
}

async function temporaryFolder(parent: string): Promise<string> {
  try {
    return await mkdtemp(join(parent, 'gatectl-reply-'));
  } catch (error) {
    throw fileError(parent, error, 'write');
  }
}

function runEditor(
  [program, ...args]: [string, ...string[]],
  { io, signal }: Pick<Context, 'io' | 'signal'>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (how: string) =>
      reject(new FileError(`the editor ${program} ${how}; nothing was changed`, { path: program }));
    const child = spawn(program, args, { stdio: 'inherit', env: withoutSecrets(io.env), cwd: io.cwd });
    child.once('error', error => failed(`could not be started: ${error.message}`));
    child.once('close', (code, killedBy) => {
      if (signal.aborted) reject(signal.reason);
      else if (code === 0) resolve();
      else failed(killedBy === null ? `failed with exit code ${code}` : `was killed by ${killedBy}`);
    });
  });
}
