import { isScalar, isSeq, type Node } from 'yaml';
import { type Day, isDay } from '../apis/bda/days.ts';
import { SECRET } from '../config/project-settings.ts';
import { parseYamlMap, type YamlEntry, type YamlMap } from '../config/yaml-map.ts';
import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';

/** Reads the values of a sync file and records their places. All methods throw UsageError with line and column. */
export class ConfigValues {
  /** `line:column` of what a path such as `tables.pages.metrics.0` or `tables.pages.metrics:visits` names. */
  readonly places = new Map<string, string>();
  readonly map: YamlMap;
  readonly #path: string;

  constructor(path: string, text: string) {
    this.#path = path;
    this.map = parseYamlMap(text, {
      expected: 'destination, domains and tables',
      member: 'setting',
      invalid: this.invalid,
    });
  }

  /** The error for a problem at a place. */
  readonly invalid = (place: string, problem: string, hints: readonly string[] = []): UsageError =>
    new UsageError(`${this.#path}:${place}: ${problem}`, { code: 'invalid_input', hints });

  /** The settings of a mapping by name; `path` is what their paths begin with. Throws for one that is not in `known`. */
  settings(
    entries: readonly YamlEntry[],
    path: string,
    known: readonly string[],
  ): ReadonlyMap<string, YamlEntry> {
    for (const { name, namePlace, place } of entries) {
      this.places.set(path + name, place);
      if (known.includes(name)) continue;
      if (SECRET.test(name))
        throw this.invalid(namePlace, `${JSON.stringify(name)}: a sync file contains no secrets`, [
          'gatectl reads the key from a profile or from GATECTL_API_KEY',
        ]);
      const near = nearest(name, known);
      throw this.invalid(namePlace, `unknown setting ${JSON.stringify(name)}`, [
        near === undefined ? `settings: ${known.join(', ')}` : `did you mean ${near}?`,
      ]);
    }
    return new Map(entries.map(entry => [entry.name, entry]));
  }

  text({ name, value, place }: YamlEntry): string {
    if (isScalar(value) && (typeof value.value === 'string' || typeof value.value === 'number')) {
      const text = typeof value.value === 'string' ? value.value : (value.source ?? String(value.value));
      if (text.trim() !== '') return text;
    }
    throw this.invalid(place, `${name} must be text`);
  }

  word<Word extends string>(entry: YamlEntry | undefined, words: readonly Word[]): Word | undefined {
    if (entry === undefined) return undefined;
    const text = this.text(entry);
    const found = words.find(word => word === text);
    if (found !== undefined) return found;
    throw this.invalid(entry.place, `${entry.name} cannot be ${JSON.stringify(text)}`, [
      `one of: ${words.join(', ')}`,
    ]);
  }

  flag(entry: YamlEntry | undefined): boolean {
    if (entry === undefined) return false;
    if (isScalar(entry.value) && typeof entry.value.value === 'boolean') return entry.value.value;
    throw this.invalid(entry.place, `${entry.name} must be true or false`);
  }

  day(entry: YamlEntry): Day {
    const text = this.text(entry);
    if (isDay(text)) return text;
    throw this.invalid(entry.place, `${entry.name} must be a day, YYYY-MM-DD`);
  }

  /** A list of names, or one name; `path` is that of the list. */
  names({ name, value, place }: YamlEntry, path: string): readonly string[] {
    return this.items(value).map((item, index) => {
      const at = item === null ? place : this.map.placeOf(item);
      if (!isScalar(item) || typeof item.value !== 'string' || item.value.trim() === '')
        throw this.invalid(at, `${name} must be a list of names`);
      this.places.set(`${path}.${index}`, at);
      this.places.set(`${path}:${item.value}`, at);
      return item.value;
    });
  }

  /** The items of a list; any other value is the only item. */
  items(value: Node | null): readonly (Node | null)[] {
    return isSeq<Node | null>(value) ? value.items : [value];
  }
}
