import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { type InProcess, type InProcessOptions, run } from '../support/run.ts';
import { answering } from '../support/server-failures.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';

export const KEY = 'canary-key-4711';

/** Commands that ask the gateway in different ways: whole documents, streams, what may be repeated and what not. */
export const ASKING = {
  access: ['access', '--product', 'premium', '--email', 'canary.reader@example.com', '--mask'],
  token: ['token', '--email', 'canary.reader@example.com'],
  purge: ['cdn', 'purge', 'https://example.com/news'],
  listing: ['bda', 'domains'],
  query: ['bda', 'query', '--data-set', 'pageview', '-d', 'id', '-m', 'visits', '--from', '2026-03-01'],
  // With as many rows as there are, no further request shows the end.
  report: [
    ...['bda', 'report', 'run', '-d', 'country', '-m', 'visits', '--from', '2026-03-01'],
    ...['--limit', '1'],
  ],
} as const satisfies Record<string, readonly string[]>;
export type Asking = keyof typeof ASKING;
export const EVERY_ASKING = Object.keys(ASKING) as Asking[];

const ENOUGH: Readonly<Record<Asking, string>> = {
  access: '{"success":true,"data":{"decision":"allowed","reasonCode":"allowed"}}',
  token: '{"success":true,"data":{"token":"a.b.c","expiresAt":"2026-03-14T13:00:00Z"}}',
  purge: '{"Success":true,"Error":""}',
  listing: '{"domains":[{"domain_id":1,"domain":"example.com"}]}',
  query: '{"rows":[{"id":1,"visits":2}],"total_rows":1}',
  report: '[{"country":"US","visits":2}]',
};

/** A good answer to the command. */
export function goodAnswer(asking: Asking): string {
  return ENOUGH[asking];
}

/** The API's own way to say no, in the words of the command's family. */
export function refusal(asking: Asking, message: string, code?: string): string {
  if (asking === 'purge' || asking === 'report') return JSON.stringify({ Success: false, Error: message });
  if (asking === 'listing' || asking === 'query') return JSON.stringify({ error: { code, message } });
  return JSON.stringify({ success: false, message });
}

export interface Tried extends InProcess {
  /** How often the gateway was asked. */
  readonly requests: number;
}

/** Runs a command line against a gateway, with an empty home and nothing else set. */
export async function ask(
  baseUrl: string,
  args: readonly string[],
  options: InProcessOptions = {},
): Promise<InProcess> {
  const env = {
    GATECTL_BASE_URL: baseUrl,
    GATECTL_API_KEY: KEY,
    GATECTL_DOMAIN: 'example.com',
    GATECTL_CONFIG_DIR: temporaryFolder(),
    ...options.env,
  };
  return await run(args, { ...options, env });
}

/** Tries a command on a server that answers as told. */
export async function tryAnswer(
  args: readonly string[],
  reply: (request: Received, index: number) => Reply | Promise<Reply>,
  options?: InProcessOptions,
): Promise<Tried> {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  const ran = await ask(server.baseUrl, args, options);
  const isCounted = ({ target }: Received) => !asksAboutRows(target, args);
  return { ...ran, requests: server.received.filter(isCounted).length };
}

/** Whether a request is for what is said about rows, their headings and their days, which comes after them and may fail. */
function asksAboutRows(target: string, args: readonly string[]): boolean {
  return /^\S*\/(?:(?:get)?columns|date-range)\/?(?:[? ]|$)/.test(target) && !args.includes('columns');
}

/** Tries a command on bytes: what a server does with a connection once a request has arrived, by its number from 0. */
export async function tryBytes(
  args: readonly string[],
  onRequest: (socket: Socket, index: number, request: string) => void,
  options?: InProcessOptions,
): Promise<Tried> {
  const sockets = new Set<Socket>();
  let [received, requests] = [0, 0];
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    let text = '';
    socket.on('data', chunk => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (head < 0 || text.length < head + 4 + length) return;
      const request = text.slice(0, head + 4 + length);
      text = '';
      const [, target = ''] = request.split(' ');
      if (!asksAboutRows(target, args)) requests++;
      answering(
        () => onRequest(socket, received++, request),
        () => socket.destroy(),
      );
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { ...(await ask(`http://127.0.0.1:${port}`, args, options)), requests };
}

/** An HTTP answer as bytes. */
export function http(body: string, headers = `content-length: ${Buffer.byteLength(body)}\r\n`): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}\r\n${body}`;
}
