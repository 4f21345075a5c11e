import { type DatePhrase, readDatePhrase } from '../../../analysis/relative-dates.ts';
import { UsageError } from '../../../errors/index.ts';
import type { SyncTable } from '../../../sync/config.ts';
import { lastDayOf } from '../../../sync/partitions.ts';
import type { PreparedSync } from './prepare.ts';

/** The tables whose days an error lists. */
const TABLES_SHOWN = 3;

/** The days of `--refetch`. Throws UsageError for a text that is none, and for days that no table has, here or in the destination. */
export async function refetchDays(
  text: string | undefined,
  prepared: Pick<PreparedSync, 'tables' | 'domains' | 'destination' | 'today'>,
): Promise<DatePhrase | undefined> {
  const { tables, today } = prepared;
  if (text === undefined) return undefined;
  const days = readDatePhrase(text, today);
  if (days === undefined)
    throw new UsageError(`invalid --refetch '${text}'`, {
      code: 'invalid_value',
      hints: ['pass a day such as 2026-03-14, a month such as 2026-03, or words such as yesterday'],
    });
  const isOf = (table: SyncTable) => table.start <= days.to && lastDayOf(table, today) >= days.from;
  if (tables.some(isOf) || (await isHeld(days, prepared))) return days;
  throw new UsageError(`no table has days of --refetch '${text}'`, {
    code: 'invalid_value',
    hints: tables.slice(0, TABLES_SHOWN).map(table => {
      const last = lastDayOf(table, today);
      return last < table.start
        ? `${table.name} starts on ${table.start}`
        : `${table.name} has ${table.start} to ${last}`;
    }),
  });
}

/** Whether the destination has partitions of some days. */
async function isHeld(
  { from, to }: DatePhrase,
  { tables, domains, destination }: Pick<PreparedSync, 'tables' | 'domains' | 'destination'>,
): Promise<boolean> {
  for (const table of tables)
    for (const domain of domains) {
      const ledger = await destination.ledger(table.name, domain.id);
      await destination.release(table.name, domain.id);
      for (const entry of ledger.values()) if (entry.from <= to && entry.to >= from) return true;
    }
  return false;
}
