import { createHash } from 'node:crypto';
import type { Day } from '../../apis/bda/days.ts';
import type { KindOf } from '../../apis/bda/filter-expression.ts';
import { UsageError } from '../../errors/index.ts';
import type { SyncTable } from '../config.ts';
import type { Reason, Unit } from '../plan.ts';
import { queryHash } from '../table-query.ts';
import { isSuperseded } from '../unit-guard.ts';
import {
  type PlanFields,
  partitionsBetween,
  planFields,
  reasonsOf,
  replacedBy,
  replacing,
  type UnitContext,
} from '../unit-record.ts';

/** The version of the fields of a job: higher when an earlier gatectl would misunderstand them. */
const JOB_VERSION = 2;

/** What the units of a table have in common. */
interface JobOfTable extends PlanFields {
  /** {@link JOB_VERSION} of the gatectl that submitted it. */
  readonly version: number;
  /** As the sync file names it. */
  readonly destination: string;
  readonly table: string;
  /** Identifies the query of the table. */
  readonly query: string;
}

/** A unit in the queue. It contains no key and no query: workers read both where they run, and `query` shows whether it is the same. */
export interface UnitJob extends JobOfTable {
  readonly domain: string;
  readonly domain_id: number;
  readonly from: Day;
  readonly to: Day;
  /** `3 new, 1 provisional` */
  readonly reasons: string;
  /** Hashes of the other queries with which the plan found its partitions, if any. */
  readonly replaces?: readonly string[];
}

type GroupedUnit = readonly [
  domain_id: number,
  domain: string,
  from: Day,
  to: Day,
  reasons: string,
  replaces?: readonly string[],
];

/** Units of a table in one job, as `submit` adds them: a queue takes it as fast as a single unit. A worker divides it into their jobs. */
export interface GroupJob extends JobOfTable {
  readonly units: readonly GroupedUnit[];
}

/** A job with its id: the same for the same work, so that submitting it twice queues it once. */
export interface IdentifiedJob<Data = UnitJob> {
  readonly id: string;
  readonly data: Data;
}

/** The job of a unit. `account` identifies the key without showing it. */
export function jobOf(unit: Unit, account: string, context: UnitContext): IdentifiedJob {
  const { table, domain, days } = unit;
  return identified(
    {
      ...jobOfTable(table, context),
      domain: domain.name,
      domain_id: domain.id,
      ...{ from: days.from, to: days.to, reasons: reasonsOf(unit) },
      ...replacing(replacedBy(unit)),
    },
    account,
  );
}

function jobOfTable(table: SyncTable, context: UnitContext): JobOfTable {
  const { destination, kindOf } = context;
  return {
    version: JOB_VERSION,
    destination,
    table: table.name,
    query: queryHash(table, kindOf),
    ...planFields(table, context),
  };
}

function identified(data: UnitJob, account: string): IdentifiedJob {
  const { destination, query, table, domain_id, from, to, reasons, replaces = [] } = data;
  const identity = [account, destination, query, table, domain_id, from, to, ...replaces];
  return { id: hashOf(isForced(reasons) ? [...identity, 'refetch'] : identity), data };
}

