import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatectl-profile-'));
  env = { GATECTL_CONFIG_DIR: folder };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const profile = (args: readonly string[], more: { input?: string; env?: Record<string, string> } = {}) =>
  run(['profile', ...args], { ...more, env: { ...env, ...more.env } });
const add = (name: string, ...args: string[]) =>
  profile(['add', name, '--base-url', 'https://gateway.example.com', ...args]);
const file = () => join(folder, 'config.json');

describe('profile add', () => {
  test('the first profile becomes the current one, with a note that it has no key yet', async () => {
    expect(await add('news', '--domain', 'example.com')).toEqual({
      code: 0,
      stdout: '',
      stderr: `note: added profile news in ${file()}; it is the profile in use\nnote: it has no key: set GATECTL_API_KEY, or run gatectl profile set-key\n`,
    });
    expect((await add('staging')).stderr).toContain('use it with --profile staging');
  });

  test('a key from stdin is stored and never shown', async () => {
    const added = await profile(
      ['add', 'news', '--base-url', 'https://gateway.example.com', '--api-key-stdin'],
      { input: 'the-secret-key\n' },
    );
    const listed = await profile(['list', '--json']);
    const shown = await profile(['show']);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: 'news', inUse: true, key: 'stored in the profile' },
    ]);
    expect(JSON.stringify([added, listed, shown])).not.toContain('the-secret-key');
    expect(await readFile(file(), 'utf8')).toContain('the-secret-key');
  });

  test.each<[string[], string]>([
    [
      ['add', 'news', '--base-url', 'http://gateway.example.com'],
      'base-url would send the API key unencrypted: http://gateway.example.com',
    ],
    [['add', 'news', '--base-url', 'gateway.example.com'], 'base-url has no scheme'],
    [
      ['add', 'a b', '--base-url', 'https://gateway.example.com'],
      'the name "a b" is not a valid profile name',
    ],
    [
      ['add', 'news', '--base-url', 'https://gateway.example.com', '--domain', 'https://www.example.com/'],
      'domain is more than a bare domain',
    ],
    [
      ['add', 'news', '--base-url', 'https://gateway.example.com', '--time-zone', 'Mars/Phobos'],
      'time-zone is not a known time zone',
    ],
    [
      ['add', 'news', '--base-url', 'https://gateway.example.com', '--keyring', '--api-key-file', 'f'],
      '--api-key-file and --keyring cannot be combined',
    ],
    [['add', 'news', '--api-key-file', 'f'], 'a key requires the base URL of its gateway'],
    [['add', '--base-url', 'https://gateway.example.com'], 'the profile name is required'],
    [['set-key', 'news', '--api-key-stdin'], 'there is no profile "news"'],
  ])('%j is rejected', async (args, message) => {
    const { code, stdout, stderr } = await profile(args);
    expect({ code, stdout, first: stderr.split('\n')[0] }).toEqual({
      code: 2,
      stdout: '',
      first: `error: ${message}`,
    });
  });

  test('a key on the command line is rejected with the ways to give one, and not repeated', async () => {
    for (const flag of ['--api-key', '--apikey=', '--key', '--x-api-key']) {
      const ran = await add(
        'news',
        ...(flag.endsWith('=') ? [`${flag}hunter2secret`] : [flag, 'hunter2secret']),
      );
      expect([ran.code, ran.stderr]).toEqual([
        2,
        `error: ${flag.replace('=', '')} is not accepted: other users can see keys and passwords on the command line\n` +
          '  set GATECTL_API_KEY, or store the key:\n' +
          '  gatectl profile add NAME --base-url URL with --api-key-stdin, --api-key-file, --key-command or --keyring\n',
      ]);
    }
  });

  test('a helper outside the current folder is stored with its full path', async () => {
    const args = ['profile', 'add', 'news', '--base-url', 'https://gateway.example.com', '--key-command'];
    await run([...args, "./h.sh 'a b'"], { env, cwd: '/srv/site' });
    await run([...args.with(2, 'plain'), 'pass show gateway'], { env, cwd: '/srv/site' });
    const { profiles } = JSON.parse(await readFile(file(), 'utf8'));
    expect(profiles.news.key.argv).toEqual(['/srv/site/h.sh', 'a b']);
    expect(profiles.plain.key.argv).toEqual(['pass', 'show', 'gateway']);
  });

  test('adding an existing profile updates it, and --replace drops the rest', async () => {
    await add('news', '--domain', 'example.com', '--brand', 'acme');
    const updated = await add('news', '--domain', 'example.org');
    expect(updated.stderr.split('\n')[0]).toBe(
      `note: updated profile news in ${file()}; it is the profile in use`,
    );
    const news = async () => JSON.parse(await readFile(file(), 'utf8')).profiles.news;
    expect(await news()).toMatchObject({ domain: 'example.org', brand: 'acme' });
    expect((await add('news', '--replace')).code).toBe(0);
    expect(await news()).toEqual({ 'base-url': 'https://gateway.example.com' });
  });
});

