import { closest, distance } from 'fastest-levenshtein';

/**
 * The candidate that was probably meant by a mistyped word, or undefined when none is close: at most two edits,
 * at most one in words of up to three letters. Letter case is ignored.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const known = [...candidates];
  if (known.length === 0) return undefined;
  const lowered = known.map(candidate => candidate.toLowerCase());
  const best = closest(word.toLowerCase(), lowered);
  const limit = word.length > 3 ? 2 : 1;
  return distance(word.toLowerCase(), best) <= limit ? known[lowered.indexOf(best)] : undefined;
}
