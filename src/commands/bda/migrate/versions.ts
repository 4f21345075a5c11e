import { idOf, wholeNumberOf } from '../../../families/bda/reading.ts';
import { fetchRowsV1 } from '../../../families/bda/v1/fetch-rows.ts';
import type { DataTarget } from '../../../families/bda/v1/requests.ts';
import { fetchRows } from '../../../families/bda/v2/fetch-rows.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../context.ts';
import { bdaV1Site, bdaV2Site } from '../site.ts';
import type { Asked } from './asked.ts';
import type { Versions } from './verify-query.ts';

/** The parts of a request that a saved report has of its own. */
const OF_THE_REPORT = ['DimensionColumns', 'MetricColumns', 'Order', 'Filters'];

/** Both versions of the account's gateway. A saved report is asked for as itself wherever v1 knows it by name or id. */
export async function versionsFor(asked: Asked, context: Context): Promise<Versions> {
  const [sender, v1, v2] = [await context.gateway(), await bdaV1Site(context), await bdaV2Site(context)];
  const report = reportTarget(asked);
  return {
    v1: (request, isWholeReport) =>
      report !== undefined && isWholeReport
        ? fetchRowsV1(sender, v1, report, withoutColumns(request))
        : fetchRowsV1(sender, v1, { inline: true }, request),
    v2: query => fetchRows(sender, v2, query),
  };
}

function reportTarget({ reportName, customReportId }: Asked): DataTarget | undefined {
  if (reportName !== undefined) return { reportName };
  const id = wholeNumberOf(idOf(customReportId));
  return id === undefined ? undefined : { customReportId: String(id) };
}

function withoutColumns(request: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(request).filter(([field]) => !OF_THE_REPORT.includes(field)));
}
