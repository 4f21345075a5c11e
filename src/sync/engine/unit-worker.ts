import type { Job, Worker } from 'bullmq';
import type { KindOf } from '../../apis/bda/filter-expression.ts';
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
import type { SyncTable } from '../config.ts';
import type { Destination } from '../destinations/destination.ts';
import { runUnit, type UnitOptions } from '../run-unit.ts';
import type { EngineConnection } from './connect.ts';
import { lowered } from './rate.ts';
import { isOfLaterVersion, jobOf, type UnitJob, unitOfJob, withoutSuperseded } from './unit-job.ts';
import { queueName, type UnitQueue } from './unit-queue.ts';

/** A worker stops when this many units have failed in succession. */
const HOPELESS_FAILURES = 10;
/** How often a unit may lose its worker before it is set aside: losing a machine is no fault of the unit. */
const MOST_LOSSES = 20;
/** How long a unit waits whose site another machine is writing, in milliseconds. */
const LOCKED_MS = 2000;
/** The pause after a rate limit response that names none, in milliseconds. */
const PAUSE_MS = 10_000;

/** What a worker did with a unit. */
export interface UnitOutcome {
  readonly result: 'done' | 'failed' | 'set_aside' | 'returned';
  readonly id: string;
  readonly job: UnitJob;
  readonly ms: number;
  readonly partitions: number;
  readonly changes: { readonly added: number; readonly changed: number; readonly unchanged: number };
  readonly rows: number;
  readonly requests: number;
  /** Units that it added for what is left. */
  readonly rest: number;
  /** Of `failed`, `set_aside` and `returned`. */
  readonly error: string | undefined;
  /** Which try it was, from 1. */
  readonly attempt: number;
}

/** A sync file of a worker. */
export interface WorkerSync {
  /** The destination as the file names it. */
  readonly name: string;
  readonly destination: Destination;
  readonly tables: readonly SyncTable[];
  readonly kindOf: KindOf;
}

export interface WorkerOptions
  extends Omit<
    UnitOptions,
    'today' | 'lookback' | 'latestDays' | 'onPage' | 'onWritten' | 'kindOf' | 'destination'
  > {
  readonly connection: EngineConnection;
  readonly queue: UnitQueue;
  readonly syncs: readonly WorkerSync[];
  /** For the status of the queue: host and process. */
  readonly name: string;
  /** Units of this worker at a time. */
  readonly concurrency: number;
  /** After how many milliseconds without a sign of life another worker takes a unit over. */
  readonly lostAfter: number;
  readonly onStarted: (id: string, job: UnitJob) => void;
  readonly onFinished: (outcome: UnitOutcome) => void;
  /** Called for a pause of the account, with its length and the new rate in units a second, if one was set. */
  readonly onPaused: (ms: number, rate: number | undefined) => void;
  /** Called when the engine cannot be reached; the worker tries again. */
  readonly onEngineError: (message: string) => void;
  /** Replaces secrets in the error of a unit, which the queue stores. */
  readonly redact: (text: string) => string;
}

/** Takes units from a queue and carries them out, several at a time, until it is stopped. */
export class UnitWorker {
  readonly #options: WorkerOptions;
  readonly #worker: Worker<UnitJob>;
  /** The last unit of each site: a process writes a site once at a time. */
  readonly #sites = new Map<string, Promise<unknown>>();
  readonly #giveUp = new AbortController();
  #failures = 0;
  #fatal: GatectlError | undefined;
  #pausedUntil = 0;
  #onFatal: (error: GatectlError) => void = () => {};
  /** Resolves with the error that stops the worker. */
  readonly failed = new Promise<GatectlError>(resolve => {
    this.#onFatal = resolve;
  });

