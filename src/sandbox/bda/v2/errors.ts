import type { ErrorCode, ErrorEnvelope } from '../../../wire/bda-v2.ts';
import { suggestion } from '../../http-error.ts';
import { json, type SandboxReply } from '../../routing.ts';
import { isObject } from '../json.ts';

/** Assumptions: the spec does not document the statuses. */
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

/** A response with the error envelope of v2. */
export function errorReply(
  code: ErrorCode,
  message: string,
  extra: { details?: Detail[]; headers?: Record<string, string> } = {},
): SandboxReply {
  const { details, headers } = extra;
  const envelope: ErrorEnvelope = { error: { code, message, ...(details ? { details } : {}) } };
  return json(STATUS[code], envelope, headers);
}

/** Collects the problems of a query by field. */
export interface Details {
  readonly list: Detail[];
  /** Records a problem. */
  add(field: string, message: string): void;
}

/** An empty list of problems. */
export function noDetails(): Details {
  const list: Detail[] = [];
  return { list, add: (field, message) => list.push({ field, message }) };
}

/** The fields of an object; records a value of another type and unknown fields. */
export function objectAt(
  value: unknown,
  path: string,
  known: readonly string[],
  details: Details,
): Record<string, unknown> | undefined {
  if (!isObject(value)) {
    details.add(path, 'must be an object');
    return undefined;
  }
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    details.add(path === '' ? name : `${path}.${name}`, `unknown field${suggestion(name, known)}`);
  }
  return value;
}

/** The items of an optional list; records a value of another type. */
export function listAt(value: unknown, path: string, details: Details): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  details.add(path, 'must be a list');
  return [];
}

/** One of the given strings; undefined if the field is absent or invalid, which is recorded. */
export function oneOfAt<Word extends string>(
  value: unknown,
  path: string,
  words: readonly Word[],
  details: Details,
): Word | undefined {
  if (value === undefined) return undefined;
  const word = words.find(candidate => candidate === value);
  if (word === undefined) {
    const near = typeof value === 'string' ? suggestion(value, words) : '';
    details.add(path, `must be one of ${words.join(', ')}${near}`);
  }
  return word;
}
