import type { ErrorCode, ErrorEnvelope } from '../../../wire/bda-v2.ts';
import { json, type SandboxReply } from '../../routing.ts';

/** The spec leaves statuses open; these are the sandbox's. */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  validation_error: 400,
  concurrent_request_limit: 429,
  rate_limit_exceeded: 429,
  upstream_error: 502,
  internal_error: 500,
};

export interface Detail {
  /** Path of the field, such as `metrics[0]`. */
  readonly field: string;
  readonly message: string;
}

/** An error in v2's envelope. */
export function errorReply(
  code: ErrorCode,
  message: string,
  extra: { details?: Detail[]; headers?: Record<string, string> } = {},
): SandboxReply {
  const { details, headers } = extra;
  const envelope: ErrorEnvelope = { error: { code, message, ...(details ? { details } : {}) } };
  return json(STATUS[code], envelope, headers);
}
