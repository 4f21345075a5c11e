import { CurlPrinted, GatectlError, InterruptedError, NetworkError } from '../../errors/index.ts';
import { access, constants } from '../../files/disk.ts';
import type { RawResponse } from '../../http/gateway.ts';
import type { GatewayRequest } from '../../http/request.ts';
import { DAY_MS } from '../../wire/day.ts';
import type { Context } from '../framework/context.ts';
import { profileSetCommand } from '../framework/profile-set-command.ts';
import { Area, type Finding } from './finding.ts';

/** A certificate that expires sooner than this is a warning. */
const CERTIFICATE_DAYS = 14;
/** With a larger clock difference, tokens, certificates and days start and expire at the wrong time. */
const CLOCK_SECONDS = 60;
/** The connection to the gateway, step by step, without the key. */
interface NetworkFindings {
  readonly findings: readonly Finding[];
  /** False without an HTTP response, so that no API can be probed. */
  readonly isOpen: boolean;
}

/** Checks proxy, DNS, TLS, a response and the server's clock. After a step that fails the later ones are skipped. */
export async function networkFindings(baseUrl: URL, context: Context): Promise<NetworkFindings> {
  const area = new Area('network');
  try {
    await checkSteps(area, baseUrl, context);
    return { findings: area.findings, isOpen: true };
  } catch (error) {
    // With --curl the requests are printed and have no responses.
    if (error instanceof CurlPrinted) return { findings: area.findings, isOpen: true };
    if (!(error instanceof FailedStep)) throw error;
    const { check, cause } = error;
    const last = 'if nothing is wrong here, contact the operator of the gateway or the network';
    area.wrong(check, { error: cause, advice: [...(await context.hintsFor(cause)), last] });
    for (const later of STEPS.slice(STEPS.indexOf(check) + 1)) {
      if (later === 'tls' && baseUrl.protocol === 'http:') continue;
      area.blocked(later, `requires ${check}`, `fix ${check}, then run gatectl doctor again`);
    }
    return { findings: area.findings, isOpen: false };
  }
}

const STEPS = ['settings', 'proxy', 'dns', 'tls', 'response', 'clock'] as const;
type Step = (typeof STEPS)[number];

class FailedStep extends Error {
  readonly check: Step;
  override readonly cause: GatectlError;

  constructor(check: Step, cause: GatectlError) {
    super(cause.message);
    this.check = check;
    this.cause = cause;
  }
}

async function step<T>(check: Step, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    throw new FailedStep(check, error);
  }
}

async function checkSteps(area: Area, baseUrl: URL, context: Context): Promise<void> {
  const { clock, globals } = context;
  const probe = await step('settings', () => context.connectivityProbe());
  const proxy = probe.proxyFor(baseUrl);
  checkProxy(area, baseUrl, proxy, context);
  if (proxy !== undefined) area.ok('dns', `${baseUrl.hostname} is resolved by the proxy`);
  else if (!globals.curl) {
    const addresses = await step('dns', () => probe.lookUp(baseUrl));
    const isAddress = addresses.length === 1 && baseUrl.hostname.includes(addresses[0] ?? '');
    area.ok(
      'dns',
      isAddress ? 'not needed: the base URL is an address' : `${baseUrl.hostname} is ${addresses.join(', ')}`,
    );
  }
  if (baseUrl.protocol === 'http:') area.ok('tls', 'not used: the base URL is plain http');
  else if (proxy !== undefined) area.ok('tls', 'checked by the response through the proxy');
  else if (!globals.curl) {
    const { protocol, issuer, validTo } = await step('tls', () => probe.handshake(baseUrl));
    const days = Math.floor((validTo - clock.now()) / DAY_MS);
    const found = `${protocol}, certificate by ${issuer}, expires in ${days} days`;
    if (days >= CERTIFICATE_DAYS) area.ok('tls', found);
    else area.warning('tls', found, 'renew the certificate of the gateway, or ask its operator to');
  }
  await checkTrust(area, context);
  const began = clock.now();
  const response = await step('response', async () => {
    try {
      return await (await context.gateway()).sendRaw(ROOT_REQUEST);
    } catch (error) {
      throw proxy === undefined ? error : asProxyError(error, proxy);
    }
  });
  const ended = clock.now();
  area.ok('response', `HTTP ${response.status} in ${ended - began} ms for / without the key`);
  checkClock(area, response, (began + ended) / 2);
}

