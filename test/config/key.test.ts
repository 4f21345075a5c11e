import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type KeyTools, resolveKey } from '../../src/config/key.ts';
import type { KeySource } from '../../src/config/key-source.ts';
import type { ProfilesFile } from '../../src/config/profiles-file.ts';
import { resolveSettings } from '../../src/config/resolve.ts';
import { AuthError, InterruptedError } from '../../src/errors/index.ts';
import { temporaryFolder } from '../support/folder.ts';

const GATEWAY = 'https://gateway.example.com';

interface Given {
  key?: KeySource | undefined;
  profileUrl?: string | undefined;
  flagUrl?: string;
  env?: Record<string, string>;
  tools?: Partial<KeyTools>;
  noProfile?: boolean;
}

async function lookUp({ key, flagUrl, env = {}, tools, noProfile, ...given }: Given) {
  const baseUrl = 'profileUrl' in given ? given.profileUrl : `${GATEWAY}/root`;
  const values = baseUrl === undefined ? {} : { baseUrl };
  const file: ProfilesFile = {
    path: '/config.json',
    profiles: new Map(noProfile ? [] : [['news', { name: 'news', values, key }]]),
    current: noProfile ? undefined : 'news',
    warnings: [],
    json: {},
  };
  const settings = resolveSettings({ flags: { baseUrl: flagUrl }, env, file });
  return resolveKey(settings, {
    env,
    platform: 'linux',
    openKeyring: async () => {
      throw new Error('the keyring was asked');
    },
    ...tools,
  });
}

async function authErrorOf(given: Given): Promise<AuthError> {
  const error = await lookUp(given).then(
    () => undefined,
    reason => reason,
  );
  expect(error).toBeInstanceOf(AuthError);
  expect((error as AuthError).code).toBe('key_unreadable');
  return error as AuthError;
}

const stored: KeySource = { kind: 'config', apiKey: 'stored-key' };

describe('the origin of the key', () => {
  test('the environment beats the profile, on any gateway', async () => {
    const env = { GATECTL_API_KEY: ' env-key\n' };
    expect(await lookUp({ key: stored, env, flagUrl: 'https://other.example.org' })).toEqual({
      found: true,
      key: 'env-key',
      origin: 'environment GATECTL_API_KEY',
      warnings: [],
    });
  });

  test('an empty variable counts as not set', async () => {
    expect(await lookUp({ key: stored, env: { GATECTL_API_KEY: '' } })).toHaveProperty('key', 'stored-key');
  });

  test('the profile gives what is stored in it', async () => {
    expect(await lookUp({ key: stored })).toEqual({
      found: true,
      key: 'stored-key',
      origin: 'profile news (stored in the profile)',
      warnings: [],
    });
  });

  test('a missing key is reported with every place that was searched', async () => {
    expect(await lookUp({ noProfile: true })).toEqual({
      found: false,
      places: ['environment GATECTL_API_KEY (not set)', 'profile (none is selected)'],
    });
    expect(await lookUp({ key: undefined })).toEqual({
      found: false,
      places: ['environment GATECTL_API_KEY (not set)', 'profile news (it has no key)'],
    });
  });

  test('a key that cannot be sent is named and not repeated', async () => {
    const error = await authErrorOf({ env: { GATECTL_API_KEY: 'top secret' } });
    expect(error.message).toBe(
      'the key in GATECTL_API_KEY contains a blank or a line break; copy the key again from the account dashboard',
    );
  });
});

