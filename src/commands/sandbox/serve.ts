import { randomBytes } from 'node:crypto';
import { requireValid } from '../../config/resolve.ts';
import { checkBrand } from '../../config/values.ts';
import {
  cannotCombine,
  invalidInput,
  invalidUsage,
  invalidValue,
  missingArgument,
} from '../../errors/usage.ts';
import { readText } from '../../files/text-source.ts';
import { clockFrom } from '../../http/clock.ts';
import { oneDay, sentence } from '../../output/sentence.ts';
import type { FixtureProblem, Sandbox } from '../../sandbox/index.ts';
import { fold, stdoutWidth } from '../../terminal/fold.ts';
import { printable } from '../../text/printable.ts';
import { DEFAULT_BRAND } from '../../wire/brand.ts';
import { SANDBOX_START } from '../../wire/sandbox-start.ts';
import type { Context } from '../framework/context.ts';
import { boolean, defineCommand, inGroup, integer, list, string } from '../framework/define-command.ts';
import { object } from '../framework/output-schema.ts';
import type { ActiveRecording } from './record/start.ts';

export const serve = defineCommand({
  name: 'serve',
  effect: 'read',
  summary: 'run the embedded gateway until Ctrl-C',
  description:
    'Starts a local server that behaves as the gateway does, with made-up readers, products, pages and figures, and prints its address, its key and commands to try. It listens on this machine only, unless --host names another address; it then generates a key. With --fixtures it serves your own readers instead; with --fault it simulates failures. With --record-from it sends requests to a real gateway and records the responses, without addresses, tokens, keys and ids; --replay serves a recording.',
  options: {
    ...inGroup('Server', {
      port: integer('--port <n>', 'the port (0 for any free port)', { min: 0, max: 65_535, fallback: 8787 }),
      host: string(
        '--host <address>',
        'the address to listen on (default 127.0.0.1); 0.0.0.0 for containers, with a generated key',
      ),
      cors: list('--cors <origin...>', 'let web pages of these origins read responses (CORS)'),
      purgeTo: string(
        '--purge-to <url>',
        'send PURGE and BAN for what the CDN clears to this cache, such as Varnish before /__origin/',
      ),
    }),
    ...inGroup('Account and figures', {
      fixtures: string('--fixtures <file>', 'your own domains, products, readers and purchases, as JSON'),
      seed: integer(
        '--seed <n>',
        'the seed of the made-up data; the same seed gives the same data (default 1)',
        {
          min: 0,
        },
      ),
      restate: boolean(
        '--restate',
        'change the figures of past days as the clock advances: most settle within a week, a few change after months',
      ),
      clock: string(
        '--clock <timestamp>',
        `when the server's clock starts (RFC 3339), or now (default ${SANDBOX_START}; now for recordings)`,
      ),
      brand: string(
        '--brand <word>',
        "the service's brand word in header names and platform values (default that of the profile, or service)",
      ),
    }),
    ...inGroup('Recordings', {
      recordFrom: string(
        '--record-from <profile>',
        'send requests to the gateway of this profile and record them',
      ),
      recordTo: string('--record-to <folder>', 'the folder of the recording, which must be empty or new'),
      replay: string('--replay <folder>', 'serve the responses of a recording'),
    }),
    ...inGroup('Faults', {
      fault: list(
        '--fault <spec...>',
        'simulate failures: status=503,path=/access,count=2 (path= matches the start or end) · delay=2s · reset · truncate=100 · …',
      ),
    }),
  },
  examples: {
    'gatectl sandbox serve': 'on port 8787, with made-up data',
    'gatectl sandbox serve --fixtures readers.json': 'your own readers',
    'gatectl sandbox serve --fault status=503,path=/access,count=2':
      'fail the first two access checks with 503',
    'gatectl sandbox serve --record-from news --record-to recording':
      'record responses of the gateway of the profile news, then serve them',
    'gatectl sandbox serve --replay recording': 'serve a recording',
  },
  output: object({
    baseUrl: ['string', 'where the embedded gateway listens'],
    apiKey: ['string', 'the key that it accepts'],
    domains: ['{domain: string, id: number}[]', 'the sites of its account'],
    products: ['{domain: string, product: string, state: string}[]', 'what can be bought'],
    readers: ['{email, domain, shows, sessionToken}[]', 'its readers, with what each one demonstrates'],
    clock: ['string', 'when its clock started (RFC 3339), or now'],
    requests: ['string[]', 'the requests of the recording that it serves'],
  }),
  async run(flags, context) {
    const { profile } = context.globals.flags;
    if (profile !== undefined && /^\d+$/.test(profile))
      throw invalidValue(`-p selects a profile, and ${profile} looks like a port`, `type --port ${profile}`);
    checkSources(flags);
    const { startSandbox, parseFixtures, readRecording, callText, parseFault, isLoopback, ...errors } =
      await import('../../sandbox/index.ts');
    const { FixtureError, FaultSpecError, RecordingError } = errors;
    let active: ActiveRecording | undefined;
    try {
      const fixtures =
        flags.fixtures === undefined ? undefined : parseFixtures(await readText(flags.fixtures));
      const recording = flags.replay === undefined ? undefined : await readRecording(flags.replay);
      const faults = flags.fault.map(parseFault);
      const cors = flags.cors.map(checkedOrigin);
      const purgeTo = flags.purgeTo === undefined ? undefined : cacheAddress(flags.purgeTo, isLoopback);
      const isRemote = flags.host !== undefined && !isLoopback(flags.host);
      // The default key is public, and a recording sends requests with a real one.
      const isKeyGenerated = (isRemote && fixtures?.apiKey === undefined) || flags.recordFrom !== undefined;
      const apiKey = isKeyGenerated ? randomBytes(16).toString('hex') : undefined;
      if (flags.recordFrom !== undefined && flags.recordTo !== undefined && apiKey !== undefined) {
        const { startRecording } = await import('./record/start.ts');
        active = await startRecording(
          { profile: flags.recordFrom, folder: flags.recordTo, clientKey: apiKey },
          context,
        );
      }
      const brand =
        flags.brand === undefined
          ? (active?.brand ?? recording?.brand ?? (await context.settings()).brand.value)
          : requireValid(checkBrand(flags.brand), '--brand');
      // Recordings have the days on which they were made.
      const isRecorded = recording !== undefined || active !== undefined;
      const start =
        flags.clock ?? (context.io.env.GATECTL_SANDBOX_CLOCK || (isRecorded ? 'now' : SANDBOX_START));
      const now = clockFrom(
        start,
        flags.clock === undefined ? 'GATECTL_SANDBOX_CLOCK' : '--clock',
        context.io.now,
      );
      const sandbox = await startSandbox({
        brand,
        port: flags.port,
        ...(flags.seed !== undefined && { seed: flags.seed }),
        restates: flags.restate,
        now,
        faults,
        ...(flags.host !== undefined && { host: flags.host, allowRemote: true }),
        ...(apiKey !== undefined && { apiKey }),
        cors,
        ...(purgeTo && { purgeTo }),
        ...(fixtures && { fixtures }),
        ...(recording && { recording }),
        ...(active && { respond: active.respond }),
        ...(context.globals.verbose &&
          active === undefined && {
            log: ({ method, target, status }) =>
              context.log.note(`${method} ${target} -> ${status ?? 'cut'}`),
          }),
      });
      if (isRemote)
        context.log.warn(
          `other machines can connect to ${flags.host}, unencrypted; do not send it real keys or addresses of readers`,
        );
      if (start !== 'now')
        context.log.note(
          sentence`in the sandbox it is ${oneDay(new Date(now()).toISOString().slice(0, 10))}; --clock now uses the time of this machine`,
        );
      if (active !== undefined)
        context.log.warn(
          `requests are sent to the gateway of profile ${flags.recordFrom}: purges, reports and segments are real`,
        );
      const source = {
        start,
        requests: (recording?.exchanges ?? []).map(({ request }) => callText(request)),
        recordFrom: flags.recordFrom,
        recordTo: flags.recordTo,
        domain: active?.domain,
      };
      await untilStopped(sandbox, brand, source, context);
      if (active !== undefined) {
        const { finish } = active;
        active = undefined;
        context.log.note(await finish());
      }
    } catch (error) {
      if (error instanceof FixtureError) {
        throw invalidInput(`${flags.fixtures} is not valid`, ...error.problems.map(problemLine));
      }
      if (error instanceof RecordingError)
        throw invalidInput(error.message, 'make a recording with --record-from PROFILE --record-to FOLDER');
      if (error instanceof FaultSpecError)
        throw invalidUsage(
          error.message,
          ...(error.examples.length > 0 ? error.examples : ['pass several --fault options']),
        );
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
        throw invalidValue(
          `${flags.host} is not an address of this machine`,
          'type --host 127.0.0.1, or --host 0.0.0.0 for all addresses',
        );
      if (code === 'EADDRINUSE' || code === 'EACCES') {
        throw invalidUsage(
          `port ${flags.port} cannot be used: ${code === 'EACCES' ? 'not permitted' : 'it is in use'}`,
          'type another --port, or --port 0 for any free port',
        );
      }
      throw error;
    } finally {
      await active?.finish();
    }
  },
});

