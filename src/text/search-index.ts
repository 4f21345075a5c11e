import MiniSearch from 'minisearch';
import { BOOST } from './search-boost.ts';
import { indexTerm, searchTerms } from './search-terms.ts';

/** A text that can be found. */
export interface Findable {
  readonly title: string;
  /** Other words for it. */
  readonly keywords: string;
  readonly summary: string;
  readonly text: string;
}

/** The findable texts that have some of the words, the best match first. Endings and small mistakes in words do not matter. */
export function search<Item extends Findable>(items: readonly Item[], words: string): readonly Item[] {
  const index = new MiniSearch<Findable & { readonly id: number }>({
    fields: ['title', 'keywords', 'summary', 'text'],
    processTerm: indexTerm,
  });
  index.addAll(
    items.map(({ title, keywords, summary, text }, id) => ({ id, title, keywords, summary, text })),
  );
  const asked = words
    .split(/[\s\p{P}]+/u)
    .map(searchedTerms)
    .filter(terms => terms.length > 0);
  const found = index.search(words, {
    boost: BOOST,
    prefix: term => term.length > 3,
    fuzzy: term => (term.length > 4 ? 0.2 : false),
    processTerm: searchedTerms,
  });
  // What has all words comes before what has one of them often.
  const share = (terms: readonly string[]) =>
    asked.filter(each => each.some(term => terms.includes(term))).length / Math.max(1, asked.length);
  return found
    .map(({ id, score, queryTerms }) => ({ id, score: score * share(queryTerms) }))
    .sort((one, other) => other.score - one.score)
    .flatMap(({ id }) => items[id] ?? []);
}

function searchedTerms(word: string): string[] {
  return searchTerms(word).flatMap(each => indexTerm(each) ?? []);
}
