import { isScalar } from 'yaml';
import type { YamlEntry } from '../config/yaml-map.ts';
import { checkColumnNames } from './column-names.ts';
import {
  DEFAULT_LOOKBACK,
  problemAt,
  readLookback,
  type SyncConfig,
  type SyncTable,
  TOP_KEYS,
} from './config.ts';
import { readTable } from './config-table.ts';
import { ConfigValues } from './config-values.ts';
import { problemWithDestination, schemeOf } from './destinations/schemes.ts';

/** Reads a sync file. Throws UsageError with the line and the column of the first problem. */
export function parseSyncConfig(path: string, text: string): SyncConfig {
  const values = new ConfigValues(path, text);
  const top = values.settings(values.map.entries, '', TOP_KEYS);
  const tables = top.get('tables');
  if (tables === undefined)
    throw values.invalid('1:1', 'tables is missing', ['add tables: with at least one table']);
  const config: SyncConfig = {
    path,
    destination: readDestination(values, top.get('destination')),
    domains: readDomains(values, top.get('domains')),
    lookback: readLookbackSetting(values, top.get('lookback')),
    tables: readTables(values, tables),
    places: values.places,
  };
  const recorded = config.tables.find(({ history }) => history);
  if (recorded !== undefined && schemeOf(config.destination) !== '')
    throw problemAt(
      config,
      `tables.${recorded.name}.history`,
      'history requires a folder of Parquet files as the destination',
      ['remove it, or set destination: to a folder'],
    );
  checkColumnNames(config);
  return config;
}

function readDestination(values: ConfigValues, entry: YamlEntry | undefined): string {
  if (entry === undefined) return 'lake';
  const text = values.text(entry);
  const found = problemWithDestination(text);
  if (found !== undefined) throw values.invalid(entry.place, found.problem, [found.hint]);
  return text;
}

function readDomains(values: ConfigValues, entry: YamlEntry | undefined): 'all' | readonly string[] {
  if (entry === undefined) return 'all';
  if (isScalar(entry.value) && entry.value.value === 'all') return 'all';
  const names = values.names(entry, 'domains');
  if (names.length === 0) throw values.invalid(entry.place, 'domains is empty', ['type all, or a list']);
  return names;
}

function readLookbackSetting(values: ConfigValues, entry: YamlEntry | undefined): number | 'auto' {
  if (entry === undefined) return DEFAULT_LOOKBACK;
  const found = readLookback(values.text(entry));
  if (found !== undefined) return found;
  throw values.invalid(entry.place, 'lookback must be a number of days such as 7d, or auto');
}

function readTables(values: ConfigValues, entry: YamlEntry): readonly SyncTable[] {
  const entries = values.map.entriesOf(entry.value, {
    expected: 'tables by name, such as pages: with data_set and metrics',
    member: 'table',
  });
  if (entries.length === 0) throw values.invalid(entry.place, 'tables is empty');
  const tables = entries.map(table => readTable(values, table));
  const byQuery = new Map<string, string>();
  for (const [index, { name, dataSet, dimensions, metrics, filters, platform }] of tables.entries()) {
    const query = JSON.stringify([dataSet, [...dimensions].sort(), [...metrics].sort(), filters, platform]);
    const same = byQuery.get(query);
    if (same !== undefined)
      throw values.invalid(
        entries[index]?.namePlace ?? entry.place,
        `the tables ${same} and ${name} overlap: they have the same columns and filters`,
        ['remove one of them'],
      );
    byQuery.set(query, name);
  }
  return tables;
}