/** Throws UsageError for flags that name several sources of responses, or a part of one. */
function checkSources(flags: Readonly<Record<string, unknown>>): void {
  const given = (['fixtures', 'recordFrom', 'replay'] as const).filter(name => flags[name] !== undefined);
  const [one, other] = given.map(name => FLAG_NAMES[name]);
  if (other !== undefined) throw cannotCombine(`${one} and ${other}`);
  if (flags.seed !== undefined && one !== undefined && one !== FLAG_NAMES.fixtures)
    throw cannotCombine(`${one} and --seed`);
  if (flags.restate && one !== undefined && one !== FLAG_NAMES.fixtures)
    throw cannotCombine(`${one} and --restate`);
  if ((flags.recordFrom === undefined) !== (flags.recordTo === undefined))
    throw missingArgument(
      '--record-from and --record-to require each other',
      'type --record-from PROFILE --record-to FOLDER',
    );
}

const FLAG_NAMES = { fixtures: '--fixtures', recordFrom: '--record-from', replay: '--replay' };

/** What the server serves in place of the made-up account. */
interface Source {
  /** When its clock starts: RFC 3339, or now. */
  readonly start: string;
  /** Of the recording that is replayed. */
  readonly requests: readonly string[];
  readonly recordFrom: string | undefined;
  readonly recordTo: string | undefined;
  readonly domain: string | undefined;
}

