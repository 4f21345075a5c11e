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

/** Names as a sentence lists them in a language: `a, b and c`. */
export function listed(names: readonly string[], tag: string): string {
  return new Intl.ListFormat(tag === 'en' ? 'en-GB' : tag).format(names);
}

/** `6 expired, 3 suspended`; a word alone where it is that of all. `plurals` are of words that have another form. */
export function countedText(
  counts: readonly { readonly word: string; readonly count: number }[],
  plurals: Readonly<Record<string, string>>,
): string {
  const named = counts.map(({ word, count }) => ({
    count,
    word: count === 1 ? word : (plurals[word] ?? word),
  }));
  return named.length === 1
    ? (named[0]?.word ?? '')
    : named.map(({ word, count }) => `${count} ${word}`).join(', ');
}
