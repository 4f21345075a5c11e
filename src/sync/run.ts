import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays, type Day, type DayRange } from '../apis/bda/days.ts';
import { AuthError, FileError, GatectlError, InterruptedError } from '../errors/index.ts';
import { rowsToParquet } from '../export/parquet/rows-to-parquet.ts';
import { openAtomic } from '../files/atomic-file.ts';
import { forEachConcurrently } from '../http/concurrent.ts';
import { typeOf, widen } from './column-types.ts';
import { ADDED_COLUMNS, DAY_COLUMN, type SyncTable } from './config.ts';
import { sha256Of } from './control-totals.ts';
import type { Destination, Replaced } from './destinations/destination.ts';
import { type FetchOptions, fetchUnit } from './fetch-unit.ts';
import { type LedgerEntry, stateOf } from './ledger.ts';
import {
  type PlannedPartition,
  type PlanOptions,
  packUnits,
  planPartitions,
  type SyncDomain,
  type Unit,
} from './plan.ts';
import type { PartitionRows } from './split-rows.ts';
import { queryHash } from './table-query.ts';
import { WorkQueue } from './work-queue.ts';

/** Units in flight: each is a query of up to 100,000 rows. */
const UNITS_IN_FLIGHT = 4;
/** A run stops when this many units have failed and none has succeeded. */
const HOPELESS_FAILURES = 10;
/** Types settle within a few passes, because each only becomes wider. */
const MOST_PASSES = 8;

export interface RunOptions extends Omit<FetchOptions, 'folder' | 'onPage'> {
  readonly tables: readonly SyncTable[];
  readonly domains: readonly SyncDomain[];
  readonly destination: Destination;
  readonly today: Day;
  readonly lookback: number;
  readonly refetch?: DayRange | undefined;
  readonly latestDays?: PlanOptions['latestDays'];
  readonly revised?: PlanOptions['revised'];
  readonly onlyRevised?: boolean;
  /** Maximum units in flight; undefined for the default. */
  readonly concurrency: number | undefined;
  readonly onPlanned: (partitions: number) => void;
  readonly onPartitions: (done: number, failed: number) => void;
  /** Called for a column that got another type. */
  readonly onWidened: (table: string, version: number, changes: readonly string[]) => void;
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
    schemaVersion: ({ name }) => versions.get(name) ?? 0,
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
  #nextUnit = 0;
  hasWidened = false;
  /** Schemas are read, widened and written one at a time. */
  #schemaTurn: Promise<unknown> = Promise.resolve();

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
    for (const { name } of tables)
      if ((await destination.schema(name)).version !== plan.schemaVersion({ name } as SyncTable))
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

