import { createHash, randomUUID } from 'node:crypto';
import type { Job, Worker } from 'bullmq';
import { EventRefused } from '../../apis/cdn/events/content-event.ts';
import type { EventMap } from '../../apis/cdn/events/fan-out.ts';
import { NetworkError } from '../../errors/index.ts';
import { linkSignals } from '../../http/linked-signal.ts';
import { isRecord } from '../../json/index.ts';
import { type EngineConnection, queueError } from '../../sync/engine/connect.ts';
import { JobQueue, type QueueClock } from '../../sync/engine/job-queue.ts';
import { LastingWorker } from '../../sync/engine/lasting-worker.ts';
import { within } from '../../sync/engine/within.ts';
import { knownIn } from './entry-folder.ts';
import {
  type EntryStore,
  type EventBatch,
  type EventStore,
  type KnownEntry,
  MOST_WAITING,
  type QueuedEvent,
  Wake,
} from './event-store.ts';

interface SharedQueueOptions {
  readonly connection: EngineConnection;
  /** The common part of the names of the queues in the engine. */
  readonly name: string;
  /** Of this listener, for those who look into the engine: host and process. */
  readonly listener: string;
  readonly clock: QueueClock;
  /** For how long the id of an event is remembered, in milliseconds. */
  readonly rememberMs: number;
  /** Called once when the engine fails, and again only after it has responded meanwhile. */
  readonly onEngineError: (message: string) => void;
  /** Called when this listener has the turn to purge. */
  readonly onTurn: () => void;
  /** What events that this listener accepts lead to, wherever they are purged. */
  readonly map: EventMap;
  /** Called once for each other map with which events were accepted that this listener purges. */
  readonly onOtherMap: () => void;
  /** Called when the engine was emptied while this listener ran. */
  readonly onEmptied: () => void;
  /** Called for a job that is no event. */
  readonly onDamage: (place: string) => void;
}

/** An event in the engine, and which attempt to store it was first. */
interface StoredEvent extends Omit<QueuedEvent, 'map'> {
  readonly attempt: string;
  /** The fingerprint of the map with which it was accepted. */
  readonly map?: string;
}

/** What is kept beside the events: what an entry was, or a map. */
interface Kept {
  readonly entries?: readonly KnownEntry[];
  readonly map?: EventMap;
  /** Of the marker: another one after the engine was emptied. */
  readonly marker?: string;
}

/** The job that is the turn to purge, with why the last purge failed. */
interface Turn {
  readonly trouble?: string | undefined;
}

/** How long an operation is tried again while the engine does not respond, in milliseconds: senders wait for it. */
const PATIENCE_MS = 3000;
/** How often to look at the queue, in milliseconds. */
const LOOK_MS = 500;
/** After how many milliseconds without a sign of life another listener takes the turn. */
const LOST_AFTER_MS = 5000;
/** How long to wait before the purges begin again after a failure of the engine, in milliseconds. */
const RESTART_MS = 1000;
/** How long the engine may take to end a connection, and to record a batch, in milliseconds. */
const [CLOSE_MS, RECORD_MS] = [2000, 20_000];
/** The only job of the queue whose holder purges. */
const TURN = 'turn';
/** The job that is gone when the engine was emptied. BullMQ itself has a key `marker`. */
const MARKER = 'opened';
/** For how long it is said that the engine was emptied, in milliseconds. */
const EMPTIED_MS = 60_000;

/**
 * A queue of events in BullMQ, for the listeners of several machines, with what entries were. Each of them stores events; the one that has
 * the turn purges, so that no purge starts while another runs, on any machine. The turn is a job: BullMQ gives it to another listener when
 * its holder stops or is killed. An event stays in the queue until it is done, and its job is kept as completed while its id is remembered.
 */
