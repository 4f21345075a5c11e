import type { Job, Queue } from 'bullmq';
import { NetworkError } from '../../errors/index.ts';
import { type EngineConnection, isConnectionLost, queueError } from './connect.ts';
import { type RateWindow, UNLIMITED } from './rate.ts';
import type { IdentifiedJob, UnitJob } from './unit-job.ts';

/** Units of one request to the queue. */
const BATCH = 1000;
/** Requests of one submit in flight, so that the queue is never idle. */
const BATCHES_IN_FLIGHT = 2;
/** The first pause before a failed unit is tried again, in milliseconds; each later one is twice as long. */
const BACKOFF_MS = 2000;

/** How long an operation is tried again while the engine cannot be reached: a server that restarts takes less. */
const PATIENCE_MS = 60_000;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 5000];

/** The units of a queue by state. */
export interface QueueCounts {
  readonly waiting: number;
  /** Waiting for their next try. */
  readonly delayed: number;
  readonly active: number;
  readonly set_aside: number;
}

/** The limits of an account, which hold for all its workers together. */
export interface AccountLimits {
  /** Undefined for no limit. */
  readonly rate: RateWindow | undefined;
  readonly concurrency: number | undefined;
}

/** A unit that failed in all its tries. */
export interface SetAsideUnit {
  readonly id: string;
  readonly job: UnitJob;
  readonly tries: number;
  readonly error: string;
  /** RFC 3339. */
  readonly at: string;
}

/** The name of the queue of an account. */
export function queueName(account: string): string {
  return `gatectl-sync-${account}`;
}

interface QueueClock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** The units of one account in an engine. Methods throw NetworkError when the engine fails. */
export class UnitQueue {
  readonly account: string;
  readonly #connection: EngineConnection;
  readonly #queue: Queue<UnitJob>;
  readonly #clock: QueueClock;

