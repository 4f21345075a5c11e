import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { type Reply, wireServer } from '../support/wire-server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a copy of the program whose files are removed when its request arrives. */
async function removedMeanwhile(reply: Reply) {
  const copy = temporaryFolder();
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  const server = await wireServer(() => {
    rmSync(join(copy, 'dist'), { recursive: true });
    return reply;
  });
  onTestFinished(() => server.close());
  const command = [join(copy, 'bin/gatectl.js'), 'bda', 'domains', '-o', 'html'];
  const { exitCode, stdout, stderr } = await execa(process.execPath, command, {
    reject: false,
    extendEnv: false,
    env: { HOME: temporaryFolder(), GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'key-of-a-copy-1' },
  });
  return { exitCode, stdout, stderr };
}

test('a program that was removed while it ran says so', async () => {
  const domains = [{ domain_id: 1, domain: 'example.com' }];
  expect(await removedMeanwhile({ body: JSON.stringify({ domains }) })).toEqual({
    exitCode: 9,
    stdout: '',
    stderr: 'error: gatectl was updated or removed while it ran; run the command again',
  });
});

test('another error is reported even if what formats errors was removed', async () => {
  const error = { code: 'unauthorized', message: 'the key is unknown' };
  expect(await removedMeanwhile({ status: 401, body: JSON.stringify({ error }) })).toEqual({
    exitCode: 4,
    stdout: '',
    stderr: 'error: the key is unknown',
  });
});
