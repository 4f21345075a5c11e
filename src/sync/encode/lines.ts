import type { ColumnProfile } from '../../export/parquet/column-profile.ts';
import type { ColumnType } from '../../export/parquet/column-type.ts';
import { typesOf, unrepresentable } from '../../export/parquet/found-types.ts';
import { atomically } from '../../files/atomic-file.ts';
import { DAY_MS } from '../../wire/day.ts';
import { typesIn } from '../column-types.ts';
import { columnsOfRows } from '../config.ts';
import type { PartitionRows } from '../rows/partition-rows.ts';
import type { WrittenAs } from '../rows/row-counts.ts';
import { withoutEndZeros } from '../rows/row-file.ts';
import { type Encoder, profilesOf } from './encoder.ts';

/** Some rows were written for types that their columns no longer have; requested again, they are written for the new ones. */
export class TypesChangedError extends Error {
  override readonly name = 'TypesChangedError';
}

/**
 * Chooses the types for rows that were written as lines when they arrived. Throws UnrepresentableValueError, and TypesChangedError for
 * values that have another form in a column of these types.
 */
export const encodeLines: Encoder = async options => {
  const { table, rows, destination, pin } = options;
  const { name: target, calendar, addsSite, keepsAllDigits = false } = destination;
  const found = profilesOf(options);
  const columns = [...found.keys()];
  let schema = 0;
  const types = await typesOf({
    columns,
    profiles: [...found.values()],
    target,
    isFile: false,
    keepsAllDigits,
    inexactIn: column => rows.inexact.get(column),
    figures: table.metrics,
    onMixed: () => {},
    chooseTypes: async all => {
      const pinned = await pin(all);
      schema = pinned.version;
      return typesIn(pinned, all);
    },
  });
  for (const [index, name] of columns.entries()) {
    const type = types[index] as ColumnType;
    const outside = type.kind === 'day' && calendar ? dayOutside(found.get(name), calendar) : undefined;
    if (outside !== undefined)
      throw unrepresentable(target, name, `the day ${outside} is not between ${calendar?.join(' and ')}`, {
        isFile: false,
      });
  }
  requireForms(columns, types, rows);
  const written = addsSite ? columnsOfRows(table) : columns;
  const longer = columns.filter((name, index) => {
    const type = types[index] as ColumnType;
    const scale =
      type.kind === 'decimal' ? type.scale : type.kind === 'integer' ? 0 : Number.POSITIVE_INFINITY;
    return (found.get(name)?.decimals ?? 0) > scale;
  });
  // DuckDB reads them as they are.
  if (longer.length === 0 || !rows.path.endsWith('.tsv'))
    return { path: rows.path, bytes: rows.bytes, columns: written, schema };
  const path = `${rows.path}.short`;
  const places = longer.map(name => written.indexOf(name));
  return await atomically(path, async file => {
    for await (const chunk of withoutEndZeros(rows.path, places)) await file.write(chunk);
    return { path, bytes: file.position, columns: written, schema };
  });
};

/** Throws TypesChangedError if values were written in a form that their columns, which have these types, do not take. */
export function requireForms(
  columns: readonly string[],
  types: readonly ColumnType[],
  { writtenAs }: Pick<PartitionRows, 'writtenAs'>,
): void {
  for (const [index, name] of columns.entries())
    for (const as of writtenAs.get(name) ?? [])
      if (as !== formIn(types[index] as ColumnType))
        throw new TypesChangedError(`the column ${name} has another type now`);
}

/** A day among the values of a column that is not in a calendar. */
function dayOutside(
  profile: ColumnProfile | undefined,
  [first, last]: readonly [first: string, last: string],
): string | undefined {
  return profile?.dayRange
    ?.map(days => new Date(days * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length))
    .find(day => day < first || day > last);
}

function formIn({ kind }: ColumnType): WrittenAs {
  return kind === 'flag' ? 'flag' : kind === 'text' || kind === 'day' ? 'text' : 'number';
}
