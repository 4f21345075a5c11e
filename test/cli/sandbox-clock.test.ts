import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { SANDBOX_START } from '../../src/wire/sandbox-start.ts';
import { run } from '../support/run.ts';

const LATER = Date.UTC(2027, 6, 1, 8);
const QUERY = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '--last', '7d', '--csv'];
const days = (days: string) => `note: ${days}, 7 days (UTC)\n`;

describe('with --sandbox', () => {
  const query = (clock: string, ...more: string[]) =>
    run([...QUERY, '--sandbox', ...more], { now: LATER, env: { TZ: 'UTC', GATECTL_SANDBOX_CLOCK: clock } });

  test('a command prints the figures of the documented day, whatever the day, and says which day it is', async () => {
    expect(await query('')).toEqual({
      code: 0,
      stdout: 'visits\n23510\n',
      stderr: `note: in the sandbox it is 14 March 2026\n${days('7 to 13 March 2026')}`,
    });
  });

  test('--quiet suppresses the note', async () => {
    expect(await query('', '--quiet')).toEqual({ code: 0, stdout: 'visits\n23510\n', stderr: '' });
  });

  test('the word now follows the clock of the machine', async () => {
    const { stdout, stderr } = await query('now');
    expect(stderr).toBe(days('24 to 30 June 2027'));
    expect(stdout).toMatch(/^visits\n\d+\n$/);
  });

  test('another time is that of the gateway and of the command', async () => {
    const { stderr } = await query('2026-01-20T00:00:00Z');
    expect(stderr).toBe(`note: in the sandbox it is 20 January 2026\n${days('13 to 19 January 2026')}`);
  });

  test('a time that is none is rejected', async () => {
    const { code, stderr } = await query('noon');
    expect([code, stderr]).toEqual([
      2,
      'error: GATECTL_SANDBOX_CLOCK is not a time\n  pass one such as 2026-03-01T12:00:00Z, or now\n',
    ]);
  });

  test('an access check, which depends on no day of this machine, prints no note', async () => {
    const { stderr } = await run(['access', 'active@example.com', '--product', 'premium', '--sandbox'], {
      now: LATER,
      env: { GATECTL_SANDBOX_CLOCK: '' },
    });
    expect(stderr).toBe('');
  });
});

describe('with the variables that sandbox serve prints', () => {
  test('a command counts days from the clock of the gateway', async () => {
    const sandbox = await startSandbox({ now: () => Date.parse(SANDBOX_START) });
    onTestFinished(() => sandbox.close());
    const env = {
      TZ: 'UTC',
      GATECTL_BASE_URL: sandbox.baseUrl,
      GATECTL_API_KEY: sandbox.apiKey,
      GATECTL_DOMAIN: 'example.com',
      GATECTL_SANDBOX_CLOCK: SANDBOX_START,
    };
    expect(await run(QUERY, { now: LATER, env })).toEqual({
      code: 0,
      stdout: 'visits\n23510\n',
      stderr: `note: in the sandbox it is 14 March 2026\n${days('7 to 13 March 2026')}`,
    });
  });

  test.each([
    [['--base-url', 'http://127.0.0.1:9'], 'http://127.0.0.1:8'],
    [[], 'https://gateway.example.com'],
  ])('%j with GATECTL_BASE_URL=%s counts days from today', async (words, base) => {
    const env = {
      TZ: 'UTC',
      GATECTL_BASE_URL: base,
      GATECTL_DOMAIN: 'example.com',
      GATECTL_SANDBOX_CLOCK: SANDBOX_START,
    };
    const { stderr } = await run([...QUERY, ...words, '--curl'], { now: LATER, env });
    expect(stderr).toContain(days('24 to 30 June 2027'));
    expect(stderr).not.toContain('in the sandbox');
  });
});
