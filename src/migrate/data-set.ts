import { type ColumnCatalogue, closeNamesHint, quoted, readColumnCatalogue } from '../apis/bda/catalogue.ts';
import { type ValueKind, valueKindOfType } from '../apis/bda/value-kind.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** The data set that most v1 reports correspond to. */
export const DEFAULT_DATA_SET = 'pageview';

/** The columns that one query may use, and what they hold. */
export interface ColumnSpace {
  /** Undefined when any will do. */
  readonly dataSet: string | undefined;
  readonly catalogue: ColumnCatalogue | undefined;
  /** Types as v1 knows them, by column; v2's listing goes before them. */
  readonly typesV1: ReadonlyMap<string, string>;
}

/** Why v2 can't use the column; undefined when it can, or when there is no listing to tell. */
export function columnProblem(space: ColumnSpace, name: string): string | undefined {
  if (space.catalogue === undefined) return undefined;
  const column = space.catalogue.get(name);
  if (column === undefined)
    return `v2 has no column ${quoted(name)}${closeNamesHint(space.catalogue.keys(), name)}`;
  if (space.dataSet === undefined || column.dataSets === undefined) return undefined;
  if (column.dataSets.includes(space.dataSet)) return undefined;
  const where = column.dataSets.length === 0 ? 'no data set' : column.dataSets.join(', ');
  return `the data set ${space.dataSet} has no column ${quoted(name)}, which is in ${where}`;
}

/** What the column holds, where a listing or the request tells. */
export function valueKindOf(space: ColumnSpace, name: string): ValueKind | undefined {
  const type = space.catalogue?.get(name)?.type ?? space.typesV1.get(name);
  return type === undefined ? undefined : valueKindOfType(type);
}

/** v1 names no data set: the one asked for, else `pageview`, else the first that has all the columns. */
export function chooseDataSet(
  asked: string | undefined,
  names: readonly string[],
  catalogue: ColumnCatalogue | undefined,
  findings: MigrationNotes,
): string {
  if (asked !== undefined) {
    findings.lossless('dataSet', `${asked}, as data_set, as asked for; v1 has no data sets`);
    return asked;
  }
  const memberships = names.flatMap(name => {
    const dataSets = catalogue?.get(name)?.dataSets;
    return dataSets === undefined ? [] : [dataSets];
  });
  const inAll = (dataSet: string) => memberships.every(dataSets => dataSets.includes(dataSet));
  const other = inAll(DEFAULT_DATA_SET) ? undefined : memberships[0]?.find(inAll);
  if (other === undefined) {
    findings.lossless(
      'dataSet',
      `${DEFAULT_DATA_SET}, as data_set: v1 has no data sets, and most of its reports are this one`,
    );
    return DEFAULT_DATA_SET;
  }
  const text = `${other}, as data_set: v1 has no data sets, and ${DEFAULT_DATA_SET} lacks a column that this one has`;
  findings.changed('dataSet', text);
  return other;
}

/** Column types as v1 lists them. */
export function listedTypes(columnsV1: unknown): Map<string, string> {
  const listed = [...(readColumnCatalogue(columnsV1)?.values() ?? [])];
  return new Map(listed.flatMap(({ name, type }) => (type === undefined ? [] : [[name, type]])));
}
