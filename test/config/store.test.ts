import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { hintsFor, NO_CONTEXT } from '../../src/cli/hints.ts';
import { type JsonObject, profilesPath, type StoreOptions } from '../../src/config/change.ts';
import type { KeySource } from '../../src/config/key-source.ts';
import { readProfiles } from '../../src/config/profiles-file.ts';
import { resolveSettings } from '../../src/config/resolve.ts';
import {
  checkProfileName,
  removeProfile,
  saveProfile,
  setKey,
  setSetting,
  unsetSetting,
  useProfile,
} from '../../src/config/store.ts';
import { FileError, UsageError } from '../../src/errors/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { lockMachine } from '../support/lock-machine.ts';
import { someTime } from '../support/wait.ts';

const posix = process.platform !== 'win32';

function home(folder = temporaryFolder()) {
  const system = {
    env: { GATECTL_CONFIG_DIR: join(folder, 'gatectl') },
    platform: process.platform,
    homedir: folder,
    cwd: join(folder, 'work'),
  };
  const machine = { ...lockMachine, sleep: (ms: number) => someTime(ms / 10) };
  return { system, machine, path: profilesPath(system) } satisfies StoreOptions & {
    path: string;
  };
}

function json(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

async function usageErrorOf(step: Promise<unknown>): Promise<UsageError> {
  const error = await step.then(
    () => undefined,
    reason => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}

const none = { settings: {}, key: undefined };

describe('adding a profile', () => {
  test('stores checked values in a private file, and makes the first one current', async () => {
    const store = home();
    const added = await saveProfile(store, 'news', {
      settings: {
        baseUrl: 'https://Gateway.example.com/',
        domain: 'news.example.com',
        retries: '5',
        protected: 'true',
        caFile: 'ca.pem',
      },
      key: { kind: 'config', apiKey: 'k' },
    });
    expect(added).toEqual({ path: store.path, isCurrent: true, isNew: true });
    expect(json(store.path)).toEqual({
      version: 1,
      current: 'news',
      profiles: {
        news: {
          'base-url': 'https://gateway.example.com',
          domain: 'news.example.com',
          retries: 5,
          protected: true,
          'ca-file': join(store.system.cwd, 'ca.pem'),
          key: { kind: 'config', 'api-key': 'k', origin: 'https://gateway.example.com' },
        },
      },
    });
    expect(readdirSync(dirname(store.path))).toEqual(['config.json']);
    if (posix) {
      expect(statSync(store.path).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(store.path)).mode & 0o777).toBe(0o700);
    }
  });

  test('a second one leaves the first one current', async () => {
    const store = home();
    await saveProfile(store, 'news', none);
    expect((await saveProfile(store, 'shop', none)).isCurrent).toBe(false);
    expect(json(store.path)).toHaveProperty('current', 'news');
  });

  test('saving an existing profile keeps what is not given, unless it is replaced', async () => {
    const store = home();
    await saveProfile(store, 'news', {
      settings: { domain: 'news.example.com', retries: '1' },
      key: undefined,
    });
    const again = { settings: { domain: 'shop.example.com' }, key: undefined };
    expect(await saveProfile(store, 'news', again)).toMatchObject({ isNew: false, isCurrent: true });
    expect(json(store.path)).toHaveProperty('profiles', { news: { retries: 1, domain: 'shop.example.com' } });
    await saveProfile(store, 'news', { ...again, replace: true });
    expect(json(store.path)).toHaveProperty('profiles', { news: { domain: 'shop.example.com' } });
  });

  test('a bad value is rejected before anything is created', async () => {
    const store = home();
    const settings = { baseUrl: 'gateway.example.com' };
    const error = await usageErrorOf(saveProfile(store, 'news', { settings, key: undefined }));
    expect(error.message).toBe('base-url has no scheme');
    expect(existsSync(dirname(store.path))).toBe(false);
  });

  test('plain http is rejected away from this machine, unless allowed', async () => {
    const store = home();
    const settings = { baseUrl: 'http://gateway.example.com' };
    const error = await usageErrorOf(saveProfile(store, 'news', { settings, key: undefined }));
    expect(error.message).toBe('base-url would send the API key unencrypted: http://gateway.example.com');
    await saveProfile(store, 'news', { settings, key: undefined, insecureHttp: true });
    await saveProfile(store, 'here', { settings: { baseUrl: 'http://localhost:8080' }, key: undefined });
    expect((await readProfiles(store.path, process.platform)).profiles.size).toBe(2);
  });

  test.each(['', '-x', '.hidden', '__proto__', 'a b', 'a/b', 'x'.repeat(65), 'né'])('%j is no name', name => {
    expect(checkProfileName(name)).toHaveProperty('problem', 'is not a valid profile name');
  });

  test('a name that objects have built in is as good as any', async () => {
    const store = home();
    await saveProfile(store, 'constructor', none);
    await setSetting(store, 'constructor', 'retries', '1');
    expect((await readProfiles(store.path, process.platform)).profiles.get('constructor')?.values).toEqual({
      retries: 1,
    });
  });

  test('without a folder for profiles the alternative is named', async () => {
    const store = home();
    const system = { ...store.system, env: {}, platform: 'linux' as const, homedir: undefined };
    const error = await usageErrorOf(saveProfile({ ...store, system }, 'news', none));
    expect(error.message).toBe('there is no folder for profiles: neither HOME nor GATECTL_CONFIG_DIR is set');
  });
});

describe('changing a profile', () => {
  async function withNews() {
    const store = home();
    await saveProfile(store, 'news', { settings: { retries: '1' }, key: undefined });
    return store;
  }

  test('set stores a value and gives it back as stored', async () => {
    const store = await withNews();
    expect(await setSetting(store, 'news', 'prefix-cdn', '/gateway/cdnservices/')).toBe(
      '/gateway/cdnservices',
    );
    expect(await setSetting(store, 'news', 'time-zone', 'Europe/Madrid')).toBe('Europe/Madrid');
    expect(json(store.path)).toHaveProperty('profiles.news', {
      retries: 1,
      'prefix-cdn': '/gateway/cdnservices',
      'time-zone': 'Europe/Madrid',
    });
  });

  test('set rejects a time zone that does not exist', async () => {
    const error = await usageErrorOf(setSetting(await withNews(), 'news', 'time-zone', 'Mars/Olympus'));
    expect(error.message).toBe('time-zone is not a known time zone');
  });

  test('set names the nearest setting', async () => {
    const error = await usageErrorOf(setSetting(await withNews(), 'news', 'base_url', 'x'));
    expect(error.message).toBe('there is no setting "base_url"');
    expect(hintsFor(error, NO_CONTEXT)).toEqual(['did you mean base-url?']);
  });

  test('set rejects a key on the command line', async () => {
    const error = await usageErrorOf(setSetting(await withNews(), 'news', 'api-key', 'secret'));
    expect(error.message).toBe('cannot accept an API key on the command line, where other users can see it');
  });

  test('an unknown profile is rejected with the nearest one, and nothing is created', async () => {
    expect(
      hintsFor(await usageErrorOf(setSetting(await withNews(), 'nwes', 'retries', '2')), NO_CONTEXT),
    ).toEqual(['did you mean news?']);
    const empty = home();
    await usageErrorOf(useProfile(empty, 'news'));
    expect(existsSync(dirname(empty.path))).toBe(false);
  });

  test('unset brings the default back', async () => {
    const store = await withNews();
    await unsetSetting(store, 'news', 'retries');
    expect(json(store.path)).toHaveProperty('profiles', { news: {} });
  });

  test('what a killed write left, with its key, goes with the next change', async () => {
    const store = await withNews();
    const stray = `${store.path}.tmp-12345678900a1b2c`;
    writeFileSync(stray, '{"api-key":"some-key"}');
    writeFileSync(`${store.path}.tmp-notes`, 'mine');
    await removeProfile(store, 'news');
    expect(readdirSync(dirname(store.path)).sort()).toEqual(['config.json', 'config.json.tmp-notes']);
  });

  describe('a key that was stored for a gateway', () => {
    const OLD = 'https://gateway.example.com';
    const NEW = 'https://new.example.com/gateway';
    const key: KeySource = { kind: 'config', apiKey: 'some-key' };
    const withKey = async () => {
      const store = home();
      await saveProfile(store, 'news', { settings: { baseUrl: OLD }, key });
      return store;
    };
    const keyOf = (path: string) =>
      (json(path) as { profiles: Record<string, JsonObject> }).profiles.news?.key;

    test('is bound to its origin in the file', async () => {
      expect(keyOf((await withKey()).path)).toEqual({ kind: 'config', 'api-key': 'some-key', origin: OLD });
    });

    test('does not go to another origin without a word', async () => {
      const store = await withKey();
      const error = await usageErrorOf(setSetting(store, 'news', 'base-url', NEW));
      expect(error.message).toBe(
        `the key of profile news was stored for ${OLD} and is not sent to https://new.example.com`,
      );
      expect(hintsFor(error, NO_CONTEXT).at(-1)).toBe(
        `or send the same key to https://new.example.com: add --move-key-from ${OLD}`,
      );
      for (const other of ['http://localhost:8787', `${OLD}:8443`])
        await usageErrorOf(setSetting(store, 'news', 'base-url', other));
      await usageErrorOf(setSetting(store, 'news', 'base-url', NEW, { moveKeyFrom: NEW }));
      expect(json(store.path)).toHaveProperty('profiles.news.base-url', OLD);
      await setSetting(store, 'news', 'base-url', `${OLD}/other/path`);
    });

    test('is not sent elsewhere by saving the profile again, and stays when the origin does', async () => {
      const store = await withKey();
      const save = (baseUrl: string, newKey?: KeySource) =>
        saveProfile(store, 'news', { settings: { baseUrl }, key: newKey });
      const error = await usageErrorOf(save(NEW));
      expect(error.message).toContain(`was stored for ${OLD}`);
      expect(json(store.path)).toHaveProperty('profiles.news.base-url', OLD);
      await save(`${OLD}/path`);
      expect(keyOf(store.path)).toMatchObject({ 'api-key': 'some-key', origin: OLD });
      await save(NEW, { kind: 'config', apiKey: 'other' });
      expect(keyOf(store.path)).toMatchObject({ 'api-key': 'other', origin: 'https://new.example.com' });
    });

    test('is replaced without other changes, bound to the base URL at that time', async () => {
      const store = await withKey();
      await saveProfile(store, 'shop', { settings: { domain: 'example.com' }, key: undefined });
      expect((await setKey(store, 'news', { kind: 'file', path: '/srv/key' })).key).toEqual(key);
      expect(json(store.path)).toHaveProperty('profiles.news', {
        'base-url': OLD,
        key: { kind: 'file', path: '/srv/key', origin: OLD },
      });
      expect((await usageErrorOf(setKey(store, 'shop', key))).message).toBe(
        'profile shop has no base URL to send a key to',
      );
    });

    test('goes there when both are named, or when it is given again', async () => {
      const store = await withKey();
      await setSetting(store, 'news', 'base-url', NEW, { moveKeyFrom: OLD });
      expect(keyOf(store.path)).toMatchObject({ 'api-key': 'some-key', origin: 'https://new.example.com' });
      await setSetting(store, 'news', 'base-url', OLD, { key: { kind: 'config', apiKey: 'other' } });
      expect(keyOf(store.path)).toMatchObject({ 'api-key': 'other', origin: OLD });
    });

    test('stays bound when the base URL is unset or edited by hand in between', async () => {
      const store = await withKey();
      await unsetSetting(store, 'news', 'base-url');
      await usageErrorOf(setSetting(store, 'news', 'base-url', NEW));
      const text = readFileSync(store.path, 'utf8');
      writeFileSync(store.path, text.replace('"key"', `"base-url": "${NEW}", "key"`));
      const read = await readProfiles(store.path, process.platform);
      const settings = resolveSettings({ flags: { profile: 'news' }, env: {}, file: read });
      expect(settings.profileKey?.belongsTo).toBe(OLD);
      await unsetSetting(store, 'news', 'base-url');
      await usageErrorOf(setSetting(store, 'news', 'base-url', NEW));
    });
  });

  test('use makes a profile current, remove deletes it', async () => {
    const store = await withNews();
    await saveProfile(store, 'shop', none);
    await useProfile(store, 'shop');
    expect(json(store.path)).toHaveProperty('current', 'shop');
    expect(await removeProfile(store, 'news')).toEqual({
      removed: { name: 'news', values: { retries: 1 }, key: undefined },
      wasCurrent: false,
    });
    expect((await removeProfile(store, 'shop')).wasCurrent).toBe(true);
    expect(json(store.path)).toEqual({ version: 1, profiles: {} });
  });

  test('members unknown to this version are preserved', async () => {
    const store = await withNews();
    const before = {
      version: 1,
      current: 'news',
      theme: 'dark',
      profiles: { news: { retries: 1, colour: 'red' } },
    };
    writeFileSync(store.path, JSON.stringify(before));
    await setSetting(store, 'news', 'retries', '2');
    expect(json(store.path)).toEqual({ ...before, profiles: { news: { retries: 2, colour: 'red' } } });
  });

  test.runIf(posix)('a file that others could read becomes private', async () => {
    const store = await withNews();
    chmodSync(store.path, 0o644);
    await setSetting(store, 'news', 'retries', '2');
    expect(statSync(store.path).mode & 0o777).toBe(0o600);
  });

  test.runIf(process.getuid?.() === 0)('a link of another user is left alone', async () => {
    const store = home();
    const precious = join(store.system.homedir, 'precious.json');
    writeFileSync(precious, '{"version":1,"profiles":{"news":{}}}');
    mkdirSync(dirname(store.path));
    symlinkSync(precious, store.path);
    lchownSync(store.path, 4321, 4321);
    await expect(setSetting(store, 'news', 'retries', '2')).rejects.toThrowError("another user's file");
    expect(readFileSync(precious, 'utf8')).toBe('{"version":1,"profiles":{"news":{}}}');
  });

  test.runIf(posix)('a link of one’s own stays a link', async () => {
    const store = home();
    const dotfiles = join(store.system.homedir, 'dotfiles.json');
    writeFileSync(dotfiles, '{"version":1,"profiles":{"news":{}}}');
    mkdirSync(dirname(store.path));
    symlinkSync(dotfiles, store.path);
    await setSetting(store, 'news', 'retries', '2');
    expect(lstatSync(store.path).isSymbolicLink()).toBe(true);
    expect(json(dotfiles)).toHaveProperty('profiles', { news: { retries: 2 } });
  });

  test.each([
    '{"version":1,',
    '{"version":2,"profiles":{}}',
    '{"version":1,"profiles":{"news":{"retries":"1"}}}',
  ])('a file that cannot be read is not changed: %s', async text => {
    const store = await withNews();
    writeFileSync(store.path, text);
    for (const step of [
      () => saveProfile(store, 'other', none),
      () => setSetting(store, 'news', 'retries', '2'),
      () => removeProfile(store, 'news'),
    ])
      await expect(step()).rejects.toBeInstanceOf(FileError);
    expect(readFileSync(store.path, 'utf8')).toBe(text);
    expect(readdirSync(dirname(store.path))).toEqual(['config.json']);
  });
});

describe('writers at once lose nothing', () => {
  test('within one process', async () => {
    const store = home();
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(names.map(name => saveProfile(store, name, none)));
    expect([...(await readProfiles(store.path, process.platform)).profiles.keys()].sort()).toEqual(
      names.sort(),
    );
  });

  test('in processes of their own', async () => {
    const folder = temporaryFolder();
    const writer = join(folder, 'writer.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('./profile-writer.ts', import.meta.url))],
      outfile: writer,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
      external: ['@napi-rs/keyring'],
      logLevel: 'error',
    });
    const run = promisify(execFile);
    const store = home(folder);
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(word => run(process.execPath, [writer, dirname(store.path), word, '8'])),
    );
    const { profiles } = await readProfiles(store.path, process.platform);
    const expected = ['a', 'b', 'c', 'd'].flatMap(word => Array.from({ length: 8 }, (_, n) => `${word}${n}`));
    expect([...profiles.keys()].sort()).toEqual(expected.sort());
    expect(readdirSync(dirname(store.path))).toEqual(['config.json']);
  });
});
