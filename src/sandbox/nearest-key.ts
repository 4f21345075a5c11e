import { closest, distance } from 'fastest-levenshtein';

/** The name that was probably meant, at most two edits away (one in short names), or undefined. */
export function nearestKey(name: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const best = closest(name.toLowerCase(), names);
  return distance(name.toLowerCase(), best) <= (name.length > 4 ? 2 : 1) ? best : undefined;
}
