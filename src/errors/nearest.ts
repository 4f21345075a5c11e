import { distance } from 'fastest-levenshtein';

/** The least number of letters to add, remove or replace that makes one word of another. */
export { distance };

/** The candidate most similar to a mistyped word; undefined when none is similar. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  return similar(word, candidates)[0];
}

/**
 * The candidates similar to a word, the most similar first; letter case is ignored. With `related`, a name that contains the
 * word, is contained in it or shares a long prefix counts as similar too: Country, Countries.
 */
export function similar(
  word: string,
  candidates: Iterable<string>,
  { related = false }: { readonly related?: boolean } = {},
): string[] {
  const lower = word.toLowerCase();
  const limit = maxEdits(lower.length);
  return [...candidates]
    .map((candidate, index) => ({ candidate, index, edits: editsTo(candidate.toLowerCase(), lower) }))
    .map(({ candidate, index, edits }) => {
      const isRelated = related && edits > limit && areRelated(candidate.toLowerCase(), lower);
      return { candidate, index, edits: isRelated ? limit : edits };
    })
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits || a.index - b.index)
    .map(({ candidate }) => candidate);
}

/** The most edits that count as similar. None do in words of two letters, which are all close to each other. */
function maxEdits(length: number): number {
  if (length <= 2) return 0;
  return length <= 4 ? 1 : Math.floor((length + 1) / 3);
}

/** Two swapped letters count as one edit, not as two. */
function editsTo(candidate: string, word: string): number {
  const edits = distance(candidate, word);
  return edits === 2 && isSwap(candidate, word) ? 1 : edits;
}

function isSwap(one: string, other: string): boolean {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  return one.slice(0, at) + (one[at + 1] ?? '') + one[at] + one.slice(at + 2) === other;
}

function areRelated(candidate: string, word: string): boolean {
  if (word.length < 3) return false;
  if (candidate.includes(word) || word.includes(candidate)) return true;
  return sharedStart(candidate, word) >= Math.max(4, (word.length * 2) / 3);
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
