import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { compressedReply } from './compress.ts';
import { boundConnections } from './connections.ts';
import { type Sleep, sendDisrupted } from './faults/disrupt.ts';
import { createFaultPlan, type Injection } from './faults/plan.ts';
import { faultReply } from './faults/reply.ts';
import type { Fault } from './faults/spec.ts';
import { apiOf } from './gateway.ts';
import { isOwnPath } from './inspection.ts';
import { type RequestLogEntry, withoutKey } from './log.ts';
import { isOwnHost, isOwnOrigin } from './loopback.ts';
import { BODY_LIMIT, readBody, requestHead } from './receive.ts';
import { refusalReply } from './refusal.ts';
import { plainText, type SandboxReply, type SandboxRequest } from './routing.ts';
import { sendReply } from './send.ts';

const MAX_CONNECTIONS = 1000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** How often the two are looked at: Node's own 30 s would let a connection live as long. */
const CHECK_INTERVAL_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;

export interface ServerParts {
  readonly answer: (request: SandboxRequest) => Promise<SandboxReply>;
  readonly faults: readonly Fault[];
  readonly now: () => number;
  readonly sleep: Sleep;
  readonly log?: (entry: RequestLogEntry) => void;
  /** 1,000 by default. */
  readonly maxConnections?: number;
}

/** What the log wants to know beyond the messages themselves. */
interface Outcome {
  faults?: readonly string[];
  failure?: unknown;
}

/** The HTTP side of the sandbox: host check, bounded bodies and connections, faults, the log. */
export function createSandboxServer(parts: ServerParts): Server {
  const { now, sleep } = parts;
  const nextInjection = createFaultPlan(parts.faults, now);
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  });
  boundConnections(server, parts.maxConnections ?? MAX_CONNECTIONS);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('request', (message, response) => {
    const outcome: Outcome = {};
    logWhenClosed(message, response, outcome, parts);
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
    const refused = refusedOutside(head);
    const body = refused === undefined ? await readBody(message) : undefined;
    if (body === undefined) return sendReply(response, refused ?? tooLarge(head.path), now());

    const request = { ...head, body };
    const injection = isOwnPath(head.path) ? undefined : nextInjection(head);
    if (injection === undefined || injection.specs.length === 0) {
      const reply = await answer(request, outcome);
      return sendReply(response, await compressedReply(reply, acceptEncoding(request)), now());
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
    const plain = faultReply(injection, request.path) ?? (await answer(request, outcome));
    const reply = await compressedReply(plain, acceptEncoding(request));
    if (action?.kind === 'reset' || action?.kind === 'truncate' || action?.kind === 'drip') {
      return sendDisrupted(action, { response, reply, now: now(), sleep, signal });
    }
    return sendReply(response, reply, now());
  }

  async function answer(request: SandboxRequest, outcome: Outcome): Promise<SandboxReply> {
    try {
      return await parts.answer(request);
    } catch (error) {
      outcome.failure = error;
      return refusalReply(apiOf(request.path), { status: 500, message: 'the sandbox failed' });
    }
  }
}

/** What a page on the web sends, through the browser of whoever runs the sandbox. */
function refusedOutside({ headers }: Pick<SandboxRequest, 'headers'>): SandboxReply | undefined {
  if (!isOwnHost(headers.host)) return foreignHost();
  return headers.origin === undefined || isOwnOrigin(headers.origin) ? undefined : foreignPage();
}

function foreignPage(): SandboxReply {
  const text = 'this is a sandbox: it takes no requests of pages from elsewhere\n';
  return plainText(403, text, { connection: 'close' });
}

function foreignHost(): SandboxReply {
  return plainText(421, 'this is a sandbox: it answers to localhost only\n', { connection: 'close' });
}

function acceptEncoding({ headers }: SandboxRequest): string | undefined {
  return headers['accept-encoding'];
}

function tooLarge(path: string): SandboxReply {
  const message = `the body is larger than ${BODY_LIMIT} bytes`;
  return refusalReply(apiOf(path), { status: 413, message });
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
