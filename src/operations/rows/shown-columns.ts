import {
  beforeColumn,
  changeColumn,
  FOUND_COLUMN,
  IN_BOTH,
  percentColumn,
} from '../../analysis/compared-days.ts';
import { fieldOf, isRecord, type Json, textOf } from '../../json/index.ts';
import { type Conclusion, figuresOf, presentationOfMetric } from '../../output/conclusion.ts';
import {
  areShares,
  type ColumnFacts,
  comparedWith,
  inOneUnit,
  type Presentation,
  presentationOf,
} from '../../output/presentation/index.ts';
import type { Column } from '../../output/view.ts';

/** The columns with the labels and units that the gateway `listed`; `labels` has others. */
export function presentedColumns(
  columns: readonly Column[],
  listed: ReadonlyMap<string, ColumnFacts> = new Map(),
  labels: ReadonlyMap<string, string> = new Map(),
): readonly Column[] {
  const factsOf = (name: string): ColumnFacts | undefined => {
    const [facts, label] = [listed.get(name), labels.get(name)];
    return label === undefined ? facts : { ...facts, label };
  };
  return columns.map(column => ({ ...column, presentation: presentationOf(column.key, factsOf) }));
}

/** The columns with the values of dimensions named: all but figures, times, and what a comparison adds. */
export function namedDimensions(columns: readonly Column[]): readonly Column[] {
  const added = new Set([FOUND_COLUMN, ...columns.map(({ key }) => beforeColumn(key))]);
  const isNamed = ({ key, kind }: Column) =>
    kind === undefined && !added.has(key) && presentationOf(key).time === undefined;
  return columns.map(column => (isNamed(column) ? { ...column, kind: 'name' } : column));
}

/** The columns of a comparison that say nothing in these rows or, on a narrow terminal, are the first to go. */
export function comparedColumns(
  columns: readonly Column[],
  rows: readonly Json[],
): { readonly columns: readonly Column[]; readonly secondary: readonly string[] } {
  const isAlike = rows.every(row => !isRecord(row) || fieldOf(row, FOUND_COLUMN) === IN_BOTH);
  // A change of shares is in points.
  const relative = new Set(
    columns.flatMap(({ key, presentation }) =>
      presentation !== undefined && areShares(presentation, figuresIn(key, rows)) ? [percentColumn(key)] : [],
    ),
  );
  // Of unequal periods, sums have no difference, and days without data leave no change at all.
  const isEmpty = ({ key }: Column) =>
    rows.length > 0 && rows.every(row => isRecord(row) && fieldOf(row, key) === null);
  const changes = new Set(columns.flatMap(({ key }) => [changeColumn(key), percentColumn(key)]));
  const shown = columns.filter(
    column =>
      !(isAlike && column.key === FOUND_COLUMN) &&
      !relative.has(column.key) &&
      !(changes.has(column.key) && isEmpty(column)),
  );
  const names = new Set(shown.map(({ key }) => key));
  const metrics = shown.filter(({ key, kind }) => kind === 'number' && names.has(beforeColumn(key)));
  const isEarlier = ({ key }: Column) => [...names].some(name => beforeColumn(name) === key);
  const secondary = shown.filter(isEarlier).map(({ key }) => key);
  const [only, ...others] = metrics;
  return {
    columns: others.length === 0 && only ? shown.map(column => shortened(column, only)) : shown,
    secondary,
  };
}

/** The columns with one unit for the figures of each metric: of its rows in both periods, their changes, and its totals. */
export function withOneUnit(
  columns: readonly Column[],
  rows: readonly Json[],
  totals: readonly Conclusion[],
): readonly Column[] {
  return columns.map(column => {
    const { key, presentation } = column;
    if (presentation?.figure !== 'ratio') return column;
    const [metric] = comparedWith(key);
    const stated = totals.filter(total => total.metric === metric).flatMap(figuresOf);
    return { ...column, presentation: inOneUnit(presentation, [...figuresIn(metric, rows), ...stated]) };
  });
}

/** How the columns of its rows present the metric of a total. */
export function presentationIn(columns: readonly Column[], total: Conclusion): Presentation {
  return columns.find(({ key }) => key === total.metric)?.presentation ?? presentationOfMetric(total);
}

/** The figures of both periods. */
function figuresIn(column: string, rows: readonly Json[]): string[] {
  return rows.flatMap(row =>
    isRecord(row)
      ? [column, beforeColumn(column)].flatMap(name => textOf(fieldOf(row, name) ?? null) || [])
      : [],
  );
}

/** A column that only one figure is compared in need not repeat its name: `Change` instead of `Visits change`. */
function shortened(column: Column, { key, presentation }: Column): Column {
  const own = column.presentation;
  const prefix = `${presentation?.label} `;
  if (own === undefined || column.key === key || !own.label.startsWith(prefix)) return column;
  const [first = '', ...rest] = own.label.slice(prefix.length);
  return { ...column, presentation: { ...own, label: first.toUpperCase() + rest.join('') } };
}
