import { isMap, isScalar } from 'yaml';
import type { DeclaredMetricKind } from '../analysis/metric-kinds.ts';
import { type FilterExpression, parseFilter } from '../apis/bda/filter-expression.ts';
import type { YamlEntry } from '../config/yaml-map.ts';
import {
  ADDED_COLUMNS,
  ADDITIVITIES,
  DAY_COLUMN,
  hintNearest,
  PARTITIONS,
  PLATFORMS,
  problemWithTableName,
  RATIO_KEYS,
  type SyncTable,
  TABLE_KEYS,
} from './config.ts';
import type { ConfigValues } from './config-values.ts';

/** How the metrics of a table add up. */
interface Additivity {
  readonly additive: readonly string[];
  readonly metricKinds: Readonly<Record<string, DeclaredMetricKind>>;
}

/** Reads a table of a sync file. Throws UsageError with line and column. */
export function readTable(values: ConfigValues, { name, value, namePlace, place }: YamlEntry): SyncTable {
  const path = `tables.${name}.`;
  values.places.set(`tables.${name}`, namePlace);
  const found = problemWithTableName(name);
  if (found !== undefined) throw values.invalid(namePlace, found.problem, [found.hint]);
  const settings = values.settings(
    values.map.entriesOf(value, { expected: 'data_set, dimensions, metrics and start', member: 'setting' }),
    path,
    TABLE_KEYS,
  );
  const required = (key: (typeof TABLE_KEYS)[number]) => {
    const entry = settings.get(key);
    if (entry === undefined) throw values.invalid(place, `the table ${name} has no ${key}`);
    return entry;
  };
  const namesOf = (key: 'dimensions' | 'metrics') => {
    const entry = settings.get(key);
    return entry === undefined ? [] : values.names(entry, path + key);
  };
  const dimensions = namesOf('dimensions').filter(column => column !== DAY_COLUMN);
  required('metrics');
  const metrics = namesOf('metrics');
  checkColumns(values, name, { dimensions, metrics });
  const start = values.day(required('start'));
  const endEntry = settings.get('end');
  const end = endEntry === undefined ? undefined : values.day(endEntry);
  if (end !== undefined && end < start)
    throw values.invalid(endEntry?.place ?? place, `end is before start: ${end} is before ${start}`);
  const { additive, metricKinds } = readAdditivity(
    values,
    settings.get('additive'),
    `${path}additive`,
    metrics,
  );
  return {
    name,
    dataSet: values.text(required('data_set')),
    dimensions,
    metrics,
    filters: readFilters(values, settings.get('filters')),
    platform: values.word(settings.get('platform'), PLATFORMS),
    start,
    end,
    partition: values.word(settings.get('partition'), PARTITIONS) ?? 'month',
    additive,
    ...(Object.keys(metricKinds).length > 0 && { metricKinds }),
    ...(values.flag(settings.get('history')) && { history: true }),
  };
}

function checkColumns(
  values: ConfigValues,
  table: string,
  { dimensions, metrics }: Pick<SyncTable, 'dimensions' | 'metrics'>,
): void {
  const placeOf = (path: string) => values.places.get(`tables.${table}.${path}`) ?? '1:1';
  if (metrics.length === 0) throw values.invalid(placeOf('metrics'), `the table ${table} has no metrics`);
  const seen = new Set<string>();
  for (const [key, names] of Object.entries({ dimensions, metrics }))
    for (const column of names) {
      const at = placeOf(`${key}:${column}`);
      if ((ADDED_COLUMNS as readonly string[]).includes(column))
        throw values.invalid(at, `${column} is a column that gatectl adds itself`);
      if (seen.has(column) || (key === 'metrics' && column === DAY_COLUMN))
        throw values.invalid(at, `${column} is named twice`);
      seen.add(column);
    }
}

/** `additive`: a list of metrics that may be summed, or how each metric adds up. */
function readAdditivity(
  values: ConfigValues,
  entry: YamlEntry | undefined,
  path: string,
  metrics: readonly string[],
): Additivity {
  const metricKinds: Record<string, DeclaredMetricKind> = {};
  if (entry === undefined) return { additive: [], metricKinds };
  const check = (metric: string, place: string) => {
    if (metrics.includes(metric)) return;
    throw values.invalid(place, `${metric} is not a metric of the table`, hintNearest(metric, metrics));
  };
  if (!isMap(entry.value)) {
    const additive = values.names(entry, path);
    for (const [index, metric] of additive.entries())
      check(metric, values.places.get(`${path}.${index}`) ?? entry.place);
    return { additive, metricKinds };
  }
  const additive: string[] = [];
  for (const each of values.map.entriesOf(entry.value, {
    expected: 'metrics, each with how it adds up',
    member: 'metric',
  })) {
    check(each.name, each.namePlace);
    if (isScalar(each.value)) {
      const word = values.word(each, ADDITIVITIES);
      if (word === 'sum') additive.push(each.name);
      else metricKinds[each.name] = { kind: 'distinct' };
    } else metricKinds[each.name] = readRatio(values, each, check);
  }
  return { additive, metricKinds };
}

function readRatio(
  values: ConfigValues,
  entry: YamlEntry,
  check: (metric: string, place: string) => void,
): DeclaredMetricKind {
  const expected = `one of ${ADDITIVITIES.join(', ')}, or the weight of a ratio`;
  const entries = values.map.entriesOf(entry.value, { expected, member: 'setting' });
  const settings = values.settings(entries, `${entry.name}.`, RATIO_KEYS);
  const metric = (key: 'weight' | 'numerator') => {
    const found = settings.get(key);
    if (found === undefined) return undefined;
    const name = values.text(found);
    check(name, found.place);
    return name;
  };
  const weight = metric('weight');
  if (weight === undefined)
    throw values.invalid(entry.place, `the ratio ${entry.name} has no weight`, [
      'name the metric by which its mean is weighted: {weight: visits}',
    ]);
  const [numerator, factor] = [metric('numerator'), settings.get('factor')];
  const number = factor === undefined ? undefined : Number(values.text(factor));
  if (factor !== undefined && (number === undefined || !(number > 0 && Number.isFinite(number))))
    throw values.invalid(factor.place, 'factor must be a number greater than 0');
  if (factor !== undefined && numerator === undefined)
    throw values.invalid(factor.place, 'factor requires a numerator');
  return {
    kind: 'ratio',
    weight,
    ...(numerator !== undefined && { numerator }),
    ...(number !== undefined && { factor: number }),
  };
}

function readFilters(values: ConfigValues, entry: YamlEntry | undefined): readonly FilterExpression[] {
  if (entry === undefined) return [];
  return values.items(entry.value).map(item => {
    const place = item === null ? entry.place : values.map.placeOf(item);
    if (!isScalar(item) || typeof item.value !== 'string')
      throw values.invalid(place, 'a filter must be text', [`such as 'visits>=3'`]);
    try {
      return parseFilter(item.value);
    } catch (error) {
      const { message, hint } = error as Error & { hint?: string };
      throw values.invalid(
        place,
        `the filter ${JSON.stringify(item.value)} ${message}`,
        hint === undefined ? [] : [hint],
      );
    }
  });
}
