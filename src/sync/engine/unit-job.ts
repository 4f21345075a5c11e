import { createHash } from 'node:crypto';
import { addDays, type Day } from '../../apis/bda/days.ts';
import type { KindOf } from '../../apis/bda/filter-expression.ts';
import { UsageError } from '../../errors/index.ts';
import type { SyncTable } from '../config.ts';
import type { Ledger } from '../ledger.ts';
import { partitionsOf } from '../partitions.ts';
import type { Unit } from '../plan.ts';
import { queryHash } from '../table-query.ts';
import { reasonsOf, type UnitContext } from '../unit-record.ts';

/** The version of the fields of a job: higher when an earlier gatectl would misunderstand them. */
const JOB_VERSION = 1;

/** A unit in the queue. It contains no key and no query: workers read both where they run, and `query` shows whether it is the same. */
export interface UnitJob {
  /** {@link JOB_VERSION} of the gatectl that submitted it. */
  readonly version: number;
  /** As the sync file names it. */
  readonly destination: string;
  readonly table: string;
  readonly domain: string;
  readonly domain_id: number;
  readonly from: Day;
  readonly to: Day;
  /** Identifies the query of the table. */
  readonly query: string;
  /** `3 new, 1 provisional` */
  readonly reasons: string;
  /** The day of the plan. */
  readonly today: Day;
  /** How many of the last days are provisional. */
  readonly lookback: number;
  /** The latest day with data of the table, where the gateway reports it. */
  readonly latest: Day | null;
}

/** A job with its id: the same for the same work, so that submitting it twice queues it once. */
export interface IdentifiedJob {
  readonly id: string;
  readonly data: UnitJob;
}

/** The job of a unit. `account` identifies the key without showing it. */
export function jobOf(
  { table, domain, days, ...unit }: Unit,
  account: string,
  { destination, today, lookback, latestDays, kindOf }: Omit<UnitContext, 'plannedAt'>,
): IdentifiedJob {
  const query = queryHash(table, kindOf);
  const identity = [account, destination, query, table.name, domain.id, days.from, days.to];
  return {
    id: createHash('sha256').update(JSON.stringify(identity)).digest('hex'),
    data: {
      version: JOB_VERSION,
      destination,
      table: table.name,
      domain: domain.name,
      domain_id: domain.id,
      ...{ from: days.from, to: days.to, query },
      reasons: reasonsOf({ table, domain, days, ...unit }),
      ...{ today, lookback, latest: latestDays?.get(table.name) ?? null },
    },
  };
}

/** Whether a job is of a later gatectl, whose fields this one does not know. */
export function isOfLaterVersion({ version }: UnitJob): boolean {
  return version > JOB_VERSION;
}

/** The unit of a job, for the table of its name in a sync file. Throws UsageError if that has another query. */
export function unitOfJob(job: UnitJob, table: SyncTable | undefined, kindOf: KindOf): Unit {
  if (table === undefined)
    throw new UsageError(`this worker has no sync file with the table ${job.table} in ${job.destination}`, {
      code: 'invalid_input',
    });
  if (queryHash(table, kindOf) !== job.query)
    throw new UsageError(
      `the sync file of this worker has another query for ${job.table} than that of the submitted unit`,
      { code: 'invalid_input' },
    );
  const { from, to } = job;
  const partitions = [
    ...partitionsOf({ start: from, end: to, partition: table.partition }, addDays(to, 1)),
  ].map(partition => ({ ...partition, reason: 'new' as const, rows: undefined }));
  const domain = { id: job.domain_id, name: job.domain };
  return { table, domain, partitions, days: { from, to }, rows: undefined, requests: 1 };
}

/**
 * A unit without the partitions at its end that the ledger holds with later days: a unit that waited since an earlier plan must not
 * replace them by fewer days. Undefined if nothing is left.
 */
export function withoutSuperseded(unit: Unit, ledger: Ledger, query: string): Unit | undefined {
  const isSuperseded = ({ key, days }: Unit['partitions'][number]) => {
    const entry = ledger.get(key);
    return entry !== undefined && entry.query === query && entry.to > days.to;
  };
  const count = unit.partitions.findLastIndex(partition => !isSuperseded(partition)) + 1;
  const last = unit.partitions[count - 1];
  if (last === undefined) return undefined;
  return {
    ...unit,
    partitions: unit.partitions.slice(0, count),
    days: { from: unit.days.from, to: last.days.to },
  };
}
