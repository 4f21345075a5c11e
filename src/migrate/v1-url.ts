import { endpointOf, V1_ENDPOINTS } from './endpoints.ts';

/** What the URL of a v1 data request says. The key and everything else in it is thrown away. */
export interface V1Call {
  readonly endpoint: 'getdata' | 'getCustomData';
  readonly reportName?: string;
  readonly customReportId?: string;
  /** Parameters that v1 does not document and that are not the key; only counted, as one may hold a secret. */
  readonly ignoredParameters: number;
}

export type V1CallReading =
  | { readonly ok: true; readonly call: V1Call }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads the URL of a v1 data request, whole or from its path on (`…/getdata/?reportName=…`). No reason repeats any part
 * of the URL but the name of an endpoint.
 */
export function readV1Url(url: string): V1CallReading {
  const parsed = parseUrl(url.trim());
  if (parsed === undefined) return refused('this is not a URL');
  if (/\/bdaservices\/v2(\/|$)/.test(parsed.pathname))
    return refused('this is a v2 URL: there is nothing to migrate');
  const endpoint = endpointOf(parsed.pathname);
  if (endpoint === undefined) return refused('this is not the URL of a v1 analytics endpoint');
  if (endpoint !== 'getdata' && endpoint !== 'getCustomData')
    return refused(`${endpoint} asks for no data. ${V1_ENDPOINTS[endpoint]?.text}`);
  return readParameters(endpoint, parsed.searchParams);
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text, 'https://gateway.example.com/');
  } catch {
    return undefined;
  }
}

function readParameters(endpoint: V1Call['endpoint'], parameters: URLSearchParams): V1CallReading {
  const valuesOf = (name: string) =>
    [...parameters].filter(([key, value]) => key.toLowerCase() === name && value !== '');
  const names = valuesOf('reportname');
  const ids = valuesOf('customreportid');
  if (names.length + ids.length > 1) return refused('the URL names more than one report');
  if (endpoint === 'getdata' && names.length + ids.length === 0)
    return refused('getdata names its report in the URL: reportName or customReportId is missing');
  const reportName = names[0]?.[1];
  const customReportId = ids[0]?.[1];
  const unknown = /\$(?:\w+|\(date …\)|\(…\))/.exec(reportName ?? customReportId ?? '')?.[0];
  if (unknown !== undefined)
    return refused(`the report in the URL is ${unknown}, whose value is not known here`);
  const known = ['reportname', 'customreportid', 'developerkey'];
  const others = [...parameters.keys()].filter(key => !known.includes(key.toLowerCase()));
  const call = {
    endpoint,
    ...(reportName !== undefined && { reportName }),
    ...(customReportId !== undefined && { customReportId }),
    ignoredParameters: others.length,
  };
  return { ok: true, call };
}

function refused(reason: string): V1CallReading {
  return { ok: false, reason };
}
