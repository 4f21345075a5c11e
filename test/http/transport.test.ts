import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { connectorOf } from '../../src/http/connector.ts';
import { Transport } from '../../src/http/transport.ts';
import { wireServer } from '../support/wire-server.ts';

/** Something that happens once. */
function event() {
  let happens: () => void = () => {};
  const happened = new Promise<void>(resolve => {
    happens = resolve;
  });
  return { happens, happened };
}

test('a request that is aborted while the proxy opens its tunnel does not end the others', async () => {
  const [arrived, asked, mayAnswer] = [event(), event(), event()];
  const server = await wireServer(async () => {
    arrived.happens();
    await mayAnswer.happened;
    return { body: 'complete' };
  });
  const proxy = createServer();
  let tunnels = 0;
  proxy.on('connect', (request, socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    tunnels += 1;
    if (tunnels === 2) return asked.happens();
    const [host, port] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const network = { userAgent: 'test', proxy: { http: proxyUrl } };
  const transport = new Transport(network, 'identity', connectorOf(network));
  onTestFinished(async () => {
    await transport.close();
    proxy.close();
    await server.close();
  });
  const send = (signal: AbortSignal) =>
    transport.exchange(
      { method: 'GET', url: new URL(server.baseUrl), headers: {}, body: undefined },
      signal,
      60_000,
    );

  const first = send(new AbortController().signal);
  await arrived.happened;
  const second = new AbortController();
  const aborted = send(second.signal);
  await asked.happened;
  second.abort(new Error('no longer needed'));
  await expect(aborted).rejects.toThrow('no longer needed');
  const third = await Promise.all([send(new AbortController().signal), mayAnswer.happens()]);
  expect(await text((await first).body)).toBe('complete');
  expect(await text(third[0].body)).toBe('complete');
  expect(tunnels).toBe(3);
});
