import { type ColumnCatalogue, closeNamesHint, quoted, readColumnCatalogue } from '../apis/bda/catalogue.ts';
import { type ValueKind, valueKindOfType } from '../apis/bda/value-kind.ts';
import { DEFAULT_DATA_SET } from '../wire/bda-v2.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** The columns that a query may use, and their types. */
export interface ColumnSpace {
  /** Undefined if any data set is acceptable. */
  readonly dataSet: string | undefined;
  readonly catalogue: ColumnCatalogue | undefined;
  /** Column to its v1 type; the listing of v2 takes precedence. */
  readonly typesV1: ReadonlyMap<string, string>;
}

/** Why v2 cannot use the column; undefined if it can, or if there is no listing to check. */
export function columnProblem(space: ColumnSpace, name: string): string | undefined {
  if (space.catalogue === undefined) return undefined;
  const column = space.catalogue.get(name);
  if (column === undefined)
    return `v2 has no column ${quoted(name)}${closeNamesHint(space.catalogue.keys(), name)}`;
  if (space.dataSet === undefined || column.dataSets === undefined) return undefined;
  if (!dataSetsIn(space.catalogue).has(space.dataSet)) return undefined;
  if (column.dataSets.includes(space.dataSet)) return undefined;
  const where = column.dataSets.length === 0 ? 'no data set' : column.dataSets.join(', ');
  return `the data set ${space.dataSet} has no column ${quoted(name)}, which is in ${where}`;
}

/** The data sets of which a listing has columns. */
function dataSetsIn(catalogue: ColumnCatalogue | undefined): ReadonlySet<string> {
  return new Set([...(catalogue?.values() ?? [])].flatMap(({ dataSets = [] }) => dataSets));
}

/** The type of a column, if a listing or the request states it. */
export function valueKindOf(space: ColumnSpace, name: string): ValueKind | undefined {
  const type = space.catalogue?.get(name)?.type ?? space.typesV1.get(name);
  return type === undefined ? undefined : valueKindOfType(type);
}

/** v1 has no data sets: uses the requested one, else `pageview`, else the first that has all the columns. */
export function chooseDataSet(
  requested: string | undefined,
  names: readonly string[],
  catalogue: ColumnCatalogue | undefined,
  notes: MigrationNotes,
): string {
  if (requested !== undefined) {
    const listed = dataSetsIn(catalogue);
    if (listed.size > 0 && !listed.has(requested))
      notes.block('dataSet', `v2 has no data set ${quoted(requested)}${closeNamesHint(listed, requested)}`);
    notes.lossless('dataSet', `${requested}, as data_set, as requested; v1 has no data sets`);
    return requested;
  }
  const memberships = names.flatMap(name => {
    const dataSets = catalogue?.get(name)?.dataSets;
    return dataSets === undefined ? [] : [dataSets];
  });
  const inAll = (dataSet: string) => memberships.every(dataSets => dataSets.includes(dataSet));
  const other = inAll(DEFAULT_DATA_SET) ? undefined : memberships[0]?.find(inAll);
  if (other === undefined) {
    notes.lossless(
      'dataSet',
      `${DEFAULT_DATA_SET}, as data_set: v1 has no data sets, and most of its reports correspond to this one`,
    );
    return DEFAULT_DATA_SET;
  }
  const text = `${other}, as data_set: v1 has no data sets, and ${DEFAULT_DATA_SET} lacks a column that this one has`;
  notes.changed('dataSet', text);
  return other;
}

/** Column types from the v1 listing. */
export function listedTypes(columnsV1: unknown): Map<string, string> {
  const listed = [...(readColumnCatalogue(columnsV1)?.values() ?? [])];
  return new Map(listed.flatMap(({ name, type }) => (type === undefined ? [] : [[name, type]])));
}
