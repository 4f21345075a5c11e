import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml';
import { parseYamlDocument, yamlProblem } from '../../../../config/yaml-document.ts';
import { GatectlError, UsageError } from '../../../../errors/index.ts';
import { nearest } from '../../../../errors/nearest.ts';

/** A value of a report, with its place: `weekly.yaml:12:5`. */
export interface Field {
  readonly key: string;
  readonly keyPlace: string;
  readonly value: YamlValue;
}

/** A value of the file. Every reading method throws UsageError, with line and column, for another kind of value. */
export class YamlValue {
  readonly place: string;
  readonly #reader: YamlReader;
  readonly #node: Node | null;
  /** How messages name it: the key, or the item of a list. */
  readonly #name: string;

  constructor(reader: YamlReader, node: Node | null, name: string, place: string) {
    this.#reader = reader;
    this.#node = node;
    this.#name = name;
    this.place = place;
  }

  get isEmpty(): boolean {
    return this.#node === null || (isScalar(this.#node) && this.#node.value === null);
  }

  get isList(): boolean {
    return isSeq(this.#node);
  }

  get isMap(): boolean {
    return isMap(this.#node);
  }

  /** The text of a scalar, as it is written, with its parameters. */
  text(): string {
    const scalar = this.#scalar();
    if (scalar === undefined) throw this.invalid(`${this.#name} must be a text`);
    const { value, source } = scalar;
    const text = typeof value === 'string' ? value : (source ?? String(value));
    return this.#reader.insert(text, this);
  }

  boolean(): boolean {
    const value = this.#scalar()?.value;
    if (typeof value === 'boolean') return value;
    throw this.invalid(`${this.#name} must be true or false`);
  }

  integer(min: number, max: number): number {
    const text = this.#scalar() === undefined ? '' : this.text();
    const number = /^\d{1,6}$/.test(text) ? Number(text) : -1;
    if (number >= min && number <= max) return number;
    throw this.invalid(`${this.#name} must be a number from ${min} to ${max}`);
  }

  /** True, false, or a number from 1. */
  countOrBoolean(): boolean | number {
    const value = this.#scalar()?.value;
    if (typeof value === 'boolean') return value;
    const text = this.#scalar() === undefined ? '' : this.text();
    if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
    throw this.invalid(`${this.#name} must be true, false, or a number from 1 to 999999`);
  }

  /** The items of a list; a single value is a list of one. */
  items(): YamlValue[] {
    if (!isSeq<Node | null>(this.#node)) return this.isEmpty ? [] : [this];
    return this.#node.items.map(item => this.#reader.value(item, `an item of ${this.#name}`, this.place));
  }

  /** The members of a map. `keys` are those it may have. */
  fields(keys: readonly string[], example: string): Field[] {
    if (!isMap(this.#node)) throw this.invalid(`${this.#name} must be a map, such as ${example}`);
    return this.#reader.fields(this.#node, this.#name, keys);
  }

  /** The members of a map with any keys. */
  anyFields(): Field[] {
    if (!isMap(this.#node)) throw this.invalid(`${this.#name} must be a map`);
    return this.#reader.fields(this.#node, this.#name, undefined);
  }

  invalid(problem: string, hints: readonly string[] = []): UsageError {
    return invalidAt(this.place, problem, hints);
  }

  #scalar(): Scalar | undefined {
    return isScalar(this.#node) && this.#node.value !== null ? this.#node : undefined;
  }
}

function invalidAt(place: string, problem: string, hints: readonly string[] = []): UsageError {
  const error = new UsageError(`${place}: ${problem}`, { code: 'invalid_input', hints });
  withPlaces.add(error);
  return error;
}

/** Errors whose message begins with a place. */
const withPlaces = new WeakSet<Error>();

/** The error with a place in front of its message, unless it has one. */
export function withPlace(error: unknown, place: string): unknown {
  if (!(error instanceof GatectlError) || withPlaces.has(error)) return error;
  withPlaces.add(error);
  error.message = `${place}: ${error.message}`;
  return error;
}

/** Reads a YAML file with the places of its values. */
export class YamlReader {
  /** Inserts the values of parameters into each text that is read after it is set. */
  insert: (text: string, value: YamlValue) => string = text => text;
  readonly #name: string;
  readonly #document: Document.Parsed;
  readonly #placeAt: (offset: number) => string;

  /** Throws UsageError, with line and column, for a text that is not YAML. */
  constructor(name: string, text: string) {
    this.#name = name;
    const { document, placeAt } = parseYamlDocument(text, (place, problem) =>
      invalidAt(`${name}:${place}`, reasonOf(problem)),
    );
    this.#document = document;
    this.#placeAt = offset => `${name}:${placeAt(offset)}`;
  }

  /** The content of the file. */
  get root(): YamlValue {
    return this.value(this.#document.contents, 'the report', `${this.#name}:1:1`);
  }

  value(node: Node | null, name: string, fallback: string): YamlValue {
    const real = isAlias(node) ? (node.resolve(this.#document) ?? null) : node;
    const at = node?.range?.[0];
    return new YamlValue(this, real, name, at === undefined ? fallback : this.#placeAt(at));
  }

  fields(map: YAMLMap, name: string, keys: readonly string[] | undefined): Field[] {
    return map.items.map(pair => {
      const node = pair.key as Node | null;
      const at = node?.range?.[0];
      const keyPlace = at === undefined ? `${this.#name}:1:1` : this.#placeAt(at);
      if (!isScalar(node) || typeof node.value !== 'string')
        throw invalidAt(keyPlace, `a key of ${name} must be a word`);
      const key = node.value;
      if (keys !== undefined && !keys.includes(key))
        throw invalidAt(keyPlace, ...unknownKey(key, name, keys));
      return { key, keyPlace, value: this.value(pair.value as Node | null, key, keyPlace) };
    });
  }
}

function unknownKey(key: string, name: string, keys: readonly string[]): [string, string[]] {
  const similar = nearest(key.replaceAll('_', '-'), keys);
  const hint = similar === undefined ? `the keys are: ${keys.join(', ')}` : `did you mean ${similar}?`;
  return [`${name} has no key ${JSON.stringify(key)}`, [hint]];
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/^./, first => first.toLowerCase());
}

function reasonOf(problem: YAMLParseError): string {
  if (problem.code === 'DUPLICATE_KEY') return 'a key occurs twice';
  if (problem.code === 'MULTIPLE_DOCS' || problem.code === 'TAB_AS_INDENT') return yamlProblem(problem);
  return `${yamlProblem(problem)}: ${firstLine(problem.message)}`;
}
