import { BDA_V1_PREFIX } from '../../../wire/bda-v1.ts';
import { json, listingReply, type Route, type SandboxReply, type SandboxRequest } from '../../routing.ts';
import { isObject, readJson } from '../json.ts';
import { ask } from '../query-engine/ask.ts';
import { documentChunks, encodedRows } from '../query-engine/encode.ts';
import type { Analytics, BdaState } from '../state.ts';
import { streamedJson } from '../stream.ts';
import { columnListingV1, readColumnChoice } from './columns.ts';
import { filterListing } from './filters.ts';
import { definitionListing, reportBasis, shownReport } from './find-report.ts';
import { MULTIFILTERS, multifilterTypes } from './multifilters.ts';
import { type ReportBasis, readDataRequest } from './read-request.ts';
import { Refused, refusedReply } from './refused.ts';
import { PREDEFINED_REPORTS, readCustomReport } from './reports.ts';
import { savedWork } from './saved.ts';
import { readSegment } from './segments.ts';

function bodyOf(request: SandboxRequest): Record<string, unknown> {
  const body = readJson(request.body)?.value;
  if (!isObject(body)) throw new Refused('the body must be a JSON object');
  return body;
}

/** BDA v1 (spec, Endpoints C): the key in the query alone. Reports and segments live as long as the routes do. */
export function routesV1(state: BdaState, analytics: Analytics): readonly Route[] {
  const { account, brand } = state;
  const saved = savedWork();

  async function data(body: Record<string, unknown>, basis: ReportBasis): Promise<SandboxReply> {
    const around = { account, brand, saved, today: analytics.today() };
    const { rowQuery, revenueDecimals } = readDataRequest(body, basis, around);
    const { rows } = ask(await analytics.facts(), rowQuery);
    return streamedJson(documentChunks('{"Data":[', encodedRows(rows, rowQuery, revenueDecimals), ']}'));
  }

  const route = (method: string, path: string, answer: Route['answer']): Route => ({
    api: 'bda-v1',
    method,
    path: BDA_V1_PREFIX + path,
    key: 'query',
    answer: async request => {
      try {
        return await answer(request);
      } catch (error) {
        if (error instanceof Refused) return refusedReply(error);
        throw error;
      }
    },
  });
  const listing = (path: string, value: () => unknown) => route('GET', path, () => listingReply(value()));

  return [
    listing('/getreports/', () => PREDEFINED_REPORTS.map(({ ReportName }) => ReportName)),
    route('GET', '/getreport/', request => listingReply(shownReport(request, saved))),
    route('POST', '/getdata/', request => {
      const body = bodyOf(request);
      const inline = ['DimensionColumns', 'MetricColumns'].find(field => body[field] !== undefined);
      if (inline) throw new Refused(`getdata takes no ${inline}: the report has columns of its own`);
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
    listing('/getcustomreports/', () => definitionListing(saved)),
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