  /** Requests a unit and writes its partitions; resolves to the units for what is left of it. */
  async #do(unit: Unit): Promise<readonly Unit[]> {
    const { table, domain, days, partitions } = unit;
    const counts = this.#counts.get(table.name) as TableCounts;
    const { destination, onPartitions } = this.#options;
    const skip = (count: number) => {
      counts.failed += count;
      onPartitions(count, count);
    };
    if (this.#failed.has(`${table.name}/${domain.id}`)) {
      skip(partitions.length);
      return [];
    }
    const folder = join(destination.staging, String(this.#nextUnit++));
    let written = 0;
    try {
      const { rows, done, rest } = await fetchUnit(unit, {
        ...this.#options,
        folder,
        onPage: () => {
          counts.requests += 1;
        },
      });
      for (const planned of partitions.slice(0, done)) {
        this.#options.signal.throwIfAborted();
        const part = rows.get(planned.key);
        const replaced = await this.#write(unit, planned, part);
        counts.partitions += 1;
        counts[replaced] += 1;
        counts.rows += part?.rows ?? 0;
        written += 1;
        onPartitions(1, 0);
      }
      this.#succeeded += 1;
      return rest;
    } catch (error) {
      if (!isOfUnit(error)) throw error;
      this.#failures.push({ table: table.name, domain: domain.name, days, error });
      this.#failed.add(`${table.name}/${domain.id}`);
      skip(partitions.length - written);
      if (this.#succeeded === 0 && this.#failures.length >= HOPELESS_FAILURES) throw error;
      return [];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #write(
    { table, domain }: Unit,
    planned: PlannedPartition,
    rows: PartitionRows | undefined,
  ): Promise<Replaced> {
    const { destination, clock, today, lookback, latestDays, kindOf } = this.#options;
    const before = (await destination.ledger(table.name, domain.id)).get(planned.key);
    const file = rows === undefined ? undefined : await this.#toParquet(table, rows);
    const state = stateOf(planned.days.to, today, lookback, latestDays?.get(table.name));
    const isChanged = before !== undefined && before.sha256 !== (file?.sha256 ?? null);
    const isRevision =
      isChanged && before.query === queryHash(table, kindOf) && before.to === planned.days.to;
    const revisedAtAge = isRevision ? oldestRevision(before, rows, today) : before?.revisedAtAge;
    const entry: LedgerEntry = {
      partition: planned.key,
      domain: domain.name,
      from: planned.days.from,
      to: planned.days.to,
      query: queryHash(table, kindOf),
      schema: file?.schema ?? (await destination.schema(table.name)).version,
      rows: rows?.rows ?? 0,
      metrics: table.metrics,
      sums: rows?.sums ?? table.metrics.map(() => '0'),
      days: rows?.days ?? {},
      sha256: file?.sha256 ?? null,
      bytes: file?.bytes ?? 0,
      fetchedAt: new Date(clock.now()).toISOString(),
      state,
      revisions: (before?.revisions ?? 0) + (isRevision ? 1 : 0),
      ...(revisedAtAge !== undefined && { revisedAtAge }),
    };
    return await destination.replace({ table, domain, path: file?.path, entry }, before);
  }

  async #toParquet(
    table: SyncTable,
    rows: PartitionRows,
  ): Promise<{ path: string; sha256: string; bytes: number; schema: number }> {
    const path = `${rows.path}.parquet`;
    const own = [...ADDED_COLUMNS, DAY_COLUMN, ...table.dimensions, ...table.metrics];
    const earlier = (await this.#options.destination.schema(table.name)).columns.map(({ name }) => name);
    let schema = 0;
    const file = await openAtomic(path);
    try {
      await rowsToParquet({
        rowsPath: rows.path,
        file,
        columns: [...new Set([...earlier, ...own])],
        figures: table.metrics,
        createdBy: 'gatectl',
        signal: this.#options.signal,
        onRows: () => {},
        onMixed: () => {},
        chooseTypes: async found => {
          const pinned = await this.#pin(
            table,
            found.filter(({ name }) => own.includes(name)),
          );
          schema = pinned.version;
          return found.map(({ name }) => {
            const column = pinned.columns.find(each => each.name === name);
            return column === undefined ? { kind: 'text' } : typeOf(column);
          });
        },
      });
      await file.commit();
    } catch (error) {
      await file.discard();
      throw error;
    }
    return { path, sha256: await sha256Of(path), bytes: file.position, schema };
  }

  /** Adds what a file needs to the types of its table, and stores them before the file is written. */
  async #pin(table: SyncTable, found: Parameters<typeof widen>[1]) {
    const { destination, onWidened } = this.#options;
    const pin = async () => {
      const before = await destination.schema(table.name);
      const { schema, isChanged, changes } = widen(before, found, table.metrics);
      if (isChanged) await destination.writeSchema(table.name, { ...schema, partition: table.partition });
      if (changes.length > 0) onWidened(table.name, schema.version, changes);
      return schema;
    };
    const turn = this.#schemaTurn.then(pin, pin);
    this.#schemaTurn = turn.catch(() => undefined);
    return await turn;
  }
}

/** Whether an error concerns one unit only, so that others may succeed. */
function isOfUnit(error: unknown): error is GatectlError {
  if (!(error instanceof GatectlError)) return false;
  return !(error instanceof AuthError || error instanceof InterruptedError || error instanceof FileError);
}

/** The age in days of the oldest day whose totals differ from before. */
function oldestRevision(
  before: LedgerEntry,
  rows: PartitionRows | undefined,
  today: Day,
): number | undefined {
  const days = [...new Set([...Object.keys(before.days), ...Object.keys(rows?.days ?? {})])].sort();
  const changed = days.find(day => JSON.stringify(before.days[day]) !== JSON.stringify(rows?.days[day]));
  if (changed === undefined) return before.revisedAtAge;
  let age = 0;
  for (let day = changed; day < today; day = addDays(day, 1)) age += 1;
  return Math.max(age, before.revisedAtAge ?? 0);
}
