import type { Place } from '../../../apis/subscriptions/pasted-text.ts';

/** More places are counted. */
const MOST_PLACES = 20;

/** `line 2, line 3 and 5 more`; empty for none. */
export function placesText(
  places: readonly Place[],
  words: Readonly<Record<Place['unit'], string>> & { readonly more: (count: number) => string },
): string {
  const named = places.slice(0, MOST_PLACES).map(({ unit, number }) => `${words[unit]} ${number}`);
  const rest = places.length - named.length;
  return named.join(', ') + (rest > 0 ? words.more(rest) : '');
}
