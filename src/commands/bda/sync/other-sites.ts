import { type OtherSite, otherSites } from '../../../sync/verify.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { firstSites } from '../../framework/sync-status.ts';
import type { PreparedSync } from './prepare.ts';

/**
 * The sites that a destination has partitions of, but the list in the sync file does not name. Prints a note with their rows, and a warning
 * if these are of another query than those of the other sites. Throws FileError.
 */
export async function findOtherSites(
  prepared: PreparedSync,
  { log }: Pick<Context, 'log'>,
): Promise<readonly OtherSite[]> {
  if (prepared.config.domains === 'all') return [];
  const found = await otherSites(prepared);
  for (const { name } of prepared.tables) {
    const current = found.filter(site => site.table === name && site.isOfQuery);
    const earlier = found.filter(site => site.table === name && !site.isOfQuery);
    if (current.length > 0) log.note(`not compared: ${rowsIn(name, current)}`);
    if (earlier.length > 0)
      log.warn(`not compared, and of an earlier query: ${rowsIn(name, earlier)}`, [
        'add them to domains, then run gatectl bda sync run to request them again',
      ]);
  }
  return found;
}

function rowsIn(table: string, sites: readonly OtherSite[]): string {
  const rows = sites.reduce((sum, site) => sum + site.rows, 0);
  const names = firstSites(sites.map(({ domain }) => domain));
  return `${pluralize(rows, 'row')} in ${table} of sites that the sync file does not list: ${names}`;
}