export class SharedEventQueue implements EventStore, EntryStore {
  readonly isShared = true;
  readonly #options: SharedQueueOptions;
  readonly #events: JobQueue<StoredEvent>;
  readonly #entries: JobQueue<Kept>;
  readonly #turns: JobQueue<Turn>;
  readonly #taker: LastingWorker<StoredEvent>;
  readonly #fingerprint: string;
  /** By their fingerprints; undefined for one that is not in the engine. */
  readonly #maps = new Map<string, EventMap | undefined>();
  readonly #closed = new AbortController();
  readonly #more = new Wake();
  /** Takes events that are done out of the queue, once it is connected. */
  #worker: Worker<StoredEvent> | undefined;
  /** Proves that this listener has the turn still. Throws NetworkError where it has not. */
  #assertTurn: () => Promise<void> = async () => {};
  #watching: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isAvailable = true;
  #hasTurn = false;
  #trouble: string | undefined;
  #marker: string | undefined;
  #losses = 0;
  #lostAt = Number.NEGATIVE_INFINITY;
  #isReported = false;

  private constructor(options: SharedQueueOptions) {
    const { connection, name, clock } = options;
    this.#options = options;
    this.#fingerprint = fingerprintOf(options.map);
    this.#events = new JobQueue(connection, name, clock, PATIENCE_MS);
    this.#entries = new JobQueue(connection, `${name}-entries`, clock, PATIENCE_MS);
    this.#turns = new JobQueue(connection, `${name}-turn`, clock, PATIENCE_MS);
    this.#taker = new LastingWorker({ ...this.#workerOptions(), queue: name, process: undefined });
  }

