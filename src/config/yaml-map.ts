import { isMap, isScalar, type Node, type Pair } from 'yaml';
import { parseYamlDocument } from './yaml-document.ts';

/** One member of a YAML mapping. */
export interface YamlEntry {
  readonly name: string;
  /** Null for a name without a value. */
  readonly value: Node | null;
  /** Line and column of the name, such as `3:1`. */
  readonly namePlace: string;
  /** Line and column of the value, or of the name without one. */
  readonly place: string;
}

export interface YamlMap {
  readonly entries: readonly YamlEntry[];
  /** Line and column of a node. */
  readonly placeOf: (node: Node) => string;
  /** The members of a mapping inside the file, whose keys are unique. Throws the error of `invalid` for any other node. */
  readonly entriesOf: (
    node: Node | null,
    options: Pick<YamlMapOptions, 'expected' | 'member'>,
  ) => readonly YamlEntry[];
}

export interface YamlMapOptions {
  /** What the file should contain, for the message about one that does not: `settings, such as profile: news`. */
  readonly expected: string;
  /** The name of a member in messages. */
  readonly member: string;
  /** The error for a problem at a place. */
  readonly invalid: (place: string, problem: string) => Error;
}

/**
 * Parses a YAML file that is one mapping; an empty file has no entries. Throws the error of `invalid`, which never quotes the text,
 * because it may contain a secret.
 */
export function parseYamlMap(text: string, { expected, member, invalid }: YamlMapOptions): YamlMap {
  const { document, placeAt } = parseYamlDocument(text, (place, { code }) =>
    invalid(place, code === 'DUPLICATE_KEY' ? `duplicate ${member}` : 'not valid YAML'),
  );
  const placeOf = (node: Node) => placeAt(startOf(node));
  const { contents } = document;
  const entriesOf: YamlMap['entriesOf'] = (node, { expected, member }) => {
    if (node === null || (isScalar(node) && node.value === null)) return [];
    if (!isMap<Node, Node | null>(node)) throw invalid(placeOf(node), `expected ${expected}`);
    return node.items.map(({ key, value }: Pair<Node, Node | null>) => {
      if (!isScalar(key) || typeof key.value !== 'string')
        throw invalid(placeOf(key), `expected the name of a ${member}`);
      return { name: key.value, value, namePlace: placeOf(key), place: placeOf(value ?? key) };
    });
  };
  return { entries: entriesOf(contents, { expected, member }), placeOf, entriesOf };
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
