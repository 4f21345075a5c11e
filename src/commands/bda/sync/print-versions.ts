import { relative } from 'node:path';
import { readDatePhrase } from '../../../analysis/relative-dates.ts';
import { addDays, type Day } from '../../../apis/bda/days.ts';
import { UsageError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { todayOf } from '../../../operations/today.ts';
import { problemAt } from '../../../sync/config.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import type { OpenSync } from '../../framework/open-sync.ts';
import { numberColumns, textColumns } from './columns.ts';

/** Prints the files that had the rows of each partition at the end of a day. */
export async function printVersions(
  { tables, destination, config }: OpenSync,
  asOf: string,
  context: Context,
): Promise<void> {
  const day = asOfDay(asOf, await todayOf(context));
  const endOfDay = Date.parse(`${addDays(day, 1)}T00:00:00Z`) - 1;
  const rows: JsonRecord[] = [];
  let lost = 0;
  for (const { name, history } of tables) {
    if (history !== true)
      throw problemAt(config, `tables.${name}`, `--as-of requires history: true in the table ${name}`, [
        'set it: superseded rows are stored from then on',
      ]);
    // None for a destination that stores no superseded rows. A version without `path` is lost.
    for await (const version of destination.versionsAt?.(name, endOfDay) ?? []) {
      const { domain = null, domainId, partition, rows: count, validFrom, validTo = null, path } = version;
      if (path === undefined) lost += 1;
      rows.push({
        ...{ table: name, domain, domain_id: domainId, partition, rows: count },
        ...{ valid_from: validFrom, valid_to: validTo },
        path: path === undefined ? null : shortPath(path, context.io.cwd),
      });
    }
  }
  if (lost > 0)
    context.log.warn(`${pluralize(lost, 'file')} had been changed or removed before the rows were replaced`);
  await context.out.print(rows, {
    columns: [
      ...textColumns({ table: 'Table', domain: 'Site', partition: 'Partition' }),
      ...numberColumns({ rows: 'Rows' }),
      { key: 'valid_from', title: 'Valid from', kind: 'time' },
      { key: 'valid_to', title: 'Valid to', kind: 'time' },
      { key: 'path', title: 'File', kind: 'text' },
    ],
    secondary: ['domain_id'],
    empty: `no rows on ${day}`,
  });
}

function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : short;
}

/** The day of `--as-of`. Throws UsageError for a text that is none, or several. */
function asOfDay(text: string, today: Day): Day {
  const days = readDatePhrase(text, today);
  if (days !== undefined && days.from === days.to) return days.from;
  throw new UsageError(`invalid --as-of '${text}'`, {
    code: 'invalid_value',
    hints: ['pass a day such as 2026-03-31 or yesterday'],
  });
}
