import { type ContentEvent, EventRefused } from '../../apis/cdn/events/content-event.ts';
import { type EventMap, type FanOut, fanOut, urlElsewhere } from '../../apis/cdn/events/fan-out.ts';
import { FileError, type GatectlError, RateLimitError } from '../../errors/index.ts';
import type { Clock } from '../../http/clock.ts';
import { backoffMs } from '../../http/retry.ts';
import { mayConcernTargets } from '../purge/clear-targets.ts';
import type { PurgeFailure } from '../purge/purge-counts.ts';
import type { EntryMemory } from './entry-memory.ts';
import type { EventStore, QueuedEvent } from './event-store.ts';

/** URLs and surrogate keys, each once. */
export interface EventTargets {
  readonly urls: readonly string[];
  readonly keys: readonly string[];
}

/** What one page showed after its purge. */
interface PageVerdict {
  readonly url: string;
  readonly verdict: string;
  readonly reason: string;
  /** Where it redirects to, as a sentence. */
  readonly redirect?: string;
}

/** What became of one purge. */
export interface EventPurge {
  /** Its id in the history. */
  readonly id: string | undefined;
  readonly cleared: readonly string[];
  readonly failures: readonly PurgeFailure[];
  /** What ended it early. */
  readonly error: GatectlError | undefined;
  /** The pages that were fetched before and after. */
  readonly pages: readonly PageVerdict[];
}

/**
 * What became of an event. `confirmed`: every target was cleared, and no page that was fetched afterwards was stale. `nothing`: it leads to no
 * target.
 */
type Outcome = 'confirmed' | 'stale' | 'failed' | 'denied' | 'nothing';

/** What became of an event, for its sender and for the log. */
export interface Receipt {
  readonly id: string;
  readonly sender: string;
  readonly kind: ContentEvent['kind'];
  readonly type: string;
  readonly entry: string;
  readonly accepted_at: string;
  readonly purged_at: string;
  readonly outcome: Outcome;
  /** Why it is not confirmed. */
  readonly reason?: string;
  /** The ids in the history of the purges that cleared its targets. */
  readonly purges: readonly string[];
  readonly targets: number;
  readonly cleared: number;
  readonly failures: readonly { readonly target: string; readonly error: string }[];
  /** With verification: its pages that were fetched. */
  readonly pages?: readonly PageVerdict[];
}

/** What the purges of events take. */
interface EventWork {
  readonly queue: EventStore;
  readonly memory: EntryMemory;
  readonly map: EventMap;
  /** The only domain that URLs may be on. */
  readonly domain: string;
  readonly clock: Clock;
  /** Ends the work after the purge that runs. */
  readonly stop: AbortSignal;
  /** How long to wait for more events after the first. */
  readonly collectMs: number;
  /** Purges targets. Throws nothing of the gateway. */
  readonly purge: (targets: EventTargets) => Promise<EventPurge>;
  readonly backoff: PurgeBackoff;
  readonly onReceipt: (receipt: Receipt) => Promise<void>;
  /** Called when a purge did not succeed and is repeated, and with undefined when one did. */
  readonly onTrouble: (error: GatectlError | undefined, waitMs: number) => void;
  /** Called when what was purged, or what entries were, cannot be stored. */
  readonly onUnstored: (error: FileError) => void;
}

/** Events of one purge, at most. */
const MOST_EVENTS = 1000;
/** Purges of pages that stay stale. */
const MOST_STALE = 3;
/** Shortest wait before a purge is repeated: the requests in it were repeated already. */
const LEAST_WAIT_MS = 500;

/** How long to wait before a purge is repeated: longer with each failure, also over several turns. */
export class PurgeBackoff {
  readonly #random: () => number;
  #failures = 0;

