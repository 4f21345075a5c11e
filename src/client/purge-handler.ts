import { type ContentEvent, EventRefused } from '../apis/cdn/events/content-event.ts';
import { EVENT_MAP } from '../apis/cdn/events/event-map-form.ts';
import { type FanOut, fanOut, urlElsewhere } from '../apis/cdn/events/fan-out.ts';
import { eventReceiver, reply } from '../apis/cdn/events/receive.ts';
import { FORMATS, type Sender } from '../apis/cdn/events/senders.ts';
import { readValue } from '../documents/value.ts';
import { GatectlError, UsageError } from '../errors/index.ts';
import type { Json, JsonRecord } from '../json/index.ts';
import { parseJson } from '../json/index.ts';
import { mayConcernTargets } from '../operations/purge/clear-targets.ts';
import type { Cdn, PurgeResult } from './cdn.ts';

/** A CMS that may send events. */
export interface EventSender {
  /** `json` is any other system. */
  readonly format: 'ghost' | 'wordpress' | 'sanity' | 'contentful' | 'strapi' | 'json';
  /** The shared secret: of signatures, or the token in the header `Authorization`. */
  readonly secret: string;
  /** With `json`: `standard` for signatures as of Standard Webhooks (default), `token` for the secret in the header `Authorization`. */
  readonly sign?: 'standard' | 'token';
  /** With `json`: makes the event of the content; undefined for one that changes no page. */
  readonly event?: (content: unknown) => unknown;
}

/** The URLs and keys that events purge, as in a purge map: templates with `{path}`, `{slug}`, `{tag}`, `{author}`, `{section}`, `{type}`, `{entry}`, `{page}`. */
export interface PurgeEventMap {
  /** The URL that paths are below. */
  readonly site: string;
  /** URLs that every event purges. */
  readonly always?: string | readonly string[];
  /** The first rule that matches an event decides. */
  readonly rules: readonly {
    readonly on: { readonly type?: string | readonly string[]; readonly event?: string | readonly string[] };
    readonly urls?: string | readonly string[];
    readonly listings?: string | readonly string[];
    readonly keys?: string | readonly string[];
    readonly pages?: number;
    readonly ignore?: boolean;
  }[];
}

/** Where the ids of purged events are kept, for all instances of a program. */
export interface EventIds {
  /** Whether an event was purged. */
  has(id: string): boolean | Promise<boolean>;
  /** Keeps an id for at least `maxAgeMs` twice. */
  add(id: string): void | Promise<void>;
}

/** What purges. URLs that are not on its domain are not sent. */
interface PurgingGateway {
  readonly cdn: Pick<Cdn, 'purge' | 'purgeKeys'> & Partial<Pick<Cdn, 'domain'>>;
}

export interface PurgeHandlerOptions {
  /** What purges; a function is called for each event, for runtimes that tie connections to a request. */
  readonly gateway: PurgingGateway | (() => PurgingGateway);
  readonly map: PurgeEventMap;
  /** By the name that ends the path of their requests; one alone may have any path. */
  readonly senders: Readonly<Record<string, EventSender>>;
  /** An event older than this, in milliseconds, is rejected; five minutes by default. */
  readonly maxAgeMs?: number;
  /** By default, the memory of this instance. */
  readonly ids?: EventIds;
  /** The time in milliseconds, for tests; by default that of the machine. */
  readonly now?: () => number;
  /** Called when an event was purged, or could not be. */
  readonly onPurge?: (
    event: ContentEvent,
    result: PurgeResult | undefined,
    error: GatectlError | undefined,
  ) => void;
  /** Called with the error of another function of these options: the response is 500, without the error. */
  readonly onError?: (error: unknown) => void;
}

const MAX_AGE_MS = 300_000;

/**
 * A handler of the requests of a CMS: verifies the signature of an event, purges its targets, and responds 200 when every target was cleared,
 * 502 where the gateway did not clear all and the sender should try again, 422 where a target cannot be purged. A repeated event is purged once. Throws UsageError for options that cannot be used.
 *
 * @example
 * export const POST = createPurgeHandler({ gateway, map, senders: { blog: { format: 'ghost', secret } } });
 */
