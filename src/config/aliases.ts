import { aliasesIn, readConfig } from './config-file.ts';
import { configPath, type Platform } from './platform.ts';

/**
 * The aliases of this user, by name. Reads no profile: help and completions list aliases at every start. Throws FileError for a file
 * that cannot be read, is not JSON or was written by a newer version.
 */
export async function readAliases(system: Platform): Promise<ReadonlyMap<string, string>> {
  const path = configPath(system);
  const found = path === undefined ? undefined : await readConfig(path);
  return aliasesIn(found?.json ?? {}, path);
}
