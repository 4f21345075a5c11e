/** The client for runtimes with `fetch` and Web APIs alone: edge functions and workers. It shares all but the connections with that for Node. */

export type { ContentEvent } from '../../apis/cdn/events/content-event.ts';
export {
  AbortedError,
  ApiError,
  type ApiName,
  AuthError,
  type ErrorCode,
  type ErrorKind,
  type FieldProblem,
  GatectlError,
  InvalidResponseError,
  NetworkError,
  PartialError,
  RateLimitError,
  type RequestInfo,
  UsageError,
} from '../../errors/index.ts';
export type { PurgeFailure } from '../../operations/purge/purge-counts.ts';
export type { Decision, IdentityToken, Purchase, ReasonCode } from '../../wire/subscriptions.ts';
export type { Bda, Query, QueryFilter, QueryRow } from '../bda.ts';
export type { Cdn, PurgeKeysOptions, PurgeOptions, PurgeResult } from '../cdn.ts';
export type { Columns, DataSets, DateRange, Domains } from '../listings.ts';
export type {
  Attempt,
  CallOptions,
  ResponseInfo,
} from '../options.ts';
export {
  createPurgeHandler,
  type EventIds,
  type EventSender,
  type PurgeEventMap,
  type PurgeHandlerOptions,
} from '../purge-handler.ts';
export type { Rows, RowsOptions, RowsStats } from '../rows.ts';
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
} from '../subscriptions.ts';
export type { Cell, Numbers } from '../values.ts';
export {
  type ReaderVerifier,
  type RequestIdentity,
  type VerifyReaderOptions,
  verifyReader,
} from '../verify-reader.ts';
export { Gateway, type WebGatewayOptions as GatewayOptions } from './gateway.ts';
