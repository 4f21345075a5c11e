import { addDays, type DayRange } from '../apis/bda/days.ts';
import {
  AuthError,
  DestinationError,
  FileError,
  GatectlError,
  InterruptedError,
  NetworkError,
  RateLimitError,
} from '../errors/index.ts';
import { UnrepresentableValueError } from '../export/unrepresentable-value.ts';
import { forEachConcurrently } from '../http/concurrent.ts';
import type { SyncTable } from './config.ts';
import type { Destination } from './destinations/destination.ts';
import type { OnLost } from './destinations/site-ledger.ts';
import { type LedgerEntry, stateOf } from './ledger.ts';
import { partitionsOf } from './partitions.ts';
import { type PlannedPartition, type PlanOptions, packUnits, type SyncDomain, type Unit } from './plan.ts';
import { plannedUnits } from './planned-units.ts';
import { type FailedPartition, runUnit, type UnitOptions } from './run-unit.ts';
import { queryHash } from './table-query.ts';
import { WorkQueue } from './work-queue.ts';

/** Units in flight: each is a query of up to 100,000 rows. */
const UNITS_IN_FLIGHT = 4;
/** A run stops when this many units have failed and none has succeeded, and when the gateway failed for as many in a row. */
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
  /** Called with what has been done so far to the table that the partitions are of. */
  readonly onPartitions: (done: number, failed: number, counts: Readonly<TableCounts>) => void;
}

/** A unit that failed, or those of its partitions with a value that cannot be stored. */
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

/** What a unit was planned with. */
export type UnitPlan = Pick<UnitOptions, 'today' | 'lookback' | 'latestDays' | 'kindOf'>;

/** A unit to run. */
interface Job {
  readonly unit: Unit;
  readonly plan: UnitPlan;
  /** Whether another process has written a partition meanwhile, so that it is not requested. */
  readonly isWritten?: (planned: PlannedPartition, entry: LedgerEntry | undefined) => boolean;
}

/**
 * Brings a destination up to date: requests missing partitions and those that may have changed, and replaces them one at a time. Units that
 * fail are collected. Throws what ends the run: AuthError, FileError, InterruptedError, and a failure if nothing succeeds, or if the
 * gateway remains unavailable.
 */
export async function runSync(options: RunOptions): Promise<RunResult> {
  const { tables, domains, destination, onPlanned } = options;
  const run = new SyncRun(options);
  const pass = async (only: (planned: PlannedPartition) => boolean) => {
    const plan = await planOptions(options);
    const onLost: OnLost = (table, domain, error) => run.lose(table, domain, error, options);
    const units = () => plannedUnits(tables, domains, destination, plan, onLost, only);
    let partitions = 0;
    for await (const unit of units()) partitions += unit.partitions.length;
    onPlanned(partitions);
    await run.carryOut(jobsOf(units(), options));
    for (const table of tables)
      if (plan.schemaVersion && (await destination.schema(table.name)).version !== plan.schemaVersion(table))
        return true;
    return false;
  };
  let hasWidened = await pass(() => true);
  // A type that became wider is used for the files before it, too, so that all files of a table have the same types.
  for (let count = 0; count < MOST_PASSES && hasWidened; count++)
    hasWidened = await pass(({ reason }) => reason === 'schema');
  return run.result();
}

async function* jobsOf(units: AsyncIterable<Unit>, plan: UnitPlan): AsyncGenerator<Job> {
  for await (const unit of units) yield { unit, plan };
}

/** A unit of a plan that another process made. */
export interface PlannedElsewhere {
  readonly unit: Unit;
  readonly plan: UnitPlan;
  /** When it was planned: partitions written since then are not requested again. */
  readonly plannedAt: string;
}

export interface UnitsRunOptions
  extends Omit<RunOptions, keyof UnitPlan | 'domains' | 'refetch' | 'revised' | 'onlyRevised'> {
  /** The units; read once. */
  readonly units: AsyncIterable<PlannedElsewhere>;
  /** What the units of each table were planned with, by name. */
  readonly plans: ReadonlyMap<string, UnitPlan>;
}

