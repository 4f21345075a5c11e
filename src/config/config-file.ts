import { FileError } from '../errors/index.ts';
import { closeSync, constants, fstatSync, openSync, readFileSync } from '../files/disk.ts';
import { fileError, systemCode } from '../files/file-error.ts';
import { configPath, type Platform } from './platform.ts';

/** The format that this version reads and writes. */
export const CONFIG_VERSION = 1;

const SIZE_LIMIT = 1 << 20;

export type JsonObject = Readonly<Record<string, unknown>>;

/** The configuration file as JSON, with its permissions. Of its members only the version has been checked. */
interface ConfigFile {
  readonly json: JsonObject;
  readonly mode: number;
}

/**
 * Reads the configuration file; undefined where there is none.
 * Throws FileError for a file that cannot be read, is not JSON, or was written by a newer version; it is never changed.
 */
export async function readConfig(path: string): Promise<ConfigFile | undefined> {
  const found = readText(path);
  if (found === undefined) return undefined;
  const json = await parse(path, found.text);
  if (!isObject(json)) throw invalidFile(path, 'it must be one JSON object');
  const { version } = json;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw invalidFile(path, 'version must be an integer');
  if (version > CONFIG_VERSION)
    throw new FileError(
      `${path} was written by a newer gatectl: its format is ${version}, and this version reads ${CONFIG_VERSION}`,
      { path },
    );
  return { json, mode: found.mode };
}

/** The aliases of a configuration file, by name. Throws FileError for ones that are not strings. */
export function aliasesIn(json: JsonObject, path: string | undefined): ReadonlyMap<string, string> {
  const stored = json.aliases ?? {};
  const invalid = () => invalidFile(path ?? '', 'aliases must be an object of strings');
  if (!isObject(stored)) throw invalid();
  const entries = Object.entries(stored);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (texts.length < entries.length) throw invalid();
  return new Map(texts);
}

/** The error for a configuration file whose content is invalid. */
export function invalidFile(path: string, what: string): FileError {
  return new FileError(`${path} is invalid: ${what}`, { path, code: 'invalid_file' });
}

export function isObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function readText(path: string): { text: string; mode: number } | undefined {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, a FIFO at this path would block every command.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (stats.isDirectory())
      throw new FileError(`${path} is a folder, not a file`, { path, code: 'not_a_file' });
    if (!stats.isFile()) throw new FileError(`${path} is not a regular file`, { path, code: 'not_a_file' });
    if (stats.size > SIZE_LIMIT)
      throw new FileError(`${path} is too large for a profiles file: ${stats.size} bytes`, {
        path,
        code: 'invalid_file',
      });
    return { text: readFileSync(descriptor, 'utf8').replace(/^\uFEFF/, ''), mode: stats.mode };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(path, error, 'read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The message of JSON.parse quotes the text, which may contain the key, so the error only states the line. */
async function parse(path: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { parse: parseWithPosition } = await import('lossless-json');
    let place = '';
    try {
      parseWithPosition(text);
    } catch (error) {
      const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
      if (position !== undefined) place = ` at line ${text.slice(0, Number(position)).split('\n').length}`;
    }
    throw invalidFile(path, `not valid JSON${place}`);
  }
}

/**
 * The aliases of this user, by name. Reads no profile: help and completions list aliases at every start. Throws FileError for a file
 * that cannot be read, is not JSON or was written by a newer version.
 */
export async function readAliases(system: Platform): Promise<ReadonlyMap<string, string>> {
  const path = configPath(system);
  const found = path === undefined ? undefined : await readConfig(path);
  return aliasesIn(found?.json ?? {}, path);
}
