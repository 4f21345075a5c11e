import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { API_KEY_PARAMETER } from '../wire/key.ts';
import { type Sleep, sendDisrupted } from './faults/disrupt.ts';
import type { Injection } from './faults/plan.ts';
import { faultReply } from './faults/reply.ts';
import { apiOf } from './gateway.ts';
import { errorResponse } from './http-error.ts';
import { isInspectionPath } from './inspection.ts';
import { isLoopbackHost, isLoopbackOrigin } from './loopback.ts';
import { plainText, type SandboxReply, type SandboxRequest } from './routing.ts';
import { compressReply, sendReply } from './send.ts';

const MAX_CONNECTIONS = 1000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** Node checks the two timeouts every 30 s by default, which would let connections exceed them. */
const CHECK_INTERVAL_MS = 1_000;

const KEEP_ALIVE_MS = 30_000;

export interface ServerOptions {
  readonly handle: (request: SandboxRequest) => Promise<SandboxReply>;
  /** Selects the faults for a request. */
  readonly inject: (request: { readonly method: string; readonly path: string }) => Injection;
  /** Whether other machines may connect. */
  readonly isRemote: boolean;
  /** Origins of web pages that may read responses, or all loopback origins. */
  readonly cors: readonly string[] | 'loopback';
  /** Called with each complete request; returns a function that gets the status and the faults of its response. */
  readonly record?: (
    request: SandboxRequest,
  ) => (status: number | undefined, faults: readonly string[]) => void;
  readonly now: () => number;
  readonly sleep: Sleep;
  readonly log?: (entry: RequestLogEntry) => void;
}

/** Fields of the log entry that the messages do not contain. */
interface Outcome {
  faults?: readonly string[];
  failure?: unknown;
}

/** Creates the HTTP server of the sandbox: host check, limits on bodies and connections, faults, log. */
export function createSandboxServer(options: ServerOptions): Server {
  const { now, sleep } = options;
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  });
  limitConnections(server, MAX_CONNECTIONS);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('request', (message, response) => {
    const outcome: Outcome = {};
    logWhenClosed(message, response, outcome, options);
    exchange(message, response, outcome).catch((error: unknown) => {
      if (response.closed || response.destroyed) return;
      outcome.failure = error;
      response.destroy();
    });
  });
  return server;

  async function exchange(
    message: IncomingMessage,
    response: ServerResponse,
    outcome: Outcome,
  ): Promise<void> {
    const head = requestHead(message);
    const rejected = rejectForeign(head, options);
    const allowed = corsHeaders(head.headers.origin, options.cors);
    for (const [name, value] of Object.entries(allowed)) response.setHeader(name, value);
    const isPreflight =
      head.method === 'OPTIONS' && head.headers['access-control-request-method'] !== undefined;
    if (rejected === undefined && isPreflight && Object.keys(allowed).length > 0)
      return sendReply(response, { status: 204 }, now());
    const body = rejected === undefined ? await readBody(message) : undefined;
    if (body === undefined) return sendReply(response, rejected ?? tooLarge(head.path), now());

    const request = { ...head, body };
    const recorded = isInspectionPath(head.path) ? undefined : options.record?.(request);
    if (recorded !== undefined)
      response.once('close', () =>
        recorded(response.headersSent ? response.statusCode : undefined, outcome.faults ?? []),
      );
    const injection = isInspectionPath(head.path) ? undefined : options.inject(head);
    if (injection === undefined || injection.specs.length === 0) {
      const reply = await handleSafely(request, outcome);
      return sendReply(response, await compressReply(reply, request), now());
    }
    outcome.faults = injection.specs;
    return exchangeWithFault(request, response, injection, outcome);
  }

  async function exchangeWithFault(
    request: SandboxRequest,
    response: ServerResponse,
    injection: Injection,
    outcome: Outcome,
  ): Promise<void> {
    const signal = closedSignal(response);
    if (injection.delayMs > 0) await sleep(injection.delayMs, signal);
    const action = injection.fault?.action;
    if (action?.kind === 'reset' && action.at === 'request') {
      response.socket?.resetAndDestroy();
      return;
    }
    const plain = faultReply(injection, request.path) ?? (await handleSafely(request, outcome));
    const reply = await compressReply(plain, request);
    if (action?.kind === 'reset' || action?.kind === 'truncate' || action?.kind === 'drip') {
      return sendDisrupted(action, { response, reply, now: now(), sleep, signal });
    }
    return sendReply(response, reply, now());
  }

  async function handleSafely(request: SandboxRequest, outcome: Outcome): Promise<SandboxReply> {
    try {
      return await options.handle(request);
    } catch (error) {
      outcome.failure = error;
      return errorResponse(apiOf(request.path), { status: 500, message: 'the sandbox failed' });
    }
  }
}

