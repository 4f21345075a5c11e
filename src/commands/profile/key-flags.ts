import { commandWords } from '../../config/command-words.ts';
import { checkFirstLine } from '../../config/key-format.ts';
import type { KeySource } from '../../config/key-source.ts';
import { keyringAccount, openSystemKeyring, storeInKeyring } from '../../config/keyring.ts';
import { accepted } from '../../config/resolve.ts';
import { UsageError } from '../../errors/index.ts';
import { readText } from '../../files/text-source.ts';
import type { Context } from '../framework/context.ts';
import { boolean, string } from '../framework/define-command.ts';

/** The flags that say where a profile's key comes from; without one it comes from GATECTL_API_KEY. */
export const KEY_FLAGS = {
  apiKeyStdin: boolean(
    '--api-key-stdin',
    'read the API key from stdin and keep it in the profiles file (mode 0600)',
  ),
  apiKeyFile: string('--api-key-file <file>', 'read the API key from the first line of this file each time', {
    completes: 'file',
  }),
  keyCommand: string(
    '--key-command <command>',
    'get the API key from the output of this command each time (no shell)',
  ),
  keyring: boolean(
    '--keyring',
    "keep the API key in the operating system's keyring (asked for, or read from stdin)",
  ),
};

export interface KeyFlags {
  readonly apiKeyStdin: boolean;
  readonly apiKeyFile: string | undefined;
  readonly keyCommand: string | undefined;
  readonly keyring: boolean;
}

/**
 * The key source that the flags name; undefined leaves it to the environment. Stores the key itself where that is the
 * keyring. Throws UsageError for two sources and for a key that can't be one.
 */
export async function keySourceFromFlags(
  flags: KeyFlags,
  profile: string,
  baseUrl: string | undefined,
  context: Context,
): Promise<KeySource | undefined> {
  const given = [
    flags.apiKeyStdin && '--api-key-stdin',
    flags.apiKeyFile !== undefined && '--api-key-file',
    flags.keyCommand !== undefined && '--key-command',
    flags.keyring && '--keyring',
  ].filter(name => name !== false);
  if (given.length > 1) {
    throw new UsageError(`${given.join(' and ')} both name a key`, {
      code: 'conflicting_options',
      hints: ['give one of them'],
    });
  }
  if (given.length > 0 && baseUrl === undefined) {
    throw new UsageError('a key belongs to one gateway, and the base URL is missing', {
      code: 'missing_setting',
      hints: ['add --base-url URL'],
    });
  }
  if (flags.apiKeyStdin) return { kind: 'config', apiKey: await typedKey(context) };
  if (flags.apiKeyFile !== undefined) {
    const { resolve } = await import('node:path');
    return { kind: 'file', path: resolve(context.io.cwd, flags.apiKeyFile) };
  }
  if (flags.keyCommand !== undefined) {
    const [program, ...words] = accepted(
      commandWords(flags.keyCommand, context.io.platform),
      '--key-command',
    );
    return { kind: 'command', argv: [await wholePath(program, context), ...words] };
  }
  if (flags.keyring && baseUrl !== undefined)
    return await inKeyring(await typedKey(context), profile, baseUrl);
  return undefined;
}

/** A program that is named by a path stays the same one in every folder; a bare name is looked up each time. */
async function wholePath(program: string, { io }: Context): Promise<string> {
  if (!(io.platform === 'win32' ? /[\\/]/ : /\//).test(program)) return program;
  const { resolve } = await import('node:path');
  return resolve(io.cwd, program);
}

/** Keeps a key in the keyring. Throws AuthError when this machine's keyring does not keep it. */
export async function inKeyring(key: string, profile: string, baseUrl: string): Promise<KeySource> {
  const account = keyringAccount(profile, baseUrl);
  await storeInKeyring(account, key, openSystemKeyring);
  return { kind: 'keyring', account };
}

/** A key from a person at the terminal, or from stdin. */
async function typedKey(context: Context): Promise<string> {
  const { prompt } = context;
  const given = prompt === undefined ? await readText(context.io.stdin) : await prompt.secret('API key:');
  const key = accepted(checkFirstLine(given), 'the API key');
  context.redactor.add(key);
  return key;
}
