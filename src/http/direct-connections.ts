import type { Client, Dispatcher } from 'undici';
// Imported file by file, because undici's index loads four times as much as a request needs.
import buildConnector from 'undici/lib/core/connect.js';
import UndiciClient from 'undici/lib/dispatcher/client.js';

/** Sends requests over connections that are opened as needed. */
export type Connections = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/**
 * Connections without a proxy: a request uses a free connection, or a new one. undici's Agent does this and more, but adds 2 ms
 * to each start. `onConnect` is called for every new connection.
 */
export class DirectConnections implements Connections {
  readonly #connect: buildConnector.connector;
  readonly #onConnect: () => void;
  readonly #all: Client[] = [];
  readonly #free = new Map<string, Client[]>();
  #isOver = false;

  constructor(options: buildConnector.BuildOptions, onConnect: () => void) {
    // Shared, so that the second connection to a server resumes the TLS session of the first.
    this.#connect = buildConnector(options);
    this.#onConnect = onConnect;
  }

  /** Returns true: the next request always finds a connection. Throws after `destroy`. */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#isOver) throw new Error('the connections are closed');
    const origin = String(request.origin);
    const free = this.#free.get(origin) ?? [];
    this.#free.set(origin, free);
    (free.pop() ?? this.#open(origin, free)).dispatch(request, handler);
    return true;
  }

  async destroy(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#all.map(client => client.destroy()));
  }

  #open(origin: string, free: Client[]): Client {
    const client = new UndiciClient(origin, { connect: this.#connect });
    client.on('connect', this.#onConnect);
    client.on('drain', () => {
      if (!free.includes(client)) free.push(client);
    });
    this.#all.push(client);
    return client;
  }
}
