import { UsageError } from '../../../errors/index.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { purgedTargets } from '../../framework/purge-work.ts';
import { type LoggedPurge, loggedPurges } from '../../framework/write-history.ts';

const COLUMNS = [
  { key: 'kind', title: 'Kind' },
  { key: 'target', title: 'Target' },
  { key: 'purged_again', title: 'Purged again by', whenPresent: true },
];

/**
 * Prints the targets of an earlier purge, each with the last later purge that cleared it: what a second purge would repeat. Throws
 * UsageError for an unknown id.
 */
export async function printRepeatPlan(id: string, context: Context): Promise<void> {
  const targets = purgedTargets(context);
  const purges = await loggedPurges(context);
  const position = purges.findIndex(purge => purge.id === id);
  const purge = purges[position];
  if (targets === undefined || purge === undefined) throw unknownPurge(id, purges);
  const laterPurges = purges.slice(0, position).reverse();
  const again = new Map<string, number>();
  let everything = -1;
  for (const [index, later] of laterPurges.entries()) {
    if (later.cleared === 0) continue;
    if (later.what === 'everything' && later.domain === purge.domain) everything = index;
    const uncleared = await targets.uncleared(later.id);
    for await (const block of targets.of(later.id))
      for (const { kind, target } of block) if (!uncleared.has(target)) again.set(`${kind} ${target}`, index);
  }
  let count = 0;
  let repeated = 0;
  const rows = (async function* () {
    for await (const block of targets.of(id)) {
      for (const { kind, target } of block) {
        const purgedAgain = laterPurges[Math.max(everything, again.get(`${kind} ${target}`) ?? -1)]?.id;
        count += 1;
        if (purgedAgain !== undefined) repeated += 1;
        yield { kind, target, ...(purgedAgain !== undefined && { purged_again: purgedAgain }) };
      }
    }
  })();
  await context.out.printRows(rows, { columns: COLUMNS, empty: 'no targets are stored' });
  const later = repeated === 0 ? 'none' : groupDigits(repeated);
  const since = `${later} ${repeated === 1 || repeated === 0 ? 'was' : 'were'} purged since`;
  context.log.note(`${pluralize(count, 'target')} of the purge ${id}, ${since}; nothing was sent`);
  context.log.note('a purge cannot be undone: after a rollback, purge these targets again');
}

function unknownPurge(id: string, purges: readonly LoggedPurge[]): UsageError {
  const last = purges[0]?.id;
  return new UsageError(`no purge ${id} in the history of this gateway`, {
    code: 'unknown_name',
    hints: [last === undefined ? 'the history is empty' : `run gatectl cdn history; the last one is ${last}`],
  });
}
