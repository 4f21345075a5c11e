import { eventReceiver, reply } from '../../../apis/cdn/events/receive.ts';
import { templateElsewhere } from '../../../apis/cdn/events/template-elsewhere.ts';
import { cannotCombine, invalidInput, missingArgument } from '../../../errors/usage.ts';
import type { Json } from '../../../json/index.ts';
import { stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { boolean, defineCommand, duration, integer, string } from '../../framework/define-command.ts';
import { lockMachine, machineClock } from '../../framework/lock-machine.ts';
import { object } from '../../framework/output-schema.ts';
import type { OpenStore } from './event-store.ts';
import { type ListenerLog, listenerLog } from './log.ts';

/** How long a sender may take for its request. */
const SENDER_MS = 10_000;
/** How long a stopped listener finishes the purge that runs. */
const GRACE_MS = 20_000;
/** How long a stopped listener answers the requests that have begun. */
const CLOSE_MS = 2000;

export const listen = defineCommand({
  name: 'listen',
  effect: 'write',
  summary: 'receive CMS events and purge the pages they change',
  description: `Listens for events of Ghost, WordPress, Sanity, Contentful, Strapi and others, checks their signatures, stores them and purges what the map says, several together and in order. Events are received at /events/NAME, by the senders of the map; /healthz and /metrics are for monitoring. A kill loses no accepted event.

Prints a receipt for each event, one JSON object a line, and a log to stderr, of JSON lines too.`,
  options: {
    map: string('--map <file>', 'YAML with the senders, and rules from events to URLs and keys', {
      completes: 'file',
    }),
    port: integer('--port <n>', 'the port (0 for any free port)', { min: 0, max: 65_535, fallback: 8788 }),
    host: string('--host <address>', 'the address to listen on (default 127.0.0.1)'),
    domain: string('--domain <domain>', "the only domain that URLs may be on (default: the profile's)", {
      completes: 'domain',
    }),
    collect: duration('--collect <time>', 'wait for more events after the first, to purge them together', {
      min: 0,
      max: 3_600_000,
      fallback: 1000,
      shownDefault: '1s',
    }),
    maxAge: duration('--max-age <time>', 'reject events older than this', {
      min: 1000,
      max: 86_400_000,
      fallback: 300_000,
      shownDefault: '5m',
    }),
    queue: string('--queue <folder>', 'the folder of accepted events (default: in the state folder)', {
      completes: 'directory',
    }),
    engine: string(
      '--engine <url>',
      'share accepted events with listeners of other machines: redis://HOST, rediss://HOST or postgres://USER@HOST/DATABASE',
    ),
    verify: boolean(
      '--verify',
      'fetch the first 50 URLs of each purge before and after, and repeat it for stale pages',
    ),
  },
  examples: {
    'gatectl cdn listen --map map.yaml': 'on port 8788 of this machine',
    'gatectl cdn listen --map map.yaml --host 0.0.0.0 --verify':
      'for senders elsewhere, behind a proxy with TLS',
    'gatectl cdn listen --map map.yaml --host 0.0.0.0 --engine redis://queue.example.com':
      'on each of several machines',
  },
  output: object({
    id: ['string', 'the id of the event'],
    sender: ['string', 'its sender in the map'],
    kind: ['string', 'published, updated, moved or unpublished'],
    type: ['string', 'the type of the entry'],
    entry: ['string', 'the id of the entry in the CMS'],
    accepted_at: ['string', 'when the event was accepted (RFC 3339)'],
    purged_at: ['string', 'when its last target was cleared'],
    outcome: ['string', 'confirmed, stale, failed, denied, or nothing for an event without targets'],
    reason: ['string?', 'why it is not confirmed'],
    purges: ['string[]', 'ids of the purges in gatectl cdn history'],
    targets: ['number', 'number of its URLs and keys'],
    cleared: ['number', 'number of those cleared'],
    failures: ['{target: string, error: string}[]', 'targets that were rejected'],
    pages: [
      '{url: string, verdict: string, reason: string, redirect: string?}[]?',
      'with --verify: its pages that were fetched',
    ],
  }),
  async run(flags, context) {
    if (context.globals.curl) throw cannotCombine('--curl and gatectl cdn listen');
    if (flags.engine !== undefined && flags.queue !== undefined) throw cannotCombine('--engine and --queue');
    const { map: file } = flags;
    if (file === undefined)
      throw missingArgument('--map is required', 'add --map FILE with senders and rules');
    const { readMap } = await import('../purge/changes/site-source.ts');
    const map = await readMap(file, context);
    const domain = await context.domain(flags.domain);
    const events = { ...map.events, site: map.site ?? `https://${domain}` };
    if (events.rules.length === 0)
      throw invalidInput(`${file} has no rule for events`, 'add a rule with on, such as on: {type: article}');
    const elsewhere = templateElsewhere(events, domain);
    if (elsewhere !== undefined)
      throw invalidInput(`${elsewhere} of ${file} is not on ${domain}`, 'change the map, or --domain');
    if (events.rules.some(({ keys }) => keys.length > 0)) {
      const { bareDomain } = await import('../purge/bare-domain.ts');
      await bareDomain(domain, context);
    }
    const { sendersOf } = await import('./senders.ts');
    const senders = await sendersOf(map, file, context);
    const { removeAbandonedJournals } = await import('../../../operations/purge/journal-folders.ts');
    await removeAbandonedJournals(lockMachine(context), text => context.log.warn(text));
    const log = listenerLog(context);
    const rememberMs = 2 * flags.maxAge;
    const { withEventStore } = await import('./event-store.ts');
    await withEventStore({ ...flags, domain, events, rememberMs }, log, context, store =>
      listenWith({ ...flags, store, log, events, senders, domain }, context),
    );
  },
});

/** Whether the content of a request has failed: its connection ended before all was received, as the server does after ten seconds. */
function isUnfinished(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR';
}

interface Listening {
  readonly store: OpenStore;
  readonly log: ListenerLog;
  readonly events: Parameters<typeof eventReceiver>[0]['map'];
  readonly senders: Parameters<typeof eventReceiver>[0]['senders'];
  readonly domain: string;
  readonly port: number;
  readonly host: string | undefined;
  readonly verify: boolean;
  readonly collect: number;
  readonly maxAge: number;
}

async function listenWith(
  { store, log, events, senders, domain, port, host, verify, collect, maxAge }: Listening,
  context: Context,
): Promise<void> {
  const { EntryMemory } = await import('../../../operations/listen/entry-memory.ts');
  const { Listener } = await import('../../../operations/listen/listener.ts');
  const { PurgeBackoff, purgeQueuedEvents } = await import('../../../operations/listen/purge-events.ts');
  const { purgeEventTargets } = await import('./event-purge.ts');
  const { serveRequests } = await import('../../framework/http-server.ts');
  const clock = machineClock(context);
  const { queue, entries } = store;
  const listener = new Listener(queue, clock.now);
  const backoff = new PurgeBackoff(() => clock.random());
  const receive = eventReceiver({
    ...{ senders, map: events, now: clock.now, maxAgeMs: maxAge },
    accept: (event, sender) => listener.accept(event, sender),
    onRefused: ({ code, message }, sender) => {
      listener.count(code);
      log('warn', 'an event was rejected', { sender: sender ?? null, code, error: message });
    },
    onIgnored: () => listener.count('ignored'),
    onError: error => {
      if (isUnfinished(error)) {
        listener.count('timeout');
        const problem = 'the sender was too slow, or ended its request early';
        log('warn', 'an event was rejected', { sender: null, code: 'timeout', error: problem });
        return;
      }
      listener.count('internal');
      log('error', 'an event could not be handled', { error: error instanceof Error ? error.message : '' });
    },
  });
  const server = await serveRequests(
    { port, ...(host !== undefined && { host }), timeoutMs: SENDER_MS },
    async request => {
      const { pathname } = new URL(request.url);
      if (pathname === '/healthz') return listener.health();
      if (pathname === '/metrics') return listener.metrics();
      if (pathname.startsWith('/events/')) return await receive(request);
      return reply(404, { error: { code: 'not_found', message: 'events are received at /events/NAME' } });
    },
  );
  const stop = context.withGrace(GRACE_MS);
  context.out.withoutPager();
  log('info', 'listening', { origin: server.origin, senders: [...senders.keys()], waiting: queue.waiting });
  try {
    await store.inTurn(stop, async signal => {
      return await purgeQueuedEvents({
        ...{ queue, clock, backoff, stop: signal, domain, map: events, collectMs: collect },
        memory: new EntryMemory(entries),
        purge: async targets => {
          const inner = await context.inner(context.signal);
          try {
            return await purgeEventTargets(targets, { domain, verify }, inner.context);
          } finally {
            for (const note of inner.notes()) log('info', note, {});
            await inner.close();
          }
        },
        onReceipt: async receipt => {
          listener.done(receipt);
          const { id, sender, outcome, reason = '' } = receipt;
          if (outcome === 'failed' || outcome === 'denied')
            log('warn', 'an event was not purged', { id, sender, outcome, reason });
          await context.out.printText(`${stringifyJson(receipt as unknown as Json)}\n`);
        },
        onUnstored: ({ code, message }) =>
          log('warn', 'cannot store what was purged', { code, error: message }),
        onTrouble: (error, waitMs) => {
          if (error !== undefined)
            log('error', 'the purge failed and is repeated', {
              code: error.code,
              error: error.message,
              waitMs,
            });
        },
      });
    });
  } finally {
    await server.close(CLOSE_MS);
    log('info', 'stopped', { waiting: queue.waiting });
  }
}
