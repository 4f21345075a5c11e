import { describe, expect, test } from 'vitest';
import { NOON, run } from '../support/run.ts';
import { wireServer } from '../support/wire-server.ts';

const MINT = ['token', '--email', 'reader@example.com', '--domain', 'example.com', '--jq'];

async function mint(expression: string) {
  const server = await wireServer(() => ({
    body: '{"success":true,"data":{"token":"a.b.c","expiresAt":"2026-03-14T13:00:00Z"}}',
  }));
  try {
    const env = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'key-for-filters-0001' };
    return { ...(await run([...MINT, expression], { env, now: NOON })), sent: server.received.length };
  } finally {
    await server.close();
  }
}

describe('--jq', () => {
  test.each([
    ['.[', "--jq '.[' is not valid: syntax error, unexpected end of file"],
    ['.token | toke', "--jq '.token | toke' is not valid: toke/0 is not defined"],
    ['. as [$a] | $b', '$b is not defined'],
  ])('%s is rejected before anything is sent, with the message of jq', async (expression, message) => {
    const { code, stderr, sent } = await mint(expression);
    expect({ code, sent }).toEqual({ code: 2, sent: 0 });
    expect((JSON.parse(stderr) as { error: { message: string } }).error.message).toContain(message);
  });

  test.each([
    '.token',
    'def f: .token; f',
    '.token # the token',
    '-1 | "a.b.c"',
    'reduce 1 as $x ("a.b.c"; .)',
  ])('%s is read', async expression => {
    expect(await mint(expression)).toEqual({ code: 0, stdout: 'a.b.c\n', stderr: '', sent: 1 });
  });

  test('an error of the API is printed with its own message', async () => {
    const { code, stderr } = await mint('error("rows missing")');
    expect(code).toBe(2);
    expect(stderr).toContain('--jq failed: rows missing');
  });
});
