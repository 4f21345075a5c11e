import { anyFieldOf } from '../../../apis/bda/fields.ts';
import { UsageError } from '../../../errors/index.ts';
import { invalidInput, invalidUsage } from '../../../errors/usage.ts';
import { readText } from '../../../files/text-source.ts';
import { isList, isRecord, type Json, jsonIn } from '../../../json/index.ts';
import { readCurlCommand, readV1Url, type UnknownPart, type V1Call } from '../../../migrate/index.ts';
import type { MigrationRequest } from '../../../operations/migrate/convert-request.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import { QUERY_LIMIT_DEFAULT } from '../../../wire/bda-v2.ts';
import {
  hintsForUnknown,
  labels,
  type UnknownField,
  unknownFields,
  withoutUnknownDays,
} from './unknown-values.ts';

/** A v1 request as somebody has it. */
export interface MigrationSource extends MigrationRequest {
  /** Fields whose values a script computes; the request omits its days. */
  readonly unknown?: { readonly source: string; readonly fields: readonly UnknownField[] };
  /** The JSON document that it was read from, and its name in messages. */
  readonly document?: { readonly name: string; readonly text: string };
}

/** The request for a report where none is given: v1 requires a page size. */
const NO_REQUEST = { request: { MaxItems: QUERY_LIMIT_DEFAULT }, isPageAssumed: true } as const;

/** How a body in a file is read. */
interface BodyReading {
  readonly signal?: AbortSignal;
  readonly mayReadFiles?: boolean;
}

/** Shell variable to value. */
export type ShellValues = Readonly<Record<string, string>>;

/**
 * Parses a JSON request, a JSON definition of a custom report, the URL of a request, or a curl command. `name` is its name in
 * messages; `values` are those of variables in a curl command. Throws UsageError, which repeats nothing of the text but names of
 * fields and variables.
 */
export async function readMigrationSource(
  text: string,
  name: string,
  values: ShellValues = {},
  reading: BodyReading = {},
): Promise<MigrationSource> {
  const start = text.trimStart();
  if (/^[[{"]/.test(start)) return sourceFromJson(text, name);
  if (/^https?:\/\/\S+\s*$/.test(start)) return sourceFromUrl(start.trim(), name);
  if (/(^|[\s/\\(;&|])curl(\.exe)?\s/.test(start)) return await sourceFromCurl(text, name, values, reading);
  return sourceFromJson(text, name);
}

function sourceFromJson(text: string, name: string): MigrationSource {
  const json = jsonIn(text, name);
  const document = { name, text };
  if (!isRecord(json)) {
    if (isList(json))
      throw invalidInput(
        `${name} is a list, not a v1 request`,
        'put each of its requests into a file of its own; --out-dir converts a folder of files',
      );
    throw invalidInput(
      `no v1 request in ${name}`,
      'a request is a JSON object: {"MaxItems": 100, "StartDate": …}',
    );
  }
  if (json.data_set !== undefined && json.date_range !== undefined)
    throw invalidUsage(`${name} is a v2 query already`, 'to run it, use gatectl bda query');
  if (isList(anyFieldOf(json, 'Charts'))) return { ...NO_REQUEST, customReport: json, document };
  return { request: json, document };
}

/** The request of a URL, without a body. Throws UsageError. */
export function sourceFromUrl(url: string, name: string): MigrationSource {
  const reading = readV1Url(url);
  if (!reading.ok) throw invalidInput(`cannot read ${name}: ${reading.reason}`);
  return { ...NO_REQUEST, ...reportIn(reading.call) };
}

/** Parses a curl command. Throws UsageError, or FileError for a body in a file. */
export async function sourceFromCurl(
  text: string,
  name: string,
  values: ShellValues,
  { signal, mayReadFiles = true }: BodyReading,
): Promise<MigrationSource> {
  const reading = readCurlCommand(text, values);
  if (!reading.ok)
    throw invalidInput(
      `cannot read ${name}: ${reading.reason}`,
      ...(reading.unknown === undefined ? [] : hintsForUnknown(reading.unknown)),
    );
  const { call, body, bodyFile, unknown = [] } = reading;
  if (body !== undefined && unknown.length > 0) {
    const request = requestWithMarkers(body, unknown, name);
    const fields = unknownFields(request, unknown);
    return {
      request: withoutUnknownDays(request, fields),
      unknown: { source: name, fields },
      ...reportIn(call),
    };
  }
  if (bodyFile === '-')
    throw invalidUsage(`the body of ${name} comes from stdin`, 'pass the body as FILE and the URL as --url');
  if (bodyFile !== undefined && !mayReadFiles)
    throw invalidInput(
      `the body of ${name} is in a file`,
      'put the body into the command in place of the name of the file',
    );
  if (bodyFile !== undefined)
    return { ...sourceFromJson(await readText(bodyFile, { signal }), bodyFile), ...reportIn(call) };
  return { request: jsonIn(body ?? '{}', `the body of ${name}`), ...reportIn(call) };
}

function requestWithMarkers(body: string, unknown: readonly UnknownPart[], name: string): Json {
  try {
    return jsonIn(body, name);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw invalidUsage(
      `the body of ${name} is not JSON without the values of ${labels(unknown)}`,
      ...hintsForUnknown(unknown),
    );
  }
}

function reportIn({
  reportName,
  customReportId,
  ignoredParameters,
}: V1Call): Omit<MigrationSource, 'request'> {
  const text = `${pluralize(ignoredParameters, 'parameter')} that v1 does not document omitted`;
  return {
    ...(ignoredParameters > 0 && { notes: [{ kind: 'lost', field: 'URL', text }] }),
    ...(reportName !== undefined && { reportName }),
    ...(customReportId !== undefined && { customReportId }),
  };
}

/**
 * The request that runs the report of `address`, and without a request the first page of it. Throws UsageError if both name a report; `name`
 * is the name of the request in messages, `option` what names the other report.
 */
export function withReport(
  given: MigrationSource | undefined,
  address: Omit<MigrationSource, 'request'>,
  { name, option }: { readonly name: string; readonly option: string | undefined },
): MigrationSource {
  if (given !== undefined && namesReport(given) && namesReport(address))
    throw invalidUsage(`${name} already names a report`, `omit ${option}`);
  return { ...(given ?? NO_REQUEST), ...address };
}

const namesReport = ({ reportName, customReportId, customReport }: Omit<MigrationSource, 'request'>) =>
  (reportName ?? customReportId ?? customReport) !== undefined;