/** Rejects requests of web pages from other hosts. */
function rejectForeign(
  { headers }: Pick<SandboxRequest, 'headers'>,
  { isRemote, cors }: Pick<ServerOptions, 'isRemote' | 'cors'>,
): SandboxReply | undefined {
  if (!isRemote && !isLoopbackHost(headers.host))
    return plainText(421, 'the sandbox accepts requests to localhost only\n', { connection: 'close' });
  const { origin } = headers;
  const isOwn = origin === undefined || isLoopbackOrigin(origin) || cors.includes(origin);
  if (isOwn) return undefined;
  const text = 'the sandbox rejects requests from web pages of other origins\n';
  return plainText(403, text, { connection: 'close' });
}

/** Lets a web page read the response. None for a page that was not allowed to. */
function corsHeaders(origin: string | undefined, cors: ServerOptions['cors']): Record<string, string> {
  const isAllowed =
    origin !== undefined && (cors === 'loopback' ? isLoopbackOrigin(origin) : cors.includes(origin));
  if (!isAllowed) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': '*',
    vary: 'Origin',
  };
}

function tooLarge(path: string): SandboxReply {
  const message = `the body is larger than ${BODY_LIMIT} bytes`;
  return errorResponse(apiOf(path), { status: 413, message });
}

function closedSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  return closed.signal;
}

function logWhenClosed(
  { method = 'GET', url = '/' }: IncomingMessage,
  response: ServerResponse,
  outcome: Outcome,
  { log, now }: ServerOptions,
): void {
  if (log === undefined) return;
  const at = now();
  response.on('close', () =>
    log({
      at,
      method,
      target: withoutKey(url),
      ...(response.headersSent ? { status: response.statusCode } : {}),
      elapsedMs: now() - at,
      ...outcome,
    }),
  );
}

/** Maximum size of a request body, in bytes. */
const BODY_LIMIT = 1_048_576;

/** Bytes of a too large body to discard before the connection is closed. */
const DISCARD_LIMIT = 16 * BODY_LIMIT;

/** Splits a request target into path and query, without normalizing them. */
function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}

/** The request line and headers. */
function requestHead(message: IncomingMessage): Omit<SandboxRequest, 'body'> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    headers[name] = (values ?? []).join(', ');
  }
  return { method: message.method ?? 'GET', ...splitTarget(message.url ?? '/'), headers };
}

/**
 * Reads a body.
 *
 * @returns undefined as soon as it exceeds the limit; the rest is read and discarded, so that the client can
 * read the response.
 */
function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    if (Number(message.headers['content-length'] ?? 0) > BODY_LIMIT) resolve(undefined);
    message.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      resolve(undefined);
      if (size > DISCARD_LIMIT) message.destroy();
    });
    message.on('end', () => resolve(Buffer.concat(chunks)));
    message.on('error', reject);
  });
}

/**
 * Limits the number of open connections. A further connection replaces the one that has been without a complete request the
 * longest, so that idle clients cannot block others; if all are being served, the new one is closed.
 */
export function limitConnections(server: Server, limit: number): void {
  const open = new Set<Socket>();
  /** Those without a complete request, oldest first. */
  const waiting = new Set<Socket>();

  server.on('connection', (socket: Socket) => {
    if (open.size >= limit) {
      const [longest] = waiting;
      if (longest === undefined) {
        socket.destroy();
        return;
      }
      forget(longest);
      longest.destroy();
    }
    open.add(socket);
    waiting.add(socket);
    socket.once('close', () => forget(socket));
  });

  server.on('request', (message: IncomingMessage, response: ServerResponse) => {
    const { socket } = message;
    message.once('end', () => {
      if (!response.closed) waiting.delete(socket);
    });
    response.once('close', () => {
      if (open.has(socket)) waiting.add(socket);
    });
  });

  function forget(socket: Socket): void {
    open.delete(socket);
    waiting.delete(socket);
  }
}

/** One finished request, without key, headers and body. */
export interface RequestLogEntry {
  /** Start time in milliseconds. */
  readonly at: number;
  readonly method: string;
  /** Path and query, with the key redacted. */
  readonly target: string;
  /** Absent if the connection closed before the response. */
  readonly status?: number;
  readonly elapsedMs: number;
  /** The specs of the faults that affected it. */
  readonly faults?: readonly string[];
  /** An internal error of the sandbox; the response is a 500 if it was not sent yet. */
  readonly failure?: unknown;
}

/** Redacts the API key in a request target, however the parameter's name is encoded. */
function withoutKey(target: string): string {
  const [path = '', ...rest] = target.split('?');
  if (rest.length === 0) return path;
  const isKey = (pair: string) => new URLSearchParams(pair).has(API_KEY_PARAMETER);
  const pairs = rest.join('?').split('&');
  return `${path}?${pairs.map(pair => (isKey(pair) ? `${API_KEY_PARAMETER}=***` : pair)).join('&')}`;
}
