import { bdaRoutes } from '../../../src/sandbox/bda/index.ts';
import type { BdaState } from '../../../src/sandbox/bda/state.ts';
import { errorResponse, HttpError } from '../../../src/sandbox/http-error.ts';
import type { SandboxReply } from '../../../src/sandbox/routing.ts';
import { BDA_V1_PREFIX } from '../../../src/wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../../../src/wire/bda-v2.ts';
import { brandNames } from '../../../src/wire/brand.ts';

/** The clock of these tests: a Tuesday, so that the last whole week began on Monday the 2nd. */
export const NOW = Date.parse('2026-03-10T12:00:00Z');
export const FIRST_DAY = '2025-02-04';
export const LAST_DAY = '2026-03-10';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parsed as any client would, digits lost. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads from an answer is what it expects of it
  readonly json: any;
}

/** Reads a reply to its end. */
export async function textOf({ body }: SandboxReply): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? '';
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The BDA routes over an account with two sites, called as the server calls them. */
export function openBda(changes: Partial<BdaState> = {}) {
  const routes = bdaRoutes({
    account: {
      apiKey: 'sandbox-key',
      domains: [
        { id: 1001, domain: 'example.com' },
        { id: 1002, domain: 'example.org' },
      ],
    },
    now: () => NOW,
    seed: 1,
    brand: brandNames(),
    ...changes,
  });

  /** The reply as the server gets it, its body unread. */
  async function reply(method: string, target: string, body: unknown = ''): Promise<SandboxReply> {
    const [path = '', query] = target.split('?');
    const route = (await routes).find(known => known.path === path && known.method === method);
    if (route === undefined) throw new Error(`no route for ${method} ${path}`);
    try {
      return await route.handle({
        method,
        path,
        query: new URLSearchParams(query),
        headers: {},
        body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      });
    } catch (error) {
      // As the gateway does.
      if (error instanceof HttpError) return errorResponse(route.api, error);
      throw error;
    }
  }

  async function call(method: string, target: string, body?: unknown): Promise<Answered> {
    const answered = await reply(method, target, body);
    const text = await textOf(answered);
    return { status: answered.status, headers: answered.headers ?? {}, text, json: JSON.parse(text) };
  }

  return {
    routes,
    reply,
    v1: (method: string, target: string, body?: unknown) => call(method, BDA_V1_PREFIX + target, body),
    v2: (method: string, target: string, body?: unknown) => call(method, BDA_V2_PREFIX + target, body),
    /** A v2 query over all days of the page view data set, unless the fields say otherwise. */
    query: (fields: Record<string, unknown>) =>
      call('POST', `${BDA_V2_PREFIX}/query`, {
        data_set: 'pageview',
        date_range: { start_date: FIRST_DAY, end_date: LAST_DAY },
        ...fields,
      }),
  };
}
