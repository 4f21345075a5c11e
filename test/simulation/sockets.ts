import { EventEmitter } from 'node:events';
import { systemError } from './disk.ts';
import type { Machine, Process } from './machine.ts';

const SOCKET_MS = 1;

/** The part of `node:net` that locks use: sockets with a path on the simulated disk. The kernel closes those of a process that ends. */
export function socketCalls(machine: () => Machine, current: () => Process) {
  class Server extends EventEmitter {
    #isListening = false;
    #path = '';

    listen({ path }: { readonly path: string }, onListening: () => void): this {
      const process = current();
      const { world } = machine();
      world.after(world.random() * SOCKET_MS, process, () => {
        try {
          machine().disk.createSocket(path, () => this.#isListening && !process.isDead);
        } catch (error) {
          this.emit('error', error);
          return;
        }
        this.#isListening = true;
        this.#path = path;
        onListening();
      });
      return this;
    }

    close(onClosed: () => void): this {
      const process = current();
      const { world, disk } = machine();
      world.after(world.random() * SOCKET_MS, process, () => {
        this.#isListening = false;
        try {
          if (disk.find(this.#path, 'unlink')?.kind === 'socket') disk.unlink(this.#path);
        } catch {}
        onClosed();
      });
      return this;
    }

    unref(): this {
      return this;
    }
  }

  class Socket extends EventEmitter {
    destroy(): this {
      this.removeAllListeners();
      this.on('error', () => {});
      return this;
    }
  }

  return {
    createServer: () => new Server(),
    connect({ path }: { readonly path: string }) {
      const socket = new Socket();
      const { world } = machine();
      world.after(world.random() * SOCKET_MS, current(), () => {
        let code = 'ENOENT';
        try {
          const node = machine().disk.find(path, 'connect');
          if (node?.kind === 'socket' && node.isListening()) {
            socket.emit('connect');
            return;
          }
          if (node !== undefined) code = 'ECONNREFUSED';
        } catch {}
        socket.emit('error', systemError(code, 'connect', path));
      });
      return socket;
    },
  };
}
