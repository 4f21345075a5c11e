import { isList, isRecord, type Json } from '../../json/index.ts';

/**
 * Filters a listing: an array, or an object with exactly one array, whose other fields stay. Undefined for any other shape.
 */
export function filterListing(listing: Json, matches: (item: Json) => boolean): Json | undefined {
  if (isList(listing)) return listing.filter(matches);
  if (!isRecord(listing)) return undefined;
  const lists = Object.entries(listing).filter(([, value]) => isList(value));
  const [found] = lists;
  if (found === undefined || lists.length > 1) return undefined;
  const [name, list] = found;
  return { ...listing, [name]: isList(list) ? list.filter(matches) : list };
}

/** Whether one of the texts of an item contains a word, ignoring case. Nested lists are ignored. */
export function mentions(item: Json, word: string): boolean {
  const texts = isRecord(item) ? Object.values(item) : [item];
  const lower = word.toLowerCase();
  return texts.some(text => typeof text === 'string' && text.toLowerCase().includes(lower));
}
