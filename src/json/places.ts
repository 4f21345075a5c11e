import { positionIn, type TextPosition } from './parse.ts';

/** The position of a member's key, or of a list's item, in the text of a valid JSON document. */
export function placeOf(text: string, path: readonly (string | number)[]): TextPosition {
  const tokens = tokensOf(text);
  let at = 0;
  let place = tokens[0]?.from ?? 0;
  for (const part of path) {
    const item = itemsOf(tokens, at).findLast(({ name }) => name === part);
    if (item === undefined) break;
    place = tokens[item.key]?.from ?? place;
    at = item.value;
  }
  return positionIn(text, place);
}

interface Token {
  readonly from: number;
  readonly text: string;
}

function tokensOf(text: string): Token[] {
  return [...text.matchAll(/"(?:[^"\\]+|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,\ufeff]+/g)].map(match => ({
    from: match.index,
    text: match[0],
  }));
}

interface Item {
  readonly name: string | number;
  /** The tokens of its key, or of the item itself, and of its value. */
  readonly key: number;
  readonly value: number;
}

/** The members or items of the value that begins with the token `at`. */
function itemsOf(tokens: readonly Token[], at: number): Item[] {
  const open = tokens[at]?.text;
  if (open !== '{' && open !== '[') return [];
  const items: Item[] = [];
  let depth = 0;
  for (let index = at; index < tokens.length; index += 1) {
    const token = tokens[index]?.text ?? '';
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0 && index > at) break;
    const startsItem = depth === 1 && (tokens[index - 1]?.text === ',' || index === at + 1);
    if (startsItem && open === '[') items.push({ name: items.length, key: index, value: index });
    if (startsItem && open === '{')
      items.push({ name: JSON.parse(token) as string, key: index, value: index + 2 });
    if (token === '{' || token === '[') depth += 1;
  }
  return items;
}
