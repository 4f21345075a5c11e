import type { DeclaredMetricKind } from '../analysis/metric-kinds.ts';
import type { Day } from '../apis/bda/days.ts';
import type { FilterExpression } from '../apis/bda/filter-expression.ts';
import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import type { ColumnType } from '../export/parquet/column-type.ts';
import type { TableTests } from './contracts/test-settings.ts';

/** The name of the file where none is given. */
export const SYNC_FILE = 'gatectl.sync.yaml';

export const PARTITIONS = ['month', 'day'] as const;
export type PartitionSize = (typeof PARTITIONS)[number];

/** What becomes of rows for which the type of a column would have to change. */
export const TYPE_CHANGES = ['widen', 'fail', 'quarantine'] as const;

/** The days of `lookback` where the file sets none: most figures settle within a week. */
export const DEFAULT_LOOKBACK = 7;
/** Columns that gatectl adds to each row. */
export const ADDED_COLUMNS = ['domain_id', 'domain'] as const;
/** The dimension that every table has. */
export const DAY_COLUMN = 'report_day';

/** One table to synchronise: a query for each site and day. */
export interface SyncTable {
  readonly name: string;
  readonly dataSet: string;
  /** Without `report_day`, which every table has. */
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly filters: readonly FilterExpression[];
  readonly platform: string | undefined;
  readonly start: Day;
  /** Undefined for yesterday. */
  readonly end: Day | undefined;
  readonly partition: PartitionSize;
  /** Metrics whose values may be summed, in addition to those that gatectl treats as additive. */
  readonly additive: readonly string[];
  /** How other metrics add up, where the sync file says so. */
  readonly metricKinds?: Readonly<Record<string, DeclaredMetricKind>>;
  /** Whether superseded rows are stored. */
  readonly history?: boolean;
  /** The types of columns that never change. */
  readonly types?: Readonly<Record<string, ColumnType>>;
  /** Undefined for types that become wider as long as they remain exact. */
  readonly onTypeChange?: (typeof TYPE_CHANGES)[number];
  /** What must hold of the rows of a partition before they replace earlier ones. */
  readonly tests?: TableTests;
}

/** The columns of the rows that the gateway sends. */
export function columnsOfRows({ dimensions, metrics }: SyncTable): readonly string[] {
  return [DAY_COLUMN, ...dimensions, ...metrics];
}

/** The contents of a sync file. */
export interface SyncConfig {
  readonly path: string;
  readonly destination: string;
  readonly domains: 'all' | readonly string[];
  /** How many of the last days are requested again in each run, or `auto`. */
  readonly lookback: number | 'auto';
  readonly tables: readonly SyncTable[];
  /** `line:column` of what a path such as `tables.pages.metrics.0` names. */
  readonly places: ReadonlyMap<string, string>;
}

/** The longest name of a table: that of an identifier of PostgreSQL. */
const TABLE_NAME_MAX = 63;
/** A valid name of a table. */
export const TABLE_NAME = new RegExp(`^[a-z][a-z0-9_]{0,${TABLE_NAME_MAX - 1}}$`);

/** Why a text cannot name a table, and what to type; undefined if it can. */
export function problemWithTableName(
  name: string,
): { readonly problem: string; readonly hint: string } | undefined {
  if (TABLE_NAME.test(name)) return undefined;
  if (name.length > TABLE_NAME_MAX)
    return {
      problem: `the name of the table is too long: ${name.length} characters`,
      hint: `use at most ${TABLE_NAME_MAX} characters`,
    };
  return {
    problem: `${JSON.stringify(name)} is not a valid name for a table`,
    hint: 'use lower-case letters, digits and underscores, starting with a letter',
  };
}

/** The error for a problem at a place of a sync file. */
export function problemAt(
  { path, places }: Pick<SyncConfig, 'path' | 'places'>,
  field: string,
  problem: string,
  hints: readonly string[] = [],
): UsageError {
  const place = places.get(field);
  const where = place === undefined ? path : `${path}:${place}`;
  return new UsageError(`${where}: ${problem}`, { code: 'invalid_input', hints });
}

/** `7`, `7d` or `auto`; undefined for any other text. */
export function readLookback(text: string): number | 'auto' | undefined {
  if (text === 'auto') return 'auto';
  const [, days] = /^(\d{1,4})d?$/.exec(text) ?? [];
  return days === undefined ? undefined : Number(days);
}

/** A hint for a name that is none of `names`. */
export function hintNearest(name: string, names: Iterable<string>): readonly string[] {
  const near = nearest(name, names);
  return near === undefined ? [] : [`did you mean ${near}?`];
}
