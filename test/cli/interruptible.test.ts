import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import type { Signal } from '../../src/errors/index.ts';
import { run } from '../support/run.ts';

test.each([
  ['bda query', ['bda', 'query', '-']],
  ['bda migrate-query', ['bda', 'migrate-query', '--from-curl']],
  ['access', ['access', '--product', 'x', '--from-file', '-', '--domain', 'example.com']],
  ['api', ['api', 'POST', '/x', '--input', '-']],
])('Ctrl-C ends %s while it waits for more input', async (_, args) => {
  const stdin = new PassThrough();
  stdin.write('{"data_set": ');
  let send: ((signal: Signal) => void) | undefined;
  const ended = run([...args, '--sandbox'], { stdin, onSignals: given => (send = given) });
  while (stdin.listenerCount('readable') === 0) await new Promise(resolve => setImmediate(resolve));
  send?.('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: 'error: interrupted\n' });
});

const folder = mkdtempSync(join(tmpdir(), 'gatectl-fifo-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A FIFO without a writer. */
function fifoNamed(name: string): string {
  const fifo = join(folder, name);
  execFileSync('mkfifo', [fifo]);
  return fifo;
}

/** Resolves as soon as this process has the file open. */
async function opened(path: string): Promise<void> {
  const isOpen = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  };
  while (!readdirSync('/proc/self/fd').some(isOpen)) await new Promise(resolve => setImmediate(resolve));
}

const ACCESS = ['access', '--product', 'x', '--domain', 'example.com'];
const FIFO_COMMANDS: [string, (fifo: string) => string[]][] = [
  ['cdn purge --file', fifo => ['cdn', 'purge', '--domain', 'example.com', '--file', fifo]],
  ['cdn purge --sitemap', fifo => ['cdn', 'purge', '--domain', 'example.com', '--sitemap', fifo]],
  ['cdn purge --key-file', fifo => ['cdn', 'purge', '--domain', 'example.com', '--key-file', fifo]],
  ['access --from-file', fifo => [...ACCESS, '--from-file', fifo]],
  ['bda query', fifo => ['bda', 'query', fifo]],
  ['bda migrate-query', fifo => ['bda', 'migrate-query', fifo]],
  ['bda migrate-query --segments', fifo => ['bda', 'migrate-query', '--report', 'x', '--segments', fifo]],
  ['api --input', fifo => ['api', 'POST', '/x', '--input', fifo]],
];
const onLinux = test.skipIf(process.platform !== 'linux');

onLinux.each(FIFO_COMMANDS)('Ctrl-C ends %s while a FIFO has no writer', async (name, args) => {
  const fifo = fifoNamed(name);
  let send: ((signal: Signal) => void) | undefined;
  const ended = run([...args(fifo), '--sandbox'], { onSignals: given => (send = given), input: '{}' });
  await opened(fifo);
  send?.('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: 'error: interrupted\n' });
});

onLinux('Ctrl-C ends the wait for a key in a FIFO that has no writer', async () => {
  const path = fifoNamed('key');
  const origin = 'http://127.0.0.1:9';
  const profiles = { news: { 'base-url': origin, key: { kind: 'file', path, origin } } };
  const config = JSON.stringify({ version: 1, current: 'news', profiles });
  writeFileSync(join(folder, 'config.json'), config, { mode: 0o600 });
  let send: ((signal: Signal) => void) | undefined;
  const env = { GATECTL_CONFIG_DIR: folder };
  const ended = run([...ACCESS, 'a@example.com'], { env, onSignals: given => (send = given) });
  await opened(path);
  send?.('SIGINT');
  expect(await ended).toMatchObject({ code: 130, stderr: 'error: interrupted\n' });
});

onLinux('a FIFO is read to its end', async () => {
  const fifo = fifoNamed('readers');
  const ended = run(['access', '--product', 'premium', `@${fifo}`, '--sandbox', '--jq', '.[].decision']);
  await opened(fifo);
  writeFileSync(fifo, 'active@example.com\nnobody@example.com\n');
  expect((await ended).stdout).toBe('allowed\nlogin_required\n');
});
