import type { DayRange } from '../apis/bda/days.ts';
import { AuthError, DestinationError, FileError, GatectlError, InterruptedError } from '../errors/index.ts';
import { forEachConcurrently } from '../http/concurrent.ts';
import type { SyncTable } from './config.ts';
import type { Destination } from './destinations/destination.ts';
import {
  type PlannedPartition,
  type PlanOptions,
  packUnits,
  planPartitions,
  type SyncDomain,
  type Unit,
} from './plan.ts';
import { runUnit, type UnitOptions } from './run-unit.ts';
import { queryHash } from './table-query.ts';
import { WorkQueue } from './work-queue.ts';

/** Units in flight: each is a query of up to 100,000 rows. */
const UNITS_IN_FLIGHT = 4;
/** A run stops when this many units have failed and none has succeeded. */
const HOPELESS_FAILURES = 10;
/** Types settle within a few passes, because each only becomes wider. */
const MOST_PASSES = 8;

export interface RunOptions extends Omit<UnitOptions, 'onPage' | 'onWritten'> {
  readonly tables: readonly SyncTable[];
  readonly domains: readonly SyncDomain[];
  readonly refetch?: DayRange | undefined;
  readonly revised?: PlanOptions['revised'];
  readonly onlyRevised?: boolean;
  /** Maximum units in flight; undefined for the default. */
  readonly concurrency: number | undefined;
  readonly onPlanned: (partitions: number) => void;
  readonly onPartitions: (done: number, failed: number) => void;
}

/** A unit that failed. */
export interface Failure {
  readonly table: string;
  readonly domain: string;
  readonly days: DayRange;
  readonly error: GatectlError;
}

/** What a run did to one table. */
export interface TableCounts {
  readonly table: string;
  partitions: number;
  added: number;
  changed: number;
  unchanged: number;
  rows: number;
  requests: number;
  failed: number;
}

export interface RunResult {
  readonly tables: readonly TableCounts[];
  readonly failures: readonly Failure[];
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

/** The units of a plan: table after table, site after site. */
export async function* plannedUnits(
  tables: readonly SyncTable[],
  domains: readonly SyncDomain[],
  destination: Destination,
  options: PlanOptions,
  only: (planned: PlannedPartition) => boolean = () => true,
): AsyncGenerator<Unit> {
  for (const table of tables)
    for (const domain of domains) {
      const ledger = await destination.ledger(table.name, domain.id);
      const planned = planPartitions(table, domain, ledger, options).filter(only);
      // The ledgers of all sites do not fit into memory.
      await destination.release(table.name, domain.id);
      yield* packUnits(table, domain, planned);
    }
}

/**
 * Brings a destination up to date: requests missing partitions and those that may have changed, and replaces them one at a time. Units that
 * fail are collected. Throws what ends the run: AuthError, FileError, InterruptedError, and the first failure if nothing succeeds.
 */
export async function runSync(options: RunOptions): Promise<RunResult> {
  const run = new SyncRun(options);
  await run.pass(() => true);
  // A type that became wider is used for the files before it, too, so that all files of a table have the same types.
  for (let pass = 0; pass < MOST_PASSES && run.hasWidened; pass++)
    await run.pass(({ reason }) => reason === 'schema');
  return run.result();
}

class SyncRun {
  readonly #options: RunOptions;
  readonly #counts: ReadonlyMap<string, TableCounts>;
  readonly #failures: Failure[] = [];
  /** Sites of tables with a failed unit, which later passes skip. */
  readonly #failed = new Set<string>();
  /** Units in flight by site of a table. */
  readonly #inFlight = new Map<string, number>();
  #succeeded = 0;
  hasWidened = false;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#counts = new Map(
      options.tables.map(({ name }) => [
        name,
        { table: name, partitions: 0, added: 0, changed: 0, unchanged: 0, rows: 0, requests: 0, failed: 0 },
      ]),
    );
  }

  result(): RunResult {
    return { tables: [...this.#counts.values()], failures: this.#failures };
  }

  async pass(only: (planned: PlannedPartition) => boolean): Promise<void> {
    const { tables, domains, destination, sender, concurrency, onPlanned } = this.#options;
    this.hasWidened = false;
    const plan = await planOptions(this.#options);
    const units = () => plannedUnits(tables, domains, destination, plan, only);
    let partitions = 0;
    for await (const unit of units()) partitions += unit.partitions.length;
    onPlanned(partitions);
    const queue = new WorkQueue(units());
    await forEachConcurrently(
      queue,
      async unit => {
        let rest: readonly Unit[] = [];
        try {
          rest = await this.#holdingLedger(unit, () => this.#do(unit));
        } catch (error) {
          queue.close();
          throw error;
        } finally {
          queue.done(rest);
        }
      },
      { most: concurrency ?? UNITS_IN_FLIGHT, capacity: () => sender.capacity },
    );
    for (const table of tables)
      if (plan.schemaVersion && (await destination.schema(table.name)).version !== plan.schemaVersion(table))
        this.hasWidened = true;
  }

  /** Releases the ledger of a site after its last unit in flight. */
  async #holdingLedger<Value>({ table, domain }: Unit, work: () => Promise<Value>): Promise<Value> {
    const site = `${table.name}/${domain.id}`;
    this.#inFlight.set(site, (this.#inFlight.get(site) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#inFlight.get(site) ?? 1) - 1;
      if (left > 0) this.#inFlight.set(site, left);
      else {
        this.#inFlight.delete(site);
        await this.#options.destination.release(table.name, domain.id);
      }
    }
  }

  /** Runs a unit, and counts what it did; resolves to the units for what is left of it. */
  async #do(unit: Unit): Promise<readonly Unit[]> {
    const { table, domain, days, partitions } = unit;
    const counts = this.#counts.get(table.name) as TableCounts;
    const { onPartitions } = this.#options;
    const skip = (count: number) => {
      counts.failed += count;
      onPartitions(count, count);
    };
    if (this.#failed.has(`${table.name}/${domain.id}`)) {
      skip(partitions.length);
      return [];
    }
    let written = 0;
    try {
      const rest = await runUnit(unit, {
        ...this.#options,
        onPage: () => {
          counts.requests += 1;
        },
        onWritten: (replaced, rows) => {
          counts.partitions += 1;
          counts[replaced] += 1;
          counts.rows += rows;
          written += 1;
          onPartitions(1, 0);
        },
      });
      this.#succeeded += 1;
      return rest;
    } catch (error) {
      if (!isOfUnit(error)) throw error;
      this.#failures.push({ table: table.name, domain: domain.name, days, error });
      this.#failed.add(`${table.name}/${domain.id}`);
      skip(partitions.length - written);
      if (this.#succeeded === 0 && this.#failures.length >= HOPELESS_FAILURES) throw error;
      return [];
    }
  }
}

/** Whether an error concerns one unit only, so that others may succeed. */
function isOfUnit(error: unknown): error is GatectlError {
  if (!(error instanceof GatectlError)) return false;
  if (error instanceof DestinationError) return error.isOfSites;
  return !(error instanceof AuthError || error instanceof InterruptedError || error instanceof FileError);
}
