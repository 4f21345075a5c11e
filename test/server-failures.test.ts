import { expect, test } from 'vitest';
import { rawServer } from './support/raw-server.ts';
import { throwServerFailure } from './support/server-failures.ts';
import { wireServer } from './support/wire-server.ts';

const unexpected = (): never => {
  throw new Error('an unexpected request');
};

test.each([
  ['rejects', async () => wireServer(async () => unexpected())],
  ['throws', async () => rawServer(unexpected)],
])('a server that %s fails the test with its name, and the request ends', async (_, start) => {
  const server = await start();
  await expect(fetch(server.baseUrl)).rejects.toThrow();
  const name = expect.getState().currentTestName;
  expect(throwServerFailure).toThrow(`a server of "${name}" failed: Error: an unexpected request`);
  expect(throwServerFailure).not.toThrow();
  await server.close();
});
