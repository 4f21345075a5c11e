import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';
import { wireServer } from '../support/wire-server.ts';

const UTF8 = { LANG: 'C.UTF-8', TERM: 'xterm' };
const COLOURS = /\u001b\[[\d;]*m/g;
const GREEN = (text: string) => `\u001b[32m${text}\u001b[39m`;
const RED = (text: string) => `\u001b[31m${text}\u001b[39m`;
const YELLOW = (text: string) => `\u001b[33m${text}\u001b[39m`;
const PURGE = 'cdn purge https://example.com/a https://example.com/poisoned/1';

const sandbox = (command: string, options: Parameters<typeof run>[1] = {}) =>
  run([...command.split(' '), '--sandbox'], options);
const terminal = (env: Record<string, string> = {}) => ({ columns: 100, env: { ...UTF8, ...env } });

describe('on a terminal', () => {
  test('an allowed and a denied reader differ in mark, word and color', async () => {
    const access = async (email: string) =>
      (await sandbox(`access ${email} --product premium`, terminal())).stdout.split('\n')[1];
    expect(await access('active@example.com')).toContain(GREEN('✓ yes'));
    expect(await access('suspended@example.com')).toContain(RED('✗ no'));
  });

  test('the support view marks the access to each product', async () => {
    const { stdout } = await sandbox('reader suspended@example.com', terminal());
    expect(stdout.replace(COLOURS, '')).toContain('premium  ✗ no    suspended');
  });

  test('a purge marks what was cleared and what was not', async () => {
    const { stdout } = await sandbox(PURGE, terminal());
    expect(stdout).toContain(YELLOW('! Purge of 2 URLs on example.com'));
    expect(stdout).toContain(GREEN('✓ Cleared'));
    expect(stdout).toContain(RED('✗ Not cleared'));
  });

  test('doctor marks each check, and each problem by its first character', async () => {
    const { stdout } = await sandbox('doctor --api cdn --verbose', terminal());
    expect(stdout).toMatch(/cdn +\u001b\[32m✓ ok\u001b\[39m +the key is accepted/);
    expect(stdout).toContain(`\n${YELLOW('!')} warning: config file: there is no folder`);
  });

  test('login marks the APIs that the key opens', async () => {
    const server = await wireServer(({ target }) =>
      target.includes('/v2/')
        ? { status: 403, body: '{"error":{"code":"forbidden","message":"no"}}' }
        : { body: '{"success":true,"Success":true,"data":[]}' },
    );
    onTestFinished(() => server.close());
    const flags = ['--base-url', server.baseUrl, '--domain', 'example.com', '--api-key-stdin', '--no-input'];
    const { stdout } = await run(['login', ...flags], {
      ...terminal({ GATECTL_CONFIG_DIR: temporaryFolder() }),
      input: 'a-made-up-key',
    });
    expect(stdout).toMatch(/subscriptions +\u001b\[32m✓ yes\u001b\[39m/);
    expect(stdout).toMatch(/cdn +\u001b\[33m! unknown\u001b\[39m/);
    expect(stdout).toMatch(/bda-v2 +\u001b\[31m✗ no\u001b\[39m/);
  });

  test.each([
    ['NO_COLOR', '', { NO_COLOR: '1' }],
    ['--no-color', ' --no-color', {}],
    ['TERM=dumb', '', { TERM: 'dumb' }],
  ])('%s: marks and words without color', async (_, flag, env) => {
    const { stdout } = await sandbox(`access active@example.com --product premium${flag}`, terminal(env));
    expect(stdout).toContain('ALLOWED   ✓ yes\n');
    expect(stdout).not.toMatch(COLOURS);
  });

  test('without UTF-8: words in ASCII, in color', async () => {
    const { stdout } = await sandbox(
      'access suspended@example.com --product premium',
      terminal({ LANG: 'C' }),
    );
    expect(stdout).toContain(RED('no'));
    expect(stdout.replace(COLOURS, '')).toMatch(/^[\n -~]*$/);
  });

  test('a mark stays with its word, however narrow the column', async () => {
    const { stdout } = await sandbox('reader active@example.com', {
      columns: 40,
      env: { ...UTF8, NO_COLOR: '1' },
    });
    expect(stdout).toMatch(/^ACCESS +✓ yes$/m);
  });
});

describe('elsewhere', () => {
  test.each([
    ['access active@example.com --product premium'],
    ['reader suspended@example.com'],
    ['doctor --api cdn'],
    [PURGE],
  ])('a pipe gets only words: %s', async command => {
    const { stdout } = await sandbox(command, { env: UTF8 });
    expect(stdout).toMatch(/yes|no|warning|Cleared/);
    expect(stdout).not.toMatch(/[✓✗]|\u001b/);
  });

  test.each(['json', 'ndjson', 'csv', 'tsv', 'md', 'html'])(
    'a terminal gets %s without marks',
    async format => {
      const command = `access active@example.com --product premium -o ${format}`;
      const [onTerminal, inPipe] = await Promise.all([sandbox(command, terminal()), sandbox(command)]);
      expect(onTerminal.stdout).toBe(inPipe.stdout);
    },
  );

  test('FORCE_COLOR colors a pipe and adds no marks', async () => {
    const { stdout } = await sandbox('access active@example.com --product premium', {
      env: { ...UTF8, FORCE_COLOR: '1' },
    });
    expect(stdout).toContain(GREEN('yes'));
    expect(stdout).not.toContain('✓');
  });
});
