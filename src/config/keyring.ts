import { AuthError } from '../errors/index.ts';

/** One entry of the operating system's keyring. */
interface KeyringEntry {
  getPassword(): Promise<string | null | undefined>;
  setPassword(password: string): Promise<void>;
  deletePassword(): Promise<unknown>;
}

export type OpenKeyring = (account: string) => Promise<KeyringEntry>;

/** The optional package. A bundler that finds its name in an import looks for a binary of each platform. */
const KEYRING: { readonly name: string } = { name: '@napi-rs/keyring' };

/** Opens the operating system's keyring through an optional package. Throws the package's errors, or that it is not installed. */
export const openSystemKeyring: OpenKeyring = async account => {
  const keyring = await import(/* webpackIgnore: true */ /* @vite-ignore */ KEYRING.name);
  const { AsyncEntry } = keyring as typeof import('@napi-rs/keyring');
  return new AsyncEntry('gatectl', account);
};

/** The keyring account of a profile. It includes the origin, so that profiles with the same name in two folders do not share a key. */
export function keyringAccount(profile: string, baseUrl: string): string {
  return `${profile} at ${new URL(baseUrl).origin}`;
}

/** Reads a key; undefined if the keyring has no such entry. Throws AuthError if there is no keyring. */
export async function readKeyring(account: string, openKeyring: OpenKeyring): Promise<string | undefined> {
  try {
    return (await (await openKeyring(account)).getPassword()) ?? undefined;
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * Stores a key and reads it back, because a machine without a desktop session may accept a key and lose it. In that case the entry
 * is deleted and AuthError thrown.
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
  throw new AuthError('the keyring of this machine did not store the key', { code: 'key_unreadable' });
}

/** Removes a key; resolves to false if there was none, or no keyring. */
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
    : 'the keyring of this machine is not available; it may require a desktop session';
  return new AuthError(message, { code: 'key_unreadable', cause });
}
