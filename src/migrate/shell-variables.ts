import { type Expandable, expand } from './shell-expansions.ts';

const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
const DECLARATIONS = new Set(['export', 'readonly', 'local', 'declare']);

/**
 * The variables whose values are known: those in `given`, and those that the script assigns once. A value may hold expansions
 * that are not known.
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
    if (!isExpansion(found)) known.set(name, found);
  }
  return known;
}

/** Whether there is nothing to know of a value but another name for it. */
function isExpansion({ text, expansions: [first] }: Expandable): boolean {
  return first !== undefined && first.length === text.length;
}

/** What a command assigns to variables that later commands see: all its words are assignments. */
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
