import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Day } from '../apis/bda/days.ts';
import { withAttempts } from '../errors/attempts.ts';
import { type FoundColumn, tooLong, unrepresentable } from '../export/parquet/found-types.ts';
import { UnrepresentableValueError } from '../export/unrepresentable-value.ts';
import { removeFolder } from '../files/folders.ts';
import { forEachConcurrently } from '../http/concurrent.ts';
import { type ColumnNeeds, needsOfPin, type TableSchema, typeOf, typesIn, widen } from './column-types.ts';
import { ADDED_COLUMNS, columnsOfRows, type SyncTable } from './config.ts';
import { BrokenContractError, type Problem } from './contracts/broken-contract.ts';
import { withExamples } from './contracts/example-rows.ts';
import { judgeUnit } from './contracts/judge-unit.ts';
import { typeProblems } from './contracts/type-choices.ts';
import type { Destination, Replaced } from './destinations/destination.ts';
import type { EncodedPartition } from './encode/encoder.ts';
import { encodeLines, requireForms, TypesChangedError } from './encode/lines.ts';
import { encodeParquet } from './encode/parquet.ts';
import { type FetchOptions, fetchUnit } from './fetch-unit.ts';
import { entryOf } from './next-entry.ts';
import type { PlannedPartition, PlanOptions, SyncDomain, Unit } from './plan.ts';
import type { FetchedRows, PartitionRows } from './rows/partition-rows.ts';
import { sha256Of } from './sha256.ts';
import { queryHash } from './table-query.ts';

/** What the run of a unit requires. */
export interface UnitOptions
  extends Omit<FetchOptions, 'folder' | 'form' | 'kinds' | 'target' | 'rejectsNul' | 'omitsSite'> {
  readonly destination: Destination;
  readonly today: Day;
  readonly lookback: number;
  readonly latestDays?: PlanOptions['latestDays'];
  /** Called for each partition, once it is in the destination. */
  readonly onWritten: (replaced: Replaced, rows: number) => void;
  /** Called for a column that got another type. */
  readonly onWidened: (table: string, version: number, changes: readonly string[]) => void;
  /** Called for columns that the table had when a partition was written, and no longer has. */
  readonly onRemoved?: (table: string, columns: readonly string[]) => void;
}

/** Why a partition is not replaced: a value that the destination cannot store, or a rule of the sync file. */
export type PartitionError = UnrepresentableValueError | BrokenContractError;

/** Whether an error is why a partition is not replaced. */
export function isOfPartition(error: unknown): error is PartitionError {
  return error instanceof UnrepresentableValueError || error instanceof BrokenContractError;
}

/** A partition that was not replaced. */
export interface FailedPartition {
  readonly partition: PlannedPartition;
  readonly error: PartitionError;
}

/** What became of a unit, besides the partitions that were replaced. */
interface UnitResult {
  /** Units for what is left of it. */
  readonly rest: readonly Unit[];
  /** In the order of their days. */
  readonly failed: readonly FailedPartition[];
}

/** How often a unit is requested while the types of its table change. */
const MOST_ATTEMPTS = 5;

/**
 * Requests a unit and replaces its partitions, as many at once as the destination takes, except those with a value that cannot be
 * stored, or that break a rule of the sync file. The site must be locked. Throws the gateway's typed errors, InvalidResponseError,
 * FileError and the signal's reason.
 */
export function runUnit(unit: Unit, options: UnitOptions): Promise<UnitResult> {
  const written = new Set<string>();
  const again = (error: unknown) => error instanceof TypesChangedError;
  return withAttempts({ attempts: MOST_ATTEMPTS, again }, () => attemptUnit(unit, options, written));
}

