import { nearest } from '../../../errors/nearest.ts';
import { unknownName } from '../../../errors/usage.ts';
import { columnNames } from '../../../operations/listings/column-catalogue.ts';
import type { Context } from '../../framework/context.ts';

interface UnlistedColumn {
  readonly name: string;
  /** The column that is nearly named so. */
  readonly meant: string | undefined;
}

/** The columns that the gateway does not list; none without a readable listing. */
export async function unlistedColumns(
  columns: readonly string[],
  context: Context,
): Promise<readonly UnlistedColumn[]> {
  if (context.globals.curl) return [];
  const known = await columnNames(context, { maySend: true, atLeast: columns });
  if (known.length === 0) return [];
  const unlisted = columns.filter(name => !known.includes(name));
  return unlisted.map(name => ({ name, meant: nearest(name, known) }));
}

/**
 * Throws UsageError for a column that the gateway does not list; with `onlyMistyped`, only if it is nearly named as one that is, and any
 * other one is for the API to judge. Without a readable listing, all are.
 */
export async function requireListed(
  columns: readonly string[],
  context: Context,
  { onlyMistyped = false }: { readonly onlyMistyped?: boolean } = {},
): Promise<void> {
  const unlisted = await unlistedColumns(columns, context);
  const found = unlisted.find(({ meant }) => meant !== undefined || !onlyMistyped);
  if (found === undefined) return;
  const { name, meant } = found;
  throw unknownName(
    `there is no column ${name}`,
    `${meant === undefined ? '' : `did you mean ${meant}? `}gatectl bda columns lists all`,
  );
}
