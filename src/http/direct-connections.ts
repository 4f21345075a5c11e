import type { Client, Dispatcher } from 'undici';
// undici's parts by their own files: its index loads four times as much as a request needs.
import buildConnector from 'undici/lib/core/connect.js';
import UndiciClient from 'undici/lib/dispatcher/client.js';

/** What requests go over: connections to any number of servers, made when they are needed. */
export type Connections = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/**
 * Connections straight to servers: a request takes one that is free, or a new one. undici's Agent does the same and more, for 2 ms of
 * each start. `onConnect` is called for every connection that is made.
 */
export class DirectConnections implements Connections {
  readonly #connect: buildConnector.connector;
  readonly #onConnect: () => void;
  readonly #all: Client[] = [];
  readonly #free = new Map<string, Client[]>();
  #isOver = false;

  constructor(options: buildConnector.BuildOptions, onConnect: () => void) {
    // One for all of them, so that the second connection to a server resumes the TLS session of the first.
    this.#connect = buildConnector(options);
    this.#onConnect = onConnect;
  }

  /** True: however many there are, there is a connection for the next request too. Throws after `destroy`. */
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
