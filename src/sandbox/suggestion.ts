import { nearest } from '../errors/nearest.ts';

/** `; did you mean 'pageviews'?`, or empty if no known word is similar. */
export function suggestion(word: string, known: readonly string[]): string {
  const found = nearest(word, known);
  return found === undefined ? '' : `; did you mean '${found}'?`;
}
