import type { ServerResponse } from 'node:http';
import type { SandboxReply } from '../routing.ts';
import { replyHeaders } from '../send.ts';
import type { FaultAction } from './spec.ts';

/** Waits; rejects when the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** A reset discards data that the client has not read, so it is delayed. */
const BEFORE_RESET_MS = 20;

interface Disruption {
  readonly response: ServerResponse;
  readonly reply: SandboxReply;
  readonly now: number;
  readonly sleep: Sleep;
  readonly signal: AbortSignal;
}

type DisruptionAction = Extract<FaultAction, { kind: 'reset' | 'truncate' | 'drip' }>;

/** Sends a response slowly, truncated, or with a connection reset. */
export async function sendDisrupted(action: DisruptionAction, disruption: Disruption): Promise<void> {
  try {
    if (action.kind === 'drip') await sendDrip(action, disruption);
    else if (action.kind === 'reset' && action.at === 'headers') await sendPartialHeaders(disruption);
    else
      await sendUpTo(action.kind === 'truncate' ? action.bytes : halfOf(disruption.reply.body), disruption);
    const { socket } = disruption.response;
    if (action.kind === 'reset') socket?.resetAndDestroy();
    if (action.kind === 'truncate') socket?.destroy();
  } finally {
    await cancelBody(disruption.reply.body);
  }
}

async function sendPartialHeaders({ response, reply, sleep, signal }: Disruption): Promise<void> {
  const { socket } = response;
  if (socket === null) return;
  await writeChunk(done => socket.write(`HTTP/1.1 ${reply.status} OK\r\nContent-Type: applic`, done));
  await sleep(BEFORE_RESET_MS, signal);
}

async function sendDrip(
  { bytes, everyMs }: Extract<DisruptionAction, { kind: 'drip' }>,
  { response, reply, now, sleep, signal }: Disruption,
): Promise<void> {
  sendHeaders(response, reply, now);
  for await (const chunk of chunksOf(reply.body, bytes)) {
    await sleep(everyMs, signal);
    await writeChunk(done => response.write(chunk, done));
  }
  response.end();
}

async function sendUpTo(limit: number, { response, reply, now, sleep, signal }: Disruption): Promise<void> {
  sendHeaders(response, reply, now);
  let left = limit;
  for await (const chunk of chunksOf(reply.body, 65_536)) {
    if (left <= 0) break;
    await writeChunk(done => response.write(chunk.subarray(0, left), done));
    left -= chunk.length;
  }
  await sleep(BEFORE_RESET_MS, signal);
}

function sendHeaders(response: ServerResponse, reply: SandboxReply, now: number): void {
  response.sendDate = false;
  response.writeHead(reply.status, replyHeaders(reply, now));
  response.flushHeaders();
}

/** Releases the resources of a streamed body that is not read to its end. */
async function cancelBody(body: SandboxReply['body']): Promise<void> {
  if (typeof body !== 'object' || body instanceof Uint8Array) return;
  await body[Symbol.asyncIterator]().return?.();
}

function halfOf(body: SandboxReply['body']): number {
  const known = typeof body === 'string' || body instanceof Uint8Array;
  return known ? Math.floor(Buffer.byteLength(body) / 2) : 1;
}

async function* chunksOf(body: SandboxReply['body'], size: number): AsyncGenerator<Uint8Array> {
  const content = typeof body === 'string' ? Buffer.from(body) : body;
  const chunks = content instanceof Uint8Array ? [content] : (content ?? []);
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += size) yield chunk.subarray(at, at + size);
  }
}

function writeChunk(write: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => write(error => (error ? reject(error) : resolve())));
}