/** The address of a cache on this machine. Throws UsageError. */
function cacheAddress(text: string, isLoopback: (host: string) => boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) return url;
  throw invalidValue(
    `--purge-to cannot be '${text}'`,
    'type an address of this machine, such as http://127.0.0.1:6081',
  );
}

/** An origin as browsers send it: scheme, host and port. */
function checkedOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (origin !== 'null') return origin;
  throw invalidValue(`--cors ${text} is not an origin`, 'type one such as http://localhost:3000');
}

function problemLine({ path, line, message }: FixtureProblem): string {
  const place = [...(line === undefined ? [] : [`line ${line}`]), ...(path === '' ? [] : [path])].join(', ');
  return place === '' ? message : `${place}: ${message}`;
}

/** Prints how to use the server, then waits for Ctrl-C. */
async function untilStopped(
  sandbox: Sandbox,
  brand: string,
  source: Source,
  context: Context,
): Promise<void> {
  try {
    context.out.withoutPager();
    const format = (await context.settings()).output.value;
    if (format === 'table' && context.globals.jq === undefined)
      await context.out.printText(welcome(sandbox, brand, source, stdoutWidth(context.io)));
    else
      await context.out.print({
        ...described(sandbox),
        clock: source.start,
        requests: [...source.requests],
      });
    await new Promise<void>(resolve => {
      if (context.signal.aborted) resolve();
      context.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    context.log.note('the embedded gateway stopped');
  } finally {
    await sandbox.close();
  }
}

function described({ baseUrl, apiKey, domains, products, readers }: Sandbox) {
  return {
    baseUrl,
    apiKey,
    domains: domains.map(({ domain, id }) => ({ domain, id })),
    products: products.map(({ domain, key, state }) => ({ domain, product: key, state })),
    readers: readers.map(({ email, domain, shows, sessionToken }) => ({
      email,
      domain,
      shows,
      sessionToken,
    })),
  };
}

/** Commands and tokens stay in one piece, to be copied; what readers are there to show is prose. */
function welcome(
  { baseUrl, apiKey, domains, products, readers }: Sandbox,
  brand: string,
  source: Source,
  width: number | undefined,
): string {
  const { requests, recordFrom, recordTo, start } = source;
  const domain = domains[0]?.domain ?? source.domain;
  const exports = [
    `  export GATECTL_BASE_URL=${baseUrl}`,
    `  export GATECTL_API_KEY=${apiKey}`,
    ...(domain === undefined ? [] : [`  export GATECTL_DOMAIN=${domain}`]),
    ...(brand === DEFAULT_BRAND ? [] : [`  export GATECTL_BRAND=${brand}`]),
    ...(start === 'now' ? [] : [`  export GATECTL_SANDBOX_CLOCK=${start}`]),
  ];
  const title = fold(`The embedded gateway listens at ${baseUrl}; Ctrl-C stops it.`, width, 0);
  const terminal = ['In another terminal:', '', ...exports, ''];
  if (recordFrom !== undefined) {
    const recording = `It sends requests to the gateway of profile ${recordFrom} and records the responses in ${recordTo}.`;
    return [title, fold(recording, width, 0), ...terminal].join('\n');
  }
  if (requests.length > 0) {
    const recorded = requests.map(text => `  ${printable(text)}`);
    return [title, ...terminal, 'Recorded requests:', ...recorded, ''].join('\n');
  }
  const product = products[0]?.key;
  const emails = readers.filter(reader => reader.domain === domain);
  const email = emails[0]?.email ?? 'reader@example.com';
  const longest = Math.max(0, ...emails.map(reader => reader.email.length));
  const known = emails.map(({ email, shows }) =>
    fold(`  ${email.padEnd(longest)}  ${printable(shows)}`, width, longest + 2),
  );
  const token = readers.find(reader => reader.sessionToken !== undefined)?.sessionToken;
  return [
    title,
    ...terminal,
    ...(product === undefined ? [] : [`  gatectl access --product ${product} --email ${email}`]),
    `  gatectl reader --email ${email}`,
    '',
    known.length === 0 ? `${domain} has no readers.` : `Readers at ${domain}:`,
    ...known,
    ...(token === undefined ? [] : ['', `A session token for --reader-token: ${token}`]),
    '',
  ].join('\n');
}
