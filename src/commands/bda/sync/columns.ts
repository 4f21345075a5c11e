import type { JsonRecord } from '../../../json/index.ts';
import type { Column } from '../../../output/view.ts';
import type { Context, OutputSection } from '../../framework/context.ts';

/** Columns of texts, by key, with their titles. */
export function textColumns(titles: Readonly<Record<string, string>>): readonly Column[] {
  return columnsOf(titles, 'text');
}

/** Columns of numbers, by key, with their titles. */
export function numberColumns(titles: Readonly<Record<string, string>>): readonly Column[] {
  return columnsOf(titles, 'number');
}

function columnsOf(titles: Readonly<Record<string, string>>, kind: 'text' | 'number'): readonly Column[] {
  return Object.entries(titles).map(([key, title]) => ({ key, title, kind }));
}

/** Columns that say which days of which site of which table. */
export const DAYS_COLUMNS = textColumns({ table: 'Table', domain: 'Site', from: 'From', to: 'To' });

/** A section of one row about the queue of an account; `counts` are the titles of the columns after the account. */
export function accountSection(
  title: string,
  row: JsonRecord,
  counts: Readonly<Record<string, string>>,
): OutputSection {
  const columns = [...textColumns({ account: 'Account' }), ...numberColumns(counts)];
  return { title, data: [row], view: { columns } };
}

/** Prints one row about the queue of an account. */
export async function printAccount(
  title: string,
  row: JsonRecord,
  counts: Readonly<Record<string, string>>,
  { out }: Context,
): Promise<void> {
  await out.printResult(row, [accountSection(title, row, counts)], [row]);
}
