import { createHash, randomUUID } from 'node:crypto';
import type { Job, Worker } from 'bullmq';
import { EventRefused } from '../../apis/cdn/events/content-event.ts';
import type { EventMap } from '../../apis/cdn/events/fan-out.ts';
import { NetworkError } from '../../errors/index.ts';
import { queueError } from '../../sync/engine/connect.ts';
import { JobQueue } from '../../sync/engine/job-queue.ts';
import { LastingWorker } from '../../sync/engine/lasting-worker.ts';
import { within } from '../../sync/engine/within.ts';
import { type EventBatch, type EventStore, MOST_WAITING, type QueuedEvent, Wake } from './event-store.ts';
import {
  aborted,
  CLOSE_MS,
  LOST_AFTER_MS,
  PATIENCE_MS,
  PurgeTurn,
  type SharedEngine,
  workerOptions,
} from './purge-turn.ts';
import { SharedMemory } from './shared-memory.ts';

interface SharedQueueOptions extends SharedEngine {
  /** For how long the id of an event is remembered, in milliseconds. */
  readonly rememberMs: number;
  /** What events that this listener accepts lead to, wherever they are purged. */
  readonly map: EventMap;
  /** Called once when the engine fails, and again only after it has responded meanwhile. */
  readonly onEngineError: (message: string) => void;
  /** Called when this listener has the turn to purge. */
  readonly onTurn: () => void;
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

/** How often to look at the queue, in milliseconds. */
const LOOK_MS = 500;
/** How long the engine may take to record a batch, in milliseconds. */
const RECORD_MS = 20_000;
/** For how long it is said that the engine was emptied, in milliseconds. */
const EMPTIED_MS = 60_000;

/**
 * A queue of events in BullMQ, for the listeners of several machines. Each of them stores events; the one that has the turn purges, so that
 * no purge starts while another runs, on any machine. An event stays in the queue until it is done, and its job is kept as completed while
 * its id is remembered.
 */
export class SharedEventQueue implements EventStore {
  readonly isShared = true;
  /** What entries were. */
  readonly entries: SharedMemory;
  readonly #options: SharedQueueOptions;
  readonly #events: JobQueue<StoredEvent>;
  readonly #turn: PurgeTurn;
  readonly #taker: LastingWorker<StoredEvent>;
  readonly #closed = new AbortController();
  readonly #more = new Wake();
  /** Takes events that are done out of the queue, once it is connected. */
  #worker: Worker<StoredEvent> | undefined;
  #watching: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isAvailable = true;
  #isReported = false;

  private constructor(options: SharedQueueOptions) {
    const { connection, name, clock } = options;
    this.#options = options;
    const engine = { ...options, onEngineError: (message: string) => this.#report(message) };
    this.#turn = new PurgeTurn(engine, options.onTurn);
    this.entries = new SharedMemory({ ...options, engine, assertTurn: () => this.#turn.assert() });
    this.#events = new JobQueue(connection, name, clock, PATIENCE_MS);
    this.#taker = new LastingWorker({ ...workerOptions(engine), queue: name, process: undefined });
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
    return { count: this.entries.losses, isRecent: this.entries.sinceLoss < EMPTIED_MS };
  }

  get trouble(): string | undefined {
    return this.#turn.trouble;
  }

  async setTrouble(code: string | undefined): Promise<void> {
    await this.#turn.setTrouble(code);
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
        await queue.add('event', { ...stored, attempt, map: this.entries.fingerprint }, settings);
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
        const map = await this.entries.otherMap(data.map);
        events.push({ event, sender, accepted_at, ...(map !== undefined && { map }) });
      } else this.#options.onDamage(`${this.#options.name} ${id}`);
    }
    return { events, done: () => this.#complete(jobs.map(({ id }) => id ?? '')) };
  }

  /** Calls `work` whenever this listener has the turn, as `PurgeTurn.run` does. Throws the errors of `work`. */
  async inTurn(stop: AbortSignal, work: (signal: AbortSignal) => Promise<number>): Promise<void> {
    await this.#turn.run(stop, work);
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#watching;
    await within(this.#options.clock, CLOSE_MS, this.#taker.close()).catch(() => {});
    this.#taker.disconnect();
    await Promise.all([this.#events.close(), this.entries.close(), this.#turn.close()]);
  }

  /** Takes events out of the queue that are done. */
  async #complete(ids: readonly string[]): Promise<void> {
    const { connection, clock } = this.#options;
    await this.#turn.assert();
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

  /** Counts what waits, and adds the turn where there is none. Throws NetworkError. */
  async #look(): Promise<void> {
    await this.entries.look();
    const { waiting = 0, active = 0 } = await this.#events.run(queue =>
      queue.getJobCounts('waiting', 'active'),
    );
    // Who had the turn when the engine was emptied still has to notice that its lock is gone.
    await this.#turn.look(this.entries.sinceLoss >= LOST_AFTER_MS);
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
