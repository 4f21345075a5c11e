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
import { forEachConcurrently } from '../http/concurrent.ts';
import { isLongPause } from '../http/retry.ts';
import { carryOut, type UnitToDo } from './carry-out.ts';
import type { SyncTable } from './config.ts';
import { BrokenContractError } from './contracts/broken-contract.ts';
import { packUnits, type Unit } from './plan.ts';
import { type FailedPartition, isOfPartition, type UnitOptions } from './run-unit.ts';
import { SupersededError } from './unit-guard.ts';
import { WorkQueue } from './work-queue.ts';

/** Units in flight: each is a query of up to 100,000 rows. */
const UNITS_IN_FLIGHT = 4;
/** A run stops when this many units have failed and none has succeeded, and when the gateway failed for as many in a row. */
const HOPELESS_FAILURES = 10;

/** A unit that failed, or those of its partitions that may not be replaced. */
interface Failure {
  readonly table: string;
  readonly domain: string;
  readonly days: DayRange;
  readonly error: GatectlError;
}

/** What a run did to one table. */
interface TableCounts {
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
  /** Whether all partitions that did not fail have the column types of today: another process may still be making them wider. */
  readonly isConverged: boolean;
  /** Partitions that were not begun before the deadline. */
  readonly left: number;
}

/** What a unit was planned with. */
export type UnitPlan = Pick<UnitOptions, 'today' | 'lookback' | 'latestDays' | 'kindOf'>;

/** A unit to run. */
interface UnitToRun extends UnitToDo {
  readonly plan: UnitPlan;
}

export interface UnitPoolOptions extends Omit<UnitOptions, keyof UnitPlan | 'onPage' | 'onWritten'> {
  readonly tables: readonly SyncTable[];
  /** Maximum units in flight; undefined for the default. */
  readonly concurrency: number | undefined;
  /** When to begin no further unit, in milliseconds of the clock. */
  readonly deadline?: number | undefined;
  /** Called with what has been done so far to the table that the partitions are of. */
  readonly onPartitions: (done: number, failed: number, counts: Readonly<TableCounts>) => void;
}

/** Runs units a few at a time, and counts what they did. */
export class UnitPool {
  readonly #options: UnitPoolOptions;
  readonly #counts: ReadonlyMap<string, TableCounts>;
  readonly #failures: Failure[] = [];
  /** Sites of tables with a failed unit, which later passes skip. */
  readonly #failed = new Set<string>();
  /** Partitions that may not be replaced, which later passes skip. */
  readonly #rejected = new Set<string>();
  /** Partitions that were not begun before the deadline. */
  readonly #left = new Set<string>();
  /** Units in flight by site of a table. */
  readonly #inFlight = new Map<string, number>();
  #succeeded = 0;
  /** Units since the last success for which the gateway could not be reached, or was busy. */
  #unavailable = 0;

