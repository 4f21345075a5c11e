/** A part of a word that the shell expands: a variable or a command substitution. */
interface Expansion {
  /** Index in the text of the word. */
  readonly at: number;
  readonly length: number;
  /** The variable; undefined for a command substitution. */
  readonly name: string | undefined;
  /** The command of a command substitution. */
  readonly command: string | undefined;
}

/** A text and its expansions, in order. */
export interface Expandable {
  readonly text: string;
  readonly expansions: readonly Expansion[];
}

const OPENERS: Readonly<Record<string, string>> = { '(': ')', '{': '}' };
const VARIABLE = /\$(?:[A-Za-z_]\w*|[\d@*#?!$-])/y;

/** The index after the quote or expansion that starts at `at`; undefined if it is unterminated. */
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

/** The expansion that starts at `at`; null if there is none, undefined if it is unterminated. */
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

/** Reads the content of double quotes. Undefined if an expansion is unterminated. */
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

/** Concatenates texts with expansions. */
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

/** Variables that contain each other can grow exponentially. */
const MAX_EXPANDED = 1_000_000;

/** Replaces known variables with their values; other expansions, and values that are too long, stay. */
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

/** Formats an expansion for messages: the name of a variable; of a command, at most that it is `date`. */
export function labelOf({ name, command }: Expansion): string {
  if (name !== undefined) return `$${name}`;
  return /^\s*date\b/.test(command ?? '') ? '$(date …)' : '$(…)';
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
const DECLARATIONS = new Set(['export', 'readonly', 'local', 'declare']);

/**
 * The variables with known values: those in `given`, and those that the script assigns exactly once. A value may contain
 * unknown expansions.
 */
export function shellVariables(
  commands: readonly (readonly Expandable[])[],
  given: ReadonlyMap<string, string>,
): ReadonlyMap<string, Expandable> {
  const known = new Map<string, Expandable>();
  for (const [name, text] of given) known.set(name, { text, expansions: [] });
  const assigned = commands.flatMap(assignmentsIn);
  const counts = new Map<string, number>();
  for (const { name } of assigned) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const { name, value } of assigned) {
    if (counts.get(name) !== 1 || given.has(name)) continue;
    const found = expand(value, known);
    // Nothing but one expansion says no more than the name.
    const [first] = found.expansions;
    if (first?.length !== found.text.length) known.set(name, found);
  }
  return known;
}

/** The assignments of a command that consists of assignments only; others do not affect later commands. */
function assignmentsIn(words: readonly Expandable[]): { name: string; value: Expandable }[] {
  const declared = DECLARATIONS.has(words[0]?.text ?? '') ? words.slice(1) : words;
  const found = declared.flatMap(({ text, expansions }) => {
    const [start = '', name] = ASSIGNMENT.exec(text) ?? [];
    if (name === undefined) return [];
    const moved = expansions.map(one => ({ ...one, at: one.at - start.length }));
    return [{ name, value: { text: text.slice(start.length), expansions: moved } }];
  });
  return found.length === declared.length ? found : [];
}
