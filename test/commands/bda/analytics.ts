import { onTestFinished } from 'vitest';
import { type InProcess, type InProcessOptions, run } from '../../support/run.ts';
import { type Received, type Reply, type WireServer, wireServer } from '../../support/wire-server.ts';

export const KEY = 'key-for-analytics-0001';

/** A server for one test, and gatectl asking it. */
export async function analytics(
  reply: (request: Received, index: number) => Reply | Promise<Reply>,
): Promise<{
  server: WireServer;
  gatectl: (args: readonly string[], options?: InProcessOptions) => Promise<InProcess>;
}> {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  return {
    server,
    gatectl: (args, options = {}) =>
      run(args, {
        ...options,
        env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, ...options.env },
      }),
  };
}

/** The body of an answer. */
export function rowsReply(rows: readonly string[], total: number): Reply {
  return { body: `{"rows":[${rows.join(',')}],"total_rows":${total}}` };
}

/** A metric by day: of each week, its first day has all of it but one a day. */
export function dailyRows(metric: string, from: string, weeks: readonly number[]): string {
  const rows = weeks.flatMap((all, week) =>
    [all - 6, 1, 1, 1, 1, 1, 1].map((figure, at) => {
      const day = new Date(Date.parse(from) + (7 * week + at) * 86_400_000).toISOString().slice(0, 10);
      return `{"report_day":"${day}","${metric}":${figure}}`;
    }),
  );
  return `{"rows":[${rows.join(',')}],"total_rows":${rows.length}}`;
}

/** Answers queries from rows of JSON text, as limit and offset say; has no listings. */
export function paging(rows: readonly string[]): (request: Received) => Reply {
  return ({ method, body }) => {
    if (method === 'GET') return { status: 404, body: '{}' };
    const { limit = 100, offset = 0 } = JSON.parse(body) as { limit?: number; offset?: number };
    return rowsReply(rows.slice(offset, offset + limit), rows.length);
  };
}

/** The row from which a query asks for rows. */
export function offsetOf({ method, body }: Received): number {
  return method === 'POST' ? (JSON.parse(body).offset ?? 0) : 0;
}

/** Pages of rows, of which those from an offset on are answered otherwise until they are repaired: requests overtake each other. */
export function brokenFrom(
  offset: number,
  rows: readonly string[],
  otherwise: Reply = { status: 400, body: '{}' },
): { readonly reply: (request: Received) => Reply; repair(): void } {
  let isBroken = true;
  return {
    reply: request => (isBroken && offsetOf(request) >= offset ? otherwise : paging(rows)(request)),
    repair() {
      isBroken = false;
    },
  };
}

/** How many queries a server received, without listings. */
export function queriesTo({ received }: WireServer): number {
  return received.filter(({ method }) => method === 'POST').length;
}

export function sent(server: WireServer, index = 0): Record<string, unknown> {
  return JSON.parse(server.received[index]?.body ?? 'null');
}

/** The flags that every query needs. */
export const BASE = ['bda', 'query', '--data-set', 'pageview', '--from', '2026-02-01', '--to', '2026-02-28'];
