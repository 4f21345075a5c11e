import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../support/run.ts';
import { someTime } from '../support/wait.ts';
import { wireServer } from '../support/wire-server.ts';

const REFUSED = 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n';

/** A server with a limit of requests in flight, or of connections, that knows no 429. */
async function busyServer(data: string, refuse: 'closes' | 'resets' | '503' | 'accepts no fifth connection') {
  let inFlight = 0;
  const open = new Set<Socket>();
  const body = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${data.length}\r\n\r\n${data}`;
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    if (refuse === 'accepts no fifth connection' && open.size === 4) {
      socket.destroy();
      return;
    }
    open.add(socket);
    let received = '';
    socket.on('data', chunk => {
      received += chunk;
      const [head = '', rest] = received.split('\r\n\r\n');
      if (rest === undefined || rest.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return;
      received = '';
      if (inFlight === 4) {
        if (refuse === '503') socket.write(REFUSED);
        else if (refuse === 'resets') socket.resetAndDestroy();
        else socket.destroy();
        return;
      }
      inFlight += 1;
      void someTime(5).then(() => {
        inFlight -= 1;
        socket.write(body);
      });
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    GATECTL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    GATECTL_API_KEY: 'k-4711',
  };
}

test.each(['closes', 'resets', '503', 'accepts no fifth connection'] as const)(
  'all readers are checked at a server that serves four requests at once: %s',
  async refuse => {
    const env = await busyServer(
      '{"success":true,"data":{"decision":"allowed","reasonCode":"allowed"}}',
      refuse,
    );
    const readers = Array.from({ length: 120 }, (_, index) => `reader${index}@example.com`);
    const args = [
      'access',
      '-',
      '--product',
      'premium',
      '--domain',
      'example.com',
      '--csv',
      '--retries',
      '6',
    ];
    const { code, stdout, stderr } = await run(args, { env, input: readers.join('\n') });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/allowed,allowed/g)?.length ?? stdout).toBe(120);
  },
);

test.each(['closes', '503', 'accepts no fifth connection'] as const)(
  'all URLs are purged at a server that serves four requests at once: %s',
  async refuse => {
    const env = await busyServer('{"Success":true,"Error":""}', refuse);
    const urls = Array.from({ length: 12_000 }, (_, index) => `https://example.com/${index}`);
    const args = [
      'cdn',
      'purge',
      '-',
      '--domain',
      'example.com',
      '--no-resume',
      '-o',
      'json',
      '--retries',
      '6',
    ];
    const { code, stdout, stderr } = await run(args, { env, input: urls.join('\n') });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ cleared: 12_000, failed: 0 });
  },
);

test('an export requests fewer pages at once when the server reports the limit with status 200', async () => {
  let inFlight = 0;
  let rejected = 0;
  const server = await wireServer(async ({ method, body }) => {
    if (method === 'GET') return { body: '[]' };
    inFlight += 1;
    const isAllowed = inFlight === 1;
    await someTime(5);
    inFlight -= 1;
    if (!isAllowed) {
      rejected += 1;
      return { body: '{"error":{"code":"concurrent_request_limit","message":"too many"}}' };
    }
    const { offset, limit } = JSON.parse(body);
    const rows = Array.from({ length: limit }, (_, index) => ({ page_url: `/${offset + index}`, visits: 1 }));
    return { body: JSON.stringify({ rows, total_rows: 400 }) };
  });
  onTestFinished(() => server.close());
  const args = ['bda', 'query', '--data-set', 'pageview', '-d', 'page_url', '-m', 'visits'];
  const { code, stdout } = await run(
    [...args, '--month', '2026-02', '--csv', '--page-size', '10', '--retries', '10'],
    { env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'k-4711' } },
  );
  expect(code).toBe(0);
  expect(stdout.split('\n').slice(1, -1)).toEqual(Array.from({ length: 400 }, (_, index) => `/${index},1`));
  expect(rejected).toBeLessThan(16);
});
