import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readProfiles } from '../../src/config/profiles-file.ts';
import { FileError } from '../../src/errors/index.ts';
import { temporaryFolder } from '../support/folder.ts';

const posix = process.platform !== 'win32';

function stored(content: unknown, mode = 0o600): string {
  const path = join(temporaryFolder(), 'config.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(path, mode);
  return path;
}

async function broken(content: unknown): Promise<string> {
  const path = stored(content);
  const before = readFileSync(path, 'utf8');
  const error = await readProfiles(path, 'linux').then(
    () => undefined,
    reason => reason,
  );
  expect(error).toBeInstanceOf(FileError);
  expect(readFileSync(path, 'utf8')).toBe(before);
  return error.message.replace(path, 'PATH');
}

describe('a good file', () => {
  const news = { 'base-url': 'https://gateway.example.com', retries: 5, protected: true };

  test('gives its profiles by setting, in their order', async () => {
    const path = stored({ version: 1, current: 'news', profiles: { zoo: {}, news } });
    const file = await readProfiles(path, 'linux');
    expect([...file.profiles.keys()]).toEqual(['zoo', 'news']);
    expect(file.current).toBe('news');
    expect(file.profiles.get('news')).toEqual({
      name: 'news',
      values: { baseUrl: 'https://gateway.example.com', retries: 5, protected: true },
      key: undefined,
    });
    expect(file.warnings).toEqual([]);
  });

  test.each([
    [
      { kind: 'config', 'api-key': 'k' },
      { kind: 'config', apiKey: 'k' },
    ],
    [
      { kind: 'file', path: '/keys/news' },
      { kind: 'file', path: '/keys/news' },
    ],
    [
      { kind: 'command', argv: ['pass', 'show'] },
      { kind: 'command', argv: ['pass', 'show'] },
    ],
    [
      { kind: 'keyring', account: 'a' },
      { kind: 'keyring', account: 'a' },
    ],
  ])('reads the key source %j', async (key, source) => {
    const file = await readProfiles(stored({ version: 1, profiles: { p: { key } } }), 'linux');
    expect(file.profiles.get('p')?.key).toEqual(source);
  });

  test('may start with a byte order mark', async () => {
    const file = await readProfiles(stored('\uFEFF{"version":1,"profiles":{}}'), 'linux');
    expect(file.profiles.size).toBe(0);
  });

  test('an unknown setting is reported with the nearest one', async () => {
    const file = await readProfiles(
      stored({ version: 1, profiles: { p: { base_url: 'x', foo: 1 } } }),
      'linux',
    );
    expect(file.warnings).toEqual([
      'profile "p": unknown setting "base_url"; did you mean base-url?',
      'profile "p": unknown setting "foo"',
    ]);
  });
});

describe('permissions', () => {
  const withKey = { version: 1, profiles: { p: { key: { kind: 'config', 'api-key': 'k' } } } };

  test.runIf(posix).each([0o644, 0o640, 0o604])(
    'a key that others can read is told (mode %i)',
    async mode => {
      const path = stored(withKey, mode);
      expect((await readProfiles(path, 'linux')).warnings).toEqual([
        `other users can read ${path}, which contains an API key; restrict it with chmod 600`,
      ]);
    },
  );

  test('a private file is silent, and so is an open one without a key', async () => {
    expect((await readProfiles(stored(withKey), 'linux')).warnings).toEqual([]);
    expect(
      (await readProfiles(stored({ version: 1, profiles: { p: {} } }, 0o644), 'linux')).warnings,
    ).toEqual([]);
  });

  test('Windows, where the bits mean nothing, is silent', async () => {
    expect((await readProfiles(stored(withKey, 0o644), 'win32')).warnings).toEqual([]);
  });
});

describe('no file', () => {
  test('holds no profiles', async () => {
    const path = join(temporaryFolder(), 'config.json');
    const file = await readProfiles(path, 'linux');
    expect(file).toEqual({ path, profiles: new Map(), current: undefined, warnings: [], json: {} });
  });

  test('no place for one holds none either', async () => {
    expect((await readProfiles(undefined, 'linux')).path).toBe(undefined);
  });
});

describe('a damaged file is named and not changed', () => {
  test('broken JSON, with its line and without any of its text', async () => {
    const text = '{\n  "version": 1,\n  "profiles": { "p": { "key": "secret" "x" } }\n}';
    expect(await broken(text)).toBe('PATH is invalid: not valid JSON at line 3');
  });

  test.each(['', '{"version":1,', 'not json at all'])('%j', async text => {
    expect(await broken(text)).toMatch(/^PATH is invalid: not valid JSON( at line 1)?$/);
  });

  test('a newer version', async () => {
    expect(await broken({ version: 2, profiles: [] })).toBe(
      'PATH was written by a newer gatectl: its format is 2, and this version reads 1',
    );
  });

  test.each([
    [[], 'it must be one JSON object'],
    [null, 'it must be one JSON object'],
    [{}, 'version must be an integer'],
    [{ version: '1' }, 'version must be an integer'],
    [{ version: 1.5 }, 'version must be an integer'],
    [{ version: 1 }, 'profiles must be an object'],
    [{ version: 1, profiles: [] }, 'profiles must be an object'],
    [{ version: 1, profiles: {}, current: 7 }, 'current must be a string'],
    [{ version: 1, profiles: { p: 'x' } }, 'profile "p": must be an object'],
    [{ version: 1, profiles: { p: { retries: '5' } } }, 'profile "p": retries must be a number'],
    [{ version: 1, profiles: { p: { protected: 1 } } }, 'profile "p": protected must be a boolean'],
    [{ version: 1, profiles: { p: { 'base-url': null } } }, 'profile "p": base-url must be a string'],
    [{ version: 1, profiles: { p: { key: 'secret' } } }, 'profile "p": key must be an object'],
    [
      { version: 1, profiles: { p: { key: { kind: 'telepathy' } } } },
      'profile "p": key.kind must be config, file, command or keyring',
    ],
    [
      { version: 1, profiles: { p: { key: { kind: 'config' } } } },
      'profile "p": key.api-key must be a string',
    ],
    [
      { version: 1, profiles: { p: { key: { kind: 'command', argv: [] } } } },
      'profile "p": key.argv must be a list of strings',
    ],
    [
      { version: 1, profiles: { p: { key: { kind: 'command', argv: ['a', 1] } } } },
      'profile "p": key.argv must be a list of strings',
    ],
  ])('%j', async (content, what) => {
    expect(await broken(content)).toBe(`PATH is invalid: ${what}`);
  });

  test('a folder in its place', async () => {
    const path = join(temporaryFolder(), 'config.json');
    mkdirSync(path);
    await expect(readProfiles(path, 'linux')).rejects.toThrowError(`${path} is a folder, not a file`);
  });

  test.runIf(posix)('a pipe in its place, without waiting for a writer', async () => {
    const path = join(temporaryFolder(), 'config.json');
    execFileSync('mkfifo', [path]);
    await expect(readProfiles(path, 'linux')).rejects.toThrowError(`${path} is not a regular file`);
  });

  test('a file far too large', async () => {
    const path = stored(' '.repeat((1 << 20) + 1));
    await expect(readProfiles(path, 'linux')).rejects.toThrowError(
      'is too large for a profiles file: 1048577 bytes',
    );
  });

  test('whatever JSON it holds, it is read or named, never more', async () => {
    const path = stored('');
    const key = fc.constantFrom(
      'version',
      'current',
      'profiles',
      'p',
      'key',
      'kind',
      'argv',
      'base-url',
      '__proto__',
    );
    const value = fc.letrec(tie => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(1, 2, 'config', 'command', null, true, 'x'),
        fc.array(tie('any'), { maxLength: 2 }),
        fc.dictionary(key, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, async json => {
        writeFileSync(path, JSON.stringify(json));
        const outcome = await readProfiles(path, 'linux').catch(error => error);
        expect(outcome instanceof FileError || outcome.profiles instanceof Map).toBe(true);
      }),
    );
  });
});
