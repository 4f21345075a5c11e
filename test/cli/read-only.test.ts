import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Gateway } from '../../src/client/index.ts';
import { leavesOf } from '../../src/commands/framework/define-command.ts';
import { tree } from '../../src/commands/tree.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';
import { wireServer } from '../support/wire-server.ts';

const KEY = 'a-very-secret-key-4711';
const PURGE = ['cdn', 'purge', 'https://example.com/a'];

/** A gateway that confirms everything, and how to run a command against it. */
async function confirming(values: object = {}, env: Readonly<Record<string, string>> = {}) {
  const server = await wireServer(() => ({ body: '{"success":true,"Success":true,"data":[]}' }));
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  const p = { 'base-url': server.baseUrl, domain: 'example.com', ...values };
  const profiles = { version: 1, current: 'p', profiles: { p, other: { 'base-url': server.baseUrl } } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(profiles), { mode: 0o600 });
  const all = { GATECTL_CONFIG_DIR: folder, GATECTL_API_KEY: KEY, ...env };
  return {
    server,
    folder,
    gatectl: (args: readonly string[], cwd = folder) => run(args, { env: all, cwd }),
    sent: () => server.received.map(({ method, target }) => `${method} ${target.split('?')[0]}`),
  };
}

describe('where only reads are allowed', () => {
  test.each([
    ['by the profile', { 'read-only': true }, {}, []],
    ['by the environment', {}, { GATECTL_READ_ONLY: '1' }, []],
    ['by a flag', {}, {}, ['--read-only']],
    ['by the profile, whatever the environment says', { 'read-only': true }, { GATECTL_READ_ONLY: '0' }, []],
    [
      'by the environment, whatever the profile says',
      { 'read-only': false },
      { GATECTL_READ_ONLY: 'true' },
      [],
    ],
  ])('%s, a purge is refused before anything is sent', async (_, values, env, flags) => {
    const { gatectl, sent } = await confirming(values, env);
    const { code, stderr } = await gatectl([...PURGE, ...flags]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: the command changes something at the gateway, and only reads are allowed here\n',
    });
    expect((await gatectl(['products', '--email', 'vera@example.com', ...flags])).code).toBe(0);
    expect(sent()).toEqual(['GET /subscriptions/v1/products']);
  });

  test('the embedded gateway is no exception', async () => {
    for (const [env, flags] of [
      [{ GATECTL_READ_ONLY: '1' }, []],
      [{}, ['--read-only']],
    ] as const)
      expect((await run([...PURGE, '--sandbox', ...flags], { env })).code).toBe(2);
    expect((await run([...PURGE, '--sandbox'])).code).toBe(0);
  });

  test('a project file restricts, and does not take back', async () => {
    const { gatectl, folder, sent } = await confirming();
    writeFileSync(join(folder, '.gatectl.yaml'), 'read-only: true\n');
    expect((await gatectl(PURGE)).code).toBe(2);
    const { gatectl: restricted, folder: other } = await confirming({ 'read-only': true });
    writeFileSync(join(other, '.gatectl.yaml'), 'read-only: false\n');
    expect((await restricted(PURGE)).code).toBe(2);
    expect(sent()).toEqual([]);
  });

  test('a nearer project file does not take back what one above it restricts, nor does one that is ignored', async () => {
    const { gatectl, folder, sent } = await confirming();
    writeFileSync(join(folder, '.gatectl.yaml'), 'read-only: true\n');
    const nearer = join(folder, 'site');
    mkdirSync(nearer);
    const nearest = join(nearer, '.gatectl.yaml');
    for (const mode of [0o644, 0o666]) {
      writeFileSync(nearest, 'read-only: false\nretries: 1\n');
      chmodSync(nearest, mode);
      expect((await gatectl(PURGE, nearer)).code).toBe(2);
      const { stdout } = await gatectl(['profile', 'show', '--json'], nearer);
      expect(stdout).toContain(`project file ${join(folder, '.gatectl.yaml')}`);
    }
    expect(sent()).toEqual([]);
    writeFileSync(join(folder, '.gatectl.yaml'), 'read-only: false\n');
    expect((await gatectl(PURGE, nearer)).code).toBe(0);
    chmodSync(join(folder, '.gatectl.yaml'), 0o666);
    expect((await gatectl(PURGE, nearer)).stderr).toContain(
      `warning: ${join(folder, '.gatectl.yaml')} is ignored: other users can change it`,
    );
  });

  test('what sends nothing is not refused: --dry-run and --curl', async () => {
    const { gatectl, sent } = await confirming({ 'read-only': true });
    expect((await gatectl([...PURGE, '--dry-run'])).code).toBe(0);
    expect((await gatectl([...PURGE, '--curl'])).stdout).toContain('curl ');
    expect(sent()).toEqual([]);
  });

  test.each([
    ['GET', '/bdaservices/getreports/', true],
    ['POST', '/gateway/bdaservices/v2/query', true],
    ['POST', '/bdaservices/getCustomData', true],
    ['POST', '/cdnservices/ping/', true],
    ['POST', '/cdnservices/purgecache', false],
    ['POST', '/cdnservices/ping/../purgecache', false],
    ['POST', '/cdnservices/%70ing/', false],
    ['GET', '/cdnservices/purgecache', false],
    ['POST', '/bdaservices/createsegment/', false],
    ['POST', '/bdaservices/getreports/', false],
    ['POST', '/subscriptions/v1/identity-token', false],
    ['GET', '/somewhere/else', false],
    ['DELETE', '/subscriptions/v1/access', false],
  ])('api %s %s is sent: %s', async (method, path, isSent) => {
    const { gatectl, sent } = await confirming({}, { GATECTL_READ_ONLY: '1' });
    const { code, stderr } = await gatectl(['api', method, path]);
    expect([code, sent().length]).toEqual(isSent ? [0, 1] : [2, 0]);
    if (!isSent) expect(stderr).toMatch(/^error: [A-Z]+ \S+ was not sent: only reads are allowed here\n$/);
  });

  test.each([[['profile', 'set', 'read-only', 'false']], [['profile', 'unset', 'read-only']]])(
    'gatectl %j does not take it back',
    async args => {
      const { gatectl } = await confirming({ 'read-only': true });
      const { code, stderr } = await gatectl(args);
      expect(code).toBe(2);
      expect(stderr).toBe('error: read-only of the profile p is not taken back by a command\n');
      expect((await gatectl(['profile', 'set', 'domain', 'example.org'])).code).toBe(0);
      expect((await gatectl(PURGE)).code).toBe(2);
    },
  );

  test('the library refuses, by its option and by the environment', async () => {
    const { server, sent } = await confirming();
    const open = (readOnly: boolean) =>
      new Gateway({ baseUrl: server.baseUrl, apiKey: KEY, domain: 'example.com', readOnly });
    const restricted = open(true);
    onTestFinished(() => restricted.close());
    await expect(restricted.cdn.purge(['https://example.com/a'])).rejects.toMatchObject({
      code: 'read_only',
    });
    await expect(
      restricted.subscriptions.access({ email: 'vera@example.com' }, { product: 'p' }),
    ).rejects.not.toMatchObject({
      code: 'read_only',
    });
    process.env.GATECTL_READ_ONLY = '1';
    onTestFinished(() => {
      delete process.env.GATECTL_READ_ONLY;
    });
    const other = open(false);
    onTestFinished(() => other.close());
    await expect(other.cdn.purge(['https://example.com/a'])).rejects.toMatchObject({ code: 'read_only' });
    expect(new Set(sent())).toEqual(new Set(['GET /subscriptions/v1/access']));
  });
});

test('the commands that change something are these', () => {
  const changing = leavesOf(tree).flatMap(({ words, leaf }) =>
    leaf.effect === 'read' ? [] : [`${words.join(' ')}: ${leaf.effect}`],
  );
  expect(changing.sort()).toEqual([
    'api: request',
    'bda report create: irreversible',
    'bda segment create: irreversible',
    'cdn listen: write',
    'cdn purge: write',
    'mcp: request',
    'plan apply: irreversible',
    'token: irreversible',
  ]);
});
