import { isList, isRecord, type Json } from '../../json/index.ts';

/**
 * A listing with only the items that `keep` wants, otherwise as it was sent: an array, or an object with exactly one array in it.
 * Undefined for any other shape.
 */
export function filterListing(listing: Json, keep: (item: Json) => boolean): Json | undefined {
  if (isList(listing)) return listing.filter(keep);
  if (!isRecord(listing)) return undefined;
  const lists = Object.entries(listing).filter(([, value]) => isList(value));
  const [found] = lists;
  if (found === undefined || lists.length > 1) return undefined;
  const [name, list] = found;
  return { ...listing, [name]: isList(list) ? list.filter(keep) : list };
}

/** Whether an item has a word in one of its texts, in any letter case. Lists within it do not count. */
export function mentions(item: Json, word: string): boolean {
  const texts = isRecord(item) ? Object.values(item) : [item];
  const wanted = word.toLowerCase();
  return texts.some(text => typeof text === 'string' && text.toLowerCase().includes(wanted));
}
