import type { Job } from 'bullmq';
import { NetworkError } from '../../errors/index.ts';
import { linkSignals } from '../../http/linked-signal.ts';
import { type EngineConnection, queueError } from '../../sync/engine/connect.ts';
import { JobQueue, type QueueClock } from '../../sync/engine/job-queue.ts';
import { LastingWorker, type LastingWorkerOptions } from '../../sync/engine/lasting-worker.ts';
import { within } from '../../sync/engine/within.ts';

/** How one listener uses an engine that several share. */
export interface SharedEngine {
  readonly connection: EngineConnection;
  /** The common part of the names of the queues in the engine. */
  readonly name: string;
  /** Of this listener, for those who look into the engine: host and process. */
  readonly listener: string;
  readonly clock: QueueClock;
  /** Called when the engine fails. */
  readonly onEngineError: (message: string) => void;
}

/** The job that is the turn to purge, with why the last purge failed. */
interface Turn {
  readonly trouble?: string | undefined;
}

/** How long an operation is tried again while the engine does not respond, in milliseconds: senders wait for it. */
export const PATIENCE_MS = 3000;
/** After how many milliseconds without a sign of life another listener takes the turn. */
export const LOST_AFTER_MS = 5000;
/** How long the engine may take to end a connection, in milliseconds. */
export const CLOSE_MS = 2000;
/** How long to wait before the purges begin again after a failure of the engine, in milliseconds. */
const RESTART_MS = 1000;
/** The only job of the queue whose holder purges. */
const TURN = 'turn';

/**
 * The turn to purge, which one of the listeners of several machines has at a time. It is a job: BullMQ gives it to another listener when
 * its holder stops or is killed.
 */
export class PurgeTurn {
  readonly #engine: SharedEngine;
  readonly #onTaken: () => void;
  readonly #turns: JobQueue<Turn>;
  #hasIt = false;
  #trouble: string | undefined;
  #assert: () => Promise<void> = async () => {};

  /** `onTaken` is called when this listener has the turn. */
  constructor(engine: SharedEngine, onTaken: () => void) {
    this.#engine = engine;
    this.#onTaken = onTaken;
    this.#turns = new JobQueue(engine.connection, `${engine.name}-turn`, engine.clock, PATIENCE_MS);
  }

  /** The code of the error for which purges fail, whoever has the turn; undefined while they work. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Sets `trouble` for all listeners. Throws NetworkError where this one has not the turn. */
  async setTrouble(code: string | undefined): Promise<void> {
    if (code === this.#trouble) return;
    await this.assert();
    await this.#turns.run(async queue => (await queue.getJob(TURN))?.updateData({ trouble: code }));
    this.#trouble = code;
  }

  /** Proves that this listener has the turn still. Throws NetworkError where it has not. */
  async assert(): Promise<void> {
    await this.#assert();
  }

  /** Finds out what the trouble is, and adds the turn where there is none and it `mayAdd`. Throws NetworkError. */
  async look(mayAdd: boolean): Promise<void> {
    await this.#turns.run(async queue => {
      const turn = await queue.getJob(TURN);
      if (turn === undefined && mayAdd)
        await queue.add('turn', {}, { jobId: TURN, removeOnFail: true, stackTraceLimit: 0 });
      // Its holder knows better.
      if (!this.#hasIt) this.#trouble = turn?.data.trouble;
    });
  }

  /**
   * Calls `work` whenever this listener has the turn, with a signal that aborts when it loses it, until `stop` aborts. `work` returns for
   * how many milliseconds others may have the turn before this listener takes it again. What it throws of the engine makes it begin again,
   * and any other error is thrown.
   */
  async run(stop: AbortSignal, work: (signal: AbortSignal) => Promise<number>): Promise<void> {
    const { connection, name, clock } = this.#engine;
    const failed = new AbortController();
    const end = linkSignals([stop, failed.signal]);
    let inHand: Promise<void> = Promise.resolve();
    const turns = new LastingWorker<Turn>({
      ...workerOptions(this.#engine),
      queue: `${name}-turn`,
      // With three parameters BullMQ passes the signal.
      process: async (job, token, lost) => {
        const link = linkSignals([stop, failed.signal, ...(lost === undefined ? [] : [lost])]);
        this.#assert = () => this.#renew(job, token ?? '');
        this.#trouble = job.data.trouble;
        this.#hasIt = true;
        this.#onTaken();
        let pause = 0;
        const working = this.#again(work, link.signal).then(
          ms => {
            pause = ms;
          },
          error => failed.abort(error),
        );
        inHand = working;
        await working;
        this.#hasIt = false;
        link.release();
        if (lost?.aborted !== true) await within(clock, CLOSE_MS, job.moveToWait(token)).catch(() => {});
        // It takes no turn before this ends.
        if (pause > 0) await clock.sleep(pause, end.signal).catch(() => {});
        throw new connection.bullmq.WaitingError();
      },
    });
    const running = turns.run(worker => worker.run());
    await aborted(end.signal);
    end.release();
    // It takes no other turn from now on.
    const closing = turns.close();
    await inHand;
    await within(clock, CLOSE_MS, Promise.all([closing, running])).catch(() => {});
    turns.disconnect();
    if (failed.signal.aborted) throw failed.signal.reason;
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    await this.#turns.close();
  }

  /** Repeats what the engine interrupts, and returns what `work` does. */
  async #again(work: (signal: AbortSignal) => Promise<number>, signal: AbortSignal): Promise<number> {
    while (!signal.aborted)
      try {
        return await work(signal);
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
        this.#engine.onEngineError(error.message);
        await this.#engine.clock.sleep(RESTART_MS, signal).catch(() => {});
      }
    return 0;
  }

  async #renew(job: Job, token: string): Promise<void> {
    const { connection, clock } = this.#engine;
    const renewed = await within(clock, PATIENCE_MS, job.extendLock(token, LOST_AFTER_MS)).catch(error => {
      throw queueError(connection.engine, error);
    });
    if (Number(renewed) !== 1)
      throw queueError(connection.engine, new Error('another listener purges events now'));
  }
}

/** What all workers of a listener have in common. */
export function workerOptions({ connection, listener, clock, onEngineError }: SharedEngine) {
  return {
    ...{ connection, clock, onEngineError },
    name: listener,
    concurrency: 1,
    lostAfter: LOST_AFTER_MS,
  } satisfies Partial<LastingWorkerOptions<unknown>>;
}

/** Resolves when a signal aborts. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>(resolve => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