  constructor(options: UnitPoolOptions) {
    this.#options = options;
    this.#counts = new Map(
      options.tables.map(({ name }) => [
        name,
        { table: name, partitions: 0, added: 0, changed: 0, unchanged: 0, rows: 0, requests: 0, failed: 0 },
      ]),
    );
  }

  get hasFailures(): boolean {
    return this.#failures.length > 0;
  }

  result(isConverged: boolean): RunResult {
    return {
      tables: [...this.#counts.values()],
      failures: this.#failures,
      isConverged,
      left: this.#left.size,
    };
  }

  /** Whether a partition of a site has not failed before. */
  isDue(table: SyncTable, domainId: number, partition: string): boolean {
    const site = siteOf(table, domainId);
    return !this.#failed.has(site) && !this.#rejected.has(`${site}/${partition}`);
  }

  /** Runs units, and what is left of them. */
  async run(units: AsyncIterable<UnitToRun>): Promise<void> {
    const { sender, concurrency } = this.#options;
    const queue = new WorkQueue(units);
    await forEachConcurrently(
      queue,
      async toRun => {
        let rest: readonly Unit[] = [];
        try {
          rest = await this.#holdingLedger(toRun.unit, () => this.#do(toRun));
        } catch (error) {
          queue.close();
          throw error;
        } finally {
          queue.done(rest.map(unit => ({ ...toRun, unit })));
        }
      },
      { most: concurrency ?? UNITS_IN_FLIGHT, capacity: () => sender.capacity('bda-v2') },
    );
  }

  /** Releases the ledger of a site after its last unit in flight. */
  async #holdingLedger<Value>({ table, domain }: Unit, work: () => Promise<Value>): Promise<Value> {
    const site = siteOf(table, domain.id);
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

  /** Whether so many units have failed in a row that the others would fail as well. Values and superseded units do not count. */
  #isHopeless(): boolean {
    if (this.#unavailable >= HOPELESS_FAILURES) return true;
    const others = this.#failures.filter(
      ({ error }) => !(isOfPartition(error) || error instanceof SupersededError),
    );
    return this.#succeeded === 0 && others.length >= HOPELESS_FAILURES;
  }

  /** Runs a unit, and counts what it did; resolves to the units for what is left of it. */
  async #do({ unit, plan, mark }: UnitToRun): Promise<readonly Unit[]> {
    const { table, domain, days, partitions } = unit;
    const counts = this.#counts.get(table.name) as TableCounts;
    const { onPartitions } = this.#options;
    const skip = (count: number) => {
      counts.failed += count;
      onPartitions(count, count, counts);
    };
    if (this.#failed.has(siteOf(table, domain.id))) {
      skip(partitions.length);
      return [];
    }
    const storable = partitions.filter(
      ({ key }) => !this.#rejected.has(`${siteOf(table, domain.id)}/${key}`),
    );
    if (storable.length < partitions.length) return packUnits(table, domain, storable);
    const { clock, deadline } = this.#options;
    if (deadline !== undefined && clock.now() >= deadline) {
      for (const { key } of partitions) this.#left.add(`${siteOf(table, domain.id)}/${key}`);
      return [];
    }
    let done = 0;
    try {
      const { rest, failed } = await carryOut(
        { unit, mark },
        {
          ...this.#options,
          ...plan,
          onLeftOut: count => {
            done += count;
            onPartitions(count, 0, counts);
          },
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
        },
      );
      this.#addRejected(unit, failed);
      done += failed.length;
      skip(failed.length);
      this.#succeeded += 1;
      this.#unavailable = 0;
      return rest;
    } catch (error) {
      if (!isOfUnit(error)) throw error;
      this.#failures.push({ table: table.name, domain: domain.name, days, error });
      this.#failed.add(siteOf(table, domain.id));
      skip(partitions.length - done);
      const isUnavailable = error instanceof NetworkError || error instanceof RateLimitError;
      this.#unavailable = isUnavailable ? this.#unavailable + 1 : 0;
      if (this.#isHopeless()) throw error;
      return [];
    }
  }

  /** Adds the failures of partitions; consecutive ones with the same error are one. */
  #addRejected({ table, domain }: Unit, failed: readonly FailedPartition[]): void {
    let last: Failure | undefined;
    for (const { partition, error } of failed) {
      this.#rejected.add(`${siteOf(table, domain.id)}/${partition.key}`);
      const { from, to } = partition.days;
      if (last !== undefined && isSame(last.error, error) && addDays(last.days.to, 1) === from) {
        this.#failures.pop();
        last = { ...last, days: { from: last.days.from, to } };
      } else last = { table: table.name, domain: domain.name, days: partition.days, error };
      this.#failures.push(last);
    }
  }
}

/** Whether two partitions failed for the same reason. */
function isSame(one: GatectlError, other: GatectlError): boolean {
  if (one instanceof BrokenContractError && other instanceof BrokenContractError) return one.isLike(other);
  return one.message === other.message;
}

function siteOf({ name }: SyncTable, domainId: number): string {
  return `${name}/${domainId}`;
}

/** Whether an error concerns one unit only, so that others may succeed. */
function isOfUnit(error: unknown): error is GatectlError {
  if (!(error instanceof GatectlError) || isLongPause(error)) return false;
  return ![AuthError, DestinationError, FileError, InterruptedError].some(kind => error instanceof kind);
}
