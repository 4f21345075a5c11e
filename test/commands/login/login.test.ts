import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOON, run } from '../../support/run.ts';
import { type Received, type Reply, wireServer } from '../../support/wire-server.ts';

let gateway: Sandbox;
beforeAll(async () => {
  gateway = await startSandbox({ now: () => NOON });
});
afterAll(() => gateway.close());

let folder: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = temporaryFolder();
  env = { GATECTL_CONFIG_DIR: folder };
});
const file = () => join(folder, 'config.json');
const stored = () => JSON.parse(readFileSync(file(), 'utf8'));
const login = (args: readonly string[], options: { input?: string; env?: Record<string, string> } = {}) =>
  run(['login', ...args], { ...options, env: { ...env, ...options.env } });

async function served(reply: (request: Received) => Reply) {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  return server;
}

describe('login without a terminal', () => {
  test('tests the key, prints the APIs that accept it, and stores a private profile', async () => {
    const args = ['--base-url', gateway.baseUrl, '--domain', 'example.com', '--api-key-stdin'];
    const { code, stdout, stderr } = await login(args, { input: `${gateway.apiKey}\n` });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        `APIs at ${gateway.baseUrl}`,
        'API            ACCESS  DETAIL',
        'subscriptions  yes     key accepted',
        'cdn            yes     key accepted',
        'bda-v1         yes     key accepted',
        'bda-v2         yes     key accepted',
        '',
      ].join('\n'),
      stderr: `note: stored profile default in ${file()}; it is the profile in use\n`,
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(stored()).toMatchObject({
      current: 'default',
      profiles: {
        default: {
          'base-url': gateway.baseUrl,
          domain: 'example.com',
          key: { kind: 'config', 'api-key': gateway.apiKey, origin: gateway.baseUrl },
        },
      },
    });
    expect((await run(['products', 'active@example.com', '--json'], { env })).code).toBe(0);
  });

  test('a rejected key is exit 4 and stores nothing', async () => {
    const args = ['--base-url', gateway.baseUrl, '--domain', 'example.com', '--api-key-stdin'];
    const { code, stdout, stderr } = await login(args, { input: 'mistyped-key-1\n' });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('note: nothing was stored; to store it anyway, add --skip-check\nerror: ');
    expect(stderr).not.toContain('mistyped-key-1');
    expect(() => stored()).toThrow('ENOENT');
  });

  test('--skip-check stores without sending anything', async () => {
    const server = await served(() => ({}));
    const ran = await login(
      ['shop', '--base-url', server.baseUrl, '--api-key-stdin', '--skip-check', '--json'],
      {
        input: 'some-key-4711\n',
      },
    );
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({
      profile: 'shop',
      path: file(),
      baseUrl: server.baseUrl,
      domain: null,
      apis: [],
    });
    expect(server.received).toEqual([]);
  });

  test('a key for some APIs is stored, and the others are named; an API at another path is found', async () => {
    const server = await served(({ target, headers }) => {
      if (target.startsWith('/gateway/subscriptions/'))
        return { status: 403, body: '{"success":false,"message":"not enabled for this domain"}' };
      if (target.startsWith('/gateway/cdnservices/')) return { body: '{"Success":true,"Error":""}' };
      if (target.startsWith('/bdaservices/v2/') && 'x-api-key' in headers)
        return { body: '{"success":true,"data":[]}' };
      return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'no such page' };
    });
    const args = ['--base-url', server.baseUrl, '--domain', 'example.com', '--api-key-stdin', '--csv'];
    const { code, stdout, stderr } = await login(args, { input: 'some-key-4711\n' });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'api,access,detail',
        'subscriptions,no,not enabled for this domain',
        'cdn,unknown,reachable; its ping does not check the key',
        'bda-v1,unknown,not found at /bdaservices or /gateway/bdaservices (404)',
        'bda-v2,yes,key accepted',
        '',
      ].join('\n'),
    });
    expect(stderr).toContain('note: cdn is at /gateway/cdnservices: stored as prefix-cdn\n');
    expect(stored().profiles.default).toMatchObject({
      'prefix-subscriptions': '/gateway/subscriptions/v1',
      'prefix-bda-v2': '/bdaservices/v2',
    });
  });

  test('an existing profile keeps what is not given, and its key stays with its origin', async () => {
    const args = ['--base-url', gateway.baseUrl, '--domain', 'example.com', '--api-key-stdin'];
    await login(['news', ...args], { input: `${gateway.apiKey}\n` });
    await run(['profile', 'set', 'retries', '1'], { env });
    expect((await login(['--domain', 'other.example.com'])).code).toBe(0);
    expect(stored().profiles.news).toMatchObject({
      domain: 'other.example.com',
      retries: 1,
      key: { 'api-key': gateway.apiKey },
    });
    const elsewhere = await served(() => ({}));
    const moved = await login(['--base-url', elsewhere.baseUrl]);
    expect([moved.code, moved.stderr.split('\n')[0]]).toEqual([2, 'error: no key given for this gateway']);
    expect(elsewhere.received).toEqual([]);
  });

  test('a key from the environment is tested and not stored', async () => {
    const { code, stderr } = await login(['--base-url', gateway.baseUrl], {
      env: { GATECTL_API_KEY: gateway.apiKey },
    });
    expect(code).toBe(0);
    expect(stderr).toContain('note: the key comes from GATECTL_API_KEY and is not stored\n');
    expect(stored().profiles.default).toEqual({ 'base-url': gateway.baseUrl });
  });

  test('a key that is read from a file or printed by a command is tested too', async () => {
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, `${gateway.apiKey}\n`, { mode: 0o600 });
    for (const flags of [
      ['--api-key-file', keyFile],
      ['--key-command', `cat ${keyFile}`],
    ]) {
      const ran = await login(['--base-url', gateway.baseUrl, ...flags, '--jq', '.apis[].access'], {
        env: { PATH: process.env.PATH ?? '' },
      });
      expect([ran.code, ran.stdout]).toEqual([0, 'unknown\nyes\nyes\nyes\n']);
    }
  });

  test.each<[string[], string]>([
    [[], 'login requires the base URL of the gateway'],
    [['--base-url', 'https://gateway.example.com'], 'login requires a key'],
    [['--base-url', 'http://gateway.example.com', '--api-key-stdin'], 'would send the API key unencrypted'],
    [['--base-url', 'gateway.example.com', '--api-key-stdin'], '--base-url has no scheme'],
    [['--sandbox'], '--sandbox requires no login'],
  ])('%j is a usage error', async (args, message) => {
    const { code, stdout, stderr } = await login(args, { input: 'some-key-4711\n' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toContain(message);
  });

  test('a gateway that is out of reach is exit 6', async () => {
    const server = await wireServer(() => ({}));
    await server.close();
    const { code, stderr } = await login(['--base-url', server.baseUrl, '--api-key-stdin'], {
      input: 'some-key-4711\n',
    });
    expect(code).toBe(6);
    expect(stderr).toContain('nothing was stored');
  });

  test('--curl prints the requests and stores nothing', async () => {
    const args = ['--base-url', 'https://gateway.example.com', '--api-key-stdin', '--curl'];
    const { code, stdout } = await login(args, { input: 'some-key-4711\n' });
    expect(code).toBe(0);
    expect(stdout.match(/^curl /gm)?.length).toBeGreaterThan(2);
    expect(stdout).not.toContain('some-key-4711');
    expect(() => stored()).toThrow('ENOENT');
  });
});

describe('a first run without any profile', () => {
  test.each([
    [['products', 'ana@example.com']],
    [['access', 'ana@example.com', '--product', 'premium']],
    [['bda', 'domains']],
    [['cdn', 'ping']],
  ])('%j explains in one sentence how to start', async args => {
    expect(await run(args, { env })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: no gateway configured: run gatectl login, or add --sandbox to try it\n',
    });
  });
});
