/** A typed client for the gateway: the code of the command line, as a library. Node only: a key does not belong in a browser. */

export type { ContentEvent } from '../apis/cdn/events/content-event.ts';
export {
  AbortedError,
  ApiError,
  type ApiName,
  AuthError,
  type ErrorCode,
  type ErrorKind,
  type FieldProblem,
  FileError,
  GatectlError,
  InvalidResponseError,
  NetworkError,
  PartialError,
  RateLimitError,
  type RequestInfo,
  UsageError,
} from '../errors/index.ts';
export type { PurgeFailure } from '../operations/purge/purge-counts.ts';
export type { Chart, ColumnRef, CustomReport, FilterV1, OrderV1, Segment } from '../wire/bda-v1.ts';
export type { Decision, IdentityToken, Purchase, ReasonCode } from '../wire/subscriptions.ts';
export type { Bda, Query, QueryFilter, QueryRow } from './bda.ts';
export type { BdaV1, ReportRequest, ReportRow, ReportTarget } from './bda-v1.ts';
export type { Cdn, PurgeKeysOptions, PurgeOptions, PurgeResult } from './cdn.ts';
export {
  type ExpressRequest,
  type ExpressResponse,
  expressPurgeHandler,
} from './express-purge-handler.ts';
export { Gateway } from './gateway.ts';
export type {
  Columns,
  ColumnV1,
  CreatedReport,
  DataSets,
  DateRange,
  Domains,
  DomainV1,
  FilterListing,
  Multifilter,
  MultifilterTypes,
  ReportDefinition,
  SavedReport,
  SavedSegment,
} from './listings.ts';
export type {
  Attempt,
  CallOptions,
  DocumentOptions,
  GatewayOptions,
  GatewaySettings,
  ResponseInfo,
} from './options.ts';
export {
  createPurgeHandler,
  type EventIds,
  type EventSender,
  type PurgeEventMap,
  type PurgeHandlerOptions,
} from './purge-handler.ts';
export type { Rows, RowsOptions, RowsStats } from './rows.ts';
export type {
  Access,
  AccessPolicy,
  AccessPolicyOptions,
  AnyReasonCode,
  PolicyDecision,
  ReaderIdentity,
  Subscriptions,
  SubscriptionsOptions,
  Target,
} from './subscriptions.ts';
export type { Cell, Numbers } from './values.ts';
export {
  type ReaderVerifier,
  type RequestIdentity,
  type VerifyReaderOptions,
  verifyReader,
} from './verify-reader.ts';