  constructor(options: WorkerOptions) {
    const { connection, queue, name, concurrency, lostAfter } = options;
    const { bullmq, backend } = connection;
    this.#options = options;
    const settings = {
      connection: connection.connection as object,
      name,
      concurrency,
      lockDuration: lostAfter,
      stalledInterval: lostAfter,
      maxStalledCount: MOST_LOSSES,
      drainDelay: 2,
      autorun: false,
    };
    const work = (job: Job<UnitJob>, token?: string, lost?: AbortSignal) => this.#process(job, token, lost);
    this.#worker = (backend === undefined
      ? new bullmq.Worker(queueName(queue.account), work, settings)
      : new bullmq.Worker(queueName(queue.account), work, settings, backend)) as unknown as Worker<UnitJob>;
    this.#worker.on('error', error => options.onEngineError(error.message));
    this.#worker.on('lockRenewalFailed', ids => {
      // Another worker has the unit now; the lock of its site makes it wait until this one stops.
      for (const id of ids) this.#worker.cancelJob(id);
    });
  }

  /** Starts taking units. */
  start(): void {
    this.#worker.run().catch(error => this.#options.onEngineError((error as Error).message));
  }

  /** How many units are in hand. */
  get isIdle(): boolean {
    return this.#sites.size === 0;
  }

  /** Takes no more units; resolves when those in hand are finished, or returned after `giveUp`. */
  async stop(): Promise<void> {
    await this.#worker.close();
  }

  /** Stops the units in hand, which return to the queue. */
  giveUp(): void {
    this.#giveUp.abort(new InterruptedError('SIGTERM'));
  }

  /**
   * Pauses all workers of the account after a rate limit response. The first worker that notices lowers the rate: the server has
   * shown that it is too high.
   */
  async rateLimited(ms: number): Promise<void> {
    const { clock, queue, onPaused } = this.#options;
    const until = clock.now() + ms;
    if (until <= this.#pausedUntil) return;
    const isFirst = clock.now() > this.#pausedUntil;
    this.#pausedUntil = until;
    const left = await queue.pauseLeft();
    const { rate } = await queue.limits();
    const window = rate === undefined ? undefined : rate.ms;
    // A longer time than the window is a pause that another worker has set.
    const isPaused = left > (window ?? 0);
    if (left < ms) await queue.pause(ms);
    const slower = rate !== undefined && isFirst && !isPaused ? lowered(rate) : undefined;
    if (slower !== undefined) await queue.setLimits({ rate: slower, concurrency: undefined });
    onPaused(ms, slower === undefined ? undefined : (slower.max * 1000) / slower.ms);
  }

  async #process(job: Job<UnitJob>, token: string | undefined, lost: AbortSignal | undefined): Promise<void> {
    const { clock, signal, onStarted, onFinished } = this.#options;
    const id = job.id ?? '';
    const began = clock.now();
    const tally = {
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
    if (isOfLaterVersion(job.data)) {
      const error = new UsageError('a later version of gatectl submitted the units of this queue', {
        code: 'invalid_input',
        hints: ['install that version of gatectl on this machine'],
      });
      finish('returned', error.message);
      this.#stopFor(error);
      throw await this.#returned(job, token, false);
    }
    try {
      onStarted(id, job.data);
      await this.#run(job.data, job.opts.attempts ?? 1, link.signal, tally);
      this.#failures = 0;
      finish('done');
    } catch (error) {
      if (link.signal.aborted) {
        finish('returned', lost?.aborted ? 'another worker has taken it over' : 'the worker was stopped');
        throw await this.#returned(job, token, lost?.aborted === true);
      }
      throw await this.#failed(job, token, error, finish);
    } finally {
      link.release();
    }
  }

  /** Runs a unit while no other process writes its site, and adds units for what is left of it. */
  async #run(
    job: UnitJob,
    tries: number,
    signal: AbortSignal,
    tally: {
      partitions: number;
      changes: { added: number; changed: number; unchanged: number };
      rows: number;
      requests: number;
      rest: number;
    },
  ): Promise<void> {
    const { syncs, queue } = this.#options;
    const named = syncs.filter(({ name }) => name === job.destination);
    const tableIn = ({ tables }: WorkerSync) => tables.find(({ name }) => name === job.table);
    const sync = named.find(each => tableIn(each) !== undefined);
    const kindOf = sync?.kindOf ?? (() => undefined);
    const whole = unitOfJob(job, sync && tableIn(sync), kindOf);
    const { destination } = sync as WorkerSync;
    const { table, domain } = whole;
    const context = {
      destination: job.destination,
      today: job.today,
      lookback: job.lookback,
      latestDays: new Map(job.latest === null ? [] : [[table.name, job.latest]]),
      kindOf,
    };
    await this.#inTurn(`${job.destination}/${table.name}/${domain.id}`, () =>
      destination.lockSite(table.name, domain.id, async () => {
        signal.throwIfAborted();
        const ledger = await destination.ledger(table.name, domain.id);
        const unit = withoutSuperseded(whole, ledger, job.query);
        if (unit === undefined) return;
        const rest = await runUnit(unit, {
          ...this.#options,
          ...context,
          destination,
          signal,
          onPage: () => {
            tally.requests += 1;
          },
          onWritten: (replaced, rows) => {
            tally.partitions += 1;
            tally.changes[replaced] += 1;
            tally.rows += rows;
          },
        });
        tally.rest = rest.length;
        // Before this unit is done: if the worker is killed in between, the unit runs again, and adds the same ones.
        await queue.add(
          rest.map(left => jobOf(left, queue.account, context)),
          tries,
        );
      }),
    );
  }

  async #inTurn(site: string, work: () => Promise<void>): Promise<void> {
    const before = this.#sites.get(site) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#sites.set(site, turn);
    try {
      await turn;
    } finally {
      if (this.#sites.get(site) === turn) this.#sites.delete(site);
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
    this.#failures += 1;
    const isHopeless = error instanceof ApiError || error instanceof AuthError;
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
  if (error instanceof DestinationError) return error.kind !== 'network' && !error.isOfSites;
  return error instanceof FileError;
}
