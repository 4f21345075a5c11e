import { resolve } from 'node:path';
import { PartialError } from '../../../../errors/index.ts';
import { linkSignals } from '../../../../http/linked-signal.ts';
import { bdaV2Site } from '../../../../operations/listings/analytics.ts';
import { earlierTypesError } from '../../../../sync/converge.ts';
import { queueMetrics, WorkerMetrics, writeMetrics } from '../../../../sync/engine/metrics.ts';
import { settleQueue } from '../../../../sync/engine/settle-queue.ts';
import type { UnitJob } from '../../../../sync/engine/unit-job.ts';
import type { AccountLimits, UnitQueue } from '../../../../sync/engine/unit-queue.ts';
import { UnitWorker } from '../../../../sync/engine/unit-worker.ts';
import { within } from '../../../../sync/engine/within.ts';
import type { UnitOutcome, WorkerSync } from '../../../../sync/engine/worker-options.ts';
import { pluralize } from '../../../../terminal/numbers.ts';
import type { Context } from '../../../framework/context.ts';
import { engineOf } from '../../../framework/engine.ts';
import { machineClock } from '../../../framework/lock-machine.ts';
import { withPreparedSync } from '../prepare.ts';
import { DEFAULT_TRIES } from '../submit.ts';
import { type AccountQueue, setLimits, withAccountQueue, workerSync } from './account-queue.ts';
import { type Deadline, deadlineOf } from './deadline.ts';
import { setAsideError } from './queue-state.ts';
import { requireSharedDestination } from './submit-units.ts';
import { WorkerLog } from './worker-log.ts';

interface WorkerFlags {
  readonly file: readonly string[];
  readonly engine: string | undefined;
  readonly concurrency: number;
  readonly 'account-rate': number | undefined;
  readonly 'account-concurrency': number | undefined;
  readonly 'until-empty': boolean;
  readonly deadline: number | undefined;
  readonly grace: number;
  readonly 'lost-after': number;
  readonly metrics: string | undefined;
  readonly log: 'text' | 'json' | undefined;
}

/** How often to look at the queue, in milliseconds. */
const LOOK_MS = 1000;
/** How often to check the limits of the account, in milliseconds. */
const LIMITS_MS = 2000;
/** How often to write the metrics, in milliseconds. */
const METRICS_MS = 10_000;
/** How long the metrics wait for the queue, in milliseconds. */
const COUNTS_MS = 5000;

/** Carries out units of the account's queue until it is stopped, or the queue is empty. */
export async function runWorker(flags: WorkerFlags, context: Context): Promise<void> {
  const engine = engineOf(flags.engine, context);
  const files = flags.file.length === 0 ? [undefined] : flags.file;
  await withSyncs(files, context, async syncs => {
    await withAccountQueue(engine, context, { creates: true }, account =>
      work(syncs, flags, account, context),
    );
  });
}

/** Opens several sync files, one within the other. */
async function withSyncs(
  [file, ...others]: readonly (string | undefined)[],
  context: Context,
  run: (syncs: readonly WorkerSync[]) => Promise<void>,
): Promise<void> {
  await withPreparedSync({ file, table: [], domain: [] }, context, async prepared => {
    requireSharedDestination(prepared);
    const sync = workerSync(prepared, context);
    if (others.length === 0) return await run([sync]);
    await withSyncs(others, context, async rest => run([sync, ...rest]));
  });
}

