import { UsageError } from '../errors/index.ts';
import type { Json, JsonRecord } from '../json/index.ts';
import { gridOf, valueIn } from './shape.ts';
import type { Column, View } from './view.ts';

/**
 * The rows with only the fields named by `View.chosen`, in that order, and the view that prints them; a field that a row lacks is
 * null. A record has only these fields. Returns both unchanged without a choice, and if the data is empty and the view has no columns.
 * Throws UsageError for an unknown column.
 */
export function chooseColumns(data: Json, view: View): { readonly data: Json; readonly view: View } {
  if (view.chosen === undefined) return { data, view };
  const { kind, rows } = gridOf(data, view);
  if (kind === 'strings' || kind === 'scalar')
    throw new UsageError('--columns requires rows with columns, and the response has none', {
      code: 'invalid_value',
      reason: 'rows_without_columns',
    });
  if (kind === 'nothing' && view.columns === undefined) return { data, view };
  const present = rows.flatMap(row => Object.keys(row)).map(key => ({ key }));
  const columns = chosenColumns(view.chosen, [...(view.columns ?? []), ...present]);
  const picked = rows.map(row => pickColumns(row, columns));
  const [record = null] = picked;
  const { secondary: _, ...rest } = view;
  return { data: kind === 'record' ? record : picked, view: { ...rest, columns } };
}

/** The columns of these names; letter case is ignored, and a title is a name too. Throws UsageError for an unknown one. */
export function chosenColumns(names: readonly string[], available: readonly Column[]): readonly Column[] {
  const chosen = names.map(name => {
    const lower = name.toLowerCase();
    const column =
      available.find(({ key }) => key === name) ??
      available.find(({ key }) => key.toLowerCase() === lower) ??
      available.find(({ title }) => title?.toLowerCase() === lower);
    if (column === undefined) throw unknownColumn(name, [...new Set(available.map(({ key }) => key))]);
    const { whenPresent: _, ...always } = column;
    return always;
  });
  const keys = chosen.map(({ key }) => key);
  return chosen.filter(({ key }, at) => keys.indexOf(key) === at);
}

/** A row with only these columns, in this order; a missing one is null. */
export function pickColumns(row: JsonRecord, columns: readonly Column[]): JsonRecord {
  return Object.fromEntries(columns.map(column => [column.key, valueIn(row, column) ?? null]));
}

function unknownColumn(name: string, keys: readonly string[]): UsageError {
  return new UsageError(`unknown column '${name}'`, {
    code: 'invalid_value',
    reason: { name: 'unknown_column', typed: name, columns: keys },
  });
}
