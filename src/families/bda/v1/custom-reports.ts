import { RefusedError } from '../../../errors/index.ts';
import type { Sender } from '../../../gateway/sender.ts';
import { isRecord, type Json, type JsonRecord } from '../../../json/index.ts';
import { listOf } from '../reading.ts';
import { findCustomReport, hasColumns, reportTitle, unwrapReport } from '../report-definition.ts';
import { fetchReport, fetchV1Listing } from './listings.ts';
import type { BdaV1Site } from './requests.ts';

/**
 * The custom reports of the account. The listing is documented to tell ids and names, and may tell no more; where it shows no
 * columns, the definition is asked for by the report's name. `id` (or a title) limits that to one report.
 */
export async function fetchCustomReports(
  sender: Sender,
  site: BdaV1Site,
  id?: string,
): Promise<JsonRecord[]> {
  const listed = reportsIn(await fetchV1Listing(sender, site, 'getcustomreports'));
  const wanted = id === undefined ? undefined : findCustomReport(listed, id);
  const reports: JsonRecord[] = [];
  for (const report of listed) {
    const isWanted = id === undefined || report === wanted;
    const isKnown = !isWanted || hasColumns(unwrapReport(report));
    reports.push(isKnown ? report : await defined(report, sender, site));
  }
  return reports;
}

/** The reports in a listing; those under their ids have the id in them afterwards. */
function reportsIn(listing: Json): JsonRecord[] {
  const isKeyed = isRecord(listing) && Object.values(listing).every(isRecord);
  const reports = isKeyed
    ? Object.entries(listing).map(([Id, report]) => withId(Id, report))
    : listOf(listing);
  return reports.filter(isRecord);
}

const withId = (Id: string, report: Json | undefined) => (isRecord(report) ? { Id, ...report } : report);

/** The listed report with its definition; as it is where the gateway shows none. */
async function defined(report: JsonRecord, sender: Sender, site: BdaV1Site): Promise<JsonRecord> {
  const title = reportTitle(report);
  if (title === undefined) return report;
  try {
    const definition = await fetchReport(sender, site, title);
    return isRecord(definition) ? { ...report, ...unwrapReport(definition) } : report;
  } catch (error) {
    if (error instanceof RefusedError) return report;
    throw error;
  }
}
