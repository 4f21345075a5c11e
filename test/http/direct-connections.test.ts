import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { DirectConnections } from '../../src/http/direct-connections.ts';
import { streamingResponse } from '../../src/http/streaming-response.ts';
import { type RawServer, rawServer } from '../support/raw-server.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Servers that answer a connection once as many have asked as are to wait for each other. */
async function stage({ together = 1 } = {}) {
  const asked: (() => void)[] = [];
  const start = () =>
    rawServer(() => {}, {
      onData(socket) {
        asked.push(() => socket.write(OK));
        if (asked.length >= together) for (const answer of asked.splice(0)) answer();
      },
    });
  const servers: [RawServer, RawServer] = [await start(), await start()];
  let made = 0;
  const connections = new DirectConnections({}, () => {
    made += 1;
  });
  onTestFinished(async () => {
    await connections.destroy();
    await Promise.all(servers.map(server => server.close()));
  });
  const ask = async ({ baseUrl }: RawServer): Promise<string> => {
    const request = { origin: baseUrl, path: '/', method: 'GET' } as const;
    const { body } = await streamingResponse(connections, request, new AbortController().signal);
    let text = '';
    for await (const piece of body) text += Buffer.from(piece).toString();
    return text;
  };
  return { servers, connections, ask, made: () => made };
}

/** undici lets go of a connection one turn after the answer. */
async function turn(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve));
}

test('requests after one another share a connection', async () => {
  const { servers, ask, made } = await stage();
  for (let request = 0; request < 5; request += 1) expect(await ask(servers[0])).toBe('ok');
  expect({ connections: servers[0].connections(), made: made() }).toEqual({ connections: 1, made: 1 });
});

test('requests at the same time have a connection each, and those after them use the same again', async () => {
  const { servers, ask } = await stage({ together: 3 });
  for (let round = 0; round < 4; round += 1) {
    const answers = await Promise.all([ask(servers[0]), ask(servers[0]), ask(servers[0])]);
    expect(answers).toEqual(['ok', 'ok', 'ok']);
  }
  expect(servers[0].connections()).toBe(3);
});

test('an open connection is used before one that the server closed', async () => {
  let first: Socket | undefined;
  const server = await rawServer(() => {}, {
    onData(socket) {
      first ??= socket;
      if (socket === first) socket.write(OK);
      else socket.destroy();
    },
  });
  const connections = new DirectConnections({}, () => {});
  onTestFinished(async () => {
    await connections.destroy();
    await server.close();
  });
  const ask = async (): Promise<number> => {
    const request = { origin: server.baseUrl, path: '/', method: 'GET' } as const;
    const { status, body } = await streamingResponse(connections, request, new AbortController().signal);
    await body.ended;
    return status;
  };
  expect(await ask()).toBe(200);
  const both = await Promise.allSettled([ask(), ask()]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(await ask()).toBe(200);
});

test('each server has connections of its own', async () => {
  const { servers, ask } = await stage();
  await ask(servers[0]);
  await turn();
  await ask(servers[1]);
  expect(servers.map(server => server.connections())).toEqual([1, 1]);
});

test('a server that was unreachable is requested again', async () => {
  const { connections, ask } = await stage();
  const gone = await rawServer(() => {});
  await gone.close();
  await expect(ask(gone)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await turn();
  await expect(ask(gone)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await connections.destroy();
});

test('closing aborts requests in flight, and nothing is sent afterwards', async () => {
  const { servers, connections, ask } = await stage({ together: 2 });
  const waiting = ask(servers[0]);
  const failed = expect(waiting).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' });
  await connections.destroy();
  await failed;
  await expect(ask(servers[0])).rejects.toThrow('the connections are closed');
});
