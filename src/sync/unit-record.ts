import { createHash } from 'node:crypto';
import { addDays, type Day, type DayRange, isDay } from '../apis/bda/days.ts';
import { type KindOf, parseFilter, printFilter } from '../apis/bda/filter-expression.ts';
import type { ValueKind } from '../apis/bda/value-kind.ts';
import { PARTITIONS, type PartitionSize, type SyncTable, TABLE_NAME } from './config.ts';
import { partitionsOf } from './partitions.ts';
import { type PlannedPartition, REASONS, type Reason, type SyncDomain, type Unit } from './plan.ts';
import type { PlannedElsewhere } from './run.ts';
import { queryHash } from './table-query.ts';

/** A table as a unit record contains it: what its query needs, and how its rows are stored. */
interface TableDefinition extends Omit<SyncTable, 'name' | 'dataSet' | 'filters' | 'platform' | 'end'> {
  readonly data_set: string;
  readonly filters: readonly string[];
  /** The value kinds of the columns in `filters`, where the gateway lists them. */
  readonly kinds: Readonly<Record<string, ValueKind>>;
  readonly platform: string | null;
  readonly end: Day | null;
}

/** A unit as a plan shows it. */
type ShownUnit = {
  readonly table: string;
  readonly domain: string;
  readonly domain_id: number;
  readonly from: Day;
  readonly to: Day;
  /** How many partitions it fills. */
  readonly partitions: number;
  /** `3 new, 1 provisional` */
  readonly reasons: string;
  /** The rows to expect; null if nothing is known. */
  readonly rows: number | null;
  readonly requests: number;
};

/** What units of a table were planned with, for other processes. */
export interface PlanFields {
  /** The day of the plan. */
  readonly today: Day;
  /** When it was planned, RFC 3339: what was written since then needs no request. */
  readonly planned_at: string;
  /** How many of the last days are provisional. */
  readonly lookback: number;
  /** The latest day with data of the table, where the gateway reports it. */
  readonly latest: Day | null;
}

/**
 * A unit as one line of JSON: all that another process needs to carry it out, besides its own key and the access to the destination.
 * Contains no secret.
 */
interface UnitRecord extends ShownUnit, PlanFields {
  /** Identifies the query, the site, the days and the day of the plan. */
  readonly unit: string;
  readonly destination: string;
  /** Hashes of the other queries with which the plan found its partitions: rows of any further one are newer than the plan. */
  readonly replaces: readonly string[];
  readonly definition: TableDefinition;
}

/** What the units of a plan have in common. */
export interface UnitContext {
  /** As the sync file names it. */
  readonly destination: string;
  readonly today: Day;
  /** RFC 3339 */
  readonly plannedAt: string;
  readonly lookback: number;
  readonly latestDays?: ReadonlyMap<string, Day> | undefined;
  readonly kindOf: KindOf;
}

/** A unit of a record, with what it takes to carry it out. */
export interface RecordedUnit extends PlannedElsewhere {
  readonly id: string;
  readonly destination: string;
}

/** How many partitions of a unit are requested for which reason: `3 new, 1 provisional`. */
export function reasonsOf({ partitions }: Unit): string {
  const counts = new Map<string, number>();
  for (const { reason } of partitions) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
}

/** The other queries with which the plan found partitions of a unit. */
export function replacedBy({ partitions }: Unit): readonly string[] {
  return [...new Set(partitions.flatMap(({ replaces = [] }) => replaces))].sort();
}

/** The member `replaces` of a unit or a partition; none without other queries. */
export function replacing(replaces: readonly string[]): { readonly replaces?: readonly string[] } {
  return replaces.length === 0 ? {} : { replaces };
}

/** The record of a unit. */
export function recordOf(unit: Unit, context: UnitContext): UnitRecord {
  const { table, domain, days } = unit;
  const { destination, today, kindOf } = context;
  const id = [queryHash(table, kindOf), table.name, domain.id, days.from, days.to, today];
  const { planned_at, lookback, latest } = planFields(table, context);
  return {
    unit: createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, 24),
    destination,
    ...shownUnit(unit),
    ...{ today, planned_at, replaces: replacedBy(unit), lookback, latest },
    definition: definitionOf(table, kindOf),
  };
}

/** What people are told about a unit. */
export function shownUnit(unit: Unit): ShownUnit {
  const { table, domain, days, partitions, rows, requests } = unit;
  return {
    table: table.name,
    domain: domain.name,
    domain_id: domain.id,
    ...{ from: days.from, to: days.to, partitions: partitions.length },
    reasons: reasonsOf(unit),
    rows: rows ?? null,
    requests,
  };
}

/** What the units of a table were planned with. */
export function planFields(table: SyncTable, context: UnitContext): PlanFields {
  const { today, plannedAt, lookback, latestDays } = context;
  return { today, planned_at: plannedAt, lookback, latest: latestDays?.get(table.name) ?? null };
}

