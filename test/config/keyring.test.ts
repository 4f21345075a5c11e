import { describe, expect, test } from 'vitest';
import {
  keyringAccount,
  type OpenKeyring,
  removeFromKeyring,
  storeInKeyring,
} from '../../src/config/keyring.ts';
import { AuthError } from '../../src/errors/index.ts';

/** A keyring whose entry may lose or refuse what it is given. */
function keyring(fault?: 'loses' | 'refuses' | 'absent'): { open: OpenKeyring; held: Map<string, string> } {
  const held = new Map<string, string>();
  const open: OpenKeyring = async account => {
    if (fault === 'absent')
      throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
    return {
      getPassword: async () => (fault === 'loses' ? null : (held.get(account) ?? null)),
      setPassword: async password => {
        held.set(account, password);
        if (fault === 'refuses') throw new Error('no storage');
      },
      deletePassword: async () => held.delete(account),
    };
  };
  return { open, held };
}

describe('storeInKeyring', () => {
  test('stores a key', async () => {
    const { open, held } = keyring();
    await storeInKeyring('news at x', 'k', open);
    expect([...held]).toEqual([['news at x', 'k']]);
  });

  test('detects a keyring that accepts the key and loses it', async () => {
    const { open } = keyring('loses');
    await expect(storeInKeyring('a', 'k', open)).rejects.toThrowError(
      new AuthError('the keyring of this machine did not store the key', { code: 'key_unreadable' }),
    );
  });

  test('leaves no key behind when storing fails', async () => {
    const { open, held } = keyring('refuses');
    await expect(storeInKeyring('a', 'k', open)).rejects.toThrowError(
      'the keyring of this machine is not available',
    );
    expect(held.size).toBe(0);
  });

  test('reports a missing optional package', async () => {
    const { open } = keyring('absent');
    await expect(storeInKeyring('a', 'k', open)).rejects.toThrowError(
      'the keyring package @napi-rs/keyring is not installed',
    );
  });
});

describe('removeFromKeyring', () => {
  test('removes an entry and returns whether there was one', async () => {
    const { open } = keyring();
    await storeInKeyring('a', 'k', open);
    expect(await removeFromKeyring('a', open)).toBe(true);
    expect(await removeFromKeyring('a', open)).toBe(false);
  });

  test('does not mind a machine without a keyring', async () => {
    expect(await removeFromKeyring('a', keyring('absent').open)).toBe(false);
  });
});

test('profiles of one name for two gateways have two entries', () => {
  expect(keyringAccount('news', 'https://gateway.example.com/root')).toBe(
    'news at https://gateway.example.com',
  );
  expect(keyringAccount('news', 'https://other.example.org')).toBe('news at https://other.example.org');
});
