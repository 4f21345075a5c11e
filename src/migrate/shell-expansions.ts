/** A part of a word that a shell replaces before it runs the command. */
export interface Expansion {
  /** Where it starts in the text of the word. */
  readonly at: number;
  readonly length: number;
  /** The variable; undefined for the output of a command. */
  readonly name: string | undefined;
  /** The command whose output it is. */
  readonly command: string | undefined;
}

/** A text with the places in it that a shell replaces, in order. */
export interface Expandable {
  readonly text: string;
  readonly expansions: readonly Expansion[];
}

const OPENERS: Readonly<Record<string, string>> = { '(': ')', '{': '}' };
const VARIABLE = /\$(?:[A-Za-z_]\w*|[\d@*#?!$-])/y;

/** The index after the quote or expansion that starts at `at`; undefined where it is left open. */
export function endOfQuoted(text: string, at: number): number | undefined {
  const closers: string[] = [];
  let i = at;
  do {
    const letter = text.charAt(i);
    const top = closers.at(-1);
    const inner = letter === '$' ? OPENERS[text.charAt(i + 1)] : undefined;
    if (top === "'") {
      if (letter === top) closers.pop();
    } else if (letter === '\\') i += 1;
    else if (letter === top) closers.pop();
    else if (inner !== undefined) {
      closers.push(inner);
      i += 1;
    } else if (letter === '"' || letter === '`' || (letter === "'" && top !== '"')) closers.push(letter);
    else if (letter === '(' && top === ')') closers.push(')');
    i += 1;
  } while (closers.length > 0 && i < text.length);
  return closers.length === 0 && i <= text.length ? i : undefined;
}

/** The expansion that starts at `at`; null where there is none, undefined where it is left open. */
export function expansionAt(text: string, at: number): Expansion | null | undefined {
  if (text[at] === '`') {
    const end = endOfQuoted(text, at);
    if (end === undefined) return undefined;
    const command = text.slice(at + 1, end - 1).replaceAll(/\\([$`\\])/g, '$1');
    return { at, length: end - at, name: undefined, command };
  }
  if (text[at] !== '$') return null;
  const next = text.charAt(at + 1);
  if (OPENERS[next] !== undefined) {
    const end = endOfQuoted(text, at);
    if (end === undefined) return undefined;
    const inner = text.slice(at + 2, end - 1);
    return next === '('
      ? { at, length: end - at, name: undefined, command: inner }
      : { at, length: end - at, name: /^\w+/.exec(inner)?.[0] ?? '', command: undefined };
  }
  VARIABLE.lastIndex = at;
  const variable = VARIABLE.exec(text)?.[0];
  if (variable === undefined) return null;
  return { at, length: variable.length, name: variable.slice(1), command: undefined };
}

/** What stands between double quotes, as the shell reads it. Undefined where an expansion is left open. */
export function readDoubleQuoted(content: string): Expandable | undefined {
  let text = '';
  const expansions: Expansion[] = [];
  for (let i = 0; i < content.length; ) {
    const escaped = /^\\(?:\r?\n|[$`"\\])/.exec(content.slice(i, i + 3))?.[0];
    const found = escaped === undefined ? expansionAt(content, i) : null;
    if (found === undefined) return undefined;
    if (found !== null) expansions.push({ ...found, at: text.length });
    const length = escaped?.length ?? found?.length ?? 1;
    if (escaped === undefined) text += content.slice(i, i + length);
    else if (!escaped.endsWith('\n')) text += escaped.slice(1);
    i += length;
  }
  return { text, expansions };
}

/** A text with expansions that grows at its end. */
export class ExpandableBuilder {
  #text = '';
  readonly #expansions: Expansion[] = [];

  add({ text, expansions }: Expandable): void {
    for (const one of expansions) this.#expansions.push({ ...one, at: one.at + this.#text.length });
    this.#text += text;
  }

  build(): Expandable {
    return { text: this.#text, expansions: this.#expansions };
  }
}

/** Variables can repeat each other, so that a short script makes a text without end. */
const MAX_EXPANDED = 1_000_000;

/** The text with the values of known variables in place; other expansions, and values that are too long, stay. */
export function expand(word: Expandable, known: ReadonlyMap<string, Expandable>): Expandable {
  const result = new ExpandableBuilder();
  let from = 0;
  let length = word.text.length;
  for (const expansion of word.expansions) {
    const end = expansion.at + expansion.length;
    result.add({ text: word.text.slice(from, expansion.at), expansions: [] });
    const value = expansion.name === undefined ? undefined : known.get(expansion.name);
    if (value !== undefined && length + value.text.length <= MAX_EXPANDED) {
      result.add(value);
      length += value.text.length;
    } else result.add({ text: word.text.slice(expansion.at, end), expansions: [{ ...expansion, at: 0 }] });
    from = end;
  }
  result.add({ text: word.text.slice(from), expansions: [] });
  return result.build();
}

/** How messages show an expansion: the variable's name, and of a command no more than that it is `date`. */
export function labelOf({ name, command }: Expansion): string {
  if (name !== undefined) return `$${name}`;
  return /^\s*date\b/.test(command ?? '') ? '$(date …)' : '$(…)';
}
