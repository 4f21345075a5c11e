import type { Job, Worker } from 'bullmq';
import type { EngineConnection } from './connect.ts';
import type { QueueClock } from './job-queue.ts';

/** How often a job may lose its worker before it is set aside: losing a machine is no fault of the job. */
const MOST_LOSSES = 20;
/** How long to wait before something is tried again after a failure of the queue, in milliseconds. */
const RESTART_MS = 1000;

export interface LastingWorkerOptions<Data> {
  readonly connection: EngineConnection;
  /** Of the queue. */
  readonly queue: string;
  /** For the status of the queue: host and process. */
  readonly name: string;
  /** Jobs at a time. */
  readonly concurrency: number;
  /** After how many milliseconds without a sign of life another worker takes a job over. */
  readonly lostAfter: number;
  /** Called for a job whose lock another worker has, or that the queue no longer has, before its signal aborts. */
  readonly onLost?: (id: string) => Promise<void>;
  /** Carries out a job; undefined if jobs are taken one by one. */
  readonly process: ((job: Job<Data>, token?: string, lost?: AbortSignal) => Promise<void>) | undefined;
  readonly clock: QueueClock;
  /** Called when the engine cannot be reached; the worker tries again. */
  readonly onEngineError: (message: string) => void;
}

/** A worker of BullMQ that outlasts a lost connection. */
export class LastingWorker<Data> {
  readonly #options: LastingWorkerOptions<Data>;
  #worker: Worker<Data>;
  #isStarted = false;
  #isStopping = false;
  #isDisconnected = false;
  #isLookingAgain = false;

  constructor(options: LastingWorkerOptions<Data>) {
    this.#options = options;
    this.#worker = this.#open();
  }

  #open(): Worker<Data> {
    const { connection, queue, name, concurrency, lostAfter, process, onEngineError } = this.#options;
    const { bullmq, backend } = connection;
    const settings = {
      connection: connection.connection as object,
      name,
      concurrency,
      lockDuration: lostAfter,
      stalledInterval: lostAfter,
      maxStalledCount: MOST_LOSSES,
      drainDelay: 2,
      runRetryDelay: RESTART_MS,
      autorun: false,
    };
    const worker = (backend === undefined
      ? new bullmq.Worker<Data>(queue, process, settings)
      : new bullmq.Worker(queue, process, settings, backend)) as unknown as Worker<Data>;
    worker.on('error', error => {
      if (this.#isDisconnected) return;
      onEngineError(error.message);
      this.#keepLookingForLost(worker);
    });
    worker.on('lockRenewalFailed', ids => {
      for (const id of ids) void this.#lose(worker, id);
    });
    return worker;
  }

  /** Another worker may have the job now; the lock of its site makes it wait until this one stops. */
  async #lose(worker: Worker<Data>, id: string): Promise<void> {
    try {
      await this.#options.onLost?.(id);
    } finally {
      worker.cancelJob(id);
    }
  }

  /** A lost connection ends BullMQ's search for jobs of lost workers; without it, such jobs would remain active for ever. */
  #keepLookingForLost(worker: Worker<Data>): void {
    if (this.#isLookingAgain) return;
    this.#isLookingAgain = true;
    this.#options.clock
      .sleep(RESTART_MS)
      .then(() => {
        this.#isLookingAgain = false;
        if (this.#isStarted && !this.#isStopping) return worker.startStalledCheckTimer();
      })
      .catch(() => {});
  }

  /** Calls `work` with the worker once it is connected, and again with another one when that fails. */
  async run(work: (worker: Worker<Data>) => Promise<void>): Promise<void> {
    const { clock, onEngineError } = this.#options;
    while (!this.#isStopping) {
      const worker = this.#worker;
      try {
        await worker.waitUntilReady();
        if (this.#isStopping) return;
        this.#isStarted = true;
        await work(worker);
        return;
      } catch (error) {
        onEngineError((error as Error).message);
        // BullMQ's object remembers that its first connection failed, and never tries another one.
        if (!this.#isStopping) this.#worker = this.#open();
        worker.close().catch(() => {});
      }
      await clock.sleep(RESTART_MS);
    }
  }

  /** Does nothing again from now on. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Takes no more jobs; resolves when those in hand are finished. */
  async close(): Promise<void> {
    this.stop();
    await this.#worker.close();
  }

  /** Ends the connections, whatever is in hand; their end is no failure of the engine. */
  disconnect(): void {
    this.#isDisconnected = true;
    this.#worker.disconnect().catch(() => {});
  }
}