  /** `random` returns numbers from 0 to 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** The wait in milliseconds after a failure. */
  next(error: GatectlError): number {
    const wait = backoffMs(this.#failures, error instanceof RateLimitError, this.#random);
    this.#failures += 1;
    return Math.max(LEAST_WAIT_MS, wait);
  }

  /** Begins again after a purge that worked. */
  reset(): void {
    this.#failures = 0;
  }
}

/** An event and what it leads to. */
interface PlannedEvent {
  readonly queued: QueuedEvent;
  readonly event: ContentEvent;
  readonly urls: readonly string[];
  readonly keys: readonly string[];
  readonly unusable: FanOut['unusable'];
  /** Why it leads to nothing. */
  readonly problem: string | undefined;
}

/**
 * Purges what the queued events lead to, in the order in which they were accepted, until it is stopped: those that come close together in one
 * purge, and none while another runs, so that the last purge of a page follows its last event. A purge that the gateway could not answer is
 * repeated until it can; an event is done when each of its targets was cleared, or was rejected for good. Returns after how many milliseconds
 * to begin again: where events are shared, a purge that clears nothing ends the work, so that another machine may try. Throws FileError where
 * the queue cannot be read, and NetworkError.
 */
export async function purgeQueuedEvents(work: EventWork): Promise<number> {
  const { queue, clock, stop, memory } = work;
  while (!stop.aborted) {
    await queue.untilWaiting(stop);
    if (await isStopped(clock, work.collectMs, stop)) break;
    const { events, done } = await queue.next(MOST_EVENTS);
    const planned: PlannedEvent[] = [];
    for (const queued of events) planned.push(await plannedEvent(queued, work));
    const pause = await purgeGroup(planned, work);
    if (pause !== undefined) return pause;
    await attempted(() => memory.keep(), work);
    await attempted(done, work);
  }
  return 0;
}

/** Stores something that the next purge stores, too: a disk that is full must not end the purges. */
async function attempted(store: () => Promise<void>, { onUnstored }: EventWork): Promise<void> {
  try {
    await store();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    onUnstored(error);
  }
}

async function plannedEvent(queued: QueuedEvent, { memory, map, domain }: EventWork): Promise<PlannedEvent> {
  const event = await memory.completed(queued);
  const leadsTo = (found: Partial<FanOut>, problem?: string): PlannedEvent => {
    const { urls = [], listings = [], always = [], keys = [], unusable = [] } = found;
    return { queued, event, urls: [...urls, ...listings, ...always], keys, unusable, problem };
  };
  try {
    const found = fanOut(event, queued.map ?? map);
    if (found === undefined) return leadsTo({});
    const elsewhere = urlElsewhere(found, domain);
    return elsewhere === undefined ? leadsTo(found) : leadsTo({}, `${elsewhere} is not on ${domain}`);
  } catch (error) {
    if (!(error instanceof EventRefused)) throw error;
    return leadsTo({}, error.message);
  }
}

/** Purges the targets of events together. Where it ends before all is settled, returns after how many milliseconds to begin again. */
async function purgeGroup(group: readonly PlannedEvent[], work: EventWork): Promise<number | undefined> {
  const left = { urls: distinct(group, 'urls'), keys: distinct(group, 'keys') };
  const settled = new Settled();
  while (left.urls.size + left.keys.size > 0) {
    const purge = await work.purge({ urls: [...left.urls], keys: [...left.keys] });
    const { error } = purge;
    if (error?.code === 'denied') {
      // A rule may limit the number of targets, or name a page of one event.
      if (group.length > 1) return await purgeEach(group, work);
      settled.denied = denialIn(error);
      break;
    }
    const trouble = settled.add(purge, left);
    await work.queue.setTrouble(trouble?.code);
    if (trouble === undefined) {
      work.backoff.reset();
      work.onTrouble(undefined, 0);
      continue;
    }
    const wait = work.backoff.next(trouble);
    work.onTrouble(trouble, wait);
    // What was cleared is known to this turn only.
    const mayOthersTry = purge.cleared.length === 0 && !(trouble instanceof RateLimitError);
    if (work.queue.isShared && mayOthersTry) return wait;
    if (await isStopped(work.clock, wait, work.stop)) return 0;
  }
  const purgedAt = new Date(work.clock.now()).toISOString();
  for (const each of group) await work.onReceipt(settled.receiptOf(each, purgedAt));
  return undefined;
}

/** Which rules deny a purge, and why. */
function denialIn({ message, reason }: GatectlError): string {
  if (typeof reason !== 'object' || reason.name !== 'denied') return message;
  const denials = reason.denials.map(each =>
    each.rule === undefined ? each.reason : `rule ${each.rule}: ${each.reason}`,
  );
  return `${message}: ${denials.join('; ')}`;
}

async function purgeEach(group: readonly PlannedEvent[], work: EventWork): Promise<number | undefined> {
  for (const each of group) {
    const pause = await purgeGroup([each], work);
    if (pause !== undefined) return pause;
  }
  return undefined;
}

function distinct(group: readonly PlannedEvent[], kind: 'urls' | 'keys'): Set<string> {
  return new Set(group.flatMap(each => each[kind]));
}

/** What became of the targets of several events. */
class Settled {
  readonly #cleared = new Map<string, string | undefined>();
  readonly #failed = new Map<string, string>();
  readonly #pages = new Map<string, PageVerdict>();
  readonly #stale = new Map<string, number>();
  /** Why nothing may be sent. */
  denied: string | undefined;

