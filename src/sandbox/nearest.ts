import { closest, distance } from 'fastest-levenshtein';

/** The known word that was probably meant: an edit for each three letters, upper and lower case alike. Undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lower = word.toLowerCase();
  const lowered = known.map(candidate => candidate.toLowerCase());
  const best = closest(lower, lowered);
  return distance(lower, best) <= Math.floor((lower.length + 1) / 3)
    ? known[lowered.indexOf(best)]
    : undefined;
}

/** `; did you mean 'pageviews'?`, or nothing where no known word is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const found = nearest(word, known);
  return found === undefined ? '' : `; did you mean '${found}'?`;
}