describe('a key belongs to one origin', () => {
  test.each([
    'https://other.example.org',
    'https://gateway.example.com:8443',
    'http://127.0.0.1:8080',
    'https://gateway.example.com.evil.example.org',
  ])('%s does not get the profile’s key', async flagUrl => {
    expect(await lookUp({ key: stored, flagUrl })).toEqual({
      found: false,
      places: [
        'environment GATECTL_API_KEY (not set)',
        `profile news (its key was stored for ${GATEWAY}, but flag --base-url is ${new URL(flagUrl).origin})`,
      ],
    });
  });

  test('the environment’s address does not get it either', async () => {
    const outcome = await lookUp({ key: stored, env: { GATECTL_BASE_URL: 'https://other.example.org' } });
    expect(outcome).toHaveProperty('found', false);
  });

  test('another path of the same origin does', async () => {
    expect(await lookUp({ key: stored, flagUrl: `${GATEWAY}/elsewhere` })).toHaveProperty(
      'key',
      'stored-key',
    );
  });

  test('a helper is not even started for another origin', async () => {
    const mark = join(temporaryFolder(), 'started');
    const script = `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`;
    const key: KeySource = { kind: 'command', argv: [process.execPath, '-e', script] };
    await lookUp({ key, flagUrl: 'https://other.example.org' });
    expect(existsSync(mark)).toBe(false);
  });

  test('the key of a profile without a base URL belongs nowhere', async () => {
    expect(await lookUp({ key: stored, profileUrl: undefined, flagUrl: GATEWAY })).toEqual({
      found: false,
      places: [
        'environment GATECTL_API_KEY (not set)',
        'profile news (it has a key but no base-url, so the gateway of the key is unknown)',
      ],
    });
  });
});

describe('a key file', () => {
  test.skipIf(process.platform === 'win32')(
    'that is a pipe without a writer is reported and does not hang',
    async () => {
      const path = join(temporaryFolder(), 'pipe');
      execFileSync('mkfifo', ['-m', '600', path]);
      await expect(lookUp({ key: { kind: 'file', path } })).rejects.toThrow(AuthError);
    },
  );

  function keyFile(text: string, mode = 0o600): KeySource & { kind: 'file' } {
    const path = join(temporaryFolder(), 'key');
    writeFileSync(path, text);
    chmodSync(path, mode);
    return { kind: 'file', path };
  }

  test('gives its first line', async () => {
    const key = keyFile('file-key\nnote\n');
    expect(await lookUp({ key })).toEqual({
      found: true,
      key: 'file-key',
      origin: `profile news (file ${key.path})`,
      warnings: [],
    });
  });

  test.runIf(process.platform !== 'win32')('that anyone can read works with a warning', async () => {
    const key = keyFile('file-key', 0o644);
    expect(await lookUp({ key })).toHaveProperty('warnings', [
      `other users can read the key file ${key.path}; restrict it with chmod 600`,
    ]);
  });

  test('that is missing is named', async () => {
    const path = join(temporaryFolder(), 'key');
    const error = await authErrorOf({ key: { kind: 'file', path } });
    expect(error.message).toBe(`cannot read the key file: no such file: ${path}`);
  });

  test('that is empty is named', async () => {
    const key = keyFile('\n');
    const error = await authErrorOf({ key });
    expect(error.message).toContain(`the key of profile news (file ${key.path}) is empty`);
  });

  test.runIf(existsSync('/dev/zero'))('that never ends is not read to its end', async () => {
    const error = await authErrorOf({ key: { kind: 'file', path: '/dev/zero' } });
    expect(error.message).toContain('is longer than 4096 characters');
  });
});

