import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answering } from './server-failures.ts';

/** A request as it arrived. */
export interface Received {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in the order and spelling in which they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface WireServer {
  readonly baseUrl: string;
  /** Everything that arrived, in order. */
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** A plain server that records what it gets and answers as the test says: for a request, by its number from 0. */
export async function wireServer(
  reply: (request: Received, index: number) => Reply | Promise<Reply>,
): Promise<WireServer> {
  const received: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const arrived: Received = {
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks).toString(),
    };
    const index = received.push(arrived) - 1;
    const { status = 200, headers = {}, body = '' } = await reply(arrived, index);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
  const server = createServer((request, response) =>
    answering(
      () => respond(request, response),
      () => response.destroy(),
    ),
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A success of the Subscriptions envelope. */
export function granted(data: unknown): Reply {
  return { body: JSON.stringify({ success: true, data }) };
}
