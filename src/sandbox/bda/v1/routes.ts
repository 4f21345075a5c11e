import { BDA_V1_PREFIX } from '../../../wire/bda-v1.ts';
import { HttpError, suggestion } from '../../http-error.ts';
import { json, listingReply, type Route, type SandboxReply, type SandboxRequest } from '../../routing.ts';
import { isObject, readJson } from '../json.ts';
import { documentChunks, encodedRows, streamedJson } from '../query-engine/encode.ts';
import { runQuery } from '../query-engine/run-query.ts';
import type { Analytics, BdaState } from '../state.ts';
import { columnListingV1, readColumnChoice } from './columns.ts';
import { filterListing } from './filters.ts';
import { MULTIFILTERS, multifilterTypes } from './multifilters.ts';
import { type ReportBasis, readDataRequest } from './read-request.ts';
import { definitionOf, PREDEFINED_REPORTS, type ReportDefinition, readCustomReport } from './reports.ts';
import { createSavedDefinitions, type SavedDefinitions } from './saved-definitions.ts';
import { readSegment } from './segments.ts';

function bodyOf(request: SandboxRequest): Record<string, unknown> {
  const body = readJson(request.body)?.value;
  if (!isObject(body)) throw new HttpError(400, 'the body must be a JSON object');
  return body;
}

/** BDA v1 (spec, Endpoints C): accepts the key in the query only. Created reports and segments exist until the sandbox stops. */
export function routesV1(state: BdaState, analytics: Analytics): readonly Route[] {
  const { account, brand } = state;
  const saved = createSavedDefinitions();

  async function data(body: Record<string, unknown>, basis: ReportBasis): Promise<SandboxReply> {
    const around = { account, brand, saved, today: analytics.today() };
    const { rowQuery, revenueDecimals } = readDataRequest(body, basis, around);
    const { rows } = runQuery(await analytics.facts(), rowQuery);
    return streamedJson(documentChunks('{"Data":[', encodedRows(rows, rowQuery, revenueDecimals), ']}'));
  }

  const route = (method: string, path: string, handle: Route['handle']): Route => ({
    api: 'bda-v1',
    method,
    path: BDA_V1_PREFIX + path,
    key: 'query',
    handle,
  });
  const listing = (path: string, value: () => unknown) => route('GET', path, () => listingReply(value()));

  return [
    listing('/getreports/', () => PREDEFINED_REPORTS.map(({ ReportName }) => ReportName)),
    route('GET', '/getreport/', request => {
      const reports = [...PREDEFINED_REPORTS, ...saved.reports().map(definitionOf)];
      return listingReply(findReport(request.query.get('reportName'), reports));
    }),
    route('POST', '/getdata/', request => {
      const body = bodyOf(request);
      const inline = ['DimensionColumns', 'MetricColumns'].find(field => body[field] !== undefined);
      if (inline)
        throw new HttpError(400, `getdata does not accept ${inline}: the report defines its columns`);
      return data(body, reportBasis(request, saved));
    }),
    route('POST', '/getCustomData/', request => {
      const body = bodyOf(request);
      const columns = readColumnChoice(body);
      return data(body, { columns, segments: [], dateBase: 'BASE_NOT_SELECTED', isInline: true });
    }),
    listing('/getcolumns/', columnListingV1),
    route('POST', '/createcustomreport/', request => {
      const segments = saved.segments().map(known => known.saved.id);
      return json(200, { id: saved.addReport(readCustomReport(bodyOf(request), segments)) });
    }),
    listing('/getcustomreports/', () => saved.reports().map(({ id, report }) => ({ id, ...report }))),
    listing('/getsegments/', () =>
      saved.segments().map(segment => ({ ...segment.saved, Premade: segment.premade })),
    ),
    listing('/getmultifilters/', () => MULTIFILTERS),
    listing('/getmultifiltertypes/', () => multifilterTypes(account)),
    route('POST', '/createsegment/', request =>
      json(200, saved.addSegment(readSegment(bodyOf(request), account))),
    ),
    listing('/getdomains/', () =>
      account.domains.map(({ id, domain }) => ({ DomainId: id, Domain: domain })),
    ),
    listing('/getfilters/', filterListing),
  ];
}

function findReport(name: string | null, reports: readonly ReportDefinition[]): ReportDefinition {
  if (!name) throw new HttpError(400, 'reportName is required');
  const report = reports.find(known => known.ReportName === name);
  if (report !== undefined) return report;
  const names = reports.map(known => known.ReportName);
  throw new HttpError(404, `there is no report '${name}'${suggestion(name, names)}`);
}

function findCustomReport(text: string, saved: SavedDefinitions): ReportDefinition {
  const report = saved.reports().find(({ id }) => String(id) === text);
  if (report === undefined) throw new HttpError(404, `there is no custom report ${text}`);
  return definitionOf(report);
}

/**
 * The basis of `getdata`: the first chart of the report that the query names. `reportName` is for predefined
 * reports, `customReportId` for custom ones.
 *
 * @throws HttpError unless exactly one of the two is set and names a report.
 */
function reportBasis({ query }: SandboxRequest, saved: SavedDefinitions): ReportBasis {
  const name = query.get('reportName');
  const id = query.get('customReportId');
  if ((name === null) === (id === null)) throw new HttpError(400, 'send either reportName or customReportId');
  const report = id === null ? findReport(name, PREDEFINED_REPORTS) : findCustomReport(id, saved);
  const chart = report.Charts[0];
  if (chart === undefined) throw new HttpError(400, 'the report has no chart');
  return {
    columns: readColumnChoice({ ...chart }),
    order: chart.Order,
    segments: chart.Segments,
    dateBase: report.DateBaseSelectId,
  };
}
