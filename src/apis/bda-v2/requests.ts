import type { FieldProblem } from '../../errors/index.ts';
import { kindOfCode, undocumentedFailure } from '../../http/error-body.ts';
import { type ErrorReader, type GatewayRequest, LISTING_RESPONSE } from '../../http/request.ts';
import { fieldOf, isList, isRecord, type Json, type JsonRecord, stringifyJson } from '../../json/index.ts';
import { API_KEY_HEADER } from '../../wire/key.ts';

/** Where BDA v2 is, for its requests. */
export interface BdaV2Site {
  /** Path prefix of the endpoints. */
  readonly prefix: string;
}

/** The listings of v2, by path. The shapes of their responses are not documented. */
export type Listing = 'domains' | 'columns' | 'data-sets' | 'date-range';

export function listingRequest(site: BdaV2Site, listing: Listing): GatewayRequest {
  return { ...keyed, method: 'GET', path: `${site.prefix}/${listing}`, responseLimit: LISTING_RESPONSE };
}

/** POST query: read-only, so it is idempotent. */
export function queryRequest(site: BdaV2Site, query: JsonRecord): GatewayRequest {
  return { ...keyed, method: 'POST', path: `${site.prefix}/query`, body: stringifyJson(query) };
}

/** Reads the error envelope of v2 (spec, Errors). The spec documents no statuses, so a known code decides. */
export const readError: ErrorReader = body => {
  const error = isRecord(body) ? fieldOf(body, 'error') : undefined;
  if (!isRecord(error)) return undocumentedFailure(body);
  const code = textField(error, 'code');
  const kind = kindOfCode(code);
  const details = readDetails(fieldOf(error, 'details'));
  return {
    message: textField(error, 'message') ?? '',
    ...(code !== undefined && { code }),
    ...(kind !== undefined && { kind, isOwn: true }),
    ...(details.length > 0 && { details }),
  };
};

function readDetails(details: Json | undefined): FieldProblem[] {
  if (!isList(details)) return [];
  return details.filter(isRecord).map(detail => ({
    field: textField(detail, 'field') ?? '',
    message: textField(detail, 'message') ?? '',
  }));
}

function textField(record: JsonRecord, key: string): string | undefined {
  const value = fieldOf(record, key);
  return typeof value === 'string' ? value : undefined;
}

const keyed = {
  api: 'bda-v2',
  key: { in: 'header', name: API_KEY_HEADER },
  effect: 'read',
  idempotent: true,
  readError,
} as const;
