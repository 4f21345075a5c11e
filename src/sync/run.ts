import type { DayRange } from '../apis/bda/days.ts';
import type { SyncTable } from './config.ts';
import type { Destination } from './destinations/destination.ts';
import type { OnLost } from './destinations/site-ledger.ts';
import type { Ledger } from './ledger.ts';
import { type PlannedPartition, type PlanOptions, packUnits, type SyncDomain, type Unit } from './plan.ts';
import { plannedUnits } from './planned-units.ts';
import { queryHash } from './table-query.ts';
import { unitsLeft } from './unit-guard.ts';
import {
  type RunResult,
  type UnitPlan,
  UnitPool,
  type UnitPoolOptions,
  type UnitToRun,
} from './unit-pool.ts';

/** Types settle within a few passes, because each only becomes wider. */
const MOST_PASSES = 8;

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
  const pass = async (only: (planned: PlannedPartition) => boolean) => {
    const plan = await planOptions(options);
    const onLost: OnLost = (table, domain, error) => pool.lose(table, domain, error, options);
    const units = () => plannedUnits(tables, domains, destination, plan, onLost, only);
    let partitions = 0;
    for await (const unit of units()) partitions += unit.partitions.length;
    onPlanned(partitions);
    await pool.run(withPlan(units(), options));
    for (const table of tables)
      if (plan.schemaVersion && (await destination.schema(table.name)).version !== plan.schemaVersion(table))
        return true;
    return false;
  };
  let hasWidened = await pass(() => true);
  // A type that became wider is used for the files before it, too, so that all files of a table have the same types.
  for (let count = 0; count < MOST_PASSES && hasWidened; count++)
    hasWidened = await pass(({ reason }) => reason === 'schema');
  return pool.result();
}

async function* withPlan(units: AsyncIterable<Unit>, plan: UnitPlan): AsyncGenerator<UnitToRun> {
  for await (const unit of units) yield { unit, plan };
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
  const { tables, destination, plans, units, onPlanned } = options;
  const pool = new UnitPool(options);
  const toRun = async function* (): AsyncGenerator<UnitToRun> {
    for await (const { unit, plan, plannedAt } of units) {
      onPlanned(unit.partitions.length);
      const mark = { query: queryHash(unit.table, plan.kindOf), plannedAt };
      yield { unit, plan, left: (part, ledger) => unitsLeft(part, mark, ledger, destination) };
    }
  };
  await pool.run(toRun());
  if (!destination.rewritesForTypes) return pool.result();
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    let found = 0;
    const stale = async function* (): AsyncGenerator<UnitToRun> {
      for (const table of tables) {
        const plan = plans.get(table.name);
        if (plan === undefined) continue;
        const query = queryHash(table, plan.kindOf);
        for await (const unit of unitsOfEarlierTypes(table, destination, query)) {
          found += 1;
          onPlanned(unit.partitions.length);
          const { version } = await destination.schema(table.name);
          yield { unit, plan, left: (part, ledger) => ofEarlierTypes(part, ledger, query, version) };
        }
      }
    };
    await pool.run(stale());
    if (found === 0) break;
  }
  return pool.result();
}

/** The partitions of a unit that the destination still holds with the query and with earlier column types. */
function ofEarlierTypes(
  { table, domain, partitions }: Unit,
  ledger: Ledger,
  query: string,
  version: number,
): readonly Unit[] {
  const left = partitions.filter(({ key }) => {
    const entry = ledger.get(key);
    return entry !== undefined && entry.query === query && entry.schema !== version;
  });
  return packUnits(table, domain, left);
}

/** Units for the partitions of a table that were written with earlier column types, by whichever process. */
async function* unitsOfEarlierTypes(
  table: SyncTable,
  destination: Destination,
  hash: string,
): AsyncGenerator<Unit> {
  const { version } = await destination.schema(table.name);
  for (const id of await destination.domainIds(table.name)) {
    const entries = [...(await destination.ledger(table.name, id)).values()];
    await destination.release(table.name, id);
    const [latest] = entries.toSorted((one, other) => (one.fetchedAt > other.fetchedAt ? -1 : 1));
    const stale = entries.filter(
      ({ rows, schema, query }) => rows > 0 && schema !== version && query === hash,
    );
    if (latest?.domain === undefined || stale.length === 0) continue;
    const planned = stale
      .map(({ partition: key, from, to, rows }) => ({
        key,
        days: { from, to },
        rows,
        reason: 'schema' as const,
      }))
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    yield* packUnits(table, { id, name: latest.domain }, planned);
  }
}
