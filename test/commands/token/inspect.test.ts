import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';

const minted = async () => (await run(['token', 'reader@example.com', '--sandbox', '--jq', '.token'])).stdout;

test('a token on stdin is shown with readable times, and marked as not verified', async () => {
  const { code, stdout, stderr } = await run(['token', 'inspect'], { input: await minted() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Not verified (no --key); in force.');
  expect(stdout).toMatch(/ISSUED +2026-03-14 12:00 UTC\nEXPIRES +2026-03-14 13:00 UTC\n/);
  expect(stdout).toMatch(/iat +1773489600\n/);
});

test('quotes and a Bearer of a header around it are removed', async () => {
  const { code, stdout } = await run(['token', 'inspect', '--jq', '.claims.aud'], {
    input: `Bearer "${(await minted()).trim()}"\n`,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'example.com\n' });
});

test('a key that does not confirm it exits 3', async () => {
  const key = join(temporaryFolder(), 'key');
  writeFileSync(key, 'another-secret');
  const { code, stdout } = await run(['token', 'inspect', '--key', key, '--jq', '.verification, .problem'], {
    input: await minted(),
  });
  expect({ code, stdout }).toEqual({ code: 3, stdout: 'invalid\nthe signature does not match this key\n' });
});

test.each([
  ['no token', 'hello', 2, 'the input is not a token'],
  ['nothing', '', 2, 'the input is not a token'],
])('%s on stdin is rejected', async (_, input, code, message) => {
  const ran = await run(['token', 'inspect'], { input });
  expect(ran.code).toBe(code);
  expect(ran.stderr).toContain(message);
});

test('a token on the command line is not accepted', async () => {
  const token = (await minted()).trim();
  const { code, stderr } = await run(['token', 'inspect', token]);
  expect(code).toBe(2);
  expect(stderr).not.toContain(token);
});
