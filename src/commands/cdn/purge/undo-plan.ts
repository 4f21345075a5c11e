import type { PurgeRecord } from '../../../apis/cdn/purge-history.ts';
import { UsageError } from '../../../errors/index.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { gatewayName } from '../../framework/lock-machine.ts';
import { purgeHistory } from '../../framework/purge-history.ts';

const COLUMNS = [
  { key: 'kind', title: 'Kind' },
  { key: 'target', title: 'Target' },
  { key: 'purged_again', title: 'Purged again by', whenPresent: true },
];

/**
 * Prints the targets of an earlier purge, each with the last later purge that cleared it: what a second purge would repeat. Throws
 * UsageError for an unknown id.
 */
export async function printUndoPlan(id: string, context: Context): Promise<void> {
  const history = purgeHistory(context);
  const gateway = await gatewayName(context);
  const records = ((await history?.list()) ?? []).filter(record => record.gateway === gateway);
  const position = records.findIndex(record => record.id === id);
  const record = records[position];
  if (history === undefined || record === undefined) throw unknownPurge(id, records);
  const again = new Map<string, string>();
  let everything: string | undefined;
  for (const later of records.slice(0, position).reverse()) {
    if (later.what === 'everything') {
      if (later.domain === record.domain) everything = later.id;
      continue;
    }
    for await (const block of history.targets(later))
      for (const { kind, target } of block) again.set(`${kind} ${target}`, later.id);
  }
  let count = 0;
  let repeated = 0;
  const rows = (async function* () {
    for await (const block of history.targets(record)) {
      for (const { kind, target } of block) {
        const purgedAgain = latest(again.get(`${kind} ${target}`), everything);
        count += 1;
        if (purgedAgain !== undefined) repeated += 1;
        yield { kind, target, ...(purgedAgain !== undefined && { purged_again: purgedAgain }) };
      }
    }
  })();
  await context.out.printRows(rows, { columns: COLUMNS, empty: 'no targets are stored' });
  const later = repeated === 0 ? 'none' : groupDigits(repeated);
  const since = `${later} ${repeated === 1 || repeated === 0 ? 'was' : 'were'} purged since`;
  const purge = `${pluralize(count, 'target')} of the purge ${record.id}`;
  context.log.note(`${purge}, ${since}; nothing was sent`);
  context.log.note('a purge cannot be undone: after a rollback, purge these targets again');
}

/** The later of two ids. */
function latest(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [day = '', number = ''] = one.split('-');
  const [otherDay = '', otherNumber = ''] = other.split('-');
  return day === otherDay
    ? Number(number) > Number(otherNumber)
      ? one
      : other
    : day > otherDay
      ? one
      : other;
}

function unknownPurge(id: string, records: readonly PurgeRecord[]): UsageError {
  const last = records[0]?.id;
  return new UsageError(`no purge ${id} in the history of this gateway`, {
    code: 'unknown_name',
    hints: [last === undefined ? 'the history is empty' : `run gatectl cdn history; the last one is ${last}`],
  });
}
