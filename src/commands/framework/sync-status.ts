import type { JsonRecord } from '../../json/index.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import type { Context } from './context.ts';
import type { OpenSync } from './open-sync.ts';

/** Sites that one message names. */
const SITES_SHOWN = 5;

/** What the ledger says of a table, and what is quarantined. */
type TableStatus = JsonRecord & {
  readonly table: string;
  readonly quarantined: readonly (JsonRecord & { readonly problems: readonly string[] })[];
};

/** What the ledger says of each table, and what is quarantined. Warns of sites that are missing, and of those that the gateway or the sync file no longer lists. */
export async function syncStatus(
  { tables, destination, config }: OpenSync,
  { log }: Pick<Context, 'log'>,
): Promise<readonly TableStatus[]> {
  const rows: TableStatus[] = [];
  const others = new Set<string>();
  for (const { name } of tables) {
    let [sites, partitions, provisional, count, bytes, revisions] = [0, 0, 0, 0, 0, 0];
    let [from, to, fetchedAt]: (string | null)[] = [null, null, null];
    for (const id of await destination.domainIds(name)) {
      const ledger = await destination.ledger(name, id);
      await destination.release(name, id);
      sites += ledger.size > 0 ? 1 : 0;
      for (const entry of ledger.values()) {
        if (config.domains !== 'all' && entry.domain !== undefined && !config.domains.includes(entry.domain))
          others.add(entry.domain);
        partitions += 1;
        provisional += entry.state === 'provisional' ? 1 : 0;
        count += entry.rows;
        bytes += entry.bytes;
        revisions += entry.revisions;
        if (from === null || from === undefined || entry.from < from) from = entry.from;
        if (to === null || to === undefined || entry.to > to) to = entry.to;
        if (fetchedAt === null || fetchedAt === undefined || entry.fetchedAt > fetchedAt)
          fetchedAt = entry.fetchedAt;
      }
    }
    const { version } = await destination.schema(name);
    const kept = await destination.quarantine.list(name, async id => {
      const ledger = await destination.ledger(name, id);
      await destination.release(name, id);
      return ledger;
    });
    rows.push({
      table: name,
      ...{ sites, partitions, provisional, rows: count, bytes, from, to },
      ...{ fetched_at: fetchedAt, revisions, schema: version },
      quarantined: kept.map(({ domainId, quarantinedAt, triedAt, problems, path, ...partition }) => ({
        ...partition,
        quarantined_at: quarantinedAt,
        tried_at: triedAt,
        problems: [...problems],
        path: path ?? null,
      })),
    });
  }
  const unlisted = config.domains === 'all' ? ((await destination.runs())[0]?.unlisted ?? []) : [];
  if (unlisted.length > 0) log.warn(`at the latest run, the gateway no longer listed ${unlisted.join(', ')}`);
  if (others.size > 0) {
    log.note(`the sync file does not list ${firstSites([...others])}; the rows remain as they are`);
  }
  return rows;
}

/** `one.example.com, two.example.com and 4 more` */
export function firstSites(names: readonly string[]): string {
  const named = names.slice(0, SITES_SHOWN);
  const left = names.length - named.length;
  return named.join(', ') + (left > 0 ? ` and ${groupDigits(left)} more` : '');
}
