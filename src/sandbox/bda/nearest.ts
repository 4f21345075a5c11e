import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean 'pageviews'?`, or nothing where no known word is near. Upper and lower case are alike. */
export function suggestion(word: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const lower = word.toLowerCase();
  const lowered = known.map(candidate => candidate.toLowerCase());
  const nearest = closest(lower, lowered);
  if (distance(lower, nearest) > Math.floor((word.length + 1) / 3)) return '';
  return `; did you mean '${known[lowered.indexOf(nearest)]}'?`;
}
