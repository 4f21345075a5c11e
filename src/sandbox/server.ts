import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { familyOf } from './gateway.ts';
import { plainText, type SandboxReply, type SandboxRequest } from './http.ts';
import { type RequestLogEntry, withoutKey } from './log.ts';
import { isOwnHost } from './loopback.ts';
import { BODY_LIMIT, readBody, requestHead } from './receive.ts';
import { refusalReply } from './refusal.ts';
import { sendReply } from './send.ts';

const MAX_CONNECTIONS = 1000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 30_000;

export interface ServerParts {
  readonly answer: (request: SandboxRequest) => Promise<SandboxReply>;
  readonly now: () => number;
  readonly log?: (entry: RequestLogEntry) => void;
}

interface Outcome {
  failure?: unknown;
}

/** The HTTP side of the sandbox: host check, bounded bodies and connections, the log. */
export function createSandboxServer(parts: ServerParts): Server {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS });
  server.maxConnections = MAX_CONNECTIONS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('request', (message, response) => {
    const outcome: Outcome = {};
    logWhenClosed(message, response, outcome, parts);
    exchange(message, response, parts).catch((error: unknown) => {
      outcome.failure = error;
      response.destroy();
    });
  });
  return server;

  async function exchange(message: IncomingMessage, response: ServerResponse, { now }: ServerParts) {
    const reply = await replyTo(message);
    await sendReply(response, reply, now());
  }

  async function replyTo(message: IncomingMessage): Promise<SandboxReply> {
    const head = requestHead(message);
    if (!isOwnHost(head.headers.host)) {
      return plainText(421, 'this is a sandbox: it answers to localhost only\n', { connection: 'close' });
    }
    const body = await readBody(message);
    const family = familyOf(head.path);
    if (body === undefined) {
      const message = `the body is larger than ${BODY_LIMIT} bytes`;
      return refusalReply(family, { status: 413, message, headers: { connection: 'close' } });
    }
    return parts.answer({ ...head, body });
  }
}

function logWhenClosed(
  { method = 'GET', url = '/' }: IncomingMessage,
  response: ServerResponse,
  outcome: Outcome,
  { log, now }: ServerParts,
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
