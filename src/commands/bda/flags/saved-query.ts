import { Document, isSeq, type YAMLSeq } from 'yaml';
import { type QueryFile, queryFileNamed, readQueryFile } from '../../../config/query-files.ts';
import { documentSchema } from '../../../documents/document.ts';
import { type Form, optional } from '../../../documents/forms.ts';
import type { Located } from '../../../documents/located.ts';
import { type Json, type JsonRecord, jsonNumber, stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { flagName, isTyped, untypedValues, type ValuesOf } from '../../framework/define-command.ts';
import { settingName } from '../../framework/option-forms.ts';
import { flagsFile, readFlagsFile } from '../../framework/yaml-flags.ts';
import { QUERY_FLAGS, type QueryFlags } from './query-flags.ts';

const {
  // How one run fetches, prints and writes the rows.
  all: _all,
  pageSize: _pageSize,
  concurrency: _concurrency,
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
  /** Line and column of the value of each flag that the file sets, by its name: `metric`. */
  readonly places: ReadonlyMap<string, string>;
}

type Key = keyof SavedFlags;

/** The member with API JSON. */
const BODY = 'query';

/** A YAML mapping as JSON, numbers with their digits. */
const JSON_OBJECT: Form<JsonRecord> = {
  schema: { type: 'object' },
  read(at) {
    if (at.content.kind === 'map') return jsonOf(at) as JsonRecord;
    throw at.invalid(`${at.name} must be a query as API JSON`);
  },
};

const SAVED_FILE = flagsFile(SAVED_FLAGS, {
  what: 'a saved query',
  others: { [BODY]: optional('The query as API JSON, which the flags override', JSON_OBJECT) },
  elsewhere: {
    options: QUERY_FLAGS,
    hint: flag => `pass it when you run the query: gatectl bda query run NAME --${flag}`,
  },
});

/** The file of a saved query: flags of `bda query` by their names, and `query` for API JSON. */
export const SAVED_QUERY_FORM = SAVED_FILE.form;

/** The JSON Schema of a saved query. */
export const SAVED_QUERY_SCHEMA = documentSchema(
  'gatectl saved query',
  'What gatectl bda query run requests. The file contains no secrets.',
  SAVED_QUERY_FORM,
);

/** Parses the file of a saved query. Throws UsageError with line and column. */
export function parseSavedQuery(path: string, text: string): SavedQuery {
  const { values, others, places } = readFlagsFile(SAVED_FILE, path, text);
  const body = (others[BODY] ?? {}) as JsonRecord;
  return { flags: { ...untypedValues(QUERY_FLAGS), ...values }, body, places };
}

/** A saved query of a name, in the project before the user's configuration. Throws UsageError and FileError. */
export function savedQuery(name: string, { io }: Pick<Context, 'io'>): SavedQuery & { file: QueryFile } {
  const file = queryFileNamed(name, io);
  return { ...parseSavedQuery(file.path, readQueryFile(file, io)), file };
}

function jsonOf(at: Located): Json {
  const { content } = at;
  switch (content.kind) {
    case 'empty':
      return null;
    case 'list':
      return content.items.map(jsonOf);
    case 'map':
      return Object.fromEntries(content.members.map(member => [member.name, jsonOf(member)]));
    case 'scalar':
      if (typeof content.value !== 'number') return content.value;
      if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(content.text)) return jsonNumber(content.text);
      throw at.invalid(`${content.text} is not a JSON number`);
  }
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
      return isTyped(option, value) ? [[settingName(option), listed(key, value)]] : [];
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
    if (!isTyped(option, value)) return [];
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
  const has = (key: keyof QueryFlags) => isTyped(QUERY_FLAGS[key], typed[key]);
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