/** `written` gets the keys of the partitions that were replaced, which another attempt leaves as they are. */
async function attemptUnit(unit: Unit, options: UnitOptions, written: Set<string>): Promise<UnitResult> {
  const { destination, signal } = options;
  const folder = join(destination.staging, randomUUID());
  const { columns } = await destination.schema(unit.table.name);
  try {
    const { rows, done, rest, dayValues } = await fetchUnit(unit, {
      ...options,
      folder,
      // Parquet is made of JSON, because its types depend on all rows.
      form: destination.encoding === 'parquet' ? 'json' : destination.encoding,
      kinds: kindsOf(unit.table, columns),
      target: destination.name,
      rejectsNul: destination.rejectsNul ?? false,
      omitsSite: destination.addsSite ?? false,
    });
    const failed: FailedPartition[] = [];
    const complete = unit.partitions.slice(0, done);
    const fetched: FetchedRows = new Map(complete.map(({ key }) => [key, rows.get(key)]));
    const left = complete.filter(({ key }) => !written.has(key));
    const query = queryHash(unit.table, options.kindOf);
    const broken = await judgeUnit(unit, complete, fetched, { ...options, query });
    await forEachConcurrently(
      Readable.from(left),
      async (planned: PlannedPartition) => {
        signal.throwIfAborted();
        const [part, problems] = [fetched.get(planned.key), broken.get(planned.key)];
        const one = { planned, rows: part, broken: problems, query };
        const error = await writeError({ ...unit, dayValues }, one, options);
        if (error !== undefined) failed.push({ partition: planned, error });
        else written.add(planned.key);
      },
      { most: destination.partitionsAtOnce ?? 1, capacity: () => Number.POSITIVE_INFINITY },
    );
    return {
      rest,
      failed: failed.toSorted((one, other) => (one.partition.key < other.partition.key ? -1 : 1)),
    };
  } finally {
    // A run that writes alone removes what remains.
    await removeFolder(folder).catch(() => undefined);
  }
}

/** The kinds of columns that the table has, or gets because the sync file pins them. */
function kindsOf({ types = {} }: SyncTable, columns: readonly ColumnNeeds[]): FetchOptions['kinds'] {
  const pins = Object.entries(types).map(([name, pin]) => [name, needsOfPin(name, pin).kind] as const);
  return new Map([...columns.map(({ name, kind }) => [name, kind] as const), ...pins]);
}

/** A partition to replace. */
interface Fetched {
  readonly planned: PlannedPartition;
  readonly rows: PartitionRows | undefined;
  /** Tests that its rows fail. */
  readonly broken: readonly Problem[] | undefined;
  /** The hash of the query. */
  readonly query: string;
}

/** Replaces a partition; resolves to why it may not be replaced, if so. */
async function writeError(
  unit: Unit,
  fetched: Fetched,
  options: UnitOptions,
): Promise<PartitionError | undefined> {
  const { planned, rows, broken } = fetched;
  if (rows?.problem !== undefined) return rows.problem;
  const { destination, onWritten } = options;
  try {
    if (broken !== undefined) throw new BrokenContractError(broken, true);
    onWritten(await write(unit, fetched, options), rows?.rows ?? 0);
    await destination.quarantine.release(unit.table.name, unit.domain.id, planned.key);
    return undefined;
  } catch (error) {
    if (error instanceof UnrepresentableValueError) return error;
    if (!(error instanceof BrokenContractError)) throw error;
    const columns = columnsOfFile(unit.table, destination);
    const { signal } = options;
    const shown =
      rows === undefined ? error : await withExamples(error, { path: rows.path, columns, signal });
    if (shown.isKept) await keepAside(unit, fetched, shown, options);
    return shown;
  }
}

/** The columns of the files of a destination before they are encoded. */
function columnsOfFile(table: SyncTable, { addsSite = false }: Destination): readonly string[] {
  return addsSite ? columnsOfRows(table) : [...ADDED_COLUMNS, ...columnsOfRows(table)];
}

