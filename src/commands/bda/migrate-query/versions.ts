import { idOf, isPresent, wholeNumberOf } from '../../../apis/bda/fields.ts';
import { fetchRowsV1 } from '../../../apis/bda-v1/fetch-rows.ts';
import type { DataTarget } from '../../../apis/bda-v1/requests.ts';
import { fetchRows } from '../../../apis/bda-v2/fetch-rows.ts';
import { isRecord, type JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { inlineColumns } from '../report/run-flags.ts';
import { bdaV1Site, bdaV2Site } from '../site.ts';
import type { MigrateOptions } from './convert.ts';
import type { MigrationSource } from './source.ts';
import type { Versions } from './verify-query.ts';

/** The parts of a request that a saved report has of its own. */
const OF_THE_REPORT = ['DimensionColumns', 'MetricColumns', 'Order', 'Filters'];
const DAYS = ['StartDate', 'EndDate'];

/**
 * Both versions of the account's gateway. A saved report is asked for as itself wherever v1 knows it by name or id, and with its
 * own default days where the request says none: that proves the days that were worked out, too.
 */
export async function versionsFor(
  asked: MigrationSource,
  terms: Pick<MigrateOptions, 'days'>,
  context: Context,
): Promise<Versions> {
  const [sender, v1, v2] = [await context.gateway(), await bdaV1Site(context), await bdaV2Site(context)];
  const report = reportTarget(asked);
  const ownFields = usesDefaultDays(asked, terms) ? [...OF_THE_REPORT, ...DAYS] : OF_THE_REPORT;
  return {
    v1: (request, isWholeReport) =>
      report !== undefined && isWholeReport
        ? fetchRowsV1(sender, v1, report, without(request, ownFields), inlineColumns(request))
        : fetchRowsV1(sender, v1, { inline: true }, request, inlineColumns(request)),
    v2: query => fetchRows(sender, v2, query),
  };
}

/** Whether the days of the rows are those that the report has by default. */
export function usesDefaultDays(
  { request }: MigrationSource,
  { days }: Pick<MigrateOptions, 'days'>,
): boolean {
  const fields = isRecord(request) ? [request.StartDate, request.EndDate] : [];
  return ![days.from, days.to, ...fields].some(isPresent);
}

function reportTarget({ reportName, customReportId }: MigrationSource): DataTarget | undefined {
  if (reportName !== undefined) return { reportName };
  const id = wholeNumberOf(idOf(customReportId));
  return id === undefined ? undefined : { customReportId: String(id) };
}

function without(request: JsonRecord, fields: readonly string[]): JsonRecord {
  return Object.fromEntries(Object.entries(request).filter(([field]) => !fields.includes(field)));
}