  constructor(connection: EngineConnection, account: string, clock: QueueClock) {
    this.#clock = clock;
    const { bullmq, backend } = connection;
    this.account = account;
    this.#connection = connection;
    const options = { connection: connection.connection as object, skipMetasUpdate: true };
    this.#queue = (backend === undefined
      ? new bullmq.Queue(queueName(account), options)
      : new bullmq.Queue(queueName(account), options, backend)) as unknown as Queue<UnitJob>;
    // Failures reach the callers of the methods.
    this.#queue.on('error', () => {});
  }

  /**
   * Adds units; those that are in the queue already remain as they are. Holds a few thousand at a time, however many there are.
   * `tries` is how often a unit is tried before it is set aside. Returns how many there were.
   */
  async add(
    units: Iterable<IdentifiedJob> | AsyncIterable<IdentifiedJob>,
    tries: number,
    onAdded: (count: number) => void = () => {},
  ): Promise<number> {
    let batch: IdentifiedJob[] = [];
    let count = 0;
    const sending = new Set<Promise<void>>();
    const send = async () => {
      const jobs = batch.map(({ id, data }) => ({ name: 'unit', data, opts: jobOptions(id, tries) }));
      batch = [];
      while (sending.size >= BATCHES_IN_FLIGHT) await Promise.race(sending);
      const sent = this.#safely(() => this.#queue.addBulk(jobs)).then(() => {
        sending.delete(sent);
        count += jobs.length;
        onAdded(jobs.length);
      });
      sending.add(sent);
      // Its failure is thrown by the race or at the end.
      sent.catch(() => {});
    };
    for await (const unit of units) {
      batch.push(unit);
      if (batch.length >= BATCH) await send();
    }
    if (batch.length > 0) await send();
    await Promise.all(sending);
    return count;
  }

  async counts(): Promise<QueueCounts> {
    const counts = await this.#safely(() =>
      this.#queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active', 'failed'),
    );
    const of = (state: string) => counts[state] ?? 0;
    return {
      waiting: of('waiting') + of('prioritized'),
      delayed: of('delayed'),
      active: of('active'),
      set_aside: of('failed'),
    };
  }

  async limits(): Promise<AccountLimits> {
    return await this.#safely(async () => {
      const rate = (await this.#queue.getGlobalRateLimit()) ?? undefined;
      return {
        rate:
          rate === undefined || rate.max >= UNLIMITED.max ? undefined : { max: rate.max, ms: rate.duration },
        concurrency: (await this.#queue.getGlobalConcurrency()) ?? undefined,
      };
    });
  }

  /** Sets limits for all workers of the account; undefined leaves one as it is. */
  async setLimits({ rate, concurrency }: AccountLimits): Promise<void> {
    await this.#safely(async () => {
      const current = await this.#queue.getGlobalRateLimit();
      // Without a rate, BullMQ ignores the pause of `pause`.
      const window = rate ?? (current === null ? UNLIMITED : undefined);
      if (window !== undefined) await this.#queue.setGlobalRateLimit(window.max, window.ms);
      if (concurrency !== undefined) await this.#queue.setGlobalConcurrency(concurrency);
    });
  }

  /** Sets limits again if the engine lost them, as a Redis that was emptied or restarted does. Returns whether it had. */
  async restoreLimits(limits: AccountLimits): Promise<boolean> {
    const current = await this.#safely(() => this.#queue.getGlobalRateLimit());
    if (current !== null) return false;
    await this.setLimits(limits);
    return true;
  }

  /** Starts no unit at any worker for `ms`. */
  async pause(ms: number): Promise<void> {
    await this.#safely(() => this.#queue.rateLimit(Math.ceil(ms)));
  }

  /** How long no unit may start, in milliseconds. */
  async pauseLeft(): Promise<number> {
    const left = await this.#safely(() => this.#queue.getRateLimitTtl());
    return Math.max(0, left);
  }

  /** How many workers are connected; undefined where the engine does not tell. */
  async workers(): Promise<number | undefined> {
    return await this.#queue.getWorkersCount().catch(() => undefined);
  }

  /** The units that are worked on, with their workers. */
  async active(): Promise<
    readonly { readonly id: string; readonly job: UnitJob; readonly worker: string }[]
  > {
    const jobs = await this.#safely(() => this.#queue.getActive());
    return jobs.flatMap(job =>
      job === undefined
        ? []
        : [{ id: job.id ?? '', job: job.data as UnitJob, worker: job.processedBy ?? '' }],
    );
  }

  /** Set-aside units, the first ones first, at most `most`. */
  async setAside(most: number): Promise<readonly SetAsideUnit[]> {
    const jobs = await this.#safely(() => this.#queue.getJobs(['failed'], 0, most - 1, true));
    return (jobs as (Job<UnitJob> | undefined)[]).flatMap(job =>
      job === undefined
        ? []
        : [
            {
              id: job.id ?? '',
              job: job.data,
              tries: job.attemptsMade,
              error: job.failedReason ?? '',
              at: new Date(job.finishedOn ?? job.timestamp).toISOString(),
            },
          ],
    );
  }

  /** Returns all set-aside units to the queue, with all their tries. Returns how many. */
  async retry(): Promise<number> {
    let count = 0;
    for (;;) {
      const returned = await this.#safely(async () => {
        const jobs = await this.#queue.getJobs(['failed'], 0, BATCH - 1, true);
        await Promise.all(
          jobs.map(job => job?.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })),
        );
        return jobs.length;
      });
      if (returned === 0) return count;
      count += returned;
    }
  }

  /** Removes all units that no worker has begun, and those set aside. */
  async cancel(): Promise<{ readonly waiting: number; readonly set_aside: number }> {
    const { waiting, delayed } = await this.counts();
    await this.#safely(() => this.#queue.drain(true));
    const failed = await this.#safely(() => this.#queue.clean(0, 0, 'failed'));
    return { waiting: waiting + delayed, set_aside: failed.length };
  }

  /** Ends the connection of this queue. */
  async close(): Promise<void> {
    await this.#queue.close().catch(() => {});
  }

  async #safely<Value>(work: () => Promise<Value>): Promise<Value> {
    const end = this.#clock.now() + PATIENCE_MS;
    // All of them are idempotent.
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause))
      try {
        return await work();
      } catch (error) {
        if (error instanceof NetworkError) throw error;
        if (!isConnectionLost(error) || this.#clock.now() + pause > end)
          throw queueError(this.#connection.engine, error);
        await this.#clock.sleep(pause);
      }
  }
}

function jobOptions(id: string, tries: number) {
  return {
    jobId: id,
    attempts: tries,
    backoff: { type: 'exponential', delay: BACKOFF_MS, jitter: 0.5 },
    // A unit may be submitted again once it is done; one that was set aside keeps its place.
    removeOnComplete: true,
    stackTraceLimit: 0,
  };
}
