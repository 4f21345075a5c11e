import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { vi } from 'vitest';

const STEP_MS = 20;
/** In which what arrived is dealt with. */
const TURNS_A_STEP = 4;

/**
 * Runs something in time that stands still until `pass` is called, as by a server that has the request in hand, and that goes by in
 * steps from then on. How fast the machine is decides nothing.
 */
export async function inStillTime<Value>(run: (pass: () => void) => Promise<Value>): Promise<Value> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  let isOver = false;
  let passing: Promise<void> | undefined;
  const echo = await Echo.open();
  const steps = async () => {
    while (!isOver) {
      await echo.arrives();
      for (let turn = 0; turn < TURNS_A_STEP; turn += 1) await nextTurn();
      await vi.advanceTimersByTimeAsync(STEP_MS);
    }
  };
  try {
    return await run(() => {
      passing ??= steps();
    });
  } finally {
    isOver = true;
    await passing;
    vi.useRealTimers();
    await echo.close();
  }
}

/** A connection to itself: where its byte has come back, so has what was sent before over others, however busy the system is. */
class Echo {
  readonly #socket: Socket;
  readonly #close: () => Promise<void>;

  private constructor(socket: Socket, close: () => Promise<void>) {
    this.#socket = socket;
    this.#close = close;
  }

  static async open(): Promise<Echo> {
    const server = createServer(peer => peer.setNoDelay().pipe(peer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect(Object(server.address()).port, '127.0.0.1').setNoDelay();
    await once(socket, 'connect');
    return new Echo(socket, async () => {
      socket.end();
      server.close();
      await once(server, 'close');
    });
  }

  async arrives(): Promise<void> {
    this.#socket.write('.');
    await once(this.#socket, 'data');
  }

  close(): Promise<void> {
    return this.#close();
  }
}
