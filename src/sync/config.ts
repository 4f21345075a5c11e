import { isMap, isScalar, isSeq, type Node } from 'yaml';
import type { DeclaredMetricKind } from '../analysis/metric-kinds.ts';
import { type Day, isDay } from '../apis/bda/days.ts';
import { type FilterExpression, parseFilter } from '../apis/bda/filter-expression.ts';
import { parseYamlMap, type YamlEntry, type YamlMap } from '../config/yaml-map.ts';
import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import { DESTINATION_SCHEMES, isDestinationScheme, schemeOf } from './destinations/schemes.ts';

/** The name of the file where none is given. */
export const SYNC_FILE = 'gatectl.sync.yaml';

export const PARTITIONS = ['month', 'day'] as const;
export type PartitionSize = (typeof PARTITIONS)[number];

export const PLATFORMS = ['service', 'original', 'all'] as const;

/** The days of `lookback` where the file sets none: most figures settle within a week. */
export const DEFAULT_LOOKBACK = 7;
/** Columns that gatectl adds to each row. */
export const ADDED_COLUMNS = ['domain_id', 'domain'] as const;
/** The dimension that every table has. */
export const DAY_COLUMN = 'report_day';

/** One table to synchronise: a query for each site and day. */
export interface SyncTable {
  readonly name: string;
  readonly dataSet: string;
  /** Without `report_day`, which every table has. */
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly filters: readonly FilterExpression[];
  readonly platform: string | undefined;
  readonly start: Day;
  /** Undefined for yesterday. */
  readonly end: Day | undefined;
  readonly partition: PartitionSize;
  /** Metrics whose values may be summed, in addition to those that gatectl treats as additive. */
  readonly additive: readonly string[];
  /** How other metrics add up, where the sync file says so. */
  readonly metricKinds?: Readonly<Record<string, DeclaredMetricKind>>;
  /** Whether superseded rows are stored. */
  readonly history?: boolean;
}

/** The contents of a sync file. */
export interface SyncConfig {
  readonly path: string;
  readonly destination: string;
  readonly domains: 'all' | readonly string[];
  /** How many of the last days are requested again in each run, or `auto`. */
  readonly lookback: number | 'auto';
  readonly tables: readonly SyncTable[];
  /** `line:column` of what a path such as `tables.pages.metrics.0` names. */
  readonly places: ReadonlyMap<string, string>;
}

export const TOP_KEYS = ['destination', 'domains', 'lookback', 'tables'] as const;
export const TABLE_KEYS = [
  'data_set',
  'dimensions',
  'metrics',
  'filters',
  'platform',
  'start',
  'end',
  'partition',
  'additive',
  'history',
] as const;
/** How a metric adds up, in a word: it is summed, or a distinct count, which is not. */
export const ADDITIVITIES = ['sum', 'distinct'] as const;
/** The settings of a ratio. */
export const RATIO_KEYS = ['weight', 'numerator', 'factor'] as const;

/** A valid name of a table. */
export const TABLE_NAME = /^[a-z][a-z0-9_]{0,62}$/;
const SECRET = /key|token|secret|password|credential/i;

/** The error for a problem at a place of a sync file. */
export function problemAt(
  { path, places }: Pick<SyncConfig, 'path' | 'places'>,
  field: string,
  problem: string,
  hints: readonly string[] = [],
): UsageError {
  const place = places.get(field);
  const where = place === undefined ? path : `${path}:${place}`;
  return new UsageError(`${where}: ${problem}`, { code: 'invalid_input', hints });
}

/** Reads a sync file. Throws UsageError with the line and the column of the first problem. */
export function parseSyncConfig(path: string, text: string): SyncConfig {
  return new ConfigReader(path, text).read();
}

/** Why a text cannot be a destination, and what to type; undefined if it can. Quotes nothing that may be a secret. */
export function problemWithDestination(
  text: string,
): { readonly problem: string; readonly hint: string } | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:[^/?#]*@/i.test(text))
    return {
      problem: 'the destination contains a password',
      hint: 'leave it out: a sync file contains no secrets',
    };
  const scheme = schemeOf(text);
  if (isDestinationScheme(scheme)) return undefined;
  const schemes = DESTINATION_SCHEMES.filter(each => each !== '').map(each => `${each}:`);
  return {
    problem: `unknown kind of destination ${JSON.stringify(scheme)}`,
    hint: `type a folder for Parquet files, or one of: ${schemes.join(', ')}`,
  };
}