export function createPurgeHandler(options: PurgeHandlerOptions): (request: Request) => Promise<Response> {
  const { gateway, senders: given, maxAgeMs = MAX_AGE_MS, now = Date.now, onPurge, onError } = options;
  const { site, always = [], rules } = readValue(EVENT_MAP, options.map, 'map');
  const map = { site, always, rules: rules.map((rule, index) => ({ ...rule, number: index + 1 })) };
  const senders = new Map(Object.entries(given).map(([name, sender]) => [name, checkedSender(name, sender)]));
  if (senders.size === 0) throw new UsageError('senders has none', { code: 'invalid_value' });
  const ids = options.ids ?? new RecentIds(2 * maxAgeMs, now);
  const running = new Map<string, Promise<Response>>();
  const accept = async (event: ContentEvent, sender: string): Promise<Response> => {
    const id = `${sender} ${event.id}`;
    const other = running.get(id);
    if (other !== undefined) return (await other).clone();
    if (await ids.has(id)) return reply(200, { status: 'duplicate', id: event.id });
    const work = purged(event).then(async response => {
      if (response.status === 200) await ids.add(id);
      return response;
    });
    running.set(id, work);
    try {
      return (await work).clone();
    } finally {
      running.delete(id);
    }
  };
  const purged = async (event: ContentEvent): Promise<Response> => {
    const found = fanOut(event, map);
    const { urls = [], listings = [], always = [], keys = [], unusable = [] } = found ?? {};
    const { cdn } = typeof gateway === 'function' ? gateway() : gateway;
    if (found && cdn.domain !== undefined && urlElsewhere(found, cdn.domain) !== undefined)
      throw new EventRefused('leads_to_nothing', "it purges a URL that is not on the gateway's domain");
    try {
      const ofUrls = await resultOf([...urls, ...listings, ...always], targets => cdn.purge(targets));
      const ofKeys = await resultOf(keys, targets => cdn.purgeKeys(targets));
      const sent = sum(ofUrls, ofKeys);
      const result = sum(sent, unsent(unusable));
      onPurge?.(event, result, undefined);
      const status = sent.failed > 0 ? 502 : unusable.length > 0 ? 422 : 200;
      return reply(status, {
        status: result.failed === 0 ? 'confirmed' : 'failed',
        id: event.id,
        ...shown(result),
      });
    } catch (error) {
      if (!(error instanceof GatectlError)) throw error;
      onPurge?.(event, undefined, error);
      return reply(502, { status: 'failed', id: event.id, error: { code: error.code } });
    }
  };
  return eventReceiver({ senders, map, now, maxAgeMs, accept, onError });
}

/** Throws UsageError. */
function checkedSender(name: string, { format, secret, sign, event }: EventSender): Sender {
  const invalid = (problem: string) =>
    new UsageError(`senders.${name}: ${problem}`, { code: 'invalid_value' });
  if (!FORMATS.includes(format)) throw invalid(`format must be one of ${FORMATS.join(', ')}`);
  // Without it, anybody could sign.
  if (typeof secret !== 'string' || secret.trim() === '') throw invalid('secret is missing');
  if (format !== 'json' && (sign !== undefined || event !== undefined))
    throw invalid('only json has sign and event');
  if (format === 'json' && event === undefined) throw invalid('json needs event');
  const map = event && (async (body: string) => eventIn(event, body));
  return { format, secret, isToken: sign === 'token', map };
}

async function eventIn(event: (content: unknown) => unknown, body: string): Promise<Json | undefined> {
  const made = await event(JSON.parse(body));
  return made === undefined ? undefined : parseJson(JSON.stringify(made));
}

const NOTHING: PurgeResult = { requested: 0, cleared: 0, failed: 0, requests: 0, failures: [] };

async function resultOf(
  targets: readonly string[],
  purge: (targets: readonly string[]) => Promise<PurgeResult>,
): Promise<PurgeResult> {
  if (targets.length === 0) return NOTHING;
  try {
    return await purge(targets);
  } catch (error) {
    // Where all were rejected, the others are still purged.
    if (!(error instanceof GatectlError) || !mayConcernTargets(error)) throw error;
    const count = targets.length;
    const failures = targets.map(target => ({ target, error }));
    return { requested: count, cleared: 0, failed: count, requests: 1, failures };
  }
}

/** Targets that cannot be sent. */
function unsent(unusable: FanOut['unusable']): PurgeResult {
  const failures = unusable.map(({ target, problem }) => ({
    target,
    error: new UsageError(`${target} ${problem}`, { code: 'invalid_value' }),
  }));
  return { ...NOTHING, requested: failures.length, failed: failures.length, failures };
}

function sum(one: PurgeResult, other: PurgeResult): PurgeResult {
  return {
    requested: one.requested + other.requested,
    cleared: one.cleared + other.cleared,
    failed: one.failed + other.failed,
    requests: one.requests + other.requests,
    failures: [...one.failures, ...other.failures],
  };
}

function shown({ failures, requested, cleared, failed }: PurgeResult): JsonRecord {
  const listed = failures.map(({ target, error }) => ({ target, error: error.code }));
  return { requested, cleared, failed, failures: listed };
}

/** The ids of the last minutes, in the memory of one instance. */
class RecentIds implements EventIds {
  readonly #keptMs: number;
  readonly #now: () => number;
  readonly #ids = new Map<string, number>();

  constructor(keptMs: number, now: () => number) {
    this.#keptMs = keptMs;
    this.#now = now;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    const now = this.#now();
    for (const [old, at] of this.#ids) {
      if (now - at <= this.#keptMs) break;
      this.#ids.delete(old);
    }
    this.#ids.set(id, now);
  }
}