/**
 * Runs units, while other processes may run others, of the same sites too. Afterwards, files whose column types have become wider are
 * written again, whoever wrote them. Throws as `runSync` does.
 */
export async function runUnits(options: UnitsRunOptions): Promise<RunResult> {
  const { tables, destination, plans, units, onPlanned } = options;
  const run = new SyncRun(options);
  const jobs = async function* (): AsyncGenerator<Job> {
    for await (const { unit, plan, plannedAt } of units) {
      onPlanned(unit.partitions.length);
      const hash = queryHash(unit.table, plan.kindOf);
      yield {
        unit,
        plan,
        isWritten: ({ days }, entry) =>
          entry !== undefined &&
          entry.query === hash &&
          entry.from <= days.from &&
          entry.to >= days.to &&
          entry.fetchedAt >= plannedAt &&
          destination.isIntact(unit.table.name, unit.domain.id, entry),
      };
    }
  };
  await run.carryOut(jobs());
  if (!destination.rewritesForTypes) return run.result();
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    let found = 0;
    const stale = async function* (): AsyncGenerator<Job> {
      for (const table of tables) {
        const plan = plans.get(table.name);
        if (plan === undefined) continue;
        for await (const unit of unitsOfEarlierTypes(table, destination, queryHash(table, plan.kindOf))) {
          found += 1;
          onPlanned(unit.partitions.length);
          const { version } = await destination.schema(table.name);
          yield { unit, plan, isWritten: (_, entry) => entry === undefined || entry.schema === version };
        }
      }
    };
    await run.carryOut(stale());
    if (found === 0) break;
  }
  return run.result();
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

class SyncRun {
  readonly #options: Omit<UnitsRunOptions, 'units' | 'plans'>;
  readonly #counts: ReadonlyMap<string, TableCounts>;
  readonly #failures: Failure[] = [];
  /** Sites of tables with a failed unit, which later passes skip. */
  readonly #failed = new Set<string>();
  /** Partitions with a value that cannot be stored, which later passes skip. */
  readonly #unstorable = new Set<string>();
  /** Units in flight by site of a table. */
  readonly #inFlight = new Map<string, number>();
  #succeeded = 0;
  /** Units since the last success for which the gateway could not be reached, or was busy. */
  #unavailable = 0;

