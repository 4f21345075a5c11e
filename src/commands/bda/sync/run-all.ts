import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import { DEFAULT_LOOKBACK } from '../../../sync/config.ts';
import { type RunOptions, runSync } from '../../../sync/run.ts';
import type { RunResult, UnitPoolOptions } from '../../../sync/unit-pool.ts';
import { findRevised } from '../../../sync/verify.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Progress } from '../../../terminal/progress.ts';
import type { Context } from '../../framework/context.ts';
import { machineClock } from '../../framework/lock-machine.ts';
import { waitNote } from '../../framework/open-sync.ts';
import type { AnyRunFlags, PlanFlags, SyncFlags } from './flags.ts';
import { latestDaysOf, lookbackOf, type PreparedSync, unlistedNames, withPreparedSync } from './prepare.ts';
import { refetchDays } from './refetch-days.ts';
import { printResult, type Ran, withRunMetrics } from './run-report.ts';
import { nothingSynced } from './verify.ts';

/** Sites with changed partitions that a sweep names. */
const MOST_SITES = 3;

/** Brings the tables of a sync file up to date, and prints what changed. */
export async function runAll(flags: SyncFlags & PlanFlags & AnyRunFlags, context: Context): Promise<void> {
  const deadline = deadlineIn(flags.deadline, context);
  await withRunMetrics({ ...flags, command: 'run' }, context, async report => {
    const ran = await withPreparedSync({ ...flags, isRun: true }, context, async prepared => {
      const refetch = await refetchDays(flags.refetch, prepared);
      return await runPrepared(prepared, context, async () => ({
        lookback: await lookbackOf(flags.lookback, prepared, context),
        refetch,
        concurrency: flags.concurrency,
        deadline,
      }));
    });
    report(ran);
    await printResult(ran, context);
  });
}

/** Requests the partitions again whose totals have changed, and prints what changed. Throws PartialError where nothing was synced yet. */
export async function sweepAll(
  flags: SyncFlags & Omit<AnyRunFlags, 'deadline'>,
  context: Context,
): Promise<void> {
  let isEmpty = false;
  await withRunMetrics({ ...flags, command: 'sweep' }, context, async report => {
    const ran = await withPreparedSync({ ...flags, isRun: true }, context, prepared =>
      runPrepared(prepared, context, async () => {
        const { partitions, ...choice } = await revisedPartitions(prepared, flags.concurrency, context);
        isEmpty = partitions === 0;
        return choice;
      }),
    );
    report(ran);
    await printResult(ran, context);
    if (isEmpty) throw nothingSynced(flags.file);
  });
}

/** Compares the totals of all partitions with those of the gateway, and chooses the partitions whose totals differ. */
async function revisedPartitions(
  prepared: PreparedSync,
  concurrency: number | undefined,
  context: Context,
): Promise<Choice & { readonly partitions: number }> {
  const { config } = prepared;
  const { log } = context;
  const line = log.progress(undefined, 'partitions compared');
  const { revised, quarantined, sites, partitions, uncompared, requests } = await findRevised({
    ...prepared,
    sender: await context.gateway(),
    site: await bdaV2Site(context),
    onPartitions: done => line.advance(done),
  }).finally(() => line.finish());
  for (const { table, metrics } of uncompared)
    log.warn(
      `${metrics.join(', ')} of ${table}: not compared where the ledger has no values of the days; run --refetch adds them`,
    );
  const others = sites.length - MOST_SITES;
  const more = others > 0 ? [`and ${pluralize(others, 'more site')}`] : [];
  if (sites.length > 0)
    log.note(
      `${pluralize(revised.size - quarantined, 'partition')} changed at the gateway: ${[...sites.slice(0, MOST_SITES), ...more].join('; ')}`,
    );
  if (quarantined > 0) log.note(`${pluralize(quarantined, 'quarantined partition')} requested again`);
  log.note(`compared totals in ${pluralize(requests, 'request')}`);
  return {
    partitions,
    lookback: config.lookback === 'auto' ? DEFAULT_LOOKBACK : config.lookback,
    concurrency,
    onlyRevised: true,
    revised: (table, domain, key) => revised.has(`${table.name}/${domain.id}/${key}`),
  };
}

