import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
  YAMLParseError,
} from 'yaml';
import { DocumentError, Located } from './located.ts';

/** The most values of a document. Aliases of aliases could otherwise stand for any number of them. */
const MAX_VALUES = 200_000;

/** A value before it is read: its name and where that is. */
type Named = Pick<Located, 'name' | 'path' | 'namePlace'>;

/**
 * Parses the one YAML document of a file. An alias (`*name`) is read as the value that it names, and `<<: *name` as its
 * members; messages give their places. Throws DocumentError, which never quotes the text, because it may contain a
 * secret.
 */
export function parseYaml(text: string): Located {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const [first] = document.errors;
  if (first !== undefined) {
    const error = tabError(text, first) ?? first;
    throw problemAt(placeAt(error.pos[0]), messageOf(error));
  }
  return new Conversion(placeAt).located(document.contents as Document.Parsed['contents'], {
    name: 'the file',
    path: '',
    namePlace: '1:1',
  });
}

/** Converts nodes of the library, with aliases and merge keys resolved. */
class Conversion {
  readonly #placeAt: (offset: number) => string;
  readonly #anchors = new Map<string, Node>();
  /** The collections around the node that is converted. */
  readonly #open = new Set<Node>();
  #values = 0;

  constructor(placeAt: (offset: number) => string) {
    this.#placeAt = placeAt;
  }

  located(node: Node | null, named: Named): Located {
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw problemAt(named.namePlace, `more than ${MAX_VALUES} values`);
    const real = this.#resolved(node);
    const place = real === null ? named.namePlace : this.#placeOf(real);
    const at = (content: Located['content']) => new Located({ ...named, place, content });
    if (isSeq<Node | null>(real)) return at({ kind: 'list', items: this.#items(real, named, place) });
    if (isMap<Node, Node | null>(real)) return at({ kind: 'map', members: this.#members(real, named.path) });
    const value = isScalar(real) ? real.value : null;
    if (typeof value === 'string') return at({ kind: 'scalar', value, text: value });
    if (typeof value === 'number' || typeof value === 'boolean')
      return at({ kind: 'scalar', value, text: (isScalar(real) && real.source) || String(value) });
    return at({ kind: 'empty' });
  }

  #items(list: Node & { items: (Node | null)[] }, { name, path }: Named, place: string): Located[] {
    return this.#inside(list, () =>
      list.items.map((item, index) =>
        this.located(item, {
          name,
          path: `${path}[${index}]`,
          namePlace: item === null ? place : this.#placeOf(item),
        }),
      ),
    );
  }

  /** The members of a mapping, with those of the mappings that `<<` merges into it: the first of a name is in force, its own before others. */
  #members(map: YAMLMap<Node, Node | null>, path: string): Located[] {
    const own = new Map<string, Located>();
    const merged: Located[] = [];
    this.#inside(map, () => {
      for (const { key, value } of map.items) {
        if (isMerge(key)) {
          merged.push(...this.#merged(key, value, path));
          continue;
        }
        const member = this.#member(key, value, path);
        own.set(member.name, member);
      }
    });
    for (const member of merged) if (!own.has(member.name)) own.set(member.name, member);
    return [...own.values()];
  }

  #merged(key: Node, value: Node | null, path: string): Located[] {
    const sources = this.#resolved(value);
    return (isSeq<Node | null>(sources) ? sources.items : [sources]).flatMap(source => {
      const map = this.#resolved(source);
      if (isMap<Node, Node | null>(map)) return this.#members(map, path);
      throw problemAt(this.#placeOf(map ?? key), '<< requires a mapping, or a list of them');
    });
  }

  #member(key: Node, value: Node | null, path: string): Located {
    const real = this.#resolved(key);
    const name = isScalar(real) ? real.value : undefined;
    if (typeof name !== 'string') throw problemAt(this.#placeOf(key), 'expected the name of a setting');
    return this.located(value, {
      name,
      path: path === '' ? name : `${path}.${name}`,
      namePlace: this.#placeOf(key),
    });
  }

  /** The node itself, or the one that an alias names. */
  #resolved(node: Node | null): Node | null {
    if (!isAlias(node)) {
      const { anchor } = (node ?? {}) as { anchor?: string };
      if (anchor !== undefined) this.#anchors.set(anchor, node as Node);
      return node;
    }
    const named = this.#anchors.get(node.source);
    if (named === undefined)
      throw problemAt(this.#placeOf(node), 'there is no anchor for this alias above it');
    if (this.#open.has(named))
      throw problemAt(this.#placeOf(node), 'the alias names an anchor that contains it');
    return named;
  }

  #inside<Value>(collection: Node, convert: () => Value): Value {
    this.#open.add(collection);
    const value = convert();
    this.#open.delete(collection);
    return value;
  }

  #placeOf(node: Node): string {
    return this.#placeAt(node.range?.[0] ?? 0);
  }
}

function isMerge(key: Node): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

function problemAt(place: string, message: string): DocumentError {
  return new DocumentError([{ path: '', place, message }]);
}

/** Problems whose message of the library explains them without quoting the text. */
const EXPLAINED = ['BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY', 'MISSING_CHAR', 'MULTILINE_IMPLICIT_KEY'];

function messageOf({ code, message }: YAMLParseError): string {
  if (code === 'DUPLICATE_KEY') return 'duplicate setting';
  if (code === 'MULTIPLE_DOCS') return 'a second document starts here; the file must have one';
  if (code === 'TAB_AS_INDENT') return 'indentation must be spaces, not tabs';
  if (!EXPLAINED.includes(code)) return 'not valid YAML';
  const [line = ''] = message.split('\n');
  return `not valid YAML: ${line.replace(/^./, first => first.toLowerCase())}`;
}

/** The first tab in the indentation of a line whose indentation is wrong; undefined for none. */
function tabError(text: string, { code, pos: [at] }: YAMLParseError): YAMLParseError | undefined {
  if (code !== 'BAD_INDENT') return undefined;
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const tab = /^[ \t]*/.exec(text.slice(start))?.[0].indexOf('\t') ?? -1;
  return tab < 0
    ? undefined
    : new YAMLParseError([start + tab, start + tab + 1], 'TAB_AS_INDENT', 'a tab in the indentation');
}
