import { undocumentedFailure } from '../../http/error-body.ts';
import {
  type ErrorReader,
  type GatewayRequest,
  LISTING_RESPONSE,
  SMALL_RESPONSE,
} from '../../http/request.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../../json/index.ts';
import { API_KEY_PARAMETER } from '../../wire/key.ts';

/** Where BDA v1 is, for its requests. */
export interface BdaV1Site {
  /** Path prefix of the endpoints. */
  readonly prefix: string;
}

/** The listings of v1, by path. The shapes of their responses are not documented. */
export type V1Listing =
  | 'getreports'
  | 'getcolumns'
  | 'getcustomreports'
  | 'getsegments'
  | 'getmultifilters'
  | 'getmultifiltertypes'
  | 'getdomains'
  | 'getfilters';

/** What to run: a predefined report, a custom report, or inline columns. */
export type DataTarget =
  | { readonly reportName: string }
  | { readonly customReportId: string }
  | { readonly inline: true };

/** GET of a listing (spec, Endpoints C). */
export function v1ListingRequest(site: BdaV1Site, listing: V1Listing): GatewayRequest {
  return { ...keyed, method: 'GET', path: `${site.prefix}/${listing}/`, responseLimit: LISTING_RESPONSE };
}

/** GET getreport: the definition of one report. */
export function reportRequest(site: BdaV1Site, reportName: string): GatewayRequest {
  return {
    ...keyed,
    method: 'GET',
    path: `${site.prefix}/getreport/`,
    query: [['reportName', reportName]],
    responseLimit: SMALL_RESPONSE,
  };
}

/** POST getdata or getCustomData: read-only, so it is idempotent. */
export function dataRequest(site: BdaV1Site, target: DataTarget, body: JsonRecord): GatewayRequest {
  const call = { ...keyed, method: 'POST', body: stringifyJson(body) };
  if ('inline' in target) return { ...call, path: `${site.prefix}/getCustomData/` };
  const path = `${site.prefix}/getdata/`;
  return 'reportName' in target
    ? { ...call, path, query: [['reportName', target.reportName]] }
    : { ...call, path, query: [['customReportId', target.customReportId]] };
}

/** POST createsegment: never retried. */
export function createSegmentRequest(site: BdaV1Site, segment: JsonRecord): GatewayRequest {
  return create(`${site.prefix}/createsegment/`, segment);
}

/** POST createcustomreport: never retried. */
export function createReportRequest(site: BdaV1Site, report: JsonRecord): GatewayRequest {
  return create(`${site.prefix}/createcustomreport/`, report);
}

function create(path: string, body: JsonRecord): GatewayRequest {
  return {
    ...keyed,
    method: 'POST',
    path,
    body: stringifyJson(body),
    effect: 'irreversible',
    idempotent: false,
    responseLimit: LISTING_RESPONSE,
  };
}

/** The errors of v1 are not documented: anything that looks like an error is one, including the envelope of the CDN API. */
export const readV1Error: ErrorReader = body => {
  const fault = undocumentedFailure(body);
  const isOwn = isRecord(body) && body.Success === false;
  return fault && isOwn ? { ...fault, isOwn } : fault;
};

const keyed = {
  api: 'bda-v1',
  key: { in: 'query', name: API_KEY_PARAMETER },
  effect: 'read',
  idempotent: true,
  readError: readV1Error,
} as const;