  constructor(options: Omit<UnitsRunOptions, 'units' | 'plans'>) {
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

  /** Runs jobs, and what is left of them. */
  async carryOut(jobs: AsyncIterable<Job>): Promise<void> {
    const { sender, concurrency } = this.#options;
    const queue = new WorkQueue(jobs);
    await forEachConcurrently(
      queue,
      async job => {
        let rest: readonly Unit[] = [];
        try {
          rest = await this.#holdingLedger(job.unit, () => this.#do(job));
        } catch (error) {
          queue.close();
          throw error;
        } finally {
          queue.done(rest.map(unit => ({ ...job, unit })));
        }
      },
      { most: concurrency ?? UNITS_IN_FLIGHT, capacity: () => sender.capacity },
    );
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

  /** Counts a site as failed whose server cannot be reached. Of its partitions, at least those that may still change would be requested. */
  lose(
    table: SyncTable,
    domain: SyncDomain,
    error: DestinationError,
    { today, lookback }: Pick<RunOptions, 'today' | 'lookback'>,
  ): void {
    const key = `${table.name}/${domain.id}`;
    const all = [...partitionsOf(table, today)];
    const [first, last] = [all[0], all.at(-1)];
    if (this.#failed.has(key) || first === undefined || last === undefined) return;
    const open = all.filter(({ days }) => stateOf(days.to, today, lookback) === 'provisional').length;
    const counts = this.#counts.get(table.name) as TableCounts;
    counts.failed += Math.max(1, open);
    this.#failed.add(key);
    const days = { from: first.days.from, to: last.days.to };
    this.#failures.push({ table: table.name, domain: domain.name, days, error });
  }

  /** Whether so many units have failed in a row that the others would fail as well. Sites of a lost server, and values, do not count. */
  #isHopeless(): boolean {
    if (this.#unavailable >= HOPELESS_FAILURES) return true;
    const others = this.#failures.filter(
      ({ error }) =>
        !(error instanceof UnrepresentableValueError) &&
        !(error instanceof DestinationError && error.isOfSites),
    );
    return this.#succeeded === 0 && others.length >= HOPELESS_FAILURES;
  }

  /** Runs a unit, and counts what it did; resolves to the units for what is left of it. */
  async #do({ unit, plan, isWritten }: Job): Promise<readonly Unit[]> {
    const { table, domain, days, partitions } = unit;
    const counts = this.#counts.get(table.name) as TableCounts;
    const { destination, onPartitions } = this.#options;
    const skip = (count: number) => {
      counts.failed += count;
      onPartitions(count, count, counts);
    };
    if (this.#failed.has(`${table.name}/${domain.id}`)) {
      skip(partitions.length);
      return [];
    }
    const storable = partitions.filter(
      ({ key }) => !this.#unstorable.has(`${table.name}/${domain.id}/${key}`),
    );
    if (storable.length < partitions.length) return packUnits(table, domain, storable);
    let done = 0;
    try {
      const rest = await destination.lockSite(table.name, domain.id, async () => {
        if (isWritten !== undefined) {
          const ledger = await destination.ledger(table.name, domain.id);
          const left = partitions.filter(planned => !isWritten(planned, ledger.get(planned.key)));
          if (left.length < partitions.length) {
            onPartitions(partitions.length - left.length, 0, counts);
            return packUnits(table, domain, left);
          }
        }
        const result = await runUnit(unit, {
          ...this.#options,
          ...plan,
          onPage: () => {
            counts.requests += 1;
          },
          onWritten: (replaced, rows) => {
            counts.partitions += 1;
            counts[replaced] += 1;
            counts.rows += rows;
            done += 1;
            onPartitions(1, 0, counts);
          },
        });
        this.#addUnstorable(unit, result.failed);
        done += result.failed.length;
        skip(result.failed.length);
        return result.rest;
      });
      this.#succeeded += 1;
      this.#unavailable = 0;
      return rest;
    } catch (error) {
      if (!isOfUnit(error)) throw error;
      this.#failures.push({ table: table.name, domain: domain.name, days, error });
      this.#failed.add(`${table.name}/${domain.id}`);
      skip(partitions.length - done);
      const isUnavailable = error instanceof NetworkError || error instanceof RateLimitError;
      this.#unavailable = isUnavailable ? this.#unavailable + 1 : 0;
      if (this.#isHopeless()) throw error;
      return [];
    }
  }

  /** Adds the failures of partitions; consecutive ones with the same error are one. */
  #addUnstorable({ table, domain }: Unit, failed: readonly FailedPartition[]): void {
    let last: Failure | undefined;
    for (const { partition, error } of failed) {
      this.#unstorable.add(`${table.name}/${domain.id}/${partition.key}`);
      const { from, to } = partition.days;
      const isNext = last?.error.message === error.message && addDays(last.days.to, 1) === from;
      if (last !== undefined && isNext) {
        this.#failures.pop();
        last = { ...last, days: { from: last.days.from, to } };
      } else last = { table: table.name, domain: domain.name, days: partition.days, error };
      this.#failures.push(last);
    }
  }
}

/** Whether an error concerns one unit only, so that others may succeed. */
function isOfUnit(error: unknown): error is GatectlError {
  if (!(error instanceof GatectlError)) return false;
  if (error instanceof DestinationError) return error.isOfSites;
  return !(error instanceof AuthError || error instanceof InterruptedError || error instanceof FileError);
}