/** Whether what an earlier plan requests would not do: the user requires what the gateway has now. */
function isForced(reasons: string): boolean {
  return reasons.includes('refetch' satisfies Reason);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Units of a group, at most. */
const MOST_UNITS = 100;
/** A group ends before one site in so many, on average. */
const SITES = 64;

/**
 * The jobs of units, in groups. Where a group ends depends on the sites in it, not on those before, so that a later plan, which lacks
 * what is done by then, has the same groups for all the others, and adds none of them twice.
 */
export async function* groupsOf(
  batches: AsyncIterable<readonly Unit[]>,
  account: string,
  context: UnitContext,
): AsyncGenerator<IdentifiedJob<GroupJob>> {
  let common: { readonly of: SyncTable; readonly job: JobOfTable } | undefined;
  let group: GroupedUnit[] = [];
  let reasons: { readonly of: Unit['partitions']; readonly text: string } | undefined;
  for await (const units of batches)
    for (const unit of units) {
      const { table, domain, days, partitions } = unit;
      const isOther = common?.of !== table;
      const isEnd = group.at(-1)?.[0] !== domain.id && endsGroup(domain.id);
      if (common !== undefined && group.length > 0 && (isOther || isEnd || group.length >= MOST_UNITS)) {
        yield groupOf(common.job, group, account);
        group = [];
      }
      if (common === undefined || isOther) common = { of: table, job: jobOfTable(table, context) };
      // New sites share their partitions.
      if (reasons?.of !== partitions) reasons = { of: partitions, text: reasonsOf(unit) };
      const replaces = replacedBy(unit);
      const grouped = [domain.id, domain.name, days.from, days.to, reasons.text] as const;
      group.push(replaces.length === 0 ? grouped : [...grouped, replaces]);
    }
  if (common !== undefined && group.length > 0) yield groupOf(common.job, group, account);
}

/** Whether a group ends before a site: one in {@link SITES} of any ids. */
function endsGroup(domainId: number): boolean {
  return (Math.imul(domainId, 0x9e37_79b1) >>> 16) % SITES === 0;
}

function groupOf(
  common: JobOfTable,
  units: readonly GroupedUnit[],
  account: string,
): IdentifiedJob<GroupJob> {
  const { destination, query, table } = common;
  const identity = units.map(([id, , from, to, reasons, replaces = []]) => [
    ...[id, from, to, isForced(reasons)],
    ...replaces,
  ]);
  const hash = hashOf([account, destination, query, table, identity]);
  return { id: `${hash}-${units.length}`, data: { ...common, units } };
}

/** How many units a job has: its id says so. */
export function unitsIn(id: string): number {
  const [, count] = /-(\d+)$/.exec(id) ?? [];
  return count === undefined ? 1 : Number(count);
}

/** The jobs of a group's units; the job itself, if it is a unit. */
export function unitsOfGroup(id: string, job: UnitJob | GroupJob, account: string): readonly IdentifiedJob[] {
  if (!('units' in job)) return [{ id, data: job }];
  const { units, ...common } = job;
  return units.map(([domain_id, domain, from, to, reasons, replaces = []]) =>
    identified({ ...common, domain, domain_id, from, to, reasons, ...replacing(replaces) }, account),
  );
}

/** The error of a job of a later gatectl, whose fields this one does not know; undefined for others. */
export function laterVersionError({ version }: JobOfTable): UsageError | undefined {
  if (version <= JOB_VERSION) return undefined;
  return new UsageError('a later version of gatectl submitted the units of this queue', {
    code: 'invalid_input',
    hints: ['install that version of gatectl on this machine'],
  });
}

/** How the errors of units begin for which a worker has no sync file, or one that has changed since they were submitted. */
const NO_TABLE = 'this worker has no sync file with the table';
const OTHER_QUERY = 'the sync file of this worker has another query for';

/** Whether a unit was set aside for an error that returning it to the queue cannot help. */
export function isOfOtherFile(error: string): boolean {
  return error.startsWith(NO_TABLE) || error.startsWith(OTHER_QUERY) || isSuperseded(error);
}

/** The unit of a job, for the table of its name in a sync file. Throws UsageError if that has another query. */
export function unitOfJob(job: UnitJob, table: SyncTable | undefined, kindOf: KindOf): Unit {
  if (table === undefined)
    throw new UsageError(`${NO_TABLE} ${job.table} in ${job.destination}`, {
      code: 'invalid_input',
      reason: 'unit_of_other_file',
    });
  if (queryHash(table, kindOf) !== job.query)
    throw new UsageError(`${OTHER_QUERY} ${job.table} than that of the submitted unit`, {
      code: 'invalid_input',
      reason: 'unit_of_other_query',
    });
  const { from, to } = job;
  const partitions = partitionsBetween({ from, to }, table, 'new', job.replaces ?? []);
  const domain = { id: job.domain_id, name: job.domain };
  return { table, domain, partitions, days: { from, to }, rows: undefined, requests: 1 };
}
