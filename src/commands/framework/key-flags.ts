import { checkFirstLine, checkKeyCommand } from '../../config/key-format.ts';
import type { KeySource } from '../../config/key-source.ts';
import {
  keyringAccount,
  openSystemKeyring,
  removeFromKeyring,
  storeInKeyring,
} from '../../config/keyring.ts';
import { requireValid } from '../../config/resolve.ts';
import { cannotCombine, missingSetting } from '../../errors/usage.ts';
import { readText } from '../../files/text-source.ts';
import type { Context } from './context.ts';
import { boolean, oneOf, string, type ValuesOf } from './define-command.ts';

/** The flags for settings that determine whether a gateway can be reached and accepts the key. */
export const CONNECTION_FLAGS = {
  domain: string('--domain <domain>', 'the default domain', { completes: 'domain' }),
  brand: string(
    '--brand <word>',
    "the service's brand word in header names and platform values (default service)",
  ),
  keyIn: oneOf('--key-in <place>', 'where Subscriptions and CDN calls carry the key (default header)', [
    'header',
    'query',
  ]),
  caFile: string('--ca-file <file>', 'PEM file of a further certificate authority to trust'),
};

/** The flags for the key source of a profile; by default GATECTL_API_KEY. */
export const KEY_FLAGS = {
  apiKeyStdin: boolean(
    '--api-key-stdin',
    'read the API key from stdin and store it in the profiles file (mode 0600)',
  ),
  apiKeyFile: string('--api-key-file <file>', 'read the API key from the first line of this file each time'),
  keyCommand: string(
    '--key-command <command>',
    'get the API key from the output of this command each time (no shell)',
  ),
  keyring: boolean(
    '--keyring',
    "store the API key in the operating system's keyring (prompted for, or read from stdin)",
  ),
};

export type KeyFlags = ValuesOf<typeof KEY_FLAGS>;

/** A key source to store. */
export interface NewKey {
  readonly source: KeySource;
  /** The key itself, if it was typed or read from stdin. */
  readonly value?: string;
}

/**
 * The key source that the flags name; undefined leaves it to the environment. Stores nothing: see `storeKey`. Throws UsageError
 * for two sources and for an invalid key.
 */
export async function keyFromFlags(
  flags: KeyFlags,
  profile: string,
  baseUrl: string | undefined,
  context: Context,
): Promise<NewKey | undefined> {
  const given = keyFlagsIn(flags);
  if (given.length > 1) {
    throw cannotCombine(given.join(' and '), 'pass one of them');
  }
  if (given.length > 0 && baseUrl === undefined) {
    throw missingSetting('a key requires the base URL of its gateway', 'add --base-url URL');
  }
  if (flags.apiKeyStdin) return newKey('config', await typedKey(context), profile, baseUrl);
  if (flags.keyring) return newKey('keyring', await typedKey(context), profile, baseUrl);
  if (flags.apiKeyFile !== undefined) {
    const { resolve } = await import('node:path');
    return { source: { kind: 'file', path: resolve(context.io.cwd, flags.apiKeyFile) } };
  }
  if (flags.keyCommand === undefined) return undefined;
  const [program, ...words] = requireValid(
    checkKeyCommand(flags.keyCommand, context.io.platform),
    '--key-command',
  );
  return { source: { kind: 'command', argv: [await absoluteProgram(program, context), ...words] } };
}

/** The names of the key flags that were given. */
export function keyFlagsIn(flags: KeyFlags): readonly string[] {
  return [
    flags.apiKeyStdin && '--api-key-stdin',
    flags.apiKeyFile !== undefined && '--api-key-file',
    flags.keyCommand !== undefined && '--key-command',
    flags.keyring && '--keyring',
  ].filter(name => name !== false);
}

/** A key to store in the profiles file or in the keyring. */
export function newKey(kind: 'config' | 'keyring', value: string, profile: string, baseUrl = ''): NewKey {
  if (kind === 'config') return { source: { kind, apiKey: value }, value };
  return { source: { kind, account: keyringAccount(profile, baseUrl) }, value };
}

/** Stores a key in the keyring if that is its source. Throws AuthError if the keyring of this machine does not store it. */
export async function storeKey({ source, value }: NewKey): Promise<KeySource> {
  if (source.kind === 'keyring' && value !== undefined)
    await storeInKeyring(source.account, value, openSystemKeyring);
  return source;
}

/** Removes the keyring entry of a key that is no longer used. */
export async function dropKey(old: KeySource | undefined, now?: KeySource): Promise<void> {
  if (old?.kind !== 'keyring') return;
  if (now?.kind === 'keyring' && now.account === old.account) return;
  await removeFromKeyring(old.account, openSystemKeyring);
}

/** Makes a relative path absolute, so that it works in every folder; a bare name is looked up in PATH. */
async function absoluteProgram(program: string, { io }: Context): Promise<string> {
  if (!(io.platform === 'win32' ? /[\\/]/ : /\//).test(program)) return program;
  const { resolve } = await import('node:path');
  return resolve(io.cwd, program);
}

/** A key from the terminal, or from stdin. */
async function typedKey(context: Context): Promise<string> {
  const { prompt } = context;
  const given = prompt === undefined ? await readText(context.io.stdin) : await prompt.secret('API key:');
  const key = requireValid(checkFirstLine(given), 'the API key');
  context.redactor.add(key);
  return key;
}
