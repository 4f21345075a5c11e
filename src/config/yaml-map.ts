import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
} from 'yaml';
import { parseYamlDocument, yamlProblem } from './yaml-document.ts';

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

interface YamlMapOptions {
  /** What the file should contain, for the message about one that does not: `settings, such as profile: news`. */
  readonly expected: string;
  /** The name of a member in messages. */
  readonly member: string;
  /** The error for a problem at a place. */
  readonly invalid: (place: string, problem: string) => Error;
}

/**
 * Parses a YAML file that is one mapping; an empty file has no entries. An alias (`*name`) is read as the node that it names, and
 * `<<: *name` as its members; messages give their places. Throws the error of `invalid`, which never quotes the text,
 * because it may contain a secret.
 */
export function parseYamlMap(text: string, { expected, member, invalid }: YamlMapOptions): YamlMap {
  const { document, placeAt } = parseYamlDocument(text, (place, problem) =>
    invalid(place, problem.code === 'DUPLICATE_KEY' ? `duplicate ${member}` : yamlProblem(problem)),
  );
  const placeOf = (node: Node) => placeAt(startOf(node));
  replaceAliases(document, (node, problem) => invalid(placeOf(node), problem));
  const { contents } = document;
  const entriesOf: YamlMap['entriesOf'] = (node, { expected, member }) => {
    if (node === null || (isScalar(node) && node.value === null)) return [];
    if (!isMap<Node, Node | null>(node)) throw invalid(placeOf(node), `expected ${expected}`);
    return pairsOf(node, merged => invalid(placeOf(merged), '<< requires a mapping, or a list of them')).map(
      ({ key, value }) => {
        if (!isScalar(key) || typeof key.value !== 'string')
          throw invalid(placeOf(key), `expected the name of a ${member}`);
        return { name: key.value, value, namePlace: placeOf(key), place: placeOf(value ?? key) };
      },
    );
  };
  return { entries: entriesOf(contents, { expected, member }), placeOf, entriesOf };
}

/** The members of a mapping, with those of the mappings that `<<` merges into it: the first of a name is in force, its own before others. */
function pairsOf(
  map: YAMLMap<Node, Node | null>,
  invalid: (node: Node) => Error,
  seen = new Set<Node>(),
): readonly Pair<Node, Node | null>[] {
  if (seen.has(map)) return [];
  seen.add(map);
  const own = map.items.filter(({ key }) => !isMerge(key));
  const names = new Set(own.map(({ key }) => nameOf(key)));
  const merged: Pair<Node, Node | null>[] = [];
  for (const { key, value } of map.items.filter(each => isMerge(each.key)))
    for (const source of isSeq<Node>(value) ? value.items : [value ?? key]) {
      if (!isMap<Node, Node | null>(source)) throw invalid(source);
      for (const pair of pairsOf(source, invalid, seen)) {
        if (names.has(nameOf(pair.key))) continue;
        names.add(nameOf(pair.key));
        merged.push(pair);
      }
    }
  return [...own, ...merged];
}

function nameOf(key: Node): unknown {
  return isScalar(key) ? key.value : key;
}

function isMerge(key: Node): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

/** Replaces aliases by the nodes that they name. Throws the error of `invalid` for one that names none, or a node that it is a part of. */
function replaceAliases(document: Document.Parsed, invalid: (node: Node, problem: string) => Error): void {
  const anchors = new Map<string, Node>();
  const replacements: (() => void)[] = [];
  visit(document, {
    Alias: (key, alias, path) => {
      const named = anchors.get(alias.source);
      if (named === undefined) throw invalid(alias, 'there is no anchor for this alias above it');
      if (path.includes(named)) throw invalid(alias, 'the alias names what it is a part of');
      const parent = path.at(-1);
      // Afterwards: a visitor that returns a node has its children visited again.
      replacements.push(() => {
        if (isPair(parent)) parent[key as 'key' | 'value'] = named;
        else (parent as { items: unknown[] }).items[key as number] = named;
      });
    },
    Node: (_, node) => {
      const { anchor } = node as { anchor?: string };
      if (anchor !== undefined) anchors.set(anchor, node as Node);
    },
  });
  for (const replace of replacements) replace();
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}
