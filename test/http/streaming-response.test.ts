import type { Socket } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { streamingResponse } from '../../src/http/streaming-response.ts';
import { type RawServer, rawServer } from '../support/raw-server.ts';

const MEGABYTE = 1024 * 1024;

/** A server that does as told with each connection, a way to ask it, and when it has seen the first connection close. */
async function stage(
  onRequest: (socket: Socket, index: number) => void,
  { onData, connections = 1 }: { onData?: (socket: Socket) => void; connections?: number } = {},
) {
  let whenClosed = () => {};
  const closed = new Promise<void>(resolve => {
    whenClosed = resolve;
  });
  const server: RawServer = await rawServer(
    (socket, index) => {
      socket.on('close', whenClosed);
      onRequest(socket, index);
    },
    { ...(onData && { onData }) },
  );
  const agent = new Agent({ connections });
  onTestFinished(async () => {
    await agent.destroy();
    await server.close();
  });
  const ask = (signal = new AbortController().signal) =>
    streamingResponse(agent, { origin: server.baseUrl, path: '/', method: 'GET' }, signal);
  return { server, closed, ask };
}

function head(...headers: string[]): string {
  return `HTTP/1.1 200 OK\r\n${headers.map(each => `${each}\r\n`).join('')}\r\n`;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** An answer that a test writes itself, piece by piece, and what its connection is told. */
async function written(signal = new AbortController().signal) {
  const told: string[] = [];
  let paused = false;
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    reason: null,
    get paused() {
      return paused;
    },
    pause() {
      paused = true;
      told.push('pause');
    },
    resume() {
      if (paused) told.push('resume');
      paused = false;
    },
    abort: ({ message }) => void told.push(`abort: ${message}`),
  };
  let handler: Dispatcher.DispatchHandler = {};
  const dispatcher = {
    dispatch(_: unknown, given: Dispatcher.DispatchHandler) {
      handler = given;
      return true;
    },
  } as unknown as Dispatcher;
  const coming = streamingResponse(dispatcher, { path: '/', method: 'GET' }, signal);
  handler.onRequestStart?.(controller, {});
  handler.onResponseStart?.(controller, 200, { 'transfer-encoding': 'chunked' });
  const { body } = await coming;
  return {
    told,
    reader: body[Symbol.asyncIterator](),
    write: (bytes: number) => handler.onResponseData?.(controller, Buffer.alloc(bytes)),
    end: () => handler.onResponseEnd?.(controller, {}),
  };
}

