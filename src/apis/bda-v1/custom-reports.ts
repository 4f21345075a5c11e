import { ApiError, InvalidResponseError } from '../../errors/index.ts';
import type { Sender } from '../../http/sender.ts';
import { isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { listOf } from '../bda/fields.ts';
import { definitionIn, hasColumns, reportTitle, unwrapReport } from '../bda/report-definition.ts';
import { isReadable } from './definition.ts';
import { fetchReport, fetchV1Listing } from './listings.ts';
import type { BdaV1Site } from './requests.ts';

/**
 * The custom reports that the listing tells; it is documented to tell ids and names, and may tell no more. Throws
 * InvalidResponseError where there is something in it and no report.
 */
export async function fetchCustomReports(sender: Sender, site: BdaV1Site): Promise<JsonRecord[]> {
  const { body: listing } = await fetchV1Listing(sender, site, 'getcustomreports');
  const reports = reportsIn(listing);
  if (isReadable(listing, reports)) return reports;
  throw new InvalidResponseError('no reports can be found in the answer of getcustomreports', {
    code: 'unexpected_shape',
  });
}

/** The reports in a listing; those under their ids have the id in them afterwards, and those told by name alone the name. */
function reportsIn(listing: Json): JsonRecord[] {
  const isKeyed = isRecord(listing) && Object.values(listing).every(isRecord);
  const reports = isKeyed
    ? Object.entries(listing).map(([Id, report]) => withId(Id, report))
    : listOf(listing).map(report => (typeof report === 'string' ? { Name: report } : report));
  return reports.filter(isRecord);
}

const withId = (Id: string, report: Json | undefined) => (isRecord(report) ? { Id, ...report } : report);

/**
 * The report as the listing tells it, with its definition, which is asked for by the report's name where the listing shows no
 * columns. As it is where the gateway shows none.
 */
export async function withDefinition(
  report: JsonRecord,
  sender: Sender,
  site: BdaV1Site,
): Promise<JsonRecord> {
  const title = reportTitle(report);
  if (title === undefined || hasColumns(unwrapReport(report))) return report;
  try {
    const definition = definitionIn(await fetchReport(sender, site, title));
    return definition !== undefined ? { ...report, ...unwrapReport(definition) } : report;
  } catch (error) {
    if (error instanceof ApiError) return report;
    throw error;
  }
}
