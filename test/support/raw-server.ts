import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { answering } from './server-failures.ts';

export interface RawServer {
  readonly baseUrl: string;
  /** Connections so far. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A TCP server that calls the test once the headers of a request have arrived. */
export async function rawServer(
  onRequest: (socket: Socket, index: number) => void,
  { onData }: { readonly onData?: (socket: Socket, chunk: Buffer) => void } = {},
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer(socket => {
    sockets.add(socket);
    const index = count;
    count += 1;
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', chunk => onData?.(socket, chunk));
    socket.once('data', () =>
      answering(
        () => onRequest(socket, index),
        () => socket.destroy(),
      ),
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
