import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';

/** Longer messages are rejected. */
const MAX_MESSAGE_BYTES = 10_000_000;
const LINE_FEED = 0x0a;

/** The response to a line that is not a message (JSON-RPC 2.0, section 5.1). */
export interface Rejection {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/**
 * The lines of a client that are JSON-RPC messages, in any division into chunks. Every other line is rejected, one above
 * `MAX_MESSAGE_BYTES` without being held in memory; empty lines are ignored.
 */
export async function* validMessages(
  input: AsyncIterable<Uint8Array>,
  reject: (rejection: Rejection) => void,
): AsyncGenerator<Uint8Array> {
  for await (const line of linesOf(input)) {
    if (line === undefined) {
      reject(rejected(INVALID_REQUEST, 'the message is too long'));
      continue;
    }
    const text = Buffer.from(line).toString().trim();
    if (text === '') continue;
    const problem = problemOf(text);
    // Trimmed, because the SDK accepts no byte order mark.
    if (problem === undefined) yield Buffer.from(`${text}\n`);
    else reject(problem);
  }
}

/** Lines with their line feed; undefined for one that is too long. Text after the last line feed is not a line. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const part = chunk.subarray(from, end + 1);
      length += part.length;
      yield length > MAX_MESSAGE_BYTES ? undefined : Buffer.concat([...parts, part]);
      parts = [];
      length = 0;
      from = end + 1;
    }
    length += chunk.length - from;
    if (length > MAX_MESSAGE_BYTES) parts = [];
    else parts.push(chunk.subarray(from));
  }
}

function problemOf(text: string): Rejection | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return rejected(PARSE_ERROR, 'the message is not valid JSON');
  }
  try {
    parseJSONRPCMessage(message);
    return undefined;
  } catch {
    return rejected(INVALID_REQUEST, 'the message is not a JSON-RPC 2.0 message', idOf(message));
  }
}

function rejected(code: number, message: string, id: Rejection['id'] = null): Rejection {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function idOf(message: unknown): Rejection['id'] {
  const { id } = Object(message) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
