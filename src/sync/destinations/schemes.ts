/** The schemes of destinations; '' for a folder. */
export const DESTINATION_SCHEMES = [
  '',
  'duckdb',
  'postgres',
  'postgresql',
  's3',
  'clickhouse',
  'clickhouses',
] as const;
export type DestinationScheme = (typeof DESTINATION_SCHEMES)[number];

/** The scheme of a destination, in lower case; '' for a folder. */
export function schemeOf(destination: string): string {
  return (/^([a-z][a-z0-9+.-]+):/i.exec(destination)?.[1] ?? '').toLowerCase();
}

export function isDestinationScheme(scheme: string): scheme is DestinationScheme {
  return (DESTINATION_SCHEMES as readonly string[]).includes(scheme);
}

/** The path after the scheme of a file: of `duckdb:FILE` or `duckdb:///FILE`. */
export function pathOf(destination: string): string {
  return destination.replace(/^[^:]+:(?:\/\/(?=\/))?/, '');
}

/** Why a text cannot be a destination, and what to type; undefined if it can. Quotes nothing that may be a secret. */
export function problemWithDestination(
  text: string,
): { readonly problem: string; readonly hint: string } | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:[^/?#]*@/i.test(text))
    return {
      problem: 'the destination contains a password',
      hint: 'omit it: a sync file contains no secrets',
    };
  const scheme = schemeOf(text);
  if (scheme === '' || scheme === 'duckdb') return problemOfPath(scheme === '' ? text : pathOf(text));
  if (isDestinationScheme(scheme)) return undefined;
  const schemes = DESTINATION_SCHEMES.filter(each => each !== '').map(each => `${each}:`);
  return {
    problem: `unknown kind of destination ${JSON.stringify(scheme)}`,
    hint: `type a folder for Parquet files, or one of: ${schemes.join(', ')}`,
  };
}

/** The longest name of a file, in bytes, that file systems allow. */
const NAME_MAX = 255;

/** A path is taken as it is, and shells replace `~` only where they read it. */
function problemOfPath(path: string): { readonly problem: string; readonly hint: string } | undefined {
  if (/^~(?:[/\\]|$)/.test(path))
    return {
      problem: 'the destination starts with ~, which is not replaced in a file',
      hint: 'type the path of the folder in full, or relative to the sync file',
    };
  if (path === ':memory:')
    return {
      problem: 'a DuckDB database in memory ends with the run',
      hint: 'name a file: duckdb:analytics.duckdb',
    };
  const long = path.split(/[/\\]/).find(name => Buffer.byteLength(name) > NAME_MAX);
  if (long !== undefined)
    return {
      problem: `a name in the destination is too long: ${Buffer.byteLength(long)} bytes`,
      hint: `use at most ${NAME_MAX} bytes for each folder and file`,
    };
  return undefined;
}