/** When to begin no further unit, in milliseconds of the clock of runs. */
export function deadlineIn(ms: number | undefined, context: Context): number | undefined {
  return ms === undefined ? undefined : machineClock(context).now() + ms;
}

type Choice = Pick<
  RunOptions,
  'lookback' | 'refetch' | 'concurrency' | 'deadline' | 'revised' | 'onlyRevised'
>;

/** Runs a sync while no other one writes to its destination. `choose` decides what is requested, once that is so. */
async function runPrepared(
  prepared: PreparedSync,
  context: Context,
  choose: () => Promise<Choice>,
): Promise<Ran> {
  const { destination, tables, domains, kindOf, today } = prepared;
  const unlisted = unlistedNames(prepared.unlisted);
  const result = await destination.exclusively(waitNote(context), async () => {
    const choice = await choose();
    const latestDays = await latestDaysOf(prepared, choice.lookback, context);
    return await recordedRun({ destination, tables, unlisted }, context, common =>
      runSync({ ...common, ...choice, latestDays, domains, kindOf, today }),
    );
  });
  return { name: destination.name, ...result };
}

/** What each run of a sync requires of the context. */
type CommonOptions = Omit<UnitPoolOptions, 'concurrency' | 'deadline'> & Pick<RunOptions, 'onPlanned'>;

/** Runs a sync with a line of progress, and records in its destination what it did. Throws the errors of `run`. */
export async function recordedRun(
  {
    destination,
    tables,
    unlisted = [],
  }: Pick<CommonOptions, 'destination' | 'tables'> & { readonly unlisted?: readonly string[] },
  context: Context,
  run: (common: CommonOptions) => Promise<RunResult>,
): Promise<RunResult> {
  const { log, signal } = context;
  const clock = machineClock(context);
  const sender = await context.gateway();
  const site = await bdaV2Site(context);
  const retries = (await context.settings()).retries.value;
  const startedAt = new Date(clock.now()).toISOString();
  const line = log.progress(undefined, 'partitions');
  let planned = 0;
  const result = await run({
    ...{ destination, tables, sender, site, clock, signal, retries },
    onPlanned: partitions => {
      planned += partitions;
      line.expect(planned);
    },
    onPartitions: partitionReport(line, tables.length),
    ...columnReports(line, log),
  }).finally(() => line.finish());
  await destination.addRun({
    startedAt,
    finishedAt: new Date(clock.now()).toISOString(),
    ...totalsOf(result),
    ...(unlisted.length > 0 && { unlisted }),
  });
  return result;
}

/** Shows partitions that are done, and the rows of their table so far. */
function partitionReport(
  line: Pick<Progress, 'advance' | 'describe'>,
  tables: number,
): RunOptions['onPartitions'] {
  return (done, failed, { table, rows }) => {
    const count = pluralize(rows, 'row');
    line.describe(tables > 1 ? `${table}: ${count}` : count);
    line.advance(done, failed);
  };
}

/** Prints which columns got another type, and which have no values any more, each once. */
function columnReports(
  line: Pick<Progress, 'hide'>,
  log: Context['log'],
): Required<Pick<RunOptions, 'onWidened' | 'onRemoved'>> {
  const removed = new Set<string>();
  return {
    onWidened: (table, version, changes) => {
      line.hide();
      log.note(`${table}, version ${version} of its column types: ${changes.join(', ')}`);
    },
    onRemoved: (table, columns) => {
      const text = `the sync file no longer has ${columns.join(', ')} in ${table}: the column is empty from now on`;
      if (removed.has(text)) return;
      removed.add(text);
      line.hide();
      log.warn(columns.length === 1 ? text : text.replace('the column is', 'the columns are'));
    },
  };
}

/** What a run did to all tables together. */
function totalsOf({ tables }: RunResult) {
  const sum = (name: 'partitions' | 'added' | 'changed' | 'rows' | 'requests' | 'failed') =>
    tables.reduce((total, counts) => total + counts[name], 0);
  return {
    partitions: sum('partitions'),
    added: sum('added'),
    changed: sum('changed'),
    rows: sum('rows'),
    requests: sum('requests'),
    failed: sum('failed'),
  };
}
