import type { Job } from 'bullmq';
import {
  ApiError,
  AuthError,
  DestinationError,
  FileError,
  GatectlError,
  InterruptedError,
  LockedError,
  RateLimitError,
  UsageError,
} from '../../errors/index.ts';
import { linkSignals } from '../../http/linked-signal.ts';
import { isOfPartition } from '../run-unit.ts';
import { AccountPause } from './account-pause.ts';
import { GroupDivider } from './group-divider.ts';
import { LastingWorker } from './lasting-worker.ts';
import { laterVersionError, type UnitJob } from './unit-job.ts';
import { queueNames } from './unit-queue.ts';
import { UnitRunner, type UnitTally } from './unit-runner.ts';
import { within } from './within.ts';
import type { UnitOutcome, WorkerOptions } from './worker-options.ts';

/** A worker stops when this many units have failed in succession. */
const HOPELESS_FAILURES = 10;
/** How long a unit waits whose site another machine is writing, in milliseconds. */
const LOCKED_MS = 2000;
/** The pause after a rate limit response that names none, in milliseconds. */
const PAUSE_MS = 10_000;
/** How long to wait for the queue at the end, in milliseconds, and how often to look. */
const [LONGEST_CLOSE_MS, LOOK_MS] = [10_000, 1000];
/** How long to look for a unit in the queue whose lock is gone, in milliseconds. */
const LOOK_UP_MS = 5000;

/** Takes units from a queue and carries them out, several at a time, until it is stopped. */
export class UnitWorker {
  readonly #options: WorkerOptions;
  readonly #units: LastingWorker<UnitJob>;
  readonly #groups: GroupDivider;
  readonly #runner: UnitRunner;
  readonly #pause: AccountPause;
  readonly #giveUp = new AbortController();
  /** Units in hand that the queue no longer has. */
  readonly #lost = new Set<string>();
  #failures = 0;
  #fatal: GatectlError | undefined;
  #onFatal: (error: GatectlError) => void = () => {};
  /** Resolves with the error that stops the worker. */
  readonly failed = new Promise<GatectlError>(resolve => {
    this.#onFatal = resolve;
  });

