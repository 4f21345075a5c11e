import { afterEach } from 'vitest';
import { parseFault, type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';

/** 2026-03-01T12:00:00Z. */
export const NOON = Date.UTC(2026, 2, 1, 12);

const open: Sandbox[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map(sandbox => sandbox.close()));
});

/** A sandbox whose clock stands at noon and whose waits take no time; closed after the test. */
export async function sandboxWith(
  options: Omit<SandboxOptions, 'faults'> & { faults?: string[] } = {},
): Promise<Sandbox> {
  const sandbox = await startSandbox({
    now: () => NOON,
    sleep: async () => {},
    ...options,
    faults: (options.faults ?? []).map(parseFault),
  });
  open.push(sandbox);
  return sandbox;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** Sent in `X-API-Key`; the sandbox's own by default, none when empty. */
  readonly key?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, undefined where it is none. */
  readonly json: unknown;
}

/** One request over the socket. */
export async function ask(sandbox: Sandbox, path: string, asked: Asked = {}): Promise<Answered> {
  const { method = 'GET', headers = {}, body, key = sandbox.apiKey } = asked;
  const response = await fetch(sandbox.baseUrl + path, {
    method,
    headers: { ...(key === '' ? {} : { 'x-api-key': key }), ...headers },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A Subscriptions request for a reader known by e-mail. */
export function askAs(sandbox: Sandbox, email: string, path: string, asked: Asked = {}): Promise<Answered> {
  return ask(sandbox, `/subscriptions/v1${path}`, {
    ...asked,
    headers: { 'x-service-reader-email': email, ...asked.headers },
  });
}
