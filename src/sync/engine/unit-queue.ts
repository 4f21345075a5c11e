import type { Job } from 'bullmq';
import type { EngineConnection } from './connect.ts';
import { JobQueue, type QueueClock } from './job-queue.ts';
import { type RateWindow, UNLIMITED } from './rate.ts';
import { type GroupJob, type IdentifiedJob, type UnitJob, unitsIn, unitsOfGroup } from './unit-job.ts';

/** Jobs of one request to the queue: of about as many bytes as units, or as groups of them. */
const [UNITS_OF_REQUEST, GROUPS_OF_REQUEST] = [1000, 20];
/** Requests of one submit in flight, so that the queue is never idle. */
const REQUESTS_IN_FLIGHT = 2;
/** How long `cancel` waits for workers that divide groups, in milliseconds: the units are in the queue then, or in the group. */
const DIVIDING_MS = 5000;
const LOOK_MS = 100;
/** BullMQ's codes for a job that does not exist, or is not in the state that an operation requires. */
const GONE: ReadonlySet<unknown> = new Set([-1, -3]);
/** The first pause before a failed unit is tried again, in milliseconds; each later one is twice as long. */
const BACKOFF_MS = 2000;

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

/** The names of the queues of an account: of its units, and of groups that no worker has divided yet. */
export function queueNames(account: string): { readonly units: string; readonly groups: string } {
  const units = `gatectl-sync-${account}`;
  return { units, groups: `${units}-groups` };
}

/** The units of one account in an engine. Methods throw NetworkError when the engine fails. */
export class UnitQueue {
  readonly account: string;
  readonly #clock: QueueClock;
  readonly #units: JobQueue<UnitJob>;
  readonly #groups: JobQueue<GroupJob>;

  constructor(connection: EngineConnection, account: string, clock: QueueClock) {
    this.#clock = clock;
    this.account = account;
    const { units, groups } = queueNames(account);
    this.#units = new JobQueue(connection, units, clock);
    this.#groups = new JobQueue(connection, groups, clock);
  }

  /** Adds units; those that are in the queue already remain as they are. `tries` is maximum attempts per unit before it is set aside. */
  async add(units: readonly IdentifiedJob[], tries: number): Promise<void> {
    const jobs = units.map(({ id, data }) => ({ name: 'unit', data, opts: jobOptions(id, tries) }));
    for (let from = 0; from < jobs.length; from += UNITS_OF_REQUEST)
      await this.#units.run(queue => queue.addBulk(jobs.slice(from, from + UNITS_OF_REQUEST)));
  }

  /**
   * Adds groups of units; those that are in the queue already remain as they are. Holds a few groups at a time, however many there
   * are. Calls `onAdded` with numbers of units; returns how many there were.
   */
  async addGroups(
    groups: AsyncIterable<IdentifiedJob<GroupJob>>,
    tries: number,
    onAdded: (count: number) => void,
  ): Promise<number> {
    let batch: IdentifiedJob<GroupJob>[] = [];
    let count = 0;
    const sending = new Set<Promise<void>>();
    const send = async () => {
      const units = batch.reduce((sum, { data }) => sum + data.units.length, 0);
      const jobs = batch.map(({ id, data }) => ({ name: 'group', data, opts: jobOptions(id, tries) }));
      batch = [];
      while (sending.size >= REQUESTS_IN_FLIGHT) await Promise.race(sending);
      const sent = this.#groups
        .run(queue => queue.addBulk(jobs))
        .then(() => {
          sending.delete(sent);
          count += units;
          onAdded(units);
        });
      sending.add(sent);
      // Its failure is thrown by the race or at the end.
      sent.catch(() => {});
    };
    for await (const group of groups) {
      batch.push(group);
      if (batch.length >= GROUPS_OF_REQUEST) await send();
    }
    if (batch.length > 0) await send();
    await Promise.all(sending);
    return count;
  }

