/** Moves BDA v1 requests to v2: pure functions, for the `migrate-query` command and for use as a library. */

export { type ColumnCatalogue, readColumnCatalogue } from '../apis/bda/catalogue.ts';
export { asCurl, asGatectl } from './as-command.ts';
export {
  type CompareOptions,
  type Comparison,
  compareRows,
  type Difference,
  type MetricComparison,
  type Verdict,
} from './compare.ts';
export { type CurlReading, readCurlCommand, type UnknownPart } from './curl-command.ts';
export { type EndpointFate, endpointOf, V1_ENDPOINTS } from './endpoints.ts';
export { migrate } from './migrate.ts';
export { migrateSegment, type SegmentMigration } from './migrate-segment.ts';
export type {
  Definitions,
  MigratedQuery,
  Migration,
  MigrationInput,
  Need,
  Note,
  NoteKind,
  Refusal,
  V1Side,
} from './migration.ts';
export { queryJson, queryRecord } from './query-json.ts';
export { type Readiness, readinessOf } from './readiness.ts';
export { readV1Url, type V1Call, type V1CallReading } from './v1-url.ts';
