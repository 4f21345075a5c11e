import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MANIFEST, RECORDING_VERSION, type RecordedExchange, type RecordingManifest } from './exchange.ts';

/** A folder that is not a recording, or a damaged one. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** What `gatectl sandbox serve --record-from` wrote. */
export interface Recording {
  readonly folder: string;
  readonly brand: string;
  /** In the order in which they were recorded. */
  readonly exchanges: readonly RecordedExchange[];
}

/** Reads a recording. Throws RecordingError, which names the file. */
export async function readRecording(folder: string): Promise<Recording> {
  const { brand } = (await readJson(folder, MANIFEST, manifestProblem)) as RecordingManifest;
  const files = (await readdir(folder)).filter(
    name => name.endsWith('.json') && !name.endsWith('.body.json') && name !== MANIFEST,
  );
  if (files.length === 0) throw new RecordingError(`${folder} has no recorded responses`);
  const present = new Set(await readdir(folder));
  const exchanges: RecordedExchange[] = [];
  for (const file of files.sort())
    exchanges.push(
      (await readJson(folder, file, json => exchangeProblem(json, present))) as RecordedExchange,
    );
  return { folder, brand, exchanges };
}

async function readJson(
  folder: string,
  name: string,
  problemOf: (json: never) => string | undefined,
): Promise<unknown> {
  const path = join(folder, name);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (name === MANIFEST && (code === 'ENOENT' || code === 'ENOTDIR'))
      throw new RecordingError(`${folder} is no recording: it has no ${MANIFEST}`);
    throw new RecordingError(`cannot read ${path}: ${message}`);
  }
  const json = parsed(text, path);
  const problem = problemOf(json as never);
  if (problem !== undefined) throw new RecordingError(`${path}: ${problem}`);
  return json;
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`${path} is not JSON: ${(error as Error).message}`);
  }
}

function manifestProblem(json: Partial<RecordingManifest> | null): string | undefined {
  if (json?.version !== RECORDING_VERSION) return `version must be ${RECORDING_VERSION}`;
  return typeof json.brand === 'string' ? undefined : 'brand must be a string';
}

const KEYS = ['header', 'query', 'invalid', 'none'];

function exchangeProblem(
  json: Partial<RecordedExchange> | null,
  present: ReadonlySet<string>,
): string | undefined {
  const request: Partial<RecordedExchange['request']> | undefined = json?.request;
  const response: Partial<RecordedExchange['response']> | undefined = json?.response;
  if (!isObject(request)) return 'request must be an object';
  if (!isObject(response)) return 'response must be an object';
  const { method, path, query, key, reader } = request;
  if (typeof method !== 'string') return 'request.method must be a string';
  if (typeof path !== 'string' || !path.startsWith('/')) return 'request.path must start with /';
  if (!isObject(query) || !Object.values(query).every(isTextOrList))
    return 'request.query must have strings, or lists of strings';
  if (!KEYS.includes(String(key))) return `request.key must be one of ${KEYS.join(', ')}`;
  if (reader !== undefined && (!isObject(reader) || !Object.values(reader).every(isText)))
    return 'request.reader must have email or token';
  const { status, headers, bodyFile } = response;
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) > 599)
    return 'response.status must be an integer from 200 to 599';
  if (!isObject(headers) || !Object.values(headers).every(isText))
    return 'response.headers must have strings';
  if (bodyFile === undefined) return undefined;
  if (typeof bodyFile !== 'string' || basename(bodyFile) !== bodyFile)
    return 'response.bodyFile must be the name of a file';
  return present.has(bodyFile) ? undefined : `response.bodyFile ${bodyFile} is missing`;
}

const isText = (value: unknown) => typeof value === 'string';
const isTextOrList = (value: unknown) => (Array.isArray(value) ? value.every(isText) : isText(value));

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
