import { resolve } from 'node:path';
import { PartialError } from '../../../../errors/index.ts';
import type { JsonRecord } from '../../../../json/index.ts';
import { queueMetrics, writeMetrics } from '../../../../sync/engine/metrics.ts';
import { rateOf } from '../../../../sync/engine/rate.ts';
import { isOfOtherFile } from '../../../../sync/engine/unit-job.ts';
import type { SetAsideUnit, UnitQueue } from '../../../../sync/engine/unit-queue.ts';
import { pluralize } from '../../../../terminal/numbers.ts';
import type { Context, OutputSection } from '../../../framework/context.ts';
import { engineOf } from '../../../framework/engine.ts';
import { accountSection, DAYS_COLUMNS, numberColumns, textColumns } from '../columns.ts';
import { withAccountQueue } from './account-queue.ts';

/** Set-aside units that are listed. */
const MOST_LISTED = 100;

/** Prints the queue of the account; with `metrics`, writes it to that file for Prometheus too. */
export async function printQueue(
  engine: string,
  metrics: string | undefined,
  context: Context,
): Promise<void> {
  await withAccountQueue(engineOf(engine, context), context, { creates: false }, async ({ queue }) => {
    const state = await queueState(queue);
    if (metrics !== undefined)
      await writeMetrics(resolve(context.io.cwd, metrics), queueMetrics(queue.account, await queue.counts()));
    const { units: _, failed: __, ...row } = state;
    await context.out.printSections(state, queueSections(state), [row]);
  });
}

/** The state of a queue as JSON. */
async function queueState(queue: UnitQueue): Promise<JsonRecord> {
  const [counts, { rate, concurrency }, workers, active, pause] = await Promise.all([
    queue.counts(),
    queue.limits(),
    queue.workers(),
    queue.active(),
    queue.pauseLeft(),
  ]);
  return {
    account: queue.account,
    ...counts,
    workers: workers ?? null,
    rate: rate === undefined ? null : Number(rateOf(rate).toPrecision(3)),
    concurrency: concurrency ?? null,
    // A shorter time is that of the rate's window.
    paused_ms: pause > (rate?.ms ?? 0) ? pause : 0,
    units: active.map(({ id, job, worker }) => ({
      unit: id,
      table: job.table,
      domain: job.domain,
      ...{ from: job.from, to: job.to, worker },
    })),
    failed: (await queue.setAside(MOST_LISTED)).map(shown),
  };
}

/** The sections of a queue's state for people. */
function queueSections(state: JsonRecord): OutputSection[] {
  const { units, failed, ...row } = state as JsonRecord & { units: JsonRecord[]; failed: JsonRecord[] };
  const counts = { waiting: 'Waiting', delayed: 'Delayed', active: 'Active', set_aside: 'Set aside' };
  const limits = { workers: 'Workers', rate: 'Units/s', concurrency: 'Concurrency', paused_ms: 'Paused ms' };
  const queue = accountSection('Queue', row, { ...counts, ...limits });
  const columns = [...DAYS_COLUMNS, ...textColumns({ worker: 'Worker' })];
  return [
    { ...queue, view: { ...queue.view, secondary: ['paused_ms', 'concurrency'] } },
    ...(units.length === 0 ? [] : [{ title: 'Active', data: units, view: { columns } }]),
    ...(failed.length === 0 ? [] : [setAsideSection(failed)]),
  ];
}

function setAsideSection(failed: readonly JsonRecord[]): OutputSection {
  return {
    title: 'Set aside',
    data: [...failed],
    view: {
      columns: [...DAYS_COLUMNS, ...numberColumns({ tries: 'Tries' }), ...textColumns({ error: 'Error' })],
      outcome: 'bad',
    },
  };
}

/** The set-aside units of a queue, for a result: as JSON, as sections, and as an error; undefined without any. */
export async function setAsideOf(
  queue: UnitQueue,
): Promise<{ readonly failed: readonly JsonRecord[]; readonly sections: OutputSection[] }> {
  const failed = (await queue.setAside(MOST_LISTED)).map(shown);
  return { failed, sections: failed.length === 0 ? [] : [setAsideSection(failed)] };
}

/** The error of a queue with set-aside units; undefined without any. */
export async function setAsideError(queue: UnitQueue): Promise<PartialError | undefined> {
  const { set_aside } = await queue.counts();
  if (set_aside === 0) return undefined;
  const units = await queue.setAside(MOST_LISTED);
  const ofOtherFile = units.filter(({ error }) => isOfOtherFile(error)).length;
  const others = units.length - ofOtherFile;
  return new PartialError(
    `${pluralize(set_aside, 'unit')} of the account failed, and ${set_aside === 1 ? 'is' : 'are'} set aside`,
    { code: 'partial_failure', reason: { name: 'units_set_aside', ofOtherFile, others } },
  );
}

function shown({ id, job, tries, error, at }: SetAsideUnit): JsonRecord {
  const { table, domain, from, to } = job;
  return { unit: id, table, domain, from, to, tries, error, at };
}
