import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type FileHandle, open } from './disk.ts';
import { systemCode } from './file-error.ts';

/** The longest socket path, in bytes, that every system accepts. */
const PATH_LIMIT = 100;
/** The socket of a lock, in its folder. */
export const SOCKET_NAME = 'alive';
const CONNECT_TIMEOUT_MS = 2_000;

/** A listening socket, which the kernel closes when the process ends for any reason. */
export interface LivenessSocket {
  close(): Promise<void>;
}

/**
 * Opens a listening socket in a folder, or on Windows a pipe named after `id`. It does not keep the process alive. Undefined
 * where sockets are not supported.
 */
export async function openLivenessSocket(
  folder: string,
  id: string,
  platform: NodeJS.Platform,
): Promise<LivenessSocket | undefined> {
  try {
    const address = await addressOf(folder, id, platform);
    const server = createServer(connection => connection.destroy());
    try {
      await listening(server, address.path);
    } catch (error) {
      await address.handle?.close();
      throw error;
    }
    server.unref();
    server.on('error', () => undefined);
    return {
      close: async () => {
        await new Promise<void>(resolve => {
          server.close(() => resolve());
        });
        await address.handle?.close();
      },
    };
  } catch {
    return undefined;
  }
}

/** Whether the process that opened the socket still listens; undefined when unknown. */
export async function isListening(
  folder: string,
  id: string,
  platform: NodeJS.Platform,
): Promise<boolean | undefined> {
  let address: Address;
  try {
    address = await addressOf(folder, id, platform);
  } catch {
    return undefined;
  }
  try {
    return await accepts(address.path, platform);
  } finally {
    await address.handle?.close();
  }
}

interface Address {
  readonly path: string;
  /** Open while a path through `/proc/self/fd` is in use. */
  readonly handle?: FileHandle;
}

async function addressOf(folder: string, id: string, platform: NodeJS.Platform): Promise<Address> {
  if (platform === 'win32') return { path: `\\\\.\\pipe\\gatectl-${id}` };
  const path = join(folder, SOCKET_NAME);
  if (Buffer.byteLength(path) < PATH_LIMIT) return { path };
  const handle = await open(folder, 'r');
  return { path: `/proc/self/fd/${handle.fd}/${SOCKET_NAME}`, handle };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function accepts(path: string, platform: NodeJS.Platform): Promise<boolean | undefined> {
  return new Promise(resolve => {
    const socket = connect({ path });
    const end = (result: boolean | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end(undefined), CONNECT_TIMEOUT_MS);
    socket.once('connect', () => end(true));
    socket.once('error', error => end(meaningOf(systemCode(error), platform)));
  });
}

function meaningOf(code: string | undefined, platform: NodeJS.Platform): boolean | undefined {
  // The process listens, and its queue of connections is full.
  if (code === 'EAGAIN') return true;
  if (code === 'ECONNREFUSED') return false;
  // On Windows the pipe ends with its process; elsewhere the socket was never created.
  return code === 'ENOENT' && platform === 'win32' ? false : undefined;
}
