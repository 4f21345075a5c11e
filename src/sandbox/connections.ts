import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the number of open connections. A further connection replaces the one that has been without a complete request the
 * longest, so that idle clients cannot block others; if all are being served, the new one is closed.
 */
export function limitConnections(server: Server, limit: number): void {
  const open = new Set<Socket>();
  /** Those without a complete request, oldest first. */
  const waiting = new Set<Socket>();

  server.on('connection', (socket: Socket) => {
    if (open.size >= limit) {
      const [longest] = waiting;
      if (longest === undefined) {
        socket.destroy();
        return;
      }
      forget(longest);
      longest.destroy();
    }
    open.add(socket);
    waiting.add(socket);
    socket.once('close', () => forget(socket));
  });

  server.on('request', (message: IncomingMessage, response: ServerResponse) => {
    const { socket } = message;
    message.once('end', () => {
      if (!response.closed) waiting.delete(socket);
    });
    response.once('close', () => {
      if (open.has(socket)) waiting.add(socket);
    });
  });

  function forget(socket: Socket): void {
    open.delete(socket);
    waiting.delete(socket);
  }
}
