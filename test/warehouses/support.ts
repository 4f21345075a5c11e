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

/** Numbers from 0 to 1, the same in each run. */
export function* seeded(seed = 7): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield (state % 1000) / 1000;
  }
}

/** Something in front of a server that can lose connections. */
export interface Proxy {
  readonly port: number;
  /** Ends all connections once `bytes` more have been sent to the server. */
  cutAfter(bytes: number): void;
  /** Calls `act` once `bytes` more have been sent to the server, and does not pass the last of them on. */
  after(bytes: number, act: () => void): void;
  close(): Promise<void>;
}

export async function proxyTo(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  let act = () => {};
  const server: Server = createServer(client => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('data', chunk => {
      left -= chunk.length;
      if (left > 0) return upstream.write(chunk);
      left = Number.POSITIVE_INFINITY;
      act();
    });
    client.on('end', () => upstream.end());
    upstream.pipe(client);
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
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
