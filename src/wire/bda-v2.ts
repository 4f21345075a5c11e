/** Wire types of BDA v2, the inline query API (spec, Endpoints D). */

export const BDA_V2_PREFIX = '/gateway/bdaservices/v2';

export const QUERY_LIMIT_DEFAULT = 100;
export const QUERY_LIMIT_MAX = 100_000;

export const TIME_DIMENSIONS = ['report_day', 'report_week', 'report_month'] as const;
export type TimeDimension = (typeof TIME_DIMENSIONS)[number];

/** A number that a double cannot represent, with the digits that the JSON layer reads and writes. */
interface ExactNumber {
  readonly isLosslessNumber: boolean;
  readonly value: string;
}

export type Scalar = string | number | ExactNumber | boolean | null;

export interface FilterV2 {
  column: string;
  /** Values seen: `greater_than`, `greater_than_or_equal`, `in`. */
  operator: string;
  value?: Scalar;
  /** With `in`. */
  values?: Scalar[];
}

/** The spec names the object but not its shape; this is the shape that gatectl sends. */
export interface AnyOf {
  any_of: FilterV2[];
}

export interface Query {
  data_set: string;
  /** Both `YYYY-MM-DD`. */
  date_range: { start_date: string; end_date: string };
  dimensions?: string[];
  metrics?: string[];
  filters?: (FilterV2 | AnyOf)[];
  sort?: { column: string; direction: string }[];
  limit?: number;
  offset?: number;
  domain_id?: number;
  platform?: string;
  url_options?: { query_params?: string; fragments?: string; case_normalization?: unknown };
}

export const ERROR_CODES = [
  'unauthorized',
  'forbidden',
  'not_found',
  'validation_error',
  'concurrent_request_limit',
  'rate_limit_exceeded',
  'upstream_error',
  'internal_error',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorEnvelope {
  error: {
    code: ErrorCode;
    message: string;
    /** On `validation_error`: `field` is a path such as `metrics[0]`. */
    details?: { field: string; message: string }[];
  };
}

/** The data set that most v1 reports correspond to (spec, query fields). */
export const DEFAULT_DATA_SET = 'pageview';
