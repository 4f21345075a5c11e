import { once } from 'node:events';

/**
 * Starts a server on a free port of the loopback address; returns the port.
 * @param {import('node:net').Server} server
 */
export async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
