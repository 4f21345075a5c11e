import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Figures } from '../sync/source.ts';

/** How often a process or a server is killed; each destination takes its share. */
export const KILLS = Number(process.env.WAREHOUSE_KILLS ?? 24);

/** The rows that the figures of an account become, one line each, sorted. */
export function sourceRows(figures: Figures): string[] {
  const rows = [...figures].flatMap(([site, days]) =>
    [...days].flatMap(([day, all]) =>
      all.map(({ page, visits, revenue }) =>
        [site, `site-${site}.example.com`, day, JSON.parse(page), visits, revenue].join('|'),
      ),
    ),
  );
  return rows.sort();
}

/** Gives each row other figures, so that every partition is replaced. */
export function restate(figures: Figures, round: number): void {
  for (const days of figures.values())
    for (const [day, rows] of days)
      days.set(
        day,
        rows.map(row => ({ ...row, visits: String(Number(row.visits) + round) })),
      );
}

/** Numbers from 0 to 1, the same in each run. */
export function* seeded(seed = 7): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield (state % 1000) / 1000;
  }
}

/** Something in front of a server that can lose connections. */
export interface LossyProxy {
  readonly port: number;
  /** Ends all connections once `bytes` more have been sent to the server. */
  cutAfter(bytes: number): void;
  /** Calls `act` once `bytes` more have been sent to the server, and does not pass the last of them on. */
  after(bytes: number, act: () => void): void;
  /** Passes nothing on once `bytes` more have been sent to the server, and ends no connection. */
  silentAfter(bytes: number): void;
  close(): Promise<void>;
}

export async function proxyTo(port: number): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  let act = () => {};
  let isSilent = false;
  const server: Server = createServer(client => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('data', chunk => {
      if (isSilent) return;
      left -= chunk.length;
      if (left > 0) return upstream.write(chunk);
      left = Number.POSITIVE_INFINITY;
      act();
    });
    client.on('end', () => upstream.end());
    upstream.on('data', chunk => {
      if (!isSilent) client.write(chunk);
    });
    upstream.on('end', () => client.end());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: bytes => {
      left = bytes;
      act = () => {
        for (const socket of sockets) socket.resetAndDestroy();
      };
    },
    after: (bytes, work) => {
      left = bytes;
      act = work;
    },
    silentAfter: bytes => {
      left = bytes;
      isSilent = bytes === 0;
      act = () => {
        isSilent = true;
      };
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