async function work(
  syncs: readonly WorkerSync[],
  flags: WorkerFlags,
  { queue, connection }: AccountQueue,
  context: Context,
): Promise<void> {
  const { io, redactor } = context;
  const clock = machineClock(context);
  await setLimits(queue, flags);
  const stop = context.withGrace(flags.grace);
  const metrics = new WorkerMetrics(queue.account);
  const log = new WorkerLog(flags.log ?? 'text', queue.account, context);
  const { host, pid } = io.self.identify();
  let isReachable = true;
  let unsettled: PartialError | undefined;
  const worker = new UnitWorker({
    connection,
    queue,
    syncs,
    name: `${host}/${pid}`,
    concurrency: flags.concurrency,
    lostAfter: flags['lost-after'],
    sender: await context.gateway(),
    site: await bdaV2Site(context),
    clock,
    signal: context.signal,
    retries: (await context.settings()).retries.value,
    redact: text => redactor.redact(text),
    onStarted: (id: string, job: UnitJob) => log.started(id, job),
    onFinished: (outcome: UnitOutcome) => {
      isReachable = true;
      metrics.add(outcome, clock.now());
      log.finished(outcome);
    },
    onPaused: (ms, rate) => {
      metrics.addPause();
      log.paused(ms, rate);
    },
    onWidened: (table, version, changes) => log.widened(table, version, changes),
    onEngineError: message => {
      // Each connection of the queue reports the same failure.
      if (isReachable) log.engineFailed(redactor.redact(message));
      isReachable = false;
    },
  });
  context.onRateLimited(ms => {
    worker.rateLimited(ms).catch(() => {});
  });
  context.signal.addEventListener('abort', () => worker.giveUp(), { once: true });
  // An error outside any unit aborts the signal of the command only.
  const halt = linkSignals([stop, context.signal]);
  const limits = await queue.limits();
  const ended = new AbortController();
  // Not waited for at the end: the queue may no longer answer.
  let isEmptied = false;
  const onLimitsLost = () => {
    isEmptied = true;
    log.limitsLost();
  };
  void guardLimits(queue, limits, context, onLimitsLost, ended.signal);
  const untilSettled = async (): Promise<undefined> => {
    const limit = deadlineOf(flags.deadline, clock);
    const wait = () => untilEmpty(queue, context, limit, [halt.signal, ended.signal]);
    try {
      await wait();
      const lasting = { tries: DEFAULT_TRIES, clock, untilEmpty: wait };
      for (const sync of syncs)
        if (!halt.signal.aborted && !(await settleQueue(sync, queue, lasting)))
          unsettled ??= earlierTypesError(sync);
    } catch (error) {
      if (!(error instanceof PartialError)) throw error;
      unsettled = error;
    }
    return undefined;
  };
  const writing = writeRegularly(flags.metrics, metrics, queue, context, ended.signal);
  try {
    log.ready(flags.concurrency);
    worker.start();
    const failure = await Promise.race([
      worker.failed,
      aborted(halt.signal),
      flags['until-empty'] ? untilSettled() : new Promise<never>(() => {}),
    ]);
    if (stop.aborted) log.stopping();
    await worker.stop();
    // What stops the worker may also happen while it finishes the units in hand.
    const fatal = failure ?? worker.failure;
    if (fatal !== undefined) throw fatal;
  } catch (error) {
    await worker.stop();
    throw error;
  } finally {
    ended.abort();
    halt.release();
    await writing;
    log.ended(metrics);
  }
  if (halt.signal.aborted) throw halt.signal.reason;
  const { lost } = metrics.results;
  if (isEmptied || lost > 0) throw emptiedError(lost);
  const error = await setAsideError(queue);
  if (error instanceof PartialError) throw error;
  if (unsettled !== undefined) throw unsettled;
}

/** The error of a queue that was emptied while a worker had so many of its units in hand. */
function emptiedError(inHand: number): PartialError {
  const lost = inHand === 0 ? '' : `, ${pluralize(inHand, 'unit')} in progress included`;
  return new PartialError(`the queue lost its units${lost}, as when its server was emptied`, {
    code: 'queue_emptied',
    hints: ['submit the plan again: gatectl bda sync submit'],
  });
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return undefined;
  return await new Promise(resolve => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Resolves when no unit waits or is worked on, or the worker ends for another reason. Throws PartialError after the deadline. */
async function untilEmpty(
  queue: UnitQueue,
  { clock }: Context,
  limit: Deadline,
  ends: readonly [AbortSignal, ...AbortSignal[]],
): Promise<void> {
  const link = linkSignals(ends);
  while (!link.signal.aborted) {
    const { waiting, delayed, active } = await queue.counts();
    if (waiting + delayed + active === 0) return;
    limit.check(waiting + delayed + active);
    await clock.sleep(LOOK_MS, link.signal).catch(() => {});
  }
}

/** Sets the limits of the account again when the engine lost them: without any, workers ignore pauses, too. */
async function guardLimits(
  queue: UnitQueue,
  first: AccountLimits,
  { clock }: Context,
  onLost: () => void,
  ended: AbortSignal,
): Promise<void> {
  let limits = first;
  for (;;) {
    await clock.sleep(LIMITS_MS, ended).catch(() => {});
    if (ended.aborted) return;
    try {
      if (await queue.restoreLimits(limits)) onLost();
      limits = await queue.limits();
    } catch {
      // The worker reports an engine that cannot be reached.
    }
  }
}

async function writeRegularly(
  path: string | undefined,
  metrics: WorkerMetrics,
  queue: UnitQueue,
  { clock, io, log }: Context,
  ended: AbortSignal,
): Promise<void> {
  if (path === undefined) return;
  for (let isLast = false; ; ) {
    try {
      const counts = await within(clock, COUNTS_MS, queue.counts()).catch(() => undefined);
      const all = [
        ...metrics.metrics(),
        ...(counts === undefined ? [] : queueMetrics(queue.account, counts)),
      ];
      await writeMetrics(resolve(io.cwd, path), all);
    } catch (error) {
      log.warn(`cannot write the metrics: ${(error as Error).message}`);
    }
    if (isLast) return;
    await clock.sleep(METRICS_MS, ended).catch(() => {});
    isLast = ended.aborted;
  }
}