  constructor(options: WorkerOptions) {
    const { connection, queue, name, concurrency, lostAfter, clock, onEngineError } = options;
    const common = { connection, name, lostAfter, clock, onEngineError };
    this.#options = options;
    this.#runner = new UnitRunner(options);
    this.#pause = new AccountPause(options);
    this.#groups = new GroupDivider({ ...common, queue, onFatal: error => this.#stopFor(error) });
    this.#units = new LastingWorker({
      ...common,
      queue: queueNames(queue.account).units,
      concurrency,
      // With three parameters BullMQ passes the signal.
      process: (job, token, lost) => this.#process(job, token, lost),
      onLost: async id => {
        // Without an answer, another worker may have it.
        const isInQueue = await within(clock, LOOK_UP_MS, queue.has(id)).catch(() => true);
        if (isInQueue) this.#lost.delete(id);
        else this.#lost.add(id);
      },
    });
  }

  /** The error of `failed`, once there is one. */
  get failure(): GatectlError | undefined {
    return this.#fatal;
  }

  /** Starts taking units. */
  start(): void {
    this.#groups.start();
    void this.#units.run(worker => worker.run());
  }

  /** Takes no more units; resolves when those in hand are finished, or returned after `giveUp`. */
  async stop(): Promise<void> {
    const closed = new AbortController();
    const closing = Promise.all([this.#units.close(), this.#groups.stop()]);
    await Promise.race([closing, this.#idleForLong(closed.signal)]);
    // Its timer would let the process live on.
    closed.abort();
    this.#units.disconnect();
    this.#groups.disconnect();
  }

  /** Resolves when units have been finished for some time, although the queue has not confirmed it: it does not answer. */
  async #idleForLong(signal: AbortSignal): Promise<void> {
    for (let idle = 0; idle < LONGEST_CLOSE_MS; idle = this.#runner.isIdle ? idle + LOOK_MS : 0)
      try {
        await this.#options.clock.sleep(LOOK_MS, signal);
      } catch {
        return;
      }
  }

  /** Stops the units in hand, which return to the queue. */
  giveUp(): void {
    this.#giveUp.abort(new InterruptedError('SIGTERM'));
  }

  /** Pauses all workers of the account after a rate limit response. */
  async rateLimited(ms: number): Promise<void> {
    await this.#pause.rateLimited(ms);
  }

  async #process(job: Job<UnitJob>, token: string | undefined, lost: AbortSignal | undefined): Promise<void> {
    const error = laterVersionError(job.data);
    if (error !== undefined) {
      this.#stopFor(error);
      throw await this.#returned(job, token, false);
    }
    await this.#carryOut(job, token, lost);
  }

  async #carryOut(
    job: Job<UnitJob>,
    token: string | undefined,
    lost: AbortSignal | undefined,
  ): Promise<void> {
    const { clock, signal, onStarted, onFinished } = this.#options;
    const id = job.id ?? '';
    const began = clock.now();
    const tally: UnitTally = {
      partitions: 0,
      changes: { added: 0, changed: 0, unchanged: 0 },
      rows: 0,
      requests: 0,
      rest: 0,
    };
    const finish = (result: UnitOutcome['result'], error?: string) =>
      onFinished({
        ...{ result, id, job: job.data, error },
        ...tally,
        attempt: job.attemptsMade + 1,
        ms: clock.now() - began,
      });
    const link = linkSignals([signal, this.#giveUp.signal, ...(lost === undefined ? [] : [lost])]);
    try {
      onStarted(id, job.data);
      await this.#runner.run(job.data, job.opts.attempts ?? 1, link.signal, tally);
      this.#failures = 0;
      finish('done');
    } catch (error) {
      if (link.signal.aborted) {
        if (this.#lost.delete(id)) finish('lost', 'the queue no longer has it');
        else
          finish('returned', lost?.aborted ? 'another worker has taken it over' : 'the worker was stopped');
        throw await this.#returned(job, token, lost?.aborted === true);
      }
      throw await this.#failed(job, token, error, finish);
    } finally {
      link.release();
    }
  }

  /** The error that makes BullMQ leave a unit alone that was returned to the queue, with as many tries as before. */
  async #returned(job: Job<UnitJob>, token: string | undefined, isLost: boolean): Promise<Error> {
    const { WaitingError } = this.#options.connection.bullmq;
    if (!isLost) await job.moveToWait(token).catch(() => {});
    return new WaitingError();
  }

  /** Decides what becomes of a unit that failed; resolves to the error that tells BullMQ. */
  async #failed(
    job: Job<UnitJob>,
    token: string | undefined,
    error: unknown,
    finish: (result: UnitOutcome['result'], error?: string) => void,
  ): Promise<Error> {
    const { clock, connection } = this.#options;
    const { DelayedError, UnrecoverableError } = connection.bullmq;
    const message = this.#options.redact(error instanceof Error ? error.message : String(error));
    if (error instanceof RateLimitError) {
      finish('returned', message);
      await this.rateLimited(Math.max(error.request?.retryAfterMs ?? 0, PAUSE_MS)).catch(() => {});
      return await this.#returned(job, token, false);
    }
    // Of a holder on another machine that may be gone, a try is counted, so that its error is seen in the end.
    if (error instanceof LockedError && error.isRunning === true) {
      finish('returned', message);
      await job.moveToDelayed(clock.now() + LOCKED_MS, token);
      return new DelayedError();
    }
    if (error instanceof AuthError && error.code !== 'forbidden') {
      finish('returned', message);
      this.#stopFor(error);
      return await this.#returned(job, token, false);
    }
    const isOfValue = isOfPartition(error);
    if (!isOfValue) this.#failures += 1;
    const isHopeless =
      isOfValue ||
      error instanceof ApiError ||
      error instanceof AuthError ||
      // The sync file of this worker is another one than that of the plan.
      error instanceof UsageError;
    const isLast = isHopeless || job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
    finish(isLast ? 'set_aside' : 'failed', message);
    if (error instanceof GatectlError && (isOfWorker(error) || this.#failures >= HOPELESS_FAILURES))
      this.#stopFor(error);
    return isHopeless ? new UnrecoverableError(message) : new Error(message);
  }

  #stopFor(error: GatectlError): void {
    if (this.#fatal !== undefined) return;
    this.#fatal = error;
    this.#onFatal(error);
  }
}

/** Whether every unit at this worker would fail of it: a full disk, or a destination that rejects the user. */
function isOfWorker(error: GatectlError): boolean {
  if (error instanceof DestinationError) return error.kind !== 'network';
  return error instanceof FileError && !isOfPartition(error);
}
