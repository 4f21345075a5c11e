import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { limitConnections } from '../../src/sandbox/server.ts';

const CREATE = '/bdaservices/createsegment/?developerKey=sandbox-key-0000-not-a-secret';

describe('a page on the web in the browser of whoever runs the sandbox', () => {
  async function statusOf(path: string, headers: Record<string, string>, body: string) {
    const sandbox = await startSandbox({});
    const answer = await fetch(sandbox.baseUrl + path, { method: 'POST', headers, body });
    const listed = await fetch(`${sandbox.baseUrl}${CREATE.replace('createsegment', 'getsegments')}`);
    const made = ((await listed.json()) as { SegmentName: string }[]).some(
      ({ SegmentName }) => SegmentName === 'Foreign',
    );
    await sandbox.close();
    return { status: answer.status, made };
  }
  const body = '{"SegmentName":"Foreign"}';

  test.each([
    ['as text', { 'content-type': 'text/plain' }, 415],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    [
      'as JSON, with its origin',
      { 'content-type': 'application/json', origin: 'https://page.example.com' },
      403,
    ],
    ['as JSON, from a file', { 'content-type': 'application/json', origin: 'null' }, 403],
  ])('changes nothing when it posts %s', async (_, headers, status) => {
    expect(await statusOf(CREATE, headers, body)).toEqual({ status, made: false });
  });

  test('is not a page of this machine, whose requests count', async () => {
    const headers = { 'content-type': 'application/json', origin: 'http://localhost:3000' };
    expect(await statusOf(CREATE, headers, body)).toEqual({ status: 200, made: true });
  });
});

test('connections without a complete request give way to a new one', async () => {
  const server = createServer((_, response) => response.end('answered'));
  limitConnections(server, 20);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const open: Socket[] = [];
  const halfOpen = async (text: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    open.push(socket);
    await new Promise(resolve => socket.once('connect', resolve));
    socket.write(text);
  };
  for (let n = 0; n < 30; n += 1)
    await halfOpen(n % 2 === 0 ? 'GET / HTT' : 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12');
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect(await answer.text()).toBe('answered');
  for (const socket of open) socket.destroy();
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});
