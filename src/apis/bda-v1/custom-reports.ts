import { ApiError, InvalidResponseError } from '../../errors/index.ts';
import type { Sender } from '../../http/sender.ts';
import { isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { listOf } from '../bda/fields.ts';
import { definitionIn, hasColumns, reportTitle, unwrapReport } from '../bda/report-definition.ts';
import { isReadable } from './definition.ts';
import { fetchReport, fetchV1Listing } from './listings.ts';
import type { BdaV1Site } from './requests.ts';

/**
 * Lists the custom reports; only their ids and names are documented. Throws InvalidResponseError for a listing without a
 * recognizable report.
 */
export async function fetchCustomReports(sender: Sender, site: BdaV1Site): Promise<JsonRecord[]> {
  const { body: listing } = await fetchV1Listing(sender, site, 'getcustomreports');
  const reports = reportsIn(listing);
  if (isReadable(listing, reports)) return reports;
  throw new InvalidResponseError('no reports found in the response of getcustomreports', {
    code: 'unexpected_shape',
  });
}

/** The reports in a listing, as records: reports keyed by id get the id, names become records. */
function reportsIn(listing: Json): JsonRecord[] {
  const isKeyed = isRecord(listing) && Object.values(listing).every(isRecord);
  const reports = isKeyed
    ? Object.entries(listing).map(([Id, report]) => withId(Id, report))
    : listOf(listing).map(report => (typeof report === 'string' ? { Name: report } : report));
  return reports.filter(isRecord);
}

const withId = (Id: string, report: Json | undefined) => (isRecord(report) ? { Id, ...report } : report);

/**
 * Adds the definition to a listed report: requests it by name if the listing contains no columns. Returns the report unchanged
 * if there is no definition.
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