/** Any response shows that the gateway is reachable. */
const ROOT_REQUEST: GatewayRequest = {
  method: 'GET',
  path: '/',
  key: { in: 'nowhere' },
  effect: 'read',
  idempotent: true,
  readError: () => undefined,
};

/** A connection or DNS failure is that of the proxy, even if the message names another address. */
function asProxyError(error: unknown, proxy: string): unknown {
  if (
    !(error instanceof NetworkError) ||
    (error.code !== 'connection_refused' && error.code !== 'dns_failed')
  )
    return error;
  const message = `cannot reach the proxy ${proxy}`;
  return new NetworkError(message, {
    code: 'proxy_failed',
    cause: error,
    ...(error.request && { request: error.request }),
  });
}

function checkProxy(area: Area, baseUrl: URL, proxy: string | undefined, { io, globals }: Context): void {
  if (globals.sandbox) area.ok('proxy', 'none: direct connection to the embedded gateway');
  else if (proxy !== undefined) area.ok('proxy', `${proxy}, from the environment`);
  else area.ok('proxy', 'none: direct connection');
  const unread = ['ALL_PROXY', 'all_proxy'].find(name => io.env[name]);
  if (unread !== undefined && !globals.sandbox) {
    area.warning('proxy', `${unread} is set but not supported`, 'set HTTPS_PROXY instead');
  }
  const ranges = (io.env.no_proxy || io.env.NO_PROXY || '')
    .split(/[\s,]+/)
    .filter(entry => entry.includes('/'));
  if (ranges.length > 0 && proxy !== undefined) {
    area.warning(
      'proxy',
      `NO_PROXY has address ranges, which are not supported: ${ranges.join(', ')}`,
      `list the host instead: ${baseUrl.hostname}`,
    );
  }
}

/** Environment variables that make Node trust too many or too few certificates. */
async function checkTrust(area: Area, context: Context): Promise<void> {
  const { io } = context;
  const { profile } = await context.settings();
  if (io.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    area.warning(
      'trust',
      'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates are not verified, and the key can be intercepted',
      `unset it; for a private certificate authority: ${profileSetCommand(profile, 'ca-file FILE')}`,
    );
  }
  const further = io.env.NODE_EXTRA_CA_CERTS;
  if (further && !(await isReadable(further)))
    area.warning('trust', `cannot read ${further} of NODE_EXTRA_CA_CERTS`, 'correct or unset it');
}

async function isReadable(path: string): Promise<boolean> {
  return await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

function checkClock(area: Area, { headers }: RawResponse, now: number): void {
  const server = Date.parse(headers.date ?? '');
  if (Number.isNaN(server)) {
    area.notTried(
      'clock',
      'the response has no Date header',
      'compare the time of this machine with another clock',
    );
    return;
  }
  // Date has whole seconds, so it is half a second behind on average.
  const seconds = Math.round((now - server - 500) / 1000);
  if (Math.abs(seconds) <= CLOCK_SECONDS) {
    area.ok('clock', seconds === 0 ? "same as the server's" : `${clockDifference(seconds)} the server's`);
    return;
  }
  area.warning('clock', `${clockDifference(seconds)} the server's`, 'synchronize the clock of this machine');
}

function clockDifference(seconds: number): string {
  const size = Math.abs(seconds);
  const shown =
    size < 120 ? `${size} s` : size < 7200 ? `${Math.round(size / 60)} min` : `${Math.round(size / 3600)} h`;
  return `${shown} ${seconds > 0 ? 'ahead of' : 'behind'}`;
}
