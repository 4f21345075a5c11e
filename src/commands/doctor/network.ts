import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { CurlPrinted, GatectlError, InterruptedError, NetworkError } from '../../errors/index.ts';
import type { RawResponse } from '../../http/gateway.ts';
import type { GatewayRequest } from '../../http/request.ts';
import type { Context } from '../framework/context.ts';
import { profileSetCommand } from '../framework/profile-set-command.ts';
import { Area, type Finding } from './finding.ts';

/** A certificate that ends sooner than this wants attention. */
const CERTIFICATE_DAYS = 14;
/** Clocks further apart than this spoil what ends at a certain second: tokens, certificates, days. */
const CLOCK_SECONDS = 60;
const DAY_MS = 86_400_000;

/** The way to the gateway, step by step, without the key. */
export interface NetworkPath {
  readonly findings: readonly Finding[];
  /** False when no HTTP answer came, so that there is no sense in asking more. */
  readonly isOpen: boolean;
}

/** Looks at proxy, name, TLS, an answer and the server's clock. A step that fails leaves the later ones untried. */
export async function networkFindings(baseUrl: URL, context: Context): Promise<NetworkPath> {
  const area = new Area('network');
  try {
    await walk(area, baseUrl, context);
    return { findings: area.findings, isOpen: true };
  } catch (error) {
    // With --curl the questions are printed and have no answers.
    if (error instanceof CurlPrinted) return { findings: area.findings, isOpen: true };
    if (!(error instanceof FailedStep)) throw error;
    const { check, cause } = error;
    area.wrong(check, { error: cause, advice: withWhoToAsk(await context.hintsFor(cause)) });
    for (const later of STEPS.slice(STEPS.indexOf(check) + 1)) {
      if (later === 'tls' && baseUrl.protocol === 'http:') continue;
      area.waits(later, `${check} comes first`, `mend ${check}, then run gatectl doctor again`);
    }
    return { findings: area.findings, isOpen: false };
  }
}

const STEPS = ['settings', 'proxy', 'dns', 'tls', 'answer', 'clock'] as const;
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

async function walk(area: Area, baseUrl: URL, context: Context): Promise<void> {
  const { clock, globals } = context;
  const reach = await step('settings', () => context.reach());
  const proxy = reach.proxyFor(baseUrl);
  tellProxy(area, baseUrl, proxy, context);
  if (proxy !== undefined) area.ok('dns', `${baseUrl.hostname} is looked up by the proxy`);
  else if (!globals.curl) {
    const addresses = await step('dns', () => reach.lookUp(baseUrl));
    const isAddress = addresses.length === 1 && baseUrl.hostname.includes(addresses[0] ?? '');
    area.ok(
      'dns',
      isAddress
        ? 'not needed: the base URL holds an address'
        : `${baseUrl.hostname} is ${addresses.join(', ')}`,
    );
  }
  if (baseUrl.protocol === 'http:') area.ok('tls', 'not used: the base URL begins with http');
  else if (proxy !== undefined) area.ok('tls', 'checked through the proxy with the answer below');
  else if (!globals.curl) {
    const { protocol, issuer, validTo } = await step('tls', () => reach.handshake(baseUrl));
    const days = Math.floor((validTo - clock.now()) / DAY_MS);
    const found = `${protocol}, certificate by ${issuer}, good for ${days} days`;
    if (days >= CERTIFICATE_DAYS) area.ok('tls', found);
    else area.warning('tls', found, 'tell whoever runs the gateway: the certificate ends soon');
  }
  await tellTrust(area, context);
  const began = clock.now();
  const answer = await step('answer', async () => {
    try {
      return await (await context.gateway()).ask(QUESTION);
    } catch (error) {
      throw proxy === undefined ? error : ofProxy(error, proxy);
    }
  });
  const ended = clock.now();
  area.ok('answer', `HTTP ${answer.status} in ${ended - began} ms for / without the key`);
  tellClock(area, answer, (began + ended) / 2);
}

/** Any answer will do: it shows that the way is open. */
const QUESTION: GatewayRequest = {
  method: 'GET',
  path: '/',
  key: { in: 'nowhere' },
  idempotent: true,
  readError: () => undefined,
};

/** What fails before the proxy was asked for a tunnel is about the proxy, whatever address the message names. */
function ofProxy(error: unknown, proxy: string): unknown {
  if (
    !(error instanceof NetworkError) ||
    (error.code !== 'connection_refused' && error.code !== 'dns_failed')
  )
    return error;
  const message = `the proxy ${proxy} can't be reached`;
  return new NetworkError(message, {
    code: 'proxy_failed',
    cause: error,
    ...(error.request && { request: error.request }),
  });
}

function tellProxy(area: Area, baseUrl: URL, proxy: string | undefined, { io, globals }: Context): void {
  if (globals.sandbox) area.ok('proxy', 'none: the embedded gateway is reached directly');
  else if (proxy !== undefined) area.ok('proxy', `${proxy}, from the environment`);
  else area.ok('proxy', 'none: the gateway is reached directly');
  const unread = ['ALL_PROXY', 'all_proxy'].find(name => io.env[name]);
  if (unread !== undefined && !globals.sandbox) {
    area.warning('proxy', `${unread} is set, and gatectl does not read it`, 'set HTTPS_PROXY instead');
  }
  const ranges = (io.env.no_proxy || io.env.NO_PROXY || '')
    .split(/[\s,]+/)
    .filter(entry => entry.includes('/'));
  if (ranges.length > 0 && proxy !== undefined) {
    area.warning(
      'proxy',
      `NO_PROXY has address ranges, which are not read: ${ranges.join(', ')}`,
      `name the host instead: ${baseUrl.hostname}`,
    );
  }
}

/** What of the environment changes whom Node trusts, where that is not as it should be. */
async function tellTrust(area: Area, context: Context): Promise<void> {
  const { io } = context;
  const { profile } = await context.settings();
  if (io.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    area.warning(
      'trust',
      'NODE_TLS_REJECT_UNAUTHORIZED is 0: anybody could pose as the gateway and get the key',
      `unset it; an authority of your own is named by ${profileSetCommand(profile, 'ca-file FILE')}`,
    );
  }
  const further = io.env.NODE_EXTRA_CA_CERTS;
  if (further && !(await isReadable(further)))
    area.warning('trust', `NODE_EXTRA_CA_CERTS names ${further}, which can't be read`, 'correct or unset it');
}

async function isReadable(path: string): Promise<boolean> {
  return await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

function tellClock(area: Area, { headers }: RawResponse, now: number): void {
  const server = Date.parse(headers.date ?? '');
  if (Number.isNaN(server)) {
    area.notTried('clock', 'the answer has no Date', 'compare the time of this machine with another clock');
    return;
  }
  // Date counts whole seconds, so that half a second is added on the average.
  const seconds = Math.round((now - server - 500) / 1000);
  if (Math.abs(seconds) <= CLOCK_SECONDS) {
    area.ok('clock', seconds === 0 ? "agrees with the server's" : `${apart(seconds)} the server's`);
    return;
  }
  area.warning('clock', `${apart(seconds)} the server's`, 'set the clock of this machine by a time server');
}

function apart(seconds: number): string {
  const size = Math.abs(seconds);
  const shown =
    size < 120 ? `${size} s` : size < 7200 ? `${Math.round(size / 60)} min` : `${Math.round(size / 3600)} h`;
  return `${shown} ${seconds > 0 ? 'ahead of' : 'behind'}`;
}

function withWhoToAsk(advice: readonly string[]): readonly string[] {
  return [...advice, 'if all is right here, ask whoever runs the gateway or the network between'];
}
