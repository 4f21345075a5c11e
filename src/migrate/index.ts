/** Moves BDA v1 requests to v2: pure functions, for the `migrate-query` command and for use as a library. */

export { type ColumnCatalogue, readColumnCatalogue } from '../apis/bda/catalogue.ts';
export { asCurl, asGatectl, queryJson, queryRecord } from './as-command.ts';
export {
  type CompareOptions,
  type Comparison,
  compareRows,
  type Difference,
  type MetricComparison,
  type Verdict,
} from './compare.ts';
export { type CurlParseResult, readCurlCommand, type UnknownPart } from './curl-command.ts';
export { type MergedRow, mergeRows, pageOfPart, type RowPlan, withPage } from './merge.ts';
export { migrate, migrateSegment, type Readiness, readinessOf, type SegmentMigration } from './migrate.ts';
export type {
  Blocker,
  Definitions,
  Merge,
  MigratedQuery,
  Migration,
  MigrationInput,
  MissingDefinition,
  Note,
  NoteKind,
  PlanPart,
  V1Side,
} from './migration.ts';
export { isPlan, type PlanProblem, planRecord, readPlan } from './plan-document.ts';
export { isKeyName } from './undeclared.ts';
export {
  endpointOf,
  readV1Url,
  V1_ENDPOINTS,
  type V1Call,
  type V1Endpoint,
  type V1UrlResult,
} from './v1-url.ts';
