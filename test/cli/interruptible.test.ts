import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
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
