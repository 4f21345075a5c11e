import { closeNames, quoted } from '../../../apis/bda/catalogue.ts';
import { findCustomReport } from '../../../apis/bda/report-definition.ts';
import { withDefinition } from '../../../apis/bda-v1/custom-reports.ts';
import { isReadable, type Named, namedReports, namedSegments } from '../../../apis/bda-v1/definition.ts';
import { fetchReport } from '../../../apis/bda-v1/listings.ts';
import {
  ApiError,
  GatectlError,
  InterruptedError,
  InvalidResponseError,
  UsageError,
} from '../../../errors/index.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { bdaV1Site } from '../site.ts';
import { v1Listing } from '../v1-listings.ts';

/** The definition of a predefined report. Throws ApiError, which names the custom report where the name is a custom one's. */
export async function definitionOf(name: string, context: Context): Promise<Json> {
  try {
    return await fetchReport(await context.gateway(), await bdaV1Site(context), name);
  } catch (error) {
    throw await pointingAtReports(error, name, context);
  }
}

/**
 * The definition of a custom report, asked for by its title where the listing shows no columns. Throws UsageError when the account
 * has none with this id, and InvalidResponseError when that can't be told.
 */
export async function customDefinition(id: string, context: Context): Promise<JsonRecord> {
  const listing = await v1Listing('getcustomreports', context);
  const found = findCustomReport(listing, id);
  if (found !== undefined)
    return await withDefinition(found, await context.gateway(), await bdaV1Site(context));
  if (!isReadable(listing, namedReports(listing)))
    throw new InvalidResponseError('no reports can be found in the answer of getcustomreports', {
      code: 'unexpected_shape',
    });
  throw new UsageError(`there is no custom report ${id}`, {
    code: 'unknown_name',
    hints: ['gatectl bda report list shows them with their numbers'],
  });
}

/** What to do about an unknown report name; any other error is given back as it is. */
export async function pointingAtReports(error: unknown, name: string, context: Context): Promise<unknown> {
  if (!(error instanceof ApiError)) return error;
  const isUnknown = error.request?.status === 404;
  const [predefined, custom] = await Promise.all([
    isUnknown ? reportsIn('getreports', context) : [],
    reportsIn('getcustomreports', context),
  ]);
  const own = custom.find(report => report.name === name);
  if (own?.id !== undefined) return error.with({ hints: [`the custom report called so is --id ${own.id}`] });
  // Where nothing is listed, the path may be wrong as well as the name.
  if (!isUnknown || predefined.length + custom.length === 0) return error;
  const close = [
    ...closeNames(namesOf(predefined), name).map(quoted),
    ...closeNames(namesOf(custom), name).map(
      title => `--id ${custom.find(report => report.name === title)?.id} (${quoted(title)})`,
    ),
  ];
  return error.with({
    hints: [
      ...(close.length > 0 ? [`close: ${close.join(', ')}`] : []),
      'gatectl bda report list shows the names',
    ],
  });
}

function namesOf(reports: readonly Named[]): string[] {
  return reports.map(report => report.name);
}

/** None when they can't be had: the refusal is what counts then. */
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

/** The ids of segments given as numbers (several with commas) or names. Throws UsageError for a name that is none or several. */
export async function segmentIds(given: readonly string[], context: Context): Promise<number[]> {
  return await segmentIdsIn(given, async () => {
    if (!context.globals.curl) return namedSegments(await v1Listing('getsegments', context));
    throw new UsageError('with --curl nothing is asked, so a segment must be given by its number', {
      hints: ['gatectl bda segment list shows the numbers'],
    });
  });
}

/** The same with segments from anywhere, which are only asked for where there is a name to find. */
export async function segmentIdsIn(
  given: readonly string[],
  list: () => Promise<readonly Named[]>,
): Promise<number[]> {
  const isNumbers = (text: string) => /^\s*\d+(\s*,\s*\d+)*\s*$/.test(text);
  if (given.every(isNumbers)) return once(given.flatMap(numbersIn));
  const segments = await list();
  return once(given.flatMap(text => (isNumbers(text) ? numbersIn(text) : segmentCalled(text, segments))));
}

function once(ids: readonly number[]): number[] {
  return [...new Set(ids)];
}

function numbersIn(text: string): number[] {
  return text.split(',').map(digits => {
    const id = Number(digits);
    if (Number.isSafeInteger(id)) return id;
    throw new UsageError(`there is no segment ${digits.trim()}`, {
      code: 'unknown_name',
      hints: ['the number is too long'],
    });
  });
}

function segmentCalled(name: string, segments: readonly Named[]): number {
  const exact = segments.filter(segment => segment.name === name);
  const loose = segments.filter(segment => segment.name.toLowerCase() === name.toLowerCase());
  const found = exact.length > 0 ? exact : loose;
  const [only] = found;
  if (found.length > 1)
    throw new UsageError(`there are ${found.length} segments called ${quoted(name)}`, {
      code: 'ambiguous_name',
      hints: [`give the number: ${found.map(({ id }) => id).join(' or ')}`],
    });
  if (only === undefined) {
    const close = closeNames(
      segments.map(segment => segment.name),
      name,
    );
    throw new UsageError(`there is no segment ${quoted(name)}`, {
      code: 'unknown_name',
      hints: [
        ...(close.length > 0 ? [`close: ${close.map(quoted).join(', ')}`] : []),
        'gatectl bda segment list shows all of them',
      ],
    });
  }
  const id = Number(only.id);
  if (Number.isSafeInteger(id)) return id;
  throw new InvalidResponseError(`the segment ${quoted(name)} is listed without a number`, {
    code: 'unexpected_shape',
  });
}