/** Keeps the rows of a partition aside that break a rule of the sync file. */
async function keepAside(
  { table, domain }: Unit,
  { planned: { key, days }, rows }: Fetched,
  { texts }: BrokenContractError,
  { destination, clock }: UnitOptions,
): Promise<void> {
  const columns = columnsOfFile(table, destination);
  const replacedAt = (await destination.ledger(table.name, domain.id)).get(key)?.fetchedAt;
  await destination.quarantine.keep(
    table.name,
    {
      partition: key,
      ...{ domain: domain.name, domainId: domain.id, from: days.from, to: days.to },
      triedAt: new Date(clock.now()).toISOString(),
      rows: rows?.rows ?? 0,
      problems: texts,
    },
    { path: rows?.path, columns, replacedAt },
  );
}

async function write(
  { table, domain, dayValues }: Unit,
  { planned, rows, query }: Fetched,
  options: UnitOptions,
): Promise<Replaced> {
  const { destination, clock, today, lookback } = options;
  const before = (await destination.ledger(table.name, domain.id)).get(planned.key);
  const file = rows === undefined ? undefined : await encode(table, domain, rows, options);
  const sha256 = file === undefined ? null : (rows?.sha256 ?? (await sha256Of(file.path)));
  if (before !== undefined && before.query !== query) await reportRemoved(table, options);
  const schema = file?.schema ?? (await destination.schema(table.name)).version;
  const entry = entryOf({
    ...{ table, domain, planned, before, query, schema, rows, file, sha256, dayValues, today, lookback },
    latestDay: options.latestDays?.get(table.name),
    fetchedAt: new Date(clock.now()).toISOString(),
  });
  const { path, columns = [] } = file ?? {};
  const longestRow = rows?.longest ?? 0;
  const replaced = await destination.replace({ table, domain, path, columns, longestRow, entry }, before);
  // Another unit may have changed the types in the meantime.
  if (rows !== undefined && rows.writtenAs.size > 0) {
    const named = columns.map(name => ({ name }));
    requireForms(columns, typesIn(await destination.schema(table.name), named), rows);
  }
  return replaced;
}

/** Reports the columns of a table that the sync file no longer has. */
async function reportRemoved(table: SyncTable, { destination, onRemoved }: UnitOptions): Promise<void> {
  const own: readonly string[] = [...ADDED_COLUMNS, ...columnsOfRows(table)];
  const { columns } = await destination.schema(table.name);
  const removed = columns.map(({ name }) => name).filter(name => !own.includes(name));
  if (removed.length > 0) onRemoved?.(table.name, removed);
}

async function encode(
  table: SyncTable,
  domain: SyncDomain,
  rows: PartitionRows,
  { destination, signal, onWidened }: UnitOptions,
): Promise<EncodedPartition> {
  const pin = async (found: readonly FoundColumn[]): Promise<TableSchema> => {
    let changes: readonly string[] = [];
    const pinned = await destination.updateSchema(table.name, before => {
      const widened = widen(before, found, table);
      const isExact = destination.keepsAllDigits === true;
      if (!isExact) refuseLongNumbers(widened.schema, rows, destination.name);
      const { inexact } = rows;
      const problems = typeProblems(table, found, { before, after: widened.schema, isExact, inexact });
      if (problems.length > 0) throw new BrokenContractError(problems, table.onTypeChange !== 'fail');
      changes = widened.changes;
      return widened.isChanged ? { ...widened.schema, partition: table.partition } : undefined;
    });
    if (changes.length > 0) onWidened(table.name, pinned.version, changes);
    return pinned;
  };
  const earlier = (await destination.schema(table.name)).columns.map(({ name }) => name);
  const encoded = destination.encoding === 'parquet' ? encodeParquet : encodeLines;
  return await encoded({ destination, table, domain, rows, earlier, pin, signal });
}

/** Throws UnrepresentableValueError, before a column becomes a double that is not pinned, for numbers that it could not hold. */
function refuseLongNumbers({ columns }: TableSchema, { inexact }: PartitionRows, target: string): void {
  for (const column of columns) {
    const isChosen = typeOf(column).kind === 'double' && column.pin === undefined;
    const number = isChosen ? inexact.get(column.name) : undefined;
    if (number !== undefined) throw unrepresentable(target, column.name, tooLong(number), { isFile: false });
  }
}