describe('the head of a response', () => {
  test('has its status, and a repeated header as one', async () => {
    const { ask } = await stage(socket =>
      socket.end(`HTTP/1.1 404 Not Found\r\nVia: one\r\nvia: two\r\ncontent-length: 0\r\n\r\n`),
    );
    const { status, headers } = await ask();
    expect({ status, headers }).toEqual({ status: 404, headers: { via: 'one, two', 'content-length': '0' } });
  });

  test('is not an informational response', async () => {
    const { ask } = await stage(socket =>
      socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${head('content-length: 2')}ok`),
    );
    const { status, headers, body } = await ask();
    expect({ status, headers }).toEqual({ status: 200, headers: { 'content-length': '2' } });
    expect(await textOf(body)).toBe('ok');
  });

  test('that never arrives is reported with the error of the connection', async () => {
    const { ask } = await stage(socket => socket.end());
    await expect(ask()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  });
});

describe('the body of a response', () => {
  test('that is empty ends at once, and its connection serves the next request', async () => {
    const { server, ask } = await stage(() => {}, {
      onData: socket => socket.write(head('content-length: 0')),
    });
    expect(await textOf((await ask()).body)).toBe('');
    expect(await textOf((await ask()).body)).toBe('');
    expect(server.connections()).toBe(1);
  });

  test('does not include trailers', async () => {
    const { ask } = await stage(socket =>
      socket.write(`${head('transfer-encoding: chunked')}3\r\nabc\r\n2\r\nde\r\n0\r\nx-sum: 5\r\n\r\n`),
    );
    expect(await textOf((await ask()).body)).toBe('abcde');
  });

  test('that breaks yields what was received, then throws', async () => {
    const { ask } = await stage(socket => socket.end(`${head('content-length: 10')}half`));
    const { body } = await ask();
    const came: string[] = [];
    const reading = (async () => {
      for await (const piece of body) came.push(Buffer.from(piece).toString());
    })();
    await expect(reading).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(came).toEqual(['half']);
  });

  test('that breaks and is never read does no harm', async () => {
    const { server, ask } = await stage((socket, index) => {
      if (index === 0) socket.end(`${head('content-length: 10')}half`);
      else socket.end(`${head('content-length: 2')}ok`);
    });
    await ask();
    expect(await textOf((await ask()).body)).toBe('ok');
    expect(server.connections()).toBe(2);
  });

  test('that is not read makes the server wait', async () => {
    let sent = 0;
    const { ask } = await stage(
      (socket, index) => {
        if (index > 0) {
          socket.end(`${head('content-length: 2')}ok`);
          return;
        }
        socket.write(head(`content-length: ${200 * MEGABYTE}`));
        const send = (): void => {
          if (socket.destroyed || sent === 200 * MEGABYTE) return;
          sent += MEGABYTE;
          socket.write(Buffer.alloc(MEGABYTE), send);
        };
        send();
      },
      { connections: 2 },
    );
    const { body } = await ask();
    // Time enough for much more than the buffers of both sides hold.
    for (let turn = 0; turn < 200; turn += 1) await textOf((await ask()).body);
    expect(sent).toBeLessThan(40 * MEGABYTE);
    let size = 0;
    for await (const piece of body) size += piece.length;
    expect(size).toBe(200 * MEGABYTE);
  });

  test('stops its connection while more than 256 KB wait, until all of it is read', async () => {
    const { told, reader, write, end } = await written();
    write(128 * 1024);
    expect(told).toEqual([]);
    write(128 * 1024);
    expect(told).toEqual(['pause']);
    await reader.next();
    expect(told).toEqual(['pause']);
    await reader.next();
    const third = reader.next();
    expect(told).toEqual(['pause', 'resume']);
    write(3);
    expect(await third).toEqual({ done: false, value: Buffer.alloc(3) });
    end();
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  test.each([
    ['as it says of its length', 'content-length: 262144', 'connection: close'],
    [
      'as it says of its length, where the server then closes a connection it meant to keep',
      'content-length: 262144',
    ],
    ['where the connection ends', 'connection: close'],
  ])('that waits to be read when its connection ends is complete: it ends %s', async (_, ...headers) => {
    const { closed, ask } = await stage(socket => {
      socket.write(head(...headers));
      socket.end(Buffer.alloc(256 * 1024, 'x'));
    });
    const { body } = await ask();
    await closed;
    expect((await textOf(body)).length).toBe(256 * 1024);
  });

  test('is passed directly to a waiting reader', async () => {
    const { told, reader, write } = await written();
    for (let piece = 0; piece < 10; piece += 1) {
      const next = reader.next();
      write(128 * 1024);
      await next;
    }
    expect(told).toEqual([]);
  });

  test('whose reader leaves early ends its connection', async () => {
    const { closed, ask } = await stage((socket, index) => {
      if (index === 0) socket.write(`${head('content-length: 1000')}abc`);
      else socket.end(`${head('content-length: 2')}ok`);
    });
    const { body } = await ask();
    for await (const _ of body) break;
    await closed;
    expect(await textOf(body)).toBe('');
    expect(await textOf((await ask()).body)).toBe('ok');
  });

  test('that is dropped unread ends its connection', async () => {
    const { closed, ask } = await stage(socket => socket.write(`${head('content-length: 1000')}abc`));
    const { body } = await ask();
    body.drop();
    body.drop();
    await closed;
    expect(await textOf(body)).toBe('');
  });

  test('that is dropped when it is all there leaves its connection to the next request', async () => {
    const { server, ask } = await stage(() => {}, {
      onData: socket => socket.write(`${head('content-length: 3')}abc`),
    });
    const { body } = await ask();
    await textOf(body);
    body.drop();
    expect(await textOf((await ask()).body)).toBe('abc');
    expect(server.connections()).toBe(1);
  });
});

describe('a signal', () => {
  const reason = new Error('enough');

  test('that is already aborted prevents the request', async () => {
    const { server, ask } = await stage(() => {});
    await expect(ask(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.connections()).toBe(0);
  });

  test('ends a request that still waits for its connection', async () => {
    const aborting = new AbortController();
    let heard = '';
    const { ask } = await stage(() => {
      heard += 'a request';
    });
    const coming = ask(aborting.signal);
    aborting.abort(reason);
    await expect(coming).rejects.toBe(reason);
    expect(heard).toBe('');
  });

  test('ends a request that waits for the head, and its connection', async () => {
    const aborting = new AbortController();
    const { closed, ask } = await stage(() => aborting.abort(reason));
    await expect(ask(aborting.signal)).rejects.toBe(reason);
    await closed;
  });

  test('ends a body that is being read, and its connection', async () => {
    const aborting = new AbortController();
    const { closed, ask } = await stage(socket => socket.write(`${head('content-length: 1000')}abc`));
    const { body } = await ask(aborting.signal);
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    const next = reader.next();
    aborting.abort(reason);
    await expect(next).rejects.toBe(reason);
    await closed;
  });

  test('discards received data that was not read yet', async () => {
    const aborting = new AbortController();
    const { reader, write, told } = await written(aborting.signal);
    write(3);
    aborting.abort(reason);
    expect(told).toEqual(['abort: enough']);
    await expect(reader.next()).rejects.toBe(reason);
  });

  test('that arrives after the response changes nothing', async () => {
    const aborting = new AbortController();
    const { ask } = await stage(() => {}, {
      onData: socket => socket.write(`${head('content-length: 3')}abc`),
    });
    const { body } = await ask(aborting.signal);
    expect(await textOf(body)).toBe('abc');
    aborting.abort(reason);
    expect(await textOf(body)).toBe('');
  });
});