class ConfigReader {
  readonly #path: string;
  readonly #map: YamlMap;
  readonly #places = new Map<string, string>();

  constructor(path: string, text: string) {
    this.#path = path;
    this.#map = parseYamlMap(text, {
      expected: 'destination, domains and tables',
      member: 'setting',
      invalid: this.#invalid,
    });
  }

  readonly #invalid = (place: string, problem: string, hints: readonly string[] = []): UsageError =>
    new UsageError(`${this.#path}:${place}: ${problem}`, { code: 'invalid_input', hints });

  read(): SyncConfig {
    const top = this.#fields(this.#map.entries, '', TOP_KEYS, 'setting');
    const tables = top.get('tables');
    if (tables === undefined)
      throw this.#invalid('1:1', 'tables is missing', ['add tables: with at least one table']);
    const config: SyncConfig = {
      path: this.#path,
      destination: this.#destination(top.get('destination')),
      domains: this.#domains(top.get('domains')),
      lookback: this.#lookback(top.get('lookback')),
      tables: this.#tables(tables),
      places: this.#places,
    };
    const recorded = config.tables.find(({ history }) => history);
    if (recorded !== undefined && schemeOf(config.destination) !== '')
      throw problemAt(
        config,
        `tables.${recorded.name}.history`,
        'history requires a folder of Parquet files as the destination',
        ['remove it, or set destination: to a folder'],
      );
    return config;
  }

  /** The members of a mapping by name. Throws for an unknown one. */
  #fields(
    entries: readonly YamlEntry[],
    path: string,
    known: readonly string[],
    what: string,
  ): ReadonlyMap<string, YamlEntry> {
    for (const { name, namePlace, place } of entries) {
      this.#places.set(path + name, place);
      if (known.includes(name)) continue;
      if (SECRET.test(name))
        throw this.#invalid(namePlace, `${JSON.stringify(name)}: a sync file contains no secrets`, [
          'gatectl reads the key from a profile or from GATECTL_API_KEY',
        ]);
      const near = nearest(name, known);
      throw this.#invalid(namePlace, `unknown ${what} ${JSON.stringify(name)}`, [
        near === undefined ? `${what}s: ${known.join(', ')}` : `did you mean ${near}?`,
      ]);
    }
    return new Map(entries.map(entry => [entry.name, entry]));
  }

  #destination(entry: YamlEntry | undefined): string {
    if (entry === undefined) return 'lake';
    const text = this.#text(entry);
    const found = problemWithDestination(text);
    if (found !== undefined) throw this.#invalid(entry.place, found.problem, [found.hint]);
    return text;
  }

  #domains(entry: YamlEntry | undefined): 'all' | readonly string[] {
    if (entry === undefined) return 'all';
    if (isScalar(entry.value) && entry.value.value === 'all') return 'all';
    const names = this.#names(entry, 'domains');
    if (names.length === 0) throw this.#invalid(entry.place, 'domains is empty', ['type all, or a list']);
    return names;
  }

  #lookback(entry: YamlEntry | undefined): number | 'auto' {
    if (entry === undefined) return DEFAULT_LOOKBACK;
    const found = readLookback(this.#text(entry));
    if (found !== undefined) return found;
    throw this.#invalid(entry.place, 'lookback must be a number of days such as 7d, or auto');
  }

  #tables(entry: YamlEntry): readonly SyncTable[] {
    const entries = this.#map.entriesOf(entry.value, {
      expected: 'tables by name, such as pages: with data_set and metrics',
      member: 'table',
    });
    if (entries.length === 0) throw this.#invalid(entry.place, 'tables is empty');
    const tables = entries.map(table => this.#table(table));
    const byQuery = new Map<string, string>();
    for (const [index, { name, dataSet, dimensions, metrics, filters, platform }] of tables.entries()) {
      const query = JSON.stringify([dataSet, [...dimensions].sort(), [...metrics].sort(), filters, platform]);
      const same = byQuery.get(query);
      if (same !== undefined)
        throw this.#invalid(
          entries[index]?.namePlace ?? entry.place,
          `the tables ${same} and ${name} overlap: they have the same columns and filters`,
          ['remove one of them'],
        );
      byQuery.set(query, name);
    }
    return tables;
  }

  #table({ name, value, namePlace, place }: YamlEntry): SyncTable {
    const path = `tables.${name}.`;
    this.#places.set(`tables.${name}`, namePlace);
    if (!TABLE_NAME.test(name))
      throw this.#invalid(namePlace, `${JSON.stringify(name)} is not a valid name for a table`, [
        'use lower-case letters, digits and underscores, starting with a letter',
      ]);
    const fields = this.#fields(
      this.#map.entriesOf(value, { expected: 'data_set, dimensions, metrics and start', member: 'setting' }),
      path,
      TABLE_KEYS,
      'setting',
    );
    const required = (key: (typeof TABLE_KEYS)[number]) => {
      const entry = fields.get(key);
      if (entry === undefined) throw this.#invalid(place, `the table ${name} has no ${key}`);
      return entry;
    };
    const namesOf = (key: 'dimensions' | 'metrics') => {
      const entry = fields.get(key);
      return entry === undefined ? [] : this.#names(entry, path + key);
    };
    const dimensions = namesOf('dimensions').filter(column => column !== DAY_COLUMN);
    required('metrics');
    const metrics = namesOf('metrics');
    this.#columns(name, path, dimensions, metrics);
    const start = this.#day(required('start'));
    const endEntry = fields.get('end');
    const end = endEntry === undefined ? undefined : this.#day(endEntry);
    if (end !== undefined && end < start)
      throw this.#invalid(endEntry?.place ?? place, `end is before start: ${end} is before ${start}`);
    const { additive, metricKinds } = this.#additivity(fields.get('additive'), `${path}additive`, metrics);
    return {
      name,
      dataSet: this.#text(required('data_set')),
      dimensions,
      metrics,
      filters: this.#filters(fields.get('filters')),
      platform: this.#word(fields.get('platform'), PLATFORMS),
      start,
      end,
      partition: this.#word(fields.get('partition'), PARTITIONS) ?? 'month',
      additive,
      ...(Object.keys(metricKinds).length > 0 && { metricKinds }),
      ...(this.#flag(fields.get('history')) && { history: true }),
    };
  }

  /** `additive`: a list of metrics that may be summed, or how each metric adds up. */
  #additivity(
    entry: YamlEntry | undefined,
    path: string,
    metrics: readonly string[],
  ): { readonly additive: readonly string[]; readonly metricKinds: Record<string, DeclaredMetricKind> } {
    const metricKinds: Record<string, DeclaredMetricKind> = {};
    if (entry === undefined) return { additive: [], metricKinds };
    const check = (metric: string, place: string) => {
      if (metrics.includes(metric)) return;
      throw this.#invalid(place, `${metric} is not a metric of the table`, hintNearest(metric, metrics));
    };
    if (!isMap(entry.value)) {
      const additive = this.#names(entry, path);
      for (const [index, metric] of additive.entries())
        check(metric, this.#places.get(`${path}.${index}`) ?? entry.place);
      return { additive, metricKinds };
    }
    const additive: string[] = [];
    for (const each of this.#map.entriesOf(entry.value, {
      expected: 'metrics, each with how it adds up',
      member: 'metric',
    })) {
      check(each.name, each.namePlace);
      if (isScalar(each.value)) {
        const word = this.#word(each, ADDITIVITIES);
        if (word === 'sum') additive.push(each.name);
        else metricKinds[each.name] = { kind: 'distinct' };
      } else metricKinds[each.name] = this.#ratio(each, check);
    }
    return { additive, metricKinds };
  }

  #ratio(entry: YamlEntry, check: (metric: string, place: string) => void): DeclaredMetricKind {
    const expected = `one of ${ADDITIVITIES.join(', ')}, or the weight of a ratio`;
    const entries = this.#map.entriesOf(entry.value, { expected, member: 'setting' });
    const fields = this.#fields(entries, `${entry.name}.`, RATIO_KEYS, 'setting');
    const metric = (key: 'weight' | 'numerator') => {
      const found = fields.get(key);
      if (found === undefined) return undefined;
      const name = this.#text(found);
      check(name, found.place);
      return name;
    };
    const weight = metric('weight');
    if (weight === undefined)
      throw this.#invalid(entry.place, `the ratio ${entry.name} has no weight`, [
        'name the metric by which its mean is weighted: {weight: visits}',
      ]);
    const [numerator, factor] = [metric('numerator'), fields.get('factor')];
    const number = factor === undefined ? undefined : Number(this.#text(factor));
    if (factor !== undefined && (number === undefined || !(number > 0 && Number.isFinite(number))))
      throw this.#invalid(factor.place, 'factor must be a number greater than 0');
    if (factor !== undefined && numerator === undefined)
      throw this.#invalid(factor.place, 'factor requires a numerator');
    return {
      kind: 'ratio',
      weight,
      ...(numerator !== undefined && { numerator }),
      ...(number !== undefined && { factor: number }),
    };
  }

  #columns(table: string, path: string, dimensions: readonly string[], metrics: readonly string[]): void {
    if (metrics.length === 0)
      throw this.#invalid(this.#places.get(`${path}metrics`) ?? '1:1', `the table ${table} has no metrics`);
    const seen = new Set<string>();
    for (const [key, names] of [
      ['dimensions', dimensions],
      ['metrics', metrics],
    ] as const)
      for (const column of names) {
        const at = this.#places.get(`${path}${key}:${column}`) ?? '1:1';
        if ((ADDED_COLUMNS as readonly string[]).includes(column))
          throw this.#invalid(at, `${column} is a column that gatectl adds itself`);
        if (seen.has(column) || (key === 'metrics' && column === DAY_COLUMN))
          throw this.#invalid(at, `${column} is named twice`);
        seen.add(column);
      }
  }

  #filters(entry: YamlEntry | undefined): readonly FilterExpression[] {
    if (entry === undefined) return [];
    const items = isSeq<Node>(entry.value) ? entry.value.items : [entry.value as Node];
    return items.map(item => {
      const place = item === null ? entry.place : this.#map.placeOf(item);
      if (!isScalar(item) || typeof item.value !== 'string')
        throw this.#invalid(place, 'a filter must be text', [`such as 'visits>=3'`]);
      try {
        return parseFilter(item.value);
      } catch (error) {
        const { message, hint } = error as Error & { hint?: string };
        throw this.#invalid(
          place,
          `the filter ${JSON.stringify(item.value)} ${message}`,
          hint === undefined ? [] : [hint],
        );
      }
    });
  }

  #text({ name, value, place }: YamlEntry): string {
    if (isScalar(value) && (typeof value.value === 'string' || typeof value.value === 'number')) {
      const text = typeof value.value === 'string' ? value.value : (value.source ?? String(value.value));
      if (text.trim() !== '') return text;
    }
    throw this.#invalid(place, `${name} must be text`);
  }

  #word<Word extends string>(entry: YamlEntry | undefined, words: readonly Word[]): Word | undefined {
    if (entry === undefined) return undefined;
    const text = this.#text(entry);
    const found = words.find(word => word === text);
    if (found !== undefined) return found;
    throw this.#invalid(entry.place, `${entry.name} cannot be ${JSON.stringify(text)}`, [
      `one of: ${words.join(', ')}`,
    ]);
  }

  #flag(entry: YamlEntry | undefined): boolean {
    if (entry === undefined) return false;
    if (isScalar(entry.value) && typeof entry.value.value === 'boolean') return entry.value.value;
    throw this.#invalid(entry.place, `${entry.name} must be true or false`);
  }

  #day(entry: YamlEntry): Day {
    const text = this.#text(entry);
    if (isDay(text)) return text;
    throw this.#invalid(entry.place, `${entry.name} must be a day, YYYY-MM-DD`);
  }

  #names({ name, value, place }: YamlEntry, path: string): readonly string[] {
    const items = isSeq<Node>(value) ? value.items : [value as Node];
    return items.map((item, index) => {
      const at = item === null ? place : this.#map.placeOf(item);
      if (!isScalar(item) || typeof item.value !== 'string' || item.value.trim() === '')
        throw this.#invalid(at, `${name} must be a list of names`);
      this.#places.set(`${path}.${index}`, at);
      this.#places.set(`${path}:${item.value}`, at);
      return item.value;
    });
  }
}

/** `7`, `7d` or `auto`; undefined for any other text. */
export function readLookback(text: string): number | 'auto' | undefined {
  if (text === 'auto') return 'auto';
  const [, days] = /^(\d{1,4})d?$/.exec(text) ?? [];
  return days === undefined ? undefined : Number(days);
}

/** A hint for a name that is none of `names`. */
export function hintNearest(name: string, names: Iterable<string>): readonly string[] {
  const near = nearest(name, names);
  return near === undefined ? [] : [`did you mean ${near}?`];
}
