import { expect, test } from 'vitest';
import { run } from '../../support/run.ts';
import { granted, type Reply, wireServer } from '../../support/wire-server.ts';

const wait = (...args: string[]) => run(['access', 'wait', '--product', 'premium', ...args, '--sandbox']);

test('a reader with access ends the wait immediately, with 0', async () => {
  const { code, stdout } = await wait('active@example.com', '--csv', '--mask');
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'at,allowed,decision,reasonCode,meaning',
    expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z,true,allowed,allowed,the reader has access now$/),
    '',
  ]);
});

test('exits 3 when the time is over, and prints what access was', async () => {
  const { code, stdout, stderr } = await wait('expired@example.com', '--for', '0', '--jq', '.[].decision');
  expect({ code, stdout }).toEqual({ code: 3, stdout: 'expired\n' });
  expect(stderr).toContain('time limit reached: access is still not allowed\n');
});

test('--until denied waits for any decision but allowed', async () => {
  expect((await wait('expired@example.com', '--until', 'denied', '--quiet')).code).toBe(0);
  expect((await wait('active@example.com', '--until', 'denied', '--for', '0')).code).toBe(3);
});

test('a change between two checks is printed and ends the wait', async () => {
  const server = await wireServer((_, index) =>
    granted(
      index === 0
        ? { decision: 'denied', reasonCode: 'no_entitlement' }
        : { decision: 'allowed', reasonCode: 'allowed' },
    ),
  );
  try {
    const args = ['access', 'wait', 'reader@example.com', '--product', 'premium', '--every', '1s', '--csv'];
    const { code, stdout, stderr } = await run(
      [...args, '--base-url', server.baseUrl, '--domain', 'example.com'],
      {
        env: { GATECTL_API_KEY: 'test-key-0123456789' },
      },
    );
    expect(code).toBe(0);
    expect(stdout.split('\n').map(line => line.split(',')[2])).toEqual([
      'decision',
      'denied',
      'allowed',
      undefined,
    ]);
    expect(stderr).toMatch(/^note: \S+: denied \(the reader is known but .*\); waiting\n$/);
  } finally {
    await server.close();
  }
});

test.each<[string, Reply, number]>([
  ['a rejected key', { status: 401, body: '{"success":false,"message":"no"}' }, 4],
  ['a rate limit for hours', { status: 429, headers: { 'retry-after': '7200' } }, 8],
])('%s ends the wait with its exit code', async (_, reply, exit) => {
  const server = await wireServer(() => reply);
  try {
    const args = ['access', 'wait', 'reader@example.com', '--product', 'premium'];
    const { code, stdout } = await run([...args, '--base-url', server.baseUrl, '--domain', 'example.com'], {
      env: { GATECTL_API_KEY: 'test-key-0123456789' },
    });
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(server.received).toHaveLength(1);
  } finally {
    await server.close();
  }
});

test.each([
  ['--every', '0.5s', 'at least 1s'],
  ['--every', 'often', '30s, 15m or 1h30m'],
  ['--for', '-5s', '30s, 15m or 1h30m'],
  ['--for', '', '30s, 15m or 1h30m'],
  ['--until', 'premium', 'allowed, denied'],
])('%s %s is rejected before anything is sent', async (flag, value, hint) => {
  const { code, stderr } = await wait('active@example.com', flag, value);
  expect(code).toBe(2);
  expect(stderr).toContain(hint);
});

test.each(['90', '90s', '1m30s', '0.5m', '1h'])('--for %s is a time', async value => {
  expect((await wait('active@example.com', '--for', value)).code).toBe(0);
});
