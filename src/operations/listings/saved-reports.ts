import { isReadable, namedReports, shownId } from '../../apis/bda-v1/definition.ts';
import { InvalidResponseError } from '../../errors/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import type { Analytics } from './analytics.ts';
import { v1Listing } from './v1-listing.ts';

/** The predefined and the custom reports of the account. Throws InvalidResponseError for a listing without names. */
export async function savedReports(analytics: Analytics): Promise<readonly JsonRecord[]> {
  // Concurrent, so that both requests are printed where requests are.
  const [predefined = [], custom = []] = await Promise.all([
    reportsIn('getreports', 'predefined', analytics),
    reportsIn('getcustomreports', 'custom', analytics),
  ]);
  return [...predefined, ...custom];
}

async function reportsIn(
  listing: 'getreports' | 'getcustomreports',
  kind: string,
  analytics: Analytics,
): Promise<JsonRecord[]> {
  const response = await v1Listing(listing, analytics);
  const reports = namedReports(response);
  if (!isReadable(response, reports))
    throw new InvalidResponseError(`no report names found in the response of ${listing}`, {
      code: 'unexpected_shape',
    });
  return reports.map(report => ({
    kind,
    id: kind === 'custom' ? shownId(report) : null,
    name: report.name,
  }));
}
