import type { Client, Dispatcher } from 'undici';
// Imported file by file, because undici's index loads four times as much as a request needs.
import buildConnector from 'undici/lib/core/connect.js';
import UndiciClient from 'undici/lib/dispatcher/client.js';

/** Sends requests over connections that are opened as needed. */
export type Connections = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/**
 * Connections without a proxy: a request uses an open connection that is free, or a new one. undici's Agent does this and more, but
 * adds 2 ms to each start. `onConnect` is called for every new connection.
 */
export class DirectConnections implements Connections {
  readonly #connect: buildConnector.connector;
  readonly #onConnect: () => void;
  readonly #byOrigin = new Map<string, Client[]>();
  #isOver = false;

  constructor(options: buildConnector.BuildOptions, onConnect: () => void) {
    // Shared, so that the second connection to a server resumes the TLS session of the first.
    this.#connect = buildConnector(options);
    this.#onConnect = onConnect;
  }

  /** Returns true: the next request always finds a connection. Throws after `destroy`. */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.#isOver) throw new Error('the connections are closed');
    this.#freeClient(String(request.origin)).dispatch(request, handler);
    return true;
  }

  async destroy(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#byOrigin.values()].flat().map(client => client.destroy()));
  }

  /**
   * undici's `drain` event comes one turn after a response; a connection that waited for it would not be found by the next request,
   * which would open another one. A server that refuses connections must not be asked for a new one while an open one is free.
   */
  #freeClient(origin: string): Client {
    const clients = this.#byOrigin.get(origin) ?? [];
    this.#byOrigin.set(origin, clients);
    let closed: Client | undefined;
    for (const client of clients) {
      const { size, connected } = client.stats;
      if (size > 0) continue;
      if (connected) return client;
      closed ??= client;
    }
    if (closed !== undefined) return closed;
    const client = new UndiciClient(origin, { connect: this.#connect });
    client.on('connect', this.#onConnect);
    clients.push(client);
    return client;
  }
}
