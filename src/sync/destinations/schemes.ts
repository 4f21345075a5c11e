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
