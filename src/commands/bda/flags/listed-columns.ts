import { nearest } from '../../../errors/nearest.ts';
import { unknownName } from '../../../errors/usage.ts';
import { columnNames } from '../../../operations/listings/column-catalogue.ts';
import type { Context } from '../../framework/context.ts';

/**
 * Throws UsageError for a column that the gateway does not list; with `onlyMistyped`, only if it is nearly named as one that is, and any
 * other one is for the API to judge. Without a readable listing, all are.
 */
export async function requireListed(
  columns: readonly string[],
  context: Context,
  { onlyMistyped = false }: { readonly onlyMistyped?: boolean } = {},
): Promise<void> {
  if (context.globals.curl) return;
  const known = await columnNames(context, { maySend: true, atLeast: columns });
  if (known.length === 0) return;
  for (const name of columns) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    if (onlyMistyped && meant === undefined) continue;
    throw unknownName(
      `there is no column ${name}`,
      `${meant === undefined ? '' : `did you mean ${meant}? `}gatectl bda columns lists all`,
    );
  }
}
