import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { apiOf } from '../gateway.ts';
import { errorResponse } from '../http-error.ts';
import type { SandboxReply, SandboxRequest } from '../routing.ts';
import { callId, callText, type RecordedExchange, recordedCall } from './exchange.ts';
import type { Recording } from './recording.ts';

/** Most requests to name in an error. */
const MAX_NAMED = 10;
/** Larger bodies are streamed. */
const MAX_AT_ONCE = 1_048_576;

/**
 * Creates a function that answers requests from a recording. Requests that were recorded several times get the responses in their
 * order, and then the last one again. An unknown request gets an error that lists what is recorded.
 */
export function createReplay(
  { folder, exchanges }: Recording,
  options: { readonly brand: string; readonly apiKey: string },
): (request: SandboxRequest) => Promise<SandboxReply> {
  const waiting = new Map<string, RecordedExchange[]>();
  for (const exchange of exchanges) {
    const id = callId(exchange.request);
    waiting.set(id, [...(waiting.get(id) ?? []), exchange]);
  }
  return async request => {
    const call = recordedCall(request, options);
    const [next, ...later] = waiting.get(callId(call)) ?? [];
    if (next === undefined) return unmatched(callText(call), request, exchanges);
    if (later.length > 0) waiting.set(callId(call), later);
    return await replyOf(folder, next);
  };
}

async function replyOf(folder: string, { response }: RecordedExchange): Promise<SandboxReply> {
  const { status, headers, bodyFile } = response;
  if (bodyFile === undefined) return { status, headers };
  const path = join(folder, bodyFile);
  const { size } = await stat(path);
  return { status, headers, body: size > MAX_AT_ONCE ? createReadStream(path) : await readFile(path) };
}

/** Names the recorded requests to the same path or, if there are none, all. */
function unmatched(
  text: string,
  { path }: SandboxRequest,
  exchanges: readonly RecordedExchange[],
): SandboxReply {
  const same = exchanges.filter(({ request }) => request.path === path);
  const candidates = same.length > 0 ? same : exchanges;
  const texts = [...new Set(candidates.map(({ request }) => callText(request)))];
  const named = texts.slice(0, MAX_NAMED);
  const others = texts.length > named.length ? [`and ${texts.length - named.length} more`] : [];
  const message = `no response is recorded for ${text}; recorded: ${[...named, ...others].join('; ')}`;
  return errorResponse(apiOf(path), { status: 404, message });
}
