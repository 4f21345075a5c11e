import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean 'pageviews'?`, or nothing where no known word is near. */
export function suggestion(word: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const nearest = closest(word.toLowerCase(), known);
  const allowed = Math.max(2, Math.floor(nearest.length / 3));
  return distance(word.toLowerCase(), nearest.toLowerCase()) <= allowed ? `; did you mean '${nearest}'?` : '';
}