describe('a stored key', () => {
  const withKey = () =>
    profile(['add', 'news', '--base-url', 'https://gateway.example.com', '--api-key-stdin'], {
      input: 'first-key-4711\n',
    });
  const key = async () => JSON.parse(await readFile(file(), 'utf8')).profiles.news?.key;

  test('is replaced by set-key without other changes, and never printed', async () => {
    await withKey();
    const ran = await profile(['set-key', '--api-key-stdin'], { input: 'second-key-4711\n' });
    expect(ran).toEqual({
      code: 0,
      stdout: '',
      stderr: 'note: replaced the key of profile news; test it with gatectl doctor\n',
    });
    expect(await key()).toEqual({
      kind: 'config',
      'api-key': 'second-key-4711',
      origin: 'https://gateway.example.com',
    });
    expect((await profile(['set-key'])).stderr).toBe(
      'error: no key given\n  add --api-key-stdin, --api-key-file, --key-command or --keyring\n',
    );
  });

  test('is not removed with its profile without confirmation', async () => {
    await withKey();
    expect(await profile(['remove', 'news'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: removing profile news deletes its API key and requires confirmation\n  pass --yes\n',
    });
    expect(await key()).toBeDefined();
    expect((await profile(['remove', 'news', '--yes'])).code).toBe(0);
    expect(await key()).toBeUndefined();
  });
});

describe('profile show', () => {
  test('shows the origin of each value: flag, environment, profile, default', async () => {
    await add('news', '--domain', 'example.com', '--brand', 'acme');
    const { stdout } = await profile(['show', '--json', '--timeout', '5'], {
      env: { GATECTL_DOMAIN: 'example.org' },
    });
    const origins = Object.fromEntries(
      JSON.parse(stdout).map((row: { setting: string; origin: string }) => [row.setting, row.origin]),
    );
    expect(origins).toMatchObject({
      'base-url': 'profile news',
      domain: 'environment GATECTL_DOMAIN',
      brand: 'profile news',
      timeout: 'flag --timeout',
      retries: 'default',
      key: 'environment GATECTL_API_KEY',
    });
  });

  test('shows who chose the profile: the one in use, an argument, a flag', async () => {
    await add('news');
    await add('staging');
    const chosen = async (...args: string[]) =>
      (await profile(['show', ...args, '--csv'])).stdout.split('\n')[1];
    expect(await chosen()).toBe('profile,news,profiles file');
    await profile(['use', 'staging']);
    expect(await chosen()).toBe('profile,staging,profiles file');
    expect(await chosen('news')).toBe('profile,news,argument');
    expect(await chosen('--profile', 'news')).toBe('profile,news,flag --profile');
    expect((await profile(['show', 'nws'])).stderr).toBe(
      'error: there is no profile "nws"\n  did you mean news?\n',
    );
  });
});

describe('profile set, unset, use, remove', () => {
  test('change what is stored', async () => {
    await add('news');
    await add('staging');
    expect((await profile(['set', 'domain', 'example.org'])).stderr).toBe(
      'note: domain of profile news is now example.org\n',
    );
    expect((await profile(['unset', 'domain'])).code).toBe(0);
    expect((await profile(['use', 'staging'])).code).toBe(0);
    expect((await profile(['remove', 'staging'])).stderr).toContain('no profile is in use now');
    expect((await profile(['list', '--jq', '.[].name'])).stdout).toBe('news\n');
  });

  test('a mistyped setting or profile is rejected with the nearest one', async () => {
    await add('news');
    expect((await profile(['set', 'domian', 'x'])).stderr).toBe(
      'error: there is no setting "domian"\n  did you mean domain?\n',
    );
    expect((await profile(['use', 'nws'])).stderr).toBe(
      'error: there is no profile "nws"\n  did you mean news?\n',
    );
    expect((await run(['products', '--email', 'a@example.com', '-p', 'nws'], { env })).code).toBe(2);
  });
});

describe('an invalid profiles file', () => {
  test.each<[string, string]>([
    ['{"version": 1, "profiles": {', 'is invalid'],
    ['{"version": 99, "profiles": {}}', 'newer'],
    ['[]', 'is invalid'],
  ])('%s is reported and not changed', async (text, says) => {
    await writeFile(file(), text);
    for (const args of [
      ['list'],
      ['set', 'domain', 'example.com'],
      ['add', 'x', '--base-url', 'https://gateway.example.com'],
    ]) {
      const ran = await profile(args);
      expect(ran.code).toBe(9);
      expect(ran.stderr).toContain(file());
      expect(ran.stderr).toContain(says);
    }
    expect(await readFile(file(), 'utf8')).toBe(text);
    expect(
      (await run(['products', '--email', 'active@example.com', '--sandbox', '--json'], { env })).code,
    ).toBe(0);
  });
});

test('an empty list explains how to start, and is [] for scripts', async () => {
  expect((await profile(['list'])).stdout).toBe('no profiles; add one with gatectl login\n');
  expect((await profile(['list', '--json'])).stdout).toBe('[]\n');
  expect((await profile(['path'])).stdout).toBe(`${file()}\n`);
});
