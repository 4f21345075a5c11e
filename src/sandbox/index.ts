import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { brandNames } from '../wire/brand.ts';
import type { Sleep } from './faults/disrupt.ts';
import { createFaultPlan } from './faults/plan.ts';
import type { Fault } from './faults/spec.ts';
import type { Fixtures } from './fixtures/shape.ts';
import { checkListenHost, isLoopback } from './loopback.ts';
import type { Recording } from './recording/recording.ts';
import { createReplay } from './recording/replay.ts';
import { createRequestHandler, newFigures, type Responder } from './request-handler.ts';
import type { Account } from './routing.ts';
import { SEED } from './seed.ts';
import { createSandboxServer, type RequestLogEntry, type ServerOptions } from './server.ts';
import { buildSite, type SeededProduct, type SeededReader, seededProducts, seededReaders } from './site.ts';
import { sandboxSecret } from './subscriptions/session-token.ts';

export { type Fault, FaultSpecError, parseFault } from './faults/spec.ts';
export { FixtureError, parseFixtures } from './fixtures/parse.ts';
export type * from './fixtures/shape.ts';
export { isLoopback, LoopbackOnlyError } from './loopback.ts';
export { callText } from './recording/exchange.ts';
export { type Recording, RecordingError, readRecording } from './recording/recording.ts';
export type { Responder } from './request-handler.ts';
export { SANDBOX_API_KEY } from './seed.ts';
export type { RequestLogEntry } from './server.ts';
export type { SeededProduct, SeededReader } from './site.ts';

export interface SandboxOptions {
  /** An address of this machine; 127.0.0.1 by default. */
  readonly host?: string;
  /** Allows an address that other machines reach. */
  readonly allowRemote?: boolean;
  /** Replaces the key of the fixtures. */
  readonly apiKey?: string;
  /** Origins of web pages that may read responses, or all pages of this machine; none by default. */
  readonly cors?: readonly string[] | 'loopback';
  /** 0, the default, uses any free port. */
  readonly port?: number;
  /** Same seed, same tokens and same data; 1 by default. */
  readonly seed?: number;
  /** Whether the figures of a day change as it ages; false by default. */
  readonly restates?: boolean;
  /** The clock, in milliseconds since the epoch; all dates and ages depend on it. */
  readonly now?: () => number;
  /** The clock of rate limits, in milliseconds; `now` by default. */
  readonly rateNow?: () => number;
  /** The service's brand word, as in a profile. */
  readonly brand?: string;
  /** Replaces the seeded account. */
  readonly fixtures?: Fixtures;
  /** Answers requests from a recording; there is no account then. */
  readonly recording?: Recording;
  /** Answers requests instead of the APIs; there is no account then. */
  readonly respond?: Responder;
  /** Faults to inject; see `parseFault`. */
  readonly faults?: readonly Fault[];
  /** Waits for the delays and drips of faults; real time by default. */
  readonly sleep?: Sleep;
  /** A cache in front of the sandbox's origin, on this machine, that receives PURGE and BAN for what is cleared. */
  readonly purgeTo?: URL;
  /** Called once per finished request. */
  readonly log?: (entry: RequestLogEntry) => void;
  /** Called with each complete request; see `ServerOptions`. */
  readonly record?: ServerOptions['record'];
}

export interface Sandbox {
  /** Scheme, host and port; no trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly domains: readonly { readonly domain: string; readonly id: number }[];
  readonly products: readonly SeededProduct[];
  readonly readers: readonly SeededReader[];
  /** Replaces the faults; their counts start again. */
  setFaults(faults: readonly Fault[]): void;
  /** Forgets saved reports, segments and purges, rewinds the recording, and starts the counts of the initial faults again. */
  reset(): void;
  /** Closes all connections immediately. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts the embedded gateway.
 *
 * @throws LoopbackOnlyError for an address that other machines reach, unless allowed; Node's own error if the port is in use.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, seed = 1, now = Date.now, fixtures = SEED, faults = [] } = options;
  const { rateNow = now } = options;
  if (!options.allowRemote) checkListenHost(host);
  const { recording } = options;
  const isOwn = recording === undefined && options.respond === undefined;
  const data = isOwn ? fixtures : { ...SEED, domains: recordedDomains(recording) };
  const site = buildSite(options.apiKey === undefined ? data : { ...data, apiKey: options.apiKey });
  const account: Account = {
    apiKey: site.apiKey,
    domains: [...site.domains.values()].map(({ id, domain }) => ({ id, domain })),
  };
  const sessionSecret = sandboxSecret('session token', seed);
  const brandWord = options.brand ?? recording?.brand;
  const brand = brandNames(brandWord);
  const state = {
    site,
    account,
    sessionSecret,
    seed,
    restates: options.restates ?? false,
    now,
    rateNow,
    brand,
    brandWord,
    figures: newFigures(),
    ...(options.purgeTo !== undefined && { purgeTo: options.purgeTo }),
  };
  const newHandler = () => {
    const { apiKey } = account;
    const respond =
      recording === undefined
        ? options.respond
        : createReplay(recording, { brand: brandWord ?? recording.brand, apiKey });
    return createRequestHandler({ ...state, ...(respond !== undefined && { respond }) });
  };
  let handle = newHandler();
  let inject = createFaultPlan(faults, rateNow);
  const server = createSandboxServer({
    handle: request => handle(request),
    now,
    inject: request => inject(request),
    isRemote: !isLoopback(host),
    cors: options.cors ?? [],
    sleep: options.sleep ?? ((ms, signal) => setTimeout(ms, undefined, { signal })),
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.record === undefined ? {} : { record: options.record }),
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, family, port: taken } = server.address() as AddressInfo;
  const closed = new Promise<void>(resolve => server.once('close', resolve));
  return {
    baseUrl: `http://${reachable(address, family)}:${taken}`,
    ...account,
    products: seededProducts(site),
    readers: seededReaders(site, sessionSecret),
    setFaults(replaced) {
      inject = createFaultPlan(replaced, rateNow);
    },
    reset() {
      handle = newHandler();
      inject = createFaultPlan(faults, rateNow);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await closed;
      await state.figures.close();
    },
  };
}

/** The domains that recorded requests are about. */
function recordedDomains(recording: Recording | undefined): Fixtures['domains'] {
  const named = (recording?.exchanges ?? []).map(({ request }) => request.query.domain);
  const domains = new Set(named.filter(domain => typeof domain === 'string' && domain !== ''));
  return [...domains].map((domain, index) => ({
    domain: String(domain),
    id: 1001 + index,
    subscriptions: true,
    products: [],
    readers: [],
  }));
}

/** The host of a URL for this machine: wildcard addresses cannot be connected to. */
function reachable(address: string, family: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return family === 'IPv6' ? `[${address}]` : address;
}
