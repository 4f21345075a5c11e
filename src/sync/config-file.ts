import type { DeclaredMetricKind } from '../analysis/metric-kinds.ts';
import { readDocument } from '../documents/document.ts';
import type { ValueOf } from '../documents/forms.ts';
import { metricKindIn } from './additivity.ts';
import { checkColumnNames } from './column-names.ts';
import {
  ADDED_COLUMNS,
  DAY_COLUMN,
  hintNearest,
  problemAt,
  type SyncConfig,
  type SyncTable,
} from './config.ts';
import { SYNC_FORM } from './sync-form.ts';

type Settings = ValueOf<typeof SYNC_FORM>;
type TableSettings = Settings['tables'][number][1];

/** Reads a sync file. Throws UsageError with the line and the column of the first problem. */
export function parseSyncConfig(path: string, text: string): SyncConfig {
  const { value, places } = readDocument(SYNC_FORM, text, { file: path });
  const config: SyncConfig = { ...value, path, places, tables: value.tables.map(tableOf) };
  for (const table of config.tables) {
    checkTable(config, table);
    checkTypes(config, table);
    checkTests(config, table);
  }
  for (const [name, { additive }] of value.tables) checkAdditive(config, name, additive);
  checkOverlap(config);
  checkColumnNames(config);
  return config;
}

function tableOf([name, settings]: readonly [string, TableSettings]): SyncTable {
  const { data_set: dataSet, additive, history, platform, end, types, on_type_change, ...others } = settings;
  const kinds = additive.flatMap(([metric, kind]): [string, DeclaredMetricKind][] => {
    if (kind === 'sum') return [];
    return [[metric, kind === 'distinct' ? { kind } : { kind: 'ratio', ...kind }]];
  });
  return {
    ...others,
    name,
    dataSet,
    platform,
    end,
    dimensions: others.dimensions.filter(column => column !== DAY_COLUMN),
    additive: additive.filter(([, kind]) => kind === 'sum').map(([metric]) => metric),
    ...(kinds.length > 0 && { metricKinds: Object.fromEntries(kinds) }),
    ...(history && { history }),
    ...(types.length > 0 && { types: Object.fromEntries(types) }),
    ...(on_type_change !== undefined && { onTypeChange: on_type_change }),
  };
}

function checkTable(config: SyncConfig, { name: table, dimensions, metrics, start, end }: SyncTable): void {
  const invalid = (field: string, problem: string) => problemAt(config, `tables.${table}.${field}`, problem);
  for (const [key, names] of Object.entries({ dimensions, metrics }))
    for (const column of names) {
      if ((ADDED_COLUMNS as readonly string[]).includes(column))
        throw invalid(`${key}:${column}`, `${column} is a column that gatectl adds itself`);
      if (key === 'metrics' && [DAY_COLUMN, ...dimensions].includes(column))
        throw invalid(`${key}:${column}`, `${column} is named twice`);
    }
  if (end !== undefined && end < start)
    throw invalid('end', `end is before start: ${end} is before ${start}`);
}

/** Throws UsageError for a name at a place that is none of the table's. */
function requireName(
  config: SyncConfig,
  field: string,
  name: string,
  { among, what }: { readonly among: readonly string[]; readonly what: 'column' | 'metric' },
): void {
  if (among.includes(name)) return;
  throw problemAt(config, field, `${name} is not a ${what} of the table`, hintNearest(name, among));
}

/** The columns that `tests` names are those of the table, and sums are of metrics that may be summed. */
function checkTests(config: SyncConfig, table: SyncTable): void {
  const { name, dimensions, metrics, tests } = table;
  if (tests === undefined) return;
  const { not_null, unique, range, day_on_day } = tests;
  const named = { not_null, unique, range: range.map(([column]) => column) };
  for (const [test, columns] of Object.entries(named))
    for (const column of columns)
      requireName(config, `tables.${name}.tests.${test}:${column}`, column, {
        among: [DAY_COLUMN, ...dimensions, ...metrics],
        what: 'column',
      });
  for (const [metric] of day_on_day) {
    const field = `tables.${name}.tests.day_on_day:${metric}`;
    requireName(config, field, metric, { among: metrics, what: 'metric' });
    if (metricKindIn(table, metric)?.kind !== 'additive')
      throw problemAt(config, field, `the values of ${metric} may not be summed`, [
        `if they may, add it to additive: additive: [${metric}]`,
      ]);
  }
}

/** The columns that `types` names are those of the table, and metrics remain numbers. */
function checkTypes(config: SyncConfig, { name, dimensions, metrics, types = {} }: SyncTable): void {
  const columns = [...dimensions, ...metrics];
  for (const [column, type] of Object.entries(types)) {
    const field = `tables.${name}.types`;
    requireName(config, `${field}:${column}`, column, { among: columns, what: 'column' });
    if (metrics.includes(column) && !['integer', 'decimal', 'double'].includes(type.kind))
      throw problemAt(config, `${field}.${column}`, `${column} is a metric, which is a number`);
  }
}

/** The metrics that `additive` names are those of the table. */
function checkAdditive(config: SyncConfig, table: string, additive: TableSettings['additive']): void {
  const metrics = config.tables.find(({ name }) => name === table)?.metrics ?? [];
  const check = (metric: string, field: string) =>
    requireName(config, `tables.${table}.additive${field}`, metric, { among: metrics, what: 'metric' });
  for (const [metric, kind] of additive) {
    check(metric, `:${metric}`);
    if (typeof kind === 'string') continue;
    check(kind.weight, `.${metric}.weight`);
    if (kind.numerator !== undefined) check(kind.numerator, `.${metric}.numerator`);
  }
}

function checkOverlap(config: SyncConfig): void {
  const byQuery = new Map<string, string>();
  for (const { name, dataSet, dimensions, metrics, filters, platform } of config.tables) {
    const query = JSON.stringify([dataSet, [...dimensions].sort(), [...metrics].sort(), filters, platform]);
    const same = byQuery.get(query);
    if (same !== undefined)
      throw problemAt(
        config,
        `tables.${name}`,
        `the tables ${same} and ${name} overlap: they have the same columns and filters`,
        ['remove one of them'],
      );
    byQuery.set(query, name);
  }
}
