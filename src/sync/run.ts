import type { DayRange } from '../apis/bda/days.ts';
import type { SyncTable } from './config.ts';
import { type ConvergeOptions, converge, hasEarlierTypes } from './converge.ts';
import type { PlanOptions, SyncDomain, Unit } from './plan.ts';
import { plannedUnits } from './planned-units.ts';
import { queryHash } from './table-query.ts';
import { type RunResult, type UnitPlan, UnitPool, type UnitPoolOptions } from './unit-pool.ts';

export interface RunOptions extends UnitPoolOptions, UnitPlan {
  readonly domains: readonly SyncDomain[];
  readonly refetch?: DayRange | undefined;
  readonly revised?: PlanOptions['revised'];
  readonly onlyRevised?: boolean;
  readonly onPlanned: (partitions: number) => void;
}

/** The options of a plan for the current state of a destination. Reads the column types. */
export async function planOptions({
  tables,
  destination,
  today,
  lookback,
  refetch,
  latestDays,
  kindOf,
  revised,
  onlyRevised = false,
}: Pick<
  RunOptions,
  | 'tables'
  | 'destination'
  | 'today'
  | 'lookback'
  | 'refetch'
  | 'latestDays'
  | 'kindOf'
  | 'revised'
  | 'onlyRevised'
>): Promise<PlanOptions> {
  const versions = new Map<string, number>();
  for (const { name } of tables) versions.set(name, (await destination.schema(name)).version);
  const hashes = new Map(tables.map(table => [table.name, queryHash(table, kindOf)]));
  return {
    today,
    lookback,
    refetch,
    latestDays,
    queryHash: ({ name }) => hashes.get(name) ?? '',
    schemaVersion: destination.rewritesForTypes ? ({ name }) => versions.get(name) ?? 0 : undefined,
    isIntact: ({ name }, { id }, entry) => destination.isIntact(name, id, entry),
    ...(revised && { revised }),
    onlyRevised,
  };
}

/**
 * Brings a destination up to date: requests missing partitions and those that may have changed, and replaces them one at a time. Units that
 * fail are collected. Throws what ends the run: AuthError, FileError, InterruptedError, and a failure if nothing succeeds, or if the
 * gateway remains unavailable.
 */
export async function runSync(options: RunOptions): Promise<RunResult> {
  const { tables, domains, destination, onPlanned } = options;
  const pool = new UnitPool(options);
  const plan = await planOptions(options);
  const units = () => plannedUnits(tables, domains, destination, plan);
  let partitions = 0;
  for await (const unit of units()) partitions += unit.partitions.length;
  onPlanned(partitions);
  // This run alone writes the sites: nothing can be newer than its plan.
  await pool.run(withPlan(units(), () => ({ plan: options, mark: undefined })));
  const listed = new Set(domains.map(({ id }) => id));
  const widened = new Set<string>();
  for (const table of tables)
    if (plan.schemaVersion && (await destination.schema(table.name)).version !== plan.schemaVersion(table))
      widened.add(table.name);
  const plans = new Map([...widened].map(name => [name, options]));
  const isListed = (id: number) => listed.has(id);
  const isSettled = await settle(pool, { ...options, plans, isListed });
  // What failed was not requested again.
  const isDue: ConvergeOptions['isDue'] = (_, id) => isListed(id);
  const queryOf = (table: SyncTable) => queryHash(table, options.kindOf);
  const isLeft = pool.hasFailures && (await hasEarlierTypes({ tables, destination, queryOf, isDue }));
  return pool.result(isSettled && !isLeft);
}

async function* withPlan<Planned>(
  units: AsyncIterable<Unit>,
  planOf: (unit: Unit) => Planned,
): AsyncGenerator<Planned & { readonly unit: Unit }> {
  for await (const unit of units) yield { ...planOf(unit), unit };
}

/** A unit of a plan that another process made. */
export interface PlannedElsewhere {
  readonly unit: Unit;
  readonly plan: UnitPlan;
  /** When it was planned: partitions written since then are not requested again. */
  readonly plannedAt: string;
}

interface UnitsRunOptions extends UnitPoolOptions {
  /** The units; read once. */
  readonly units: AsyncIterable<PlannedElsewhere>;
  /** What the units of each table were planned with, by name. */
  readonly plans: ReadonlyMap<string, UnitPlan>;
  readonly onPlanned: (partitions: number) => void;
}

/**
 * Runs units, while other processes may run others, of the same sites too. Afterwards, files whose column types have become wider are
 * written again, whoever wrote them. Throws as `runSync` does.
 */
export async function runUnits(options: UnitsRunOptions): Promise<RunResult> {
  const { units, onPlanned } = options;
  const pool = new UnitPool(options);
  const toRun = async function* () {
    for await (const { unit, plan, plannedAt } of units) {
      onPlanned(unit.partitions.length);
      yield { unit, plan, mark: { query: queryHash(unit.table, plan.kindOf), plannedAt } };
    }
  };
  await pool.run(toRun());
  return pool.result(await settle(pool, { ...options, isListed: () => true }));
}

/** Has a pool write the files again whose column types have become wider; resolves to whether none is left. */
async function settle(
  pool: UnitPool,
  {
    tables,
    destination,
    clock,
    plans,
    isListed,
    onPlanned,
  }: Pick<UnitsRunOptions, 'tables' | 'destination' | 'clock' | 'plans' | 'onPlanned'> & {
    /** Whether a site can be requested. */
    readonly isListed: (domainId: number) => boolean;
  },
): Promise<boolean> {
  const queryOf = (table: SyncTable) => {
    const plan = plans.get(table.name);
    return plan && queryHash(table, plan.kindOf);
  };
  const isDue: ConvergeOptions['isDue'] = (table, id, partition) =>
    isListed(id) && pool.isDue(table, id, partition);
  return await converge({ tables, destination, queryOf, isDue }, async units => {
    const plannedAt = new Date(clock.now()).toISOString();
    await pool.run(
      withPlan(units, ({ table, partitions }) => {
        onPlanned(partitions.length);
        const plan = plans.get(table.name) as UnitPlan;
        return { plan, mark: { query: queryHash(table, plan.kindOf), plannedAt } };
      }),
    );
  });
}
