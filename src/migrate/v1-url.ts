/** What replaces a v1 endpoint: `v2` is the request to send instead, absent where v2 has no equivalent. */
export interface V1Endpoint {
  readonly v2?: string;
  readonly text: string;
}

const NO_SAVED_REPORTS = 'v2 stores no reports: each query names its columns';
const NO_SEGMENTS = 'v2 stores no segments: each query carries its filters';
const COLUMNS_INSTEAD = 'every column that GET /columns lists can be filtered on';

/** Every v1 endpoint by its path below `/bdaservices/`, as v1 spells it (spec, Versioning 4). */
export const V1_ENDPOINTS: Readonly<Record<string, V1Endpoint>> = {
  getdomains: { v2: 'GET /domains', text: 'GET /domains lists the domains' },
  getcolumns: { v2: 'GET /columns', text: 'GET /columns lists the columns' },
  getdata: {
    v2: 'POST /query',
    text: 'POST /query returns the rows; the query names the columns of the report',
  },
  getCustomData: { v2: 'POST /query', text: 'POST /query returns the rows' },
  getreports: { text: NO_SAVED_REPORTS },
  getreport: { text: NO_SAVED_REPORTS },
  getcustomreports: { text: NO_SAVED_REPORTS },
  createcustomreport: { text: `${NO_SAVED_REPORTS}. Its body is a definition that can be migrated` },
  getsegments: { text: NO_SEGMENTS },
  createsegment: { text: `${NO_SEGMENTS}. Its body is a definition that can be migrated` },
  getfilters: { v2: 'GET /columns', text: COLUMNS_INSTEAD },
  getmultifilters: { v2: 'GET /columns', text: COLUMNS_INSTEAD },
  getmultifiltertypes: { v2: 'GET /columns', text: COLUMNS_INSTEAD },
};

/** The v1 endpoint at the end of a path, in v1's spelling. */
export function endpointOf(path: string): string | undefined {
  const last = path.split('/').findLast(part => part !== '');
  return Object.keys(V1_ENDPOINTS).find(name => name.toLowerCase() === last?.toLowerCase());
}

/** The report that the URL of a v1 data request names. The key and all other parts of the URL are discarded. */
export interface V1Call {
  readonly endpoint: 'getdata' | 'getCustomData';
  readonly reportName?: string;
  readonly customReportId?: string;
  /** The number of parameters that v1 does not document, without the key. Their values may be secret, so they are not kept. */
  readonly ignoredParameters: number;
}

export type V1UrlResult =
  | { readonly ok: true; readonly call: V1Call }
  | { readonly ok: false; readonly reason: string };

/**
 * Parses the URL of a v1 data request, absolute or from its path (`…/getdata/?reportName=…`). Of the URL, a reason repeats
 * at most the name of an endpoint.
 */
export function readV1Url(url: string): V1UrlResult {
  const parsed = parseUrl(url.trim());
  if (parsed === undefined) return failure('it is not a URL');
  if (/\/bdaservices\/v2(\/|$)/.test(parsed.pathname)) return failure('the URL is one of v2 already');
  const endpoint = endpointOf(parsed.pathname);
  if (endpoint === undefined) return failure('it is not the URL of a v1 analytics endpoint');
  if (endpoint !== 'getdata' && endpoint !== 'getCustomData')
    return failure(`${endpoint} is not a data request; ${V1_ENDPOINTS[endpoint]?.text}`);
  return readParameters(endpoint, parsed.searchParams);
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text, 'https://gateway.example.com/');
  } catch {
    return undefined;
  }
}

function readParameters(endpoint: V1Call['endpoint'], parameters: URLSearchParams): V1UrlResult {
  const valuesOf = (name: string) =>
    [...parameters].filter(([key, value]) => key.toLowerCase() === name && value !== '');
  // getCustomData documents neither, and takes the columns of its body.
  const [names, ids] =
    endpoint === 'getdata' ? [valuesOf('reportname'), valuesOf('customreportid')] : [[], []];
  if (names.length + ids.length > 1) return failure('the URL names more than one report');
  if (endpoint === 'getdata' && names.length + ids.length === 0)
    return failure('a getdata URL requires reportName or customReportId');
  const reportName = names[0]?.[1];
  const customReportId = ids[0]?.[1];
  const unknown = /\$(?:\w+|\(date …\)|\(…\))/.exec(reportName ?? customReportId ?? '')?.[0];
  if (unknown !== undefined) return failure(`the report in the URL is ${unknown}, whose value is unknown`);
  const known = [...(endpoint === 'getdata' ? ['reportname', 'customreportid'] : []), 'developerkey'];
  const others = [...parameters.keys()].filter(key => !known.includes(key.toLowerCase()));
  const call = {
    endpoint,
    ...(reportName !== undefined && { reportName }),
    ...(customReportId !== undefined && { customReportId }),
    ignoredParameters: others.length,
  };
  return { ok: true, call };
}

function failure(reason: string): V1UrlResult {
  return { ok: false, reason };
}
