import { Bda } from '../bda.ts';
import { Cdn } from '../cdn.ts';
import { Connection } from '../connection.ts';
import type { GatewayOptions } from '../options.ts';
import { NODE_OPTIONS, settingsOf } from '../settings.ts';
import { Subscriptions } from '../subscriptions.ts';
import { WEB } from './host.ts';
import { JSON_ROWS } from './json-rows.ts';

/** Options of a gateway where `fetch` opens the connections. */
export type WebGatewayOptions = Omit<GatewayOptions, (typeof NODE_OPTIONS)[number]>;

/**
 * A publisher-services gateway, over `fetch`. The calls of each API share limits, pauses and retries, so that analytics delay no access
 * check and no purge. A runtime that ties a request to the event it serves, such as a worker, needs one for each event.
 */
export class Gateway {
  readonly #connection: Connection;
  /** The Subscriptions API: access, products, purchases, identity tokens. */
  readonly subscriptions: Subscriptions;
  /** The CDN API: purges. */
  readonly cdn: Cdn;
  /** BDA v2: analytics queries. */
  readonly bda: Bda;

  /** Throws UsageError for an invalid option. Sends nothing. */
  constructor(options: WebGatewayOptions) {
    this.#connection = new Connection(settingsOf(options, NODE_OPTIONS), WEB);
    this.subscriptions = new Subscriptions(this.#connection);
    this.cdn = new Cdn(this.#connection);
    this.bda = new Bda(this.#connection, JSON_ROWS);
  }

  /** Ends the pauses that the gateway asked for by 429 responses: calls that wait are sent, and calls no longer fail without a request. */
  reset(): void {
    this.#connection.reset();
  }

  /** Aborts the calls that run. */
  async close(): Promise<void> {
    await this.#connection.close();
  }
}
