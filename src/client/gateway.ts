import { Bda } from './bda.ts';
import { BdaV1 } from './bda-v1.ts';
import { Cdn } from './cdn.ts';
import { Connection } from './connection.ts';
import type { GatewayOptions, GatewaySettings } from './options.ts';
import { STREAMED_ROWS } from './requested-rows.ts';
import { NODE } from './runtime.ts';
import { settingsOf } from './settings.ts';
import { Subscriptions } from './subscriptions.ts';

/**
 * A publisher-services gateway. The calls of each API share connections, limits, pauses and retries, so that analytics delay no access
 * check and no purge. Create one for each gateway and key, and reuse it.
 *
 * @example
 * const gateway = new Gateway({ baseUrl: 'https://gateway.example.com', apiKey, domain: 'example.com' });
 * const { allowed } = await gateway.subscriptions.access({ email }, { product: 'premium' });
 */
export class Gateway {
  readonly #connection: Connection;
  /** The Subscriptions API: access, products, purchases, identity tokens. */
  readonly subscriptions: Subscriptions;
  /** The CDN API: purges. */
  readonly cdn: Cdn;
  /** BDA v2: analytics queries. */
  readonly bda: Bda;
  /** BDA v1: saved reports and segments. */
  readonly bdaV1: BdaV1;

  /** Throws UsageError for an invalid option. Sends nothing. */
  constructor(options: GatewayOptions) {
    this.#connection = new Connection(settingsOf(options), NODE);
    this.subscriptions = new Subscriptions(this.#connection);
    this.cdn = new Cdn(this.#connection);
    this.bda = new Bda(this.#connection, STREAMED_ROWS);
    this.bdaV1 = new BdaV1(this.#connection);
  }

  /**
   * A gateway with the settings and key of a profile of the command line, as `gatectl -p NAME` finds them: environment variables, then
   * the profile. Without a name, the current profile. Project files are not read. Throws UsageError for an unknown profile and
   * FileError for a damaged file; the key is read before the first request.
   */
  static async fromProfile(
    name?: string,
    options: Omit<GatewaySettings, 'insecureHttp'> = {},
  ): Promise<Gateway> {
    const { profileOptions } = await import('./profile.ts');
    return new Gateway({ ...(await profileOptions(name)), ...options });
  }

  /**
   * Ends the pauses that the gateway asked for by 429 responses, such as one of an hour: calls that wait are sent, and calls no longer
   * fail without a request.
   */
  reset(): void {
    this.#connection.reset();
  }

  /** Aborts the calls that run, and closes all connections. An idle gateway does not keep the process running. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
