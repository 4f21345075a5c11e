import { AuthError } from '../errors/index.ts';

/** One entry of the operating system's keyring. */
export interface KeyringEntry {
  getPassword(): Promise<string | null | undefined>;
  setPassword(password: string): Promise<void>;
  deletePassword(): Promise<unknown>;
}

export type OpenKeyring = (account: string) => Promise<KeyringEntry>;

/** The keyring of the operating system, through an optional package. Throws what the package throws, or what its absence does. */
export const openSystemKeyring: OpenKeyring = async account => {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return new AsyncEntry('gatectl', account);
};

/** The entry of a profile: with its origin, so that profiles of one name in two folders don't share a key. */
export function keyringAccount(profile: string, baseUrl: string): string {
  return `${profile} at ${new URL(baseUrl).origin}`;
}

/** Reads a key; undefined where the keyring has no such entry. Throws AuthError when there is no keyring to ask. */
export async function readKeyring(account: string, openKeyring: OpenKeyring): Promise<string | undefined> {
  try {
    return (await (await openKeyring(account)).getPassword()) ?? undefined;
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * Stores a key and reads it back, since a machine without a desktop may take a key and lose it. Throws AuthError, and leaves no
 * key behind, when the keyring did not keep it.
 */
export async function storeInKeyring(account: string, key: string, openKeyring: OpenKeyring): Promise<void> {
  let entry: KeyringEntry | undefined;
  let problem: unknown;
  try {
    entry = await openKeyring(account);
    await entry.setPassword(key);
    if ((await entry.getPassword()) === key) return;
  } catch (error) {
    problem = error;
  }
  await entry?.deletePassword().catch(() => undefined);
  if (problem !== undefined) throw unavailable(problem);
  throw new AuthError('the keyring of this machine did not keep the key', { code: 'key_unreadable' });
}

/** Removes a key; resolves to false where there was none, or no keyring. */
export async function removeFromKeyring(account: string, openKeyring: OpenKeyring): Promise<boolean> {
  try {
    return (await (await openKeyring(account)).deletePassword()) === true;
  } catch {
    return false;
  }
}

function unavailable(cause: unknown): AuthError {
  const missing = cause instanceof Error && 'code' in cause && /MODULE_NOT_FOUND$/.test(String(cause.code));
  const message = missing
    ? 'the keyring package @napi-rs/keyring is not installed'
    : 'the keyring of this machine can not be used; without a desktop session there often is none';
  return new AuthError(message, { code: 'key_unreadable', cause });
}
