import { anyFieldOf } from '../../../apis/bda/fields.ts';
import { UsageError } from '../../../errors/index.ts';
import { readText } from '../../../files/text-source.ts';
import { isList, isRecord, type Json } from '../../../json/index.ts';
import {
  type Note,
  readCurlCommand,
  readV1Url,
  type UnknownPart,
  type V1Call,
} from '../../../migrate/index.ts';
import { jsonIn } from '../../framework/json-input.ts';
import {
  hintsForUnknown,
  labels,
  type UnknownField,
  unknownFields,
  withoutUnknownDays,
} from './unknown-values.ts';

/** What is to be migrated: a v1 request and the report that it runs. */
export interface MigrationSource {
  readonly request: Json;
  readonly reportName?: string;
  readonly customReportId?: string;
  /** The definition of the custom report. */
  readonly customReport?: Json;
  /** What was in the address besides the report. */
  readonly notes?: readonly Note[];
  /** Fields whose values a script computes; its days are not in the request. */
  readonly unknown?: { readonly source: string; readonly fields: readonly UnknownField[] };
}

/** Values of shell variables by name. */
export type ShellValues = Readonly<Record<string, string>>;

/**
 * Reads a pasted text: a JSON request, a JSON definition of a custom report, the URL of a request, or a curl command.
 * `name` is what messages call it, `values` are those of variables in a curl command. Throws UsageError, which repeats nothing of
 * the text but names of fields and variables.
 */
export async function readMigrationSource(
  text: string,
  name: string,
  values: ShellValues = {},
  signal?: AbortSignal,
): Promise<MigrationSource> {
  const start = text.trimStart();
  if (/^[[{"]/.test(start)) return askedInJson(jsonIn(text, name), name);
  if (/^https?:\/\/\S+\s*$/.test(start)) return sourceFromUrl(start.trim(), name);
  if (/(^|[\s/\\(;&|])curl(\.exe)?\s/.test(start)) return await sourceFromCurl(text, name, values, signal);
  return askedInJson(jsonIn(text, name), name);
}

function askedInJson(json: Json, name: string): MigrationSource {
  if (!isRecord(json)) {
    const hints = isList(json)
      ? ['one request at a time; a folder of requests goes with --out-dir']
      : ['a request is a JSON object: {"MaxItems": 100, "StartDate": …}'];
    throw new UsageError(`${name} holds no v1 request`, { code: 'invalid_input', hints });
  }
  if (json.data_set !== undefined && json.date_range !== undefined)
    throw new UsageError(`${name} is a query of v2 already`, { hints: ['gatectl bda query runs it'] });
  if (isList(anyFieldOf(json, 'Charts'))) return { request: {}, customReport: json };
  return { request: json };
}

/** The request that goes to a URL, without its body. Throws UsageError. */
export function sourceFromUrl(url: string, name: string): MigrationSource {
  const reading = readV1Url(url);
  if (!reading.ok)
    throw new UsageError(`${name} can't be read: ${reading.reason}`, { code: 'invalid_input' });
  return { request: {}, ...namedIn(reading.call) };
}

/** Reads a curl command. Throws UsageError, or FileError for a body in a file. */
export async function sourceFromCurl(
  text: string,
  name: string,
  values: ShellValues,
  signal?: AbortSignal,
): Promise<MigrationSource> {
  const reading = readCurlCommand(text, values);
  if (!reading.ok)
    throw new UsageError(`${name} can't be read: ${reading.reason}`, {
      code: 'invalid_input',
      hints: reading.unknown === undefined ? [] : hintsForUnknown(reading.unknown),
    });
  const { call, body, bodyFile, unknown = [] } = reading;
  if (body !== undefined && unknown.length > 0) {
    const request = requestWithMarkers(body, unknown, name);
    const fields = unknownFields(request, unknown);
    return {
      request: withoutUnknownDays(request, fields),
      unknown: { source: name, fields },
      ...namedIn(call),
    };
  }
  if (bodyFile === '-')
    throw new UsageError(`the body of ${name} comes from its own stdin, which is not here`, {
      hints: ['give the body as FILE and the address as --url'],
    });
  const json = body ?? (bodyFile === undefined ? '{}' : await readText(bodyFile, { signal }));
  const request = jsonIn(json, bodyFile ?? `the body of ${name}`);
  return { request, ...namedIn(call) };
}

function requestWithMarkers(body: string, unknown: readonly UnknownPart[], name: string): Json {
  try {
    return jsonIn(body, name);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`the body of ${name} is no JSON without the values of ${labels(unknown)}`, {
      hints: hintsForUnknown(unknown),
    });
  }
}

function namedIn({
  reportName,
  customReportId,
  ignoredParameters,
}: V1Call): Omit<MigrationSource, 'request'> {
  const text = `parameters that v1 does not document are left out: ${ignoredParameters} of them`;
  return {
    ...(ignoredParameters > 0 && { notes: [{ kind: 'lost', field: 'URL', text }] }),
    ...(reportName !== undefined && { reportName }),
    ...(customReportId !== undefined && { customReportId }),
  };
}