describe('a helper command', () => {
  function helper(script: string, ...words: string[]): KeySource {
    return { kind: 'command', argv: [process.execPath, '-e', script, ...words] };
  }

  test('gives the first line that it prints', async () => {
    const key = helper('console.log("helper-key"); console.log("note")');
    expect(await lookUp({ key })).toMatchObject({ found: true, key: 'helper-key' });
  });

  test('may print JSON', async () => {
    const key = helper('console.log(JSON.stringify({ apiKey: "json-key" }, null, 2))');
    expect(await lookUp({ key })).toMatchObject({ found: true, key: 'json-key' });
  });

  test('gets its arguments unchanged and only the given environment', async () => {
    const key = helper(
      'console.log(process.argv[1] + process.env.WORD + (process.env.HOME ?? ""))',
      '$WORD;*',
    );
    expect(await lookUp({ key, env: { WORD: '-w' } })).toMatchObject({ key: '$WORD;*-w' });
  });

  test('that reads its input gets end of file', async () => {
    const key = helper('process.stdin.on("end", () => console.log("k")).resume()');
    expect(await lookUp({ key })).toMatchObject({ key: 'k' });
  });

  test('that fails shows its code and stderr, never its output', async () => {
    const script = 'console.log("leaked-key"); console.error("vault is locked"); process.exitCode = 3';
    const error = await authErrorOf({ key: helper(script) });
    expect(error.message).toBe(
      `the key command ${process.execPath} failed with exit code 3: vault is locked`,
    );
    expect(JSON.stringify([error, error.cause, error.stack])).not.toContain('leaked-key');
  });

  test('that fails shows no key in its stderr, wherever the key is', async () => {
    const script =
      'console.log("short-key"); console.error("short-key, " + process.env.VAULT_TOKEN + " and q8Zr5tYw2LmN0pXa in /home/ana/store"); process.exitCode = 3';
    const error = await authErrorOf({ key: helper(script), env: { VAULT_TOKEN: 'of the vault' } });
    expect(error.message).toBe(
      `the key command ${process.execPath} failed with exit code 3: ***, *** and *** in /home/ana/store`,
    );
  });

  test('that was killed by a signal is reported', async () => {
    const error = await authErrorOf({
      key: helper('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 99)'),
    });
    expect(error.message).toBe(`the key command ${process.execPath} was killed by SIGTERM`);
  });

  test('that takes too long is killed', async () => {
    const key = helper('setInterval(() => {}, 1000)');
    const error = await authErrorOf({ key, tools: { commandLimit: 300 } });
    expect(error.message).toBe(`the key command ${process.execPath} printed no key within 0.3 s`);
  });

  test('that does not exist is named', async () => {
    const error = await authErrorOf({ key: { kind: 'command', argv: ['no-such-helper', 'x'] } });
    expect(error.message).toBe(
      'the key command no-such-helper was not found; cron has a short PATH, so use the full path',
    );
  });

  test('that prints nothing is named', async () => {
    expect((await authErrorOf({ key: helper('') })).message).toContain(' is empty; ');
  });

  test('that prints without end is stopped', async () => {
    const error = await authErrorOf({ key: helper('console.log("x".repeat(1e6))') });
    expect(error.message).toBe(`the key command ${process.execPath} printed more than 64 KiB`);
  });

  test('ends with Ctrl-C', async () => {
    const stop = new AbortController();
    const looking = lookUp({ key: helper('setInterval(() => {}, 1000)'), tools: { signal: stop.signal } });
    stop.abort(new InterruptedError('SIGINT'));
    await expect(looking).rejects.toBeInstanceOf(InterruptedError);
  });
});

describe('the keyring', () => {
  const key: KeySource = { kind: 'keyring', account: 'news at https://gateway.example.com' };

  function keyring(password: string | null): Partial<KeyTools> {
    return {
      openKeyring: async account => ({
        getPassword: async () => (account === 'news at https://gateway.example.com' ? password : null),
        setPassword: async () => undefined,
        deletePassword: async () => true,
      }),
    };
  }

  test('gives its entry', async () => {
    expect(await lookUp({ key, tools: keyring('ring-key') })).toEqual({
      found: true,
      key: 'ring-key',
      origin: 'profile news (keyring entry news at https://gateway.example.com)',
      warnings: [],
    });
  });

  test('without the entry is listed as a place without a key', async () => {
    expect(await lookUp({ key, tools: keyring(null) })).toEqual({
      found: false,
      places: [
        'environment GATECTL_API_KEY (not set)',
        'profile news (keyring entry news at https://gateway.example.com): no such entry',
      ],
    });
  });

  test('that is not available is reported', async () => {
    expect((await authErrorOf({ key })).message).toBe(
      'the keyring of this machine is not available; it may require a desktop session',
    );
  });
});
