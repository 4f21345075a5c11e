import { randomUUID } from 'node:crypto';
import type { Worker } from 'bullmq';
import type { GatectlError } from '../../errors/index.ts';
import { LastingWorker, type LastingWorkerOptions } from './lasting-worker.ts';
import { type GroupJob, laterVersionError, unitsOfGroup } from './unit-job.ts';
import { queueNames, type UnitQueue } from './unit-queue.ts';

/** Groups are divided while fewer units wait, so that workers never wait for them, and few jobs are in the queue, however many units. */
export const ENOUGH_UNITS = 200;
/** How often to look whether units are needed, in milliseconds: workers take fewer than enough meanwhile. */
export const LOOK_MS = 500;

interface GroupDividerOptions
  extends Pick<
    LastingWorkerOptions<GroupJob>,
    'connection' | 'name' | 'lostAfter' | 'clock' | 'onEngineError'
  > {
  readonly queue: UnitQueue;
  /** Called when no group can be divided at this worker. */
  readonly onFatal: (error: GatectlError) => void;
}

/**
 * Divides groups into units, where all workers of the account take them. Groups have a queue of their own, so that dividing one takes no
 * start of the account's rate. If a worker is killed meanwhile, another one adds the same units.
 */
export class GroupDivider {
  readonly #options: GroupDividerOptions;
  readonly #groups: LastingWorker<GroupJob>;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: GroupDividerOptions) {
    this.#options = options;
    this.#groups = new LastingWorker({
      ...options,
      queue: queueNames(options.queue.account).groups,
      concurrency: 1,
      process: undefined,
    });
  }

  start(): void {
    this.#running = this.#groups.run(async worker => {
      await worker.startStalledCheckTimer();
      await this.#divideAll(worker);
    });
  }

  /** Takes no more groups; resolves when the one in hand is divided. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#groups.stop();
    await this.#running;
    await this.#groups.close();
  }

  disconnect(): void {
    this.#groups.disconnect();
  }

  async #divideAll(worker: Worker<GroupJob>): Promise<void> {
    const { clock, onEngineError } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let isDivided = false;
      try {
        isDivided = await this.#divideOne(worker);
      } catch (error) {
        onEngineError((error as Error).message);
      }
      if (!isDivided) await clock.sleep(LOOK_MS, signal).catch(() => {});
    }
  }

  /** Resolves to false if no units are needed, or there is no group. */
  async #divideOne(worker: Worker<GroupJob>): Promise<boolean> {
    const { queue, onFatal } = this.#options;
    if ((await queue.waitingUnits()) >= ENOUGH_UNITS) return false;
    const token = randomUUID();
    const job = await worker.getNextJob(token, { block: false });
    if (job === undefined) return false;
    const error = laterVersionError(job.data);
    if (error !== undefined) {
      this.#stop.abort();
      onFatal(error);
      await job.moveToWait(token);
      return false;
    }
    try {
      await queue.add(unitsOfGroup(job.id ?? '', job.data, queue.account), job.opts.attempts ?? 1);
    } catch (error) {
      await job.moveToWait(token).catch(() => {});
      throw error;
    }
    await job.moveToCompleted(undefined, token, false);
    return true;
  }
}
