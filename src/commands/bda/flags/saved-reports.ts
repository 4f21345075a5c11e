import { closeNames, quoted } from '../../../apis/bda/catalogue.ts';
import { findCustomReport } from '../../../apis/bda/report-definition.ts';
import { withDefinition } from '../../../apis/bda-v1/custom-reports.ts';
import { isReadable, type Named, namedReports } from '../../../apis/bda-v1/definition.ts';
import { fetchReport } from '../../../apis/bda-v1/listings.ts';
import { ApiError, GatectlError, InterruptedError, InvalidResponseError } from '../../../errors/index.ts';
import { unknownName } from '../../../errors/usage.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import { bdaV1Site } from '../../../operations/listings/analytics.ts';
import { v1Listing } from '../../../operations/listings/v1-listing.ts';
import type { Context } from '../../framework/context.ts';

/** The definition of a predefined report. Throws ApiError, with a hint if a custom report has this title. */
export async function definitionOf(name: string, context: Context): Promise<Json> {
  try {
    return await fetchReport(await context.gateway(), await bdaV1Site(context), name);
  } catch (error) {
    throw await withReportHints(error, name, context);
  }
}

/**
 * The definition of a custom report, requested by its title if the listing contains no columns. Throws UsageError for an unknown
 * id, and InvalidResponseError if the listing is unreadable.
 */
export async function customReportDefinition(id: string, context: Context): Promise<JsonRecord> {
  const listing = await v1Listing('getcustomreports', context);
  const found = findCustomReport(listing, id);
  if (found !== undefined)
    return await withDefinition(found, await context.gateway(), await bdaV1Site(context));
  if (!isReadable(listing, namedReports(listing)))
    throw new InvalidResponseError('no reports found in the response of getcustomreports', {
      code: 'unexpected_shape',
    });
  throw unknownName(`there is no custom report ${id}`, 'gatectl bda report list prints the ids');
}

/** Adds hints to the error of an unknown report name; returns any other error unchanged. */
export async function withReportHints(error: unknown, name: string, context: Context): Promise<unknown> {
  if (!(error instanceof ApiError)) return error;
  const isUnknown = error.request?.status === 404;
  const [predefined, custom] = await Promise.all([
    isUnknown ? reportsIn('getreports', context) : [],
    reportsIn('getcustomreports', context),
  ]);
  const own = custom.find(report => report.name === name);
  if (own?.id !== undefined)
    return error.with({ hints: [`to run the custom report of this name, pass --id ${own.id}`] });
  // Without any listed reports, the path may be wrong rather than the name.
  if (!isUnknown || predefined.length + custom.length === 0) return error;
  const close = [
    ...closeNames(namesOf(predefined), name).map(quoted),
    ...closeNames(namesOf(custom), name).map(
      title => `--id ${custom.find(report => report.name === title)?.id} (${quoted(title)})`,
    ),
  ];
  const isSuggested = error.message.includes('did you mean');
  return error.with({
    hints: [
      ...(close.length > 0 && !isSuggested ? [`did you mean ${close.join(' or ')}?`] : []),
      ...(/\.ya?ml$/i.test(name) ? [`for a report file, type gatectl bda report build ${name}`] : []),
      ...(/^\d+$/.test(name) ? [`for a custom report, type gatectl bda report run --id ${name}`] : []),
      'gatectl bda report list prints the names',
    ],
  });
}

function namesOf(reports: readonly Named[]): string[] {
  return reports.map(report => report.name);
}

/** None if the listing fails: the original error matters more. */
async function reportsIn(
  listing: 'getreports' | 'getcustomreports',
  context: Context,
): Promise<readonly Named[]> {
  try {
    return namedReports(await v1Listing(listing, context));
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return [];
  }
}
