import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { brandNames } from '../wire/brand.ts';
import type { Sleep } from './faults/disrupt.ts';
import type { Fault } from './faults/spec.ts';
import type { Fixtures } from './fixtures/shape.ts';
import type { RequestLogEntry } from './log.ts';
import { checkListenHost } from './loopback.ts';
import { createAnswers } from './request-handler.ts';
import { type SeededProduct, type SeededReader, seededProducts, seededReaders } from './roster.ts';
import type { Account } from './routing.ts';
import { SEED } from './seed.ts';
import { createSandboxServer } from './server.ts';
import { buildSite } from './site.ts';
import { sandboxSecret } from './subscriptions/session-token.ts';

export { type Fault, FaultSpecError, parseFault } from './faults/spec.ts';
export { FixtureError, parseFixtures } from './fixtures/parse.ts';
export type { FixtureProblem } from './fixtures/reading.ts';
export type * from './fixtures/shape.ts';
export type { RequestLogEntry } from './log.ts';
export { LoopbackOnlyError } from './loopback.ts';
export type { SeededProduct, SeededReader } from './roster.ts';
export { SANDBOX_API_KEY } from './seed.ts';

export interface SandboxOptions {
  /** A loopback address; 127.0.0.1 by default. */
  readonly host?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Same seed, same tokens and same data; 1 by default. */
  readonly seed?: number;
  /** Milliseconds since the epoch; everything that starts, expires or ages goes by this clock. */
  readonly now?: () => number;
  /** The service's brand word, as in a profile. */
  readonly brand?: string;
  /** Replaces the seeded account. */
  readonly fixtures?: Fixtures;
  /** Misbehaviour on purpose; see `parseFault`. */
  readonly faults?: readonly Fault[];
  /** Waits for the delays and drips of faults; real time by default. */
  readonly sleep?: Sleep;
  /** Called once for each finished exchange. */
  readonly log?: (entry: RequestLogEntry) => void;
}

export interface Sandbox {
  /** Scheme, host and port; no trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly domains: readonly { readonly domain: string; readonly id: number }[];
  readonly products: readonly SeededProduct[];
  readonly readers: readonly SeededReader[];
  /** Ends every connection at once. Safe to call again. */
  close(): Promise<void>;
}

/**
 * Starts the embedded gateway on a loopback address.
 *
 * @throws LoopbackOnlyError for any other address; Node's own error when the port is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, seed = 1, now = Date.now, fixtures = SEED } = options;
  checkListenHost(host);
  const site = buildSite(fixtures);
  const account: Account = {
    apiKey: site.apiKey,
    domains: [...site.domains.values()].map(({ id, domain }) => ({ id, domain })),
  };
  const sessionSecret = sandboxSecret('session token', seed);
  const brand = brandNames(options.brand);
  const server = createSandboxServer({
    answer: createAnswers({ site, account, sessionSecret, seed, now, brand, brandWord: options.brand }),
    now,
    faults: options.faults ?? [],
    sleep: options.sleep ?? sleepFor,
    ...(options.log === undefined ? {} : { log: options.log }),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, family, port: taken } = server.address() as AddressInfo;
  const closed = new Promise<void>(resolve => server.once('close', resolve));
  return {
    baseUrl: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    ...account,
    products: seededProducts(site),
    readers: seededReaders(site, sessionSecret),
    close() {
      server.close();
      server.closeAllConnections();
      return closed;
    },
  };
}

async function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal });
}