  /**
   * While a worker divides a group, its units may count twice. All are zero only if no unit was left: groups are counted before units,
   * as units leave them, and each states at one moment.
   */
  async counts(): Promise<QueueCounts> {
    const groups = await this.#groups.run(async queue => {
      const counts = await queue.getJobCounts('waiting', 'active', 'failed');
      const unitsIn = async (...states: readonly ('waiting' | 'active' | 'failed')[]) => {
        const jobs = states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
        return jobs === 0 ? 0 : Math.max(jobs, unitsOf(await queue.getRanges([...states], 0, -1)));
      };
      return { left: await unitsIn('waiting', 'active'), set_aside: await unitsIn('failed') };
    });
    const { waiting = 0, ...units } = await this.#units.run(queue =>
      queue.getJobCounts('waiting', 'delayed', 'active', 'failed'),
    );
    return {
      waiting: waiting + groups.left,
      delayed: units.delayed ?? 0,
      active: units.active ?? 0,
      set_aside: (units.failed ?? 0) + groups.set_aside,
    };
  }

  /** Whether the queue has a unit, in any state. */
  async has(id: string): Promise<boolean> {
    return (await this.#units.run(queue => queue.getJob(id))) !== undefined;
  }

  /** How many units wait that are not in groups. */
  async waitingUnits(): Promise<number> {
    const { waiting = 0 } = await this.#units.run(queue => queue.getJobCounts('waiting'));
    return waiting;
  }

  async limits(): Promise<AccountLimits> {
    return await this.#units.run(async queue => {
      const rate = (await queue.getGlobalRateLimit()) ?? undefined;
      return {
        rate:
          rate === undefined || rate.max >= UNLIMITED.max ? undefined : { max: rate.max, ms: rate.duration },
        concurrency: (await queue.getGlobalConcurrency()) ?? undefined,
      };
    });
  }

  /** Sets limits for all workers of the account; undefined leaves one as it is. */
  async setLimits({ rate, concurrency }: AccountLimits): Promise<void> {
    await this.#units.run(async queue => {
      const current = await queue.getGlobalRateLimit();
      // Without a rate, BullMQ ignores the pause of `pause`.
      const window = rate ?? (current === null ? UNLIMITED : undefined);
      if (window !== undefined) await queue.setGlobalRateLimit(window.max, window.ms);
      if (concurrency !== undefined) await queue.setGlobalConcurrency(concurrency);
    });
  }

  /** Sets limits again if the engine lost them, as a Redis that was emptied or restarted does. Returns whether it had. */
  async restoreLimits(limits: AccountLimits): Promise<boolean> {
    const current = await this.#units.run(queue => queue.getGlobalRateLimit());
    if (current !== null) return false;
    await this.setLimits(limits);
    return true;
  }

  /** Starts no unit at any worker for `ms`. */
  async pause(ms: number): Promise<void> {
    await this.#units.run(queue => queue.rateLimit(Math.ceil(ms)));
  }

  /** How long no unit may start, in milliseconds. */
  async pauseLeft(): Promise<number> {
    const left = await this.#units.run(queue => queue.getRateLimitTtl());
    return Math.max(0, left);
  }

  /** How many workers are connected; undefined where the engine does not tell. */
  async workers(): Promise<number | undefined> {
    return await this.#units.workers();
  }

  /** The units that are worked on, with their workers. */
  async active(): Promise<
    readonly { readonly id: string; readonly job: UnitJob; readonly worker: string }[]
  > {
    const jobs = await this.#units.run(queue => queue.getActive());
    return jobs.map(job => ({ id: job.id ?? '', job: job.data, worker: job.processedBy ?? '' }));
  }

  /** Set-aside units, the first ones first, at most `most`. */
  async setAside(most: number): Promise<readonly SetAsideUnit[]> {
    const failed = async <Data extends UnitJob | GroupJob>(jobs: JobQueue<Data>) =>
      (await jobs.run(queue => queue.getJobs(['failed'], 0, most - 1, true))).flatMap(job =>
        unitsOfGroup(job.id ?? '', job.data, this.account).map(({ id, data }) => ({
          id,
          job: data,
          tries: job.attemptsMade,
          error: job.failedReason ?? '',
          at: new Date(job.finishedOn ?? job.timestamp).toISOString(),
        })),
      );
    // A group is set aside when each of many workers that divided it was killed.
    return [...(await failed(this.#units)), ...(await failed(this.#groups))].slice(0, most);
  }

  /** Returns all set-aside units to the queue, with all their tries. Returns how many. */
  async retry(): Promise<number> {
    return (await retryAll(this.#units)) + (await retryAll(this.#groups));
  }

  /** Removes all units that no worker has begun, and those set aside. */
  async cancel(): Promise<{ readonly waiting: number; readonly set_aside: number }> {
    const end = this.#clock.now() + DIVIDING_MS;
    const groups = await this.#groups.run(queue => queue.getRanges(['waiting'], 0, -1));
    await this.#groups.run(queue => queue.drain(true));
    let waiting: number | undefined;
    for (;;) {
      // What a worker divides is in the queue afterwards.
      const dividing = await this.#groups.run(queue => queue.getRanges(['active'], 0, -1));
      waiting ??= unitsOf(groups.filter(id => !dividing.includes(id)));
      const counts = await this.#units.run(queue => queue.getJobCounts('waiting', 'delayed'));
      await this.#units.run(queue => queue.drain(true));
      waiting += (counts.waiting ?? 0) + (counts.delayed ?? 0);
      if (dividing.length === 0 || this.#clock.now() > end) break;
      await this.#clock.sleep(LOOK_MS);
    }
    const failed = [
      ...(await this.#units.run(queue => queue.clean(0, 0, 'failed'))),
      ...(await this.#groups.run(queue => queue.clean(0, 0, 'failed'))),
    ];
    return { waiting, set_aside: unitsOf(failed) };
  }

  /** Ends the connections of this queue. */
  async close(): Promise<void> {
    await Promise.all([this.#units.close(), this.#groups.close()]);
  }
}

/** Returns all failed jobs of a queue to it; returns how many units they have. */
async function retryAll<Data>(queue: JobQueue<Data>): Promise<number> {
  for (let count = 0; ; ) {
    const returned = await queue.run(async each => {
      const jobs = await each.getJobs(['failed'], 0, UNITS_OF_REQUEST - 1, true);
      return await Promise.all(jobs.map(retryOne));
    });
    if (returned.length === 0) return count;
    count += unitsOf(returned.filter(id => id !== undefined));
  }
}

/** Returns a failed job to its queue; undefined if another command has done so. */
async function retryOne(job: Job): Promise<string | undefined> {
  try {
    await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    return job.id;
  } catch (error) {
    if (GONE.has((error as { code?: unknown }).code)) return undefined;
    throw error;
  }
}

/** The units of jobs. */
function unitsOf(ids: readonly string[]): number {
  return ids.reduce((sum, id) => sum + unitsIn(id), 0);
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
