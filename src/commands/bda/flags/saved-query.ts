import { Document, isMap, isScalar, isSeq, type Node, type YAMLSeq } from 'yaml';
import { type QueryFile, queryFileNamed, readQueryFile } from '../../../config/query-files.ts';
import type { YamlMap } from '../../../config/yaml-map.ts';
import { type Json, type JsonRecord, jsonNumber, stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { flagName, type Option, type ValuesOf } from '../../framework/define-command.ts';
import { type InvalidYaml, readYamlFlags, yamlName } from '../../framework/yaml-flags.ts';
import { QUERY_FLAGS, type QueryFlags } from './query-flags.ts';

const {
  // How one run fetches, prints and writes the rows.
  all: _all,
  pageSize: _pageSize,
  concurrency: _concurrency,
  units: _units,
  strict: _strict,
  out: _out,
  resume: _resume,
  autoResume: _autoResume,
  manifest: _manifest,
  chart: _chart,
  title: _title,
  ascii: _ascii,
  ...saved
} = QUERY_FLAGS;

/** The flags that a saved query may set: what is queried, not how it is printed. */
export const SAVED_FLAGS = saved;

export type SavedFlags = ValuesOf<typeof SAVED_FLAGS>;

/** A saved query. */
export interface SavedQuery {
  /** All flags of a query; those that the file does not set have their defaults. */
  readonly flags: QueryFlags;
  /** The query as API JSON, which the flags override. */
  readonly body: JsonRecord;
  /** Line and column of the value of each flag that the file sets, by its name: `--metric`. */
  readonly places: ReadonlyMap<string, string>;
}

type Key = keyof SavedFlags;

/** The member with API JSON. */
const BODY = 'query';

/** Whether a value of a flag is one that was typed. */
export function isTyped(key: string, value: unknown): boolean {
  const { fallback } = (QUERY_FLAGS as Readonly<Record<string, Option<unknown>>>)[key] ?? {};
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== fallback;
}

/**
 * Parses the file of a saved query: the flags of `bda query` by their names, a list where a flag may be repeated, and `query` for API
 * JSON. Throws UsageError with line and column.
 */
export function parseSavedQuery(path: string, text: string): SavedQuery {
  let body: JsonRecord = {};
  const { values, places } = readYamlFlags(path, text, SAVED_FLAGS, {
    what: 'a saved query',
    example: 'metric: visits',
    members: {
      [BODY]({ value, place }, map, invalid) {
        if (!isMap(value)) throw invalid(place, `${BODY} must be a query as API JSON`);
        body = jsonOf(value, map, invalid) as JsonRecord;
      },
    },
    elsewhere: {
      options: QUERY_FLAGS,
      hint: flag => `pass it when you run the query: gatectl bda query run NAME --${flag}`,
    },
  });
  const absent = Object.fromEntries(
    Object.entries(QUERY_FLAGS).map(([key, { flags, fallback }]) => [
      key,
      flagName(flags).startsWith('--no-') || fallback,
    ]),
  );
  return { flags: { ...absent, ...values } as unknown as QueryFlags, body, places };
}

/** A saved query of a name, in the project before the user's configuration. Throws UsageError and FileError. */
export function savedQuery(name: string, { io }: Pick<Context, 'io'>): SavedQuery & { file: QueryFile } {
  const file = queryFileNamed(name, io);
  return { ...parseSavedQuery(file.path, readQueryFile(file, io)), file };
}

/** A YAML node as JSON, numbers with their digits. */
function jsonOf(node: Node | null, { placeOf }: YamlMap, invalid: InvalidYaml): Json {
  const convert = (value: Node | null): Json => {
    if (value === null) return null;
    if (isSeq<Node>(value)) return value.items.map(convert);
    if (isMap<Node, Node | null>(value))
      return Object.fromEntries(
        value.items.map(({ key, value }) => {
          if (isScalar(key) && typeof key.value === 'string') return [key.value, convert(value)];
          throw invalid(placeOf(key), 'expected the name of a field');
        }),
      );
    if (!isScalar(value)) throw invalid(placeOf(value), 'expected JSON');
    const { value: scalar, source = '' } = value;
    if (typeof scalar === 'number' && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(source))
      return jsonNumber(source);
    if (typeof scalar === 'string' || typeof scalar === 'boolean' || scalar === null) return scalar;
    throw invalid(placeOf(value), `${source} is not a JSON number`);
  };
  return convert(node);
}

/** The file of a saved query. */
export function savedQueryText(name: string, flags: Partial<SavedFlags>, body: JsonRecord): string {
  const document = new Document(fieldsOf(flags));
  document.commentBefore = ` gatectl bda query run ${name}`;
  for (const { value } of (document.contents as { items?: { value: unknown }[] } | null)?.items ?? [])
    if (isSeq(value)) (value as YAMLSeq).flow = true;
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  if (Object.keys(body).length === 0) return text;
  const own = Object.keys(fieldsOf(flags)).length === 0 ? `#${document.commentBefore}\n\n` : text;
  return `${own}${BODY}:\n${stringifyJson(body, 2).replace(/^/gm, '  ')}\n`;
}

/** The flags that are set, by their names, as a file and `-o json` show them. */
export function fieldsOf(flags: Partial<SavedFlags>): Record<string, string | number | boolean | string[]> {
  return Object.fromEntries(
    Object.entries(SAVED_FLAGS).flatMap(([key, option]) => {
      const value = flags[key as Key];
      return isTyped(key, value) ? [[yamlName(option), listed(key, value)]] : [];
    }),
  ) as Record<string, string | number | boolean | string[]>;
}

const NAMES_LISTS = ['dataSet', 'dimension', 'metric', 'sort', 'domain'];

/** Lists of names with an item for each name. */
function listed(key: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return NAMES_LISTS.includes(key)
    ? value.flatMap(text => String(text).split(',')).map(text => text.trim())
    : value;
}

/** The flags that are set as words of a command line. */
export function wordsOf(flags: Partial<SavedFlags>): string[] {
  return Object.entries(SAVED_FLAGS).flatMap(([key, option]) => {
    const value = flags[key as Key];
    if (!isTyped(key, value)) return [];
    const name = flagName(option.flags);
    if (value === true) return [name];
    const values = listed(key, value);
    const texts = Array.isArray(values)
      ? NAMES_LISTS.includes(key)
        ? [values.join(',')]
        : values
      : [values];
    return texts.flatMap(text => [name, String(text)]);
  });
}

const DAY_KEYS = ['last', 'this', 'previous', 'month', 'period'] as const;
const RANGE_KEYS = ['from', 'to'] as const;

/** The flags of a run: those that were typed replace the saved ones, and the saved ones that exclude them. */
export function mergeFlags(saved: QueryFlags, typed: QueryFlags): QueryFlags {
  const has = (key: keyof QueryFlags) => isTyped(key, typed[key]);
  const replaced = new Set<string>(Object.keys(QUERY_FLAGS).filter(key => has(key as keyof QueryFlags)));
  const replacesSpan = DAY_KEYS.some(has);
  const replacesRange = RANGE_KEYS.some(has);
  if (replacesSpan || replacesRange) for (const key of DAY_KEYS) replaced.add(key);
  if (replacesSpan) for (const key of RANGE_KEYS) replaced.add(key);
  if (replacesSpan || replacesRange) replaced.add('includeToday');
  if (has('all') || has('pageSize')) replaced.add('limit');
  if (has('domain') || has('domainId')) for (const key of ['domain', 'domainId']) replaced.add(key);
  const keys = Object.keys(QUERY_FLAGS) as (keyof QueryFlags)[];
  return Object.fromEntries(
    keys.map(key => [key, replaced.has(key) ? typed[key] : (saved[key] ?? typed[key])]),
  ) as unknown as QueryFlags;
}
