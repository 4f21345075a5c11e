import { displayWidth, shortenedMiddle, truncate, truncateStart } from '../terminal/width.ts';

/** Around the parts of addresses, then around words. */
const BOUNDARIES = [/[/?&#]/, /[^\p{L}\p{N}]/u];
/** How a cut text begins and ends is shown with so many columns. */
const LEAST_ENDS = 16;
/** Less room shows nothing of a difference. */
const LEAST_WIDTH = 4;

/**
 * Shortens the texts of one list to `width` columns: in the middle, and where different texts would then be alike, where they agree
 * instead: `https://www.e…/aaaa-003/…tm_source=x`. Different texts remain different, with a number if nothing else fits.
 */
export function shortNames(texts: Iterable<string>, width: number, mark = '…'): (text: string) => string {
  const all = [...new Set(texts)];
  const isLong = (text: string) => displayWidth(text) > width;
  const long = all.filter(isLong);
  if (long.length === 0) return text => shortenedMiddle(text, width, mark);
  const taken = new Set(all.filter(text => !isLong(text)));
  const short = new Map<string, string>();
  for (const [at, name] of cut(long, width, mark).entries()) {
    const own = numbered(name, taken, width);
    taken.add(own);
    short.set(long[at] ?? '', own);
  }
  return text => short.get(text) ?? shortenedMiddle(text, width, mark);
}

/** The texts in at most `width` columns; different ones of a common start and end are different. */
function cut(texts: readonly string[], width: number, mark: string): string[] {
  const alike = new Map<string, string[]>();
  for (const text of texts) {
    const name = shortenedMiddle(text, width, mark);
    alike.set(name, [...(alike.get(name) ?? []), text]);
  }
  const names = new Map<string, string>();
  for (const [name, group] of alike) {
    const own =
      group.length === 1 || width < LEAST_WIDTH ? group.map(() => name) : differing(group, width, mark);
    for (const [at, text] of group.entries()) names.set(text, own[at] ?? name);
  }
  return texts.map(text => names.get(text) ?? text);
}

/** Texts with what they differ in, and as much of their common start and end as there is room for. */
function differing(texts: readonly string[], width: number, mark: string): string[] {
  const characters = texts.map(text => [...text]);
  const shared = sharedEnds(characters);
  const [first = []] = characters;
  const [start, end] = [
    first.slice(0, shared.start).join(''),
    first.slice(first.length - shared.end).join(''),
  ];
  const inner = characters.map(all => all.slice(shared.start, all.length - shared.end).join(''));
  const widest = Math.max(...inner.map(displayWidth));
  const room = width - 2 * displayWidth(mark);
  if (widest > room) return cut(inner, room, mark).map(name => mark + name + mark);
  const around = BOUNDARIES.map(boundary => wordAround(start, end, boundary)).find(
    ([before, after]) => displayWidth(before + after) + widest <= width - LEAST_ENDS,
  );
  const [before, after] = around ?? ['', ''];
  const [head, tail] = [start.slice(0, start.length - before.length), end.slice(after.length)];
  const left = width - widest - displayWidth(before + after);
  const headRoom = Math.min(displayWidth(head), Math.max(Math.ceil(left / 2), left - displayWidth(tail)));
  const [shownHead, shownTail] = [truncate(head, headRoom, mark), truncateStart(tail, left - headRoom, mark)];
  return inner.map(text => shownHead + before + text + after + shownTail);
}

/** How many characters all begin with, and end with. */
function sharedEnds(all: readonly (readonly string[])[]): { readonly start: number; readonly end: number } {
  const [first = [], ...others] = all;
  const least = Math.min(...all.map(({ length }) => length));
  let start = 0;
  while (start < least && others.every(other => other[start] === first[start])) start += 1;
  let end = 0;
  const isSame = (other: readonly string[]) =>
    other[other.length - 1 - end] === first[first.length - 1 - end];
  while (end < least - start && others.every(isSame)) end += 1;
  return { start, end };
}

/** The ends of the common start and the starts of the common end that belong to the same word. */
function wordAround(start: string, end: string, boundary: RegExp): readonly [before: string, after: string] {
  const from = [...start].findLastIndex(character => boundary.test(character));
  const to = [...end].findIndex(character => boundary.test(character));
  return [[...start].slice(from + 1).join(''), [...end].slice(0, to < 0 ? undefined : to).join('')];
}

function numbered(name: string, taken: ReadonlySet<string>, width: number): string {
  let own = name;
  for (let number = 2; taken.has(own); number += 1) {
    const suffix = ` (${number})`;
    own = truncate(name, Math.max(0, width - suffix.length), '') + suffix;
  }
  return own;
}
