import { PassThrough, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { type InProcessOptions, run } from '../../support/run.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly message?: string; readonly progress?: number; readonly total?: number };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: unknown;
}

/** A tool as `tools/list` describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, { readonly description: string }>>;
    readonly additionalProperties?: boolean;
  };
  readonly outputSchema: object;
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** What a tool returned: its one JSON document, and the text of it. */
export interface Called {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever a tool returns.
  readonly data: any;
  /** The same, for programs. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly structured: any;
}

/** A client that speaks JSON-RPC with `gatectl mcp` over its stdin and stdout, in this process. */
export async function session(
  args: readonly string[],
  options: InProcessOptions & {
    /** Replies to a question for the user; without it, the client cannot ask. */
    readonly onQuestion?: (message: string) => unknown;
    readonly onProgress?: (params: Message['params']) => void;
  } = {},
) {
  const stdin = new PassThrough();
  const waiting = new Map<number, (message: Message) => void>();
  const write = (message: object): void => {
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  let rest = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const message: Message = JSON.parse(line);
        if (message.method === 'elicitation/create')
          write({ id: message.id, result: options.onQuestion?.(message.params?.message ?? '') });
        else if (message.method === 'notifications/progress') options.onProgress?.(message.params);
        else if (message.id !== undefined) waiting.get(message.id)?.(message);
      }
      done();
    },
  });
  const ended = run(['mcp', ...args], { homedir: temporaryFolder(), ...options, stdin, stdout });
  let last = 0;
  const request = (method: string, params: object = {}): Promise<Message> => {
    last += 1;
    const id = last;
    const answered = new Promise<Message>(resolve => waiting.set(id, resolve));
    write({ id, method, params });
    return answered;
  };
  const capabilities = options.onQuestion === undefined ? {} : { elicitation: {} };
  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities,
    clientInfo: { name: 'test', version: '1' },
  });
  write({ method: 'notifications/initialized' });
  const close = async (): Promise<number> => {
    stdin.end();
    return (await ended).code;
  };
  onTestFinished(async () => {
    await close();
  });
  return {
    request,
    close,
    async tools() {
      const { result } = await request('tools/list');
      return (result as { tools: ListedTool[] }).tools;
    },
    async call(name: string, given: unknown = {}, meta?: object): Promise<Called> {
      const { result, error } = await request('tools/call', {
        name,
        arguments: given,
        ...(meta !== undefined && { _meta: meta }),
      });
      if (error !== undefined) throw new Error(error.message);
      const { isError = false, content, structuredContent: structured } = result as ToolResult;
      const text = content[0]?.text ?? '';
      return { isError, text, data: JSON.parse(text), structured };
    },
  };
}