/** The partitions that a unit of another process fills, all for the same reason. */
export function partitionsBetween(
  { from, to }: DayRange,
  table: SyncTable,
  reason: Reason,
  replaces: readonly string[],
): readonly PlannedPartition[] {
  const partitions = partitionsOf({ start: from, end: to, partition: table.partition }, addDays(to, 1));
  return [...partitions].map(each => ({ ...each, reason, rows: undefined, ...replacing(replaces) }));
}

function definitionOf(table: SyncTable, kindOf: KindOf): TableDefinition {
  const { name: _, dataSet, filters, platform, end, ...rest } = table;
  const kinds = filters.flatMap(({ column }) => {
    const kind = kindOf(column);
    return kind === undefined ? [] : [[column, kind] as const];
  });
  return {
    ...rest,
    data_set: dataSet,
    filters: filters.map(printFilter),
    kinds: Object.fromEntries(kinds),
    platform: platform ?? null,
    end: end ?? null,
  };
}

/** A line that is no unit record; the message completes a sentence that starts with its place. */
export class UnitRecordError extends Error {
  override readonly name = 'UnitRecordError';
}

/** Reads the record of a unit. Throws UnitRecordError. */
export function unitOfRecord(value: unknown): RecordedUnit {
  const record = asRecord(value, 'it');
  const definition = asRecord(record.definition, 'definition');
  const table = tableOf(text(record, 'table'), definition);
  const domain: SyncDomain = { id: count(record, 'domain_id'), name: text(record, 'domain') };
  const [from, to, today] = [day(record, 'from'), day(record, 'to'), day(record, 'today')];
  const reason = reasonIn(text(record, 'reasons'));
  const replaces = record.replaces === undefined ? [] : names(record, 'replaces');
  const partitions = partitionsBetween({ from, to }, table, reason, replaces);
  if (partitions.length === 0) throw new UnitRecordError(`has the days ${from} to ${to}`);
  if (partitions.length !== record.partitions)
    throw new UnitRecordError(`names ${record.partitions} partitions for ${from} to ${to}`);
  const kinds = asRecord(definition.kinds ?? {}, 'kinds');
  return {
    id: text(record, 'unit'),
    unit: {
      table,
      domain,
      partitions,
      days: { from, to },
      rows: record.rows === null ? undefined : count(record, 'rows'),
      requests: count(record, 'requests'),
    },
    destination: text(record, 'destination'),
    plannedAt: text(record, 'planned_at'),
    plan: {
      today,
      lookback: count(record, 'lookback'),
      latestDays: new Map(record.latest === null ? [] : [[table.name, day(record, 'latest')]]),
      kindOf: column => kinds[column] as ValueKind | undefined,
    },
  };
}

function tableOf(name: string, definition: Readonly<Record<string, unknown>>): SyncTable {
  const { data_set: _, kinds: __, ...rest } = definition;
  if (!TABLE_NAME.test(name)) throw new UnitRecordError(`has no valid table: ${JSON.stringify(name)}`);
  const partition = text(definition, 'partition') as PartitionSize;
  if (!PARTITIONS.includes(partition)) throw new UnitRecordError(`has no valid partition: ${partition}`);
  let filters: SyncTable['filters'];
  try {
    filters = names(definition, 'filters').map(parseFilter);
  } catch (error) {
    throw new UnitRecordError(`has a filter that ${(error as Error).message}`);
  }
  return {
    ...rest,
    name,
    dataSet: text(definition, 'data_set'),
    dimensions: names(definition, 'dimensions'),
    metrics: names(definition, 'metrics'),
    additive: names(definition, 'additive'),
    filters,
    platform: definition.platform === null ? undefined : text(definition, 'platform'),
    start: day(definition, 'start'),
    end: definition.end === null ? undefined : day(definition, 'end'),
    partition,
  };
}

function asRecord(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new UnitRecordError(name === 'it' ? 'is no unit' : `has no valid ${name}`);
}

/** Reads the members of one type; throws UnitRecordError for any other value. */
function reader<Value>(isValid: (value: unknown) => value is Value) {
  return (record: Readonly<Record<string, unknown>>, name: string): Value => {
    const value = record[name];
    if (isValid(value)) return value;
    throw new UnitRecordError(`has no valid ${name}`);
  };
}

const text = reader((value): value is string => typeof value === 'string' && value !== '');
const count = reader((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0);
const day = reader((value): value is Day => typeof value === 'string' && isDay(value));
const names = reader(
  (value): value is readonly string[] =>
    Array.isArray(value) && value.every(item => typeof item === 'string'),
);

function reasonIn(reasons: string): Reason {
  const word = /^\d+ (\w+)/.exec(reasons)?.[1] ?? '';
  if (word in REASONS) return word as Reason;
  throw new UnitRecordError('has no valid reasons');
}