  /** Adds the outcome of a purge, and removes from `left` what is settled. Returns why some of it has to be repeated, if so. */
  add(
    { id, cleared, failures, error, pages }: EventPurge,
    left: { readonly urls: Set<string>; readonly keys: Set<string> },
  ): GatectlError | undefined {
    for (const page of pages) this.#pages.set(page.url, page);
    for (const target of cleared) {
      this.#cleared.set(target, id);
      if (this.#isStaleAgain(target)) continue;
      left.urls.delete(target);
      left.keys.delete(target);
    }
    let trouble = error;
    // A gateway that finds nothing at all is not that gateway, or is not all there.
    const [first] = failures;
    if (cleared.length === 0 && failures.every(each => each.error.request?.status === 404))
      trouble ??= first?.error;
    else
      for (const { target, error: failure } of failures) {
        if (mayConcernTargets(failure)) {
          this.#failed.set(target, failure.message);
          left.urls.delete(target);
          left.keys.delete(target);
        } else trouble ??= failure;
      }
    return trouble;
  }

  receiptOf({ queued, event, urls, keys, unusable, problem }: PlannedEvent, purgedAt: string): Receipt {
    const targets = [...urls, ...keys];
    const failures = [
      ...unusable.map(({ target, problem }) => ({ target, error: problem })),
      ...targets.flatMap(target => {
        const error = this.#failed.get(target);
        return error === undefined ? [] : [{ target, error }];
      }),
    ];
    const [first] = failures;
    const pages = urls.flatMap(url => this.#pages.get(url) ?? []);
    const isStale = pages.some(({ verdict }) => verdict === 'stale');
    const [outcome, reason]: [Outcome, string | undefined] =
      problem !== undefined
        ? ['failed', problem]
        : targets.length + unusable.length === 0
          ? ['nothing', undefined]
          : this.denied !== undefined
            ? ['denied', this.denied]
            : failures.length > 0
              ? ['failed', unusable.length > 0 ? `${first?.target} ${first?.error}` : first?.error]
              : isStale
                ? ['stale', 'a page was stale after the purge']
                : ['confirmed', undefined];
    const purges = targets.flatMap(target => this.#cleared.get(target) ?? []);
    const { id, kind, type, entry } = event;
    return {
      ...{ id, sender: queued.sender, kind, type, entry },
      ...{ accepted_at: queued.accepted_at, purged_at: purgedAt, outcome },
      ...(reason !== undefined && { reason }),
      purges: [...new Set(purges)],
      targets: targets.length + unusable.length,
      cleared: targets.filter(target => this.#cleared.has(target) && !this.#failed.has(target)).length,
      failures,
      ...(pages.length > 0 && { pages }),
    };
  }

  /** Whether a page is to be purged again, because it is stale. */
  #isStaleAgain(url: string): boolean {
    if (this.#pages.get(url)?.verdict !== 'stale') return false;
    const count = (this.#stale.get(url) ?? 0) + 1;
    this.#stale.set(url, count);
    return count < MOST_STALE;
  }
}

async function isStopped(clock: Clock, ms: number, stop: AbortSignal): Promise<boolean> {
  if (ms > 0) await clock.sleep(ms, stop).catch(() => undefined);
  return stop.aborted;
}