  /** Opens the queue in an engine that is connected. Throws NetworkError. */
  static async open(options: SharedQueueOptions): Promise<SharedEventQueue> {
    const queue = new SharedEventQueue(options);
    try {
      await queue.#look();
    } catch (error) {
      await queue.close();
      throw error;
    }
    queue.#watching = queue.#watch();
    void queue.#taker.run(async worker => {
      // Those that a killed listener was taking out wait again.
      await worker.startStalledCheckTimer();
      queue.#worker = worker;
      await aborted(queue.#closed.signal);
    });
    return queue;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  get losses() {
    return { count: this.#losses, isRecent: this.#sinceLoss < EMPTIED_MS };
  }

  get #sinceLoss(): number {
    return this.#options.clock.now() - this.#lostAt;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  async setTrouble(code: string | undefined): Promise<void> {
    if (code === this.#trouble) return;
    await this.#assertTurn();
    await this.#turns.run(async queue => (await queue.getJob(TURN))?.updateData({ trouble: code }));
    this.#trouble = code;
  }

  async append(queued: QueuedEvent): Promise<boolean> {
    // Its client would keep what it cannot send now.
    if (!this.#isAvailable) throw new EventRefused('busy', 'the event cannot be stored now');
    if (this.#waiting >= MOST_WAITING) throw new EventRefused('busy', 'too many events wait to be purged');
    const id = jobId(queued.sender, queued.event.id);
    const { map: _, ...stored } = queued;
    const attempt = randomUUID();
    const age = Math.ceil(this.#options.rememberMs / 1000);
    const job = await this.#events
      .run(async queue => {
        const settings = { jobId: id, removeOnComplete: { age }, stackTraceLimit: 0 };
        await queue.add('event', { ...stored, attempt, map: this.#fingerprint }, settings);
        return await queue.getJob(id);
      })
      .catch(error => {
        if (!(error instanceof NetworkError)) throw error;
        this.#isAvailable = false;
        this.#report(error.message);
      });
    if (job === undefined) throw new EventRefused('busy', 'the event cannot be stored now');
    if (job.data.attempt !== attempt) return false;
    this.#waiting += 1;
    this.#more.now();
    return true;
  }

  async untilWaiting(signal: AbortSignal): Promise<void> {
    while (this.#waiting === 0 && !signal.aborted) await this.#more.next(signal);
  }

  async next(most: number): Promise<EventBatch> {
    const found = await this.#events.run(queue => queue.getJobs(['waiting'], 0, most - 1, true));
    const jobs = found.filter(job => job !== undefined);
    if (jobs.length === 0) this.#waiting = 0;
    const events: QueuedEvent[] = [];
    for (const { id, data } of jobs) {
      const { event, sender, accepted_at } = data;
      if (typeof event === 'object' && typeof sender === 'string') {
        const map = await this.#otherMap(data.map);
        events.push({ event, sender, accepted_at, ...(map !== undefined && { map }) });
      } else this.#options.onDamage(`${this.#options.name} ${id}`);
    }
    return { events, done: () => this.#complete(jobs.map(({ id }) => id ?? '')) };
  }

  /** The map of an event that was accepted with another one. */
  async #otherMap(fingerprint: string | undefined): Promise<EventMap | undefined> {
    if (fingerprint === undefined || fingerprint === this.#fingerprint) return undefined;
    if (!this.#maps.has(fingerprint)) {
      const job = await this.#entries.run(queue => queue.getJob(mapId(fingerprint)));
      this.#maps.set(fingerprint, job?.data.map);
      if (job?.data.map === undefined) this.#options.onDamage(`${this.#options.name} ${mapId(fingerprint)}`);
      else this.#options.onOtherMap();
    }
    return this.#maps.get(fingerprint);
  }

  /** Stores the map for those who purge the events that this listener accepts. */
  async #keepMap(): Promise<void> {
    const { map } = this.#options;
    await this.#entries.run(queue => queue.add('map', { map }, { jobId: mapId(this.#fingerprint) }));
  }

  async read(name: string): Promise<readonly KnownEntry[]> {
    const job = await this.#entries.run(queue => queue.getJob(name));
    return knownIn(job?.data.entries) ?? [];
  }

  async write(entries: ReadonlyMap<string, readonly KnownEntry[]>): Promise<void> {
    // What another listener has stored meanwhile is later.
    await this.#assertTurn();
    await this.#entries.run(async queue => {
      const writeOne = async ([name, known]: readonly [string, readonly KnownEntry[]]) => {
        const data = { entries: known };
        const job = await queue.getJob(name);
        if (job === undefined) await queue.add('entry', data, { jobId: name });
        else await job.updateData(data);
      };
      await Promise.all([...entries].map(writeOne));
    });
  }

  /**
   * Calls `work` whenever this listener has the turn, with a signal that aborts when it loses it, until `stop` aborts. `work` returns for
   * how many milliseconds others may have the turn before this listener takes it again. What it throws of the engine makes it begin again,
   * and any other error is thrown.
   */
  async inTurn(stop: AbortSignal, work: (signal: AbortSignal) => Promise<number>): Promise<void> {
    const { bullmq } = this.#options.connection;
    const failed = new AbortController();
    const end = linkSignals([stop, failed.signal]);
    let inHand: Promise<void> = Promise.resolve();
    const turns = new LastingWorker<Turn>({
      ...this.#workerOptions(),
      queue: `${this.#options.name}-turn`,
      // With three parameters BullMQ passes the signal.
      process: async (job, token, lost) => {
        const link = linkSignals([stop, failed.signal, ...(lost === undefined ? [] : [lost])]);
        this.#assertTurn = () => this.#renew(job, token ?? '');
        this.#trouble = job.data.trouble;
        this.#hasTurn = true;
        this.#options.onTurn();
        let pause = 0;
        const working = this.#again(work, link.signal).then(
          ms => {
            pause = ms;
          },
          error => failed.abort(error),
        );
        inHand = working;
        await working;
        this.#hasTurn = false;
        link.release();
        if (lost?.aborted !== true)
          await within(this.#options.clock, CLOSE_MS, job.moveToWait(token)).catch(() => {});
        // It takes no turn before this ends.
        if (pause > 0) await this.#options.clock.sleep(pause, end.signal).catch(() => {});
        throw new bullmq.WaitingError();
      },
    });
    const running = turns.run(worker => worker.run());
    await aborted(end.signal);
    end.release();
    // It takes no other turn from now on.
    const closing = turns.close();
    await inHand;
    await within(this.#options.clock, CLOSE_MS, Promise.all([closing, running])).catch(() => {});
    turns.disconnect();
    if (failed.signal.aborted) throw failed.signal.reason;
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#watching;
    await within(this.#options.clock, CLOSE_MS, this.#taker.close()).catch(() => {});
    this.#taker.disconnect();
    await Promise.all([this.#events.close(), this.#entries.close(), this.#turns.close()]);
  }

  #workerOptions() {
    const { connection, listener, clock } = this.#options;
    const common = { connection, name: listener, clock, concurrency: 1, lostAfter: LOST_AFTER_MS };
    return { ...common, onEngineError: (message: string) => this.#report(message) };
  }

  /** Repeats what the engine interrupts, and returns what `work` does. */
  async #again(work: (signal: AbortSignal) => Promise<number>, signal: AbortSignal): Promise<number> {
    while (!signal.aborted)
      try {
        return await work(signal);
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
        this.#report(error.message);
        await this.#options.clock.sleep(RESTART_MS, signal).catch(() => {});
      }
    return 0;
  }

  async #renew(job: Job, token: string): Promise<void> {
    const { connection, clock } = this.#options;
    const renewed = await within(clock, PATIENCE_MS, job.extendLock(token, LOST_AFTER_MS)).catch(error => {
      throw queueError(connection.engine, error);
    });
    if (Number(renewed) !== 1)
      throw queueError(connection.engine, new Error('another listener purges events now'));
  }

  /** Takes events out of the queue that are done. */
  async #complete(ids: readonly string[]): Promise<void> {
    const { connection, clock } = this.#options;
    await this.#assertTurn();
    try {
      await within(clock, RECORD_MS, this.#take(new Set(ids)));
    } catch (error) {
      throw queueError(connection.engine, error);
    }
    this.#waiting = Math.max(0, this.#waiting - ids.length);
  }

  /** The first ones in the queue are those of `ids`: only the listener that has the turn takes any out. */
  async #take(ids: Set<string>): Promise<void> {
    const token = randomUUID();
    const taking: Promise<unknown>[] = [];
    const others: Job[] = [];
    while (ids.size > 0) {
      const job = await this.#worker?.getNextJob(token, { block: false });
      if (job === undefined) break;
      if (ids.delete(job.id ?? '')) taking.push(job.moveToCompleted(undefined, token, false));
      else others.push(job);
    }
    await Promise.all(taking);
    // Of a listener that was killed while it took them out.
    for (const job of others.reverse()) await job.moveToWait(token);
    if (ids.size > 0) throw new Error('events that are done cannot be taken out of the queue');
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await this.#options.clock.sleep(LOOK_MS, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#look();
      } catch (error) {
        this.#isAvailable = false;
        this.#report((error as Error).message);
      }
    }
  }

  /** Finds out whether the engine was emptied, and stores there again what has to be. Throws NetworkError. */
  async #mark(): Promise<void> {
    const marker = await this.#entries.run(async queue => {
      const found = await queue.getJob(MARKER);
      if (found !== undefined) return found.data.marker;
      await queue.add('marker', { marker: randomUUID() }, { jobId: MARKER });
      return (await queue.getJob(MARKER))?.data.marker;
    });
    if (marker === this.#marker) return;
    await this.#keepMap();
    if (this.#marker !== undefined) {
      this.#losses += 1;
      this.#lostAt = this.#options.clock.now();
      this.#options.onEmptied();
    }
    this.#marker = marker;
  }

  /** Counts what waits, and adds the turn where there is none. Throws NetworkError. */
  async #look(): Promise<void> {
    await this.#mark();
    const { waiting = 0, active = 0 } = await this.#events.run(queue =>
      queue.getJobCounts('waiting', 'active'),
    );
    await this.#turns.run(async queue => {
      const turn = await queue.getJob(TURN);
      // Who has the turn still notices meanwhile that its lock is gone.
      if (turn === undefined && this.#sinceLoss >= LOST_AFTER_MS)
        await queue.add('turn', {}, { jobId: TURN, removeOnFail: true, stackTraceLimit: 0 });
      // Its holder knows better.
      if (!this.#hasTurn) this.#trouble = turn?.data.trouble;
    });
    this.#waiting = waiting + active;
    this.#isAvailable = true;
    this.#isReported = false;
    if (waiting > 0) this.#more.now();
  }

  #report(message: string): void {
    if (!this.#isReported && !this.#closed.signal.aborted) this.#options.onEngineError(message);
    this.#isReported = true;
  }
}

/** The name of the job of an event: BullMQ adds no second job of one name. */
function jobId(sender: string, event: string): string {
  return createHash('sha256')
    .update(JSON.stringify([sender, event]))
    .digest('hex');
}

function mapId(fingerprint: string): string {
  return `map-${fingerprint}`;
}

/** The same for maps that say the same. */
function fingerprintOf(map: EventMap): string {
  const sorted = (_: string, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
  return createHash('sha256').update(JSON.stringify(map, sorted)).digest('hex');
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>(resolve => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
