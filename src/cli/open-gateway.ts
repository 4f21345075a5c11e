import { gatewayNetwork, type NetworkOptions, networkOf } from '../config/network.ts';
import type { Settings } from '../config/resolve.ts';
import { AuthError } from '../errors/index.ts';
import type { Exchange } from '../http/attempt.ts';
import type { Clock } from '../http/clock.ts';
import type { ConnectivityProbe } from '../http/connectivity-probe.ts';
import { connectorOf } from '../http/connector.ts';
import { acceptEncoding } from '../http/content-encoding.ts';
import { Gateway, type GatewayOptions } from '../http/gateway.ts';
import type { PageFetcher } from '../http/page-fetcher.ts';
import { Transport } from '../http/transport.ts';
import type { Io } from '../terminal/io.ts';
import type { Redactor } from '../text/redactor.ts';
import { USER_AGENT } from '../wire/user-agent.ts';

interface GatewayContext {
  readonly io: Io;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly globals: { readonly flags: { readonly insecureHttp: boolean } };
  readonly log: { warn(text: string): void };
}

interface GatewayHooks {
  /** Called before the first request is sent. */
  readonly key: () => Promise<string>;
  /** Ignores proxies, for the embedded gateway. */
  readonly direct: boolean;
  readonly trace: ((exchange: Exchange) => void) | undefined;
  readonly onRateLimited: (pauseMs: number) => void;
  readonly onWrite: NonNullable<GatewayOptions['onWrite']>;
}

/** Opens a gateway with the given settings. */
export async function openGateway(
  context: GatewayContext,
  baseUrl: URL,
  settings: Settings,
  { key, direct, trace, onRateLimited, onWrite }: GatewayHooks,
): Promise<Gateway> {
  const { clock, signal, redactor } = context;
  const compression = settings.compression.value;
  const network = {
    ...gatewayNetwork(baseUrl, {
      ...(await networkOptions(context, settings, direct)),
      insecureHttp: context.globals.flags.insecureHttp,
    }),
    compilesQuickly: true,
  };
  return new Gateway({
    baseUrl,
    apiKey: key,
    clock,
    redactor,
    signal,
    timeoutMs: settings.timeout.value * 1000,
    retries: settings.retries.value,
    compression,
    readOnly: settings.readOnly.value,
    openTransport: () => new Transport(network, acceptEncoding(compression), connectorOf(network)),
    ...(trace && { trace }),
    onRateLimited,
    onWrite,
  });
}

/** Opens a fetcher of public pages. The embedded gateway serves the pages of its domains below `/__cache`. */
export async function openPages(
  context: GatewayContext,
  settings: Settings,
  sandboxUrl: string | undefined,
): Promise<PageFetcher> {
  const { pageFetcher } = await import('../http/page-fetcher.ts');
  return pageFetcher({
    network: {
      ...networkOf(await networkOptions(context, settings, sandboxUrl !== undefined)),
      compilesQuickly: true,
    },
    signal: context.signal,
    timeoutMs: settings.timeout.value * 1000,
    locate: url =>
      sandboxUrl === undefined
        ? url
        : new URL(`${sandboxUrl}/__cache/${url.host}${url.pathname}${url.search}`),
  });
}

/** Opens a probe of the connection to the gateway. */
export async function openConnectivityProbe(
  context: GatewayContext,
  settings: Settings,
  direct: boolean,
): Promise<ConnectivityProbe> {
  const { ConnectivityProbe } = await import('../http/connectivity-probe.ts');
  const baseUrl = settings.baseUrl.value;
  const options = await networkOptions(context, settings, direct);
  const { insecureHttp } = context.globals.flags;
  const { proxy, ca } =
    baseUrl === undefined
      ? networkOf(options)
      : gatewayNetwork(new URL(baseUrl), { ...options, insecureHttp });
  return new ConnectivityProbe({
    proxy,
    ca,
    signal: context.signal,
    timeoutMs: Math.min(settings.timeout.value, 10) * 1000,
  });
}

/** The network settings of a command. */
async function networkOptions(
  { io, redactor }: GatewayContext,
  settings: Settings,
  direct: boolean,
): Promise<NetworkOptions> {
  const ca = settings.caFile.value === undefined ? undefined : await readCa(settings.caFile.value);
  return { env: direct ? undefined : io.env, ca, userAgent: USER_AGENT, redactor };
}

/** A key and its origin. */
export interface FoundKey {
  readonly key: string;
  readonly origin: string;
}

/** The key of the embedded gateway if it is in use, else the user's. Throws AuthError. */
export async function findKey(
  context: GatewayContext,
  settings: Settings,
  sandboxKey: string | undefined,
): Promise<FoundKey> {
  if (sandboxKey !== undefined) return { key: sandboxKey, origin: 'the embedded gateway' };
  const [{ resolveKey }, { openSystemKeyring }] = await Promise.all([
    import('../config/key.ts'),
    import('../config/keyring.ts'),
  ]);
  const { io, signal } = context;
  const { env, platform } = io;
  const found = await resolveKey(settings, { env, platform, openKeyring: openSystemKeyring, signal });
  if (!found.found) {
    throw new AuthError('no API key found', { code: 'no_key', places: found.places });
  }
  for (const warning of found.warnings) context.log.warn(warning);
  return found;
}

async function readCa(path: string): Promise<string> {
  const { readText } = await import('../files/text-source.ts');
  return await readText(path);
}
