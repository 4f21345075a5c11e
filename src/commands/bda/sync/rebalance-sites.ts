import { UsageError } from '../../../errors/index.ts';
import type { SiteMove } from '../../../sync/destinations/destination.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { withSync } from './prepare.ts';
import { waitNote } from './reserved.ts';

interface RebalanceFlags {
  readonly file: string | undefined;
  readonly dryRun: boolean;
}

/** Moves sites to the shards where they belong, and prints which. Throws UsageError for a destination that is no cluster. */
export async function rebalance({ file, dryRun }: RebalanceFlags, context: Context): Promise<void> {
  await withSync({ file, table: [] }, context, async ({ destination }) => {
    const { rebalancing, name } = destination;
    if (rebalancing === undefined)
      throw new UsageError(`${name} is not a cluster`, {
        code: 'invalid_input',
        hints: ['rebalance moves sites between the shards of clickhouse://HOST/DATABASE?cluster=NAME'],
      });
    if (dryRun) return await print(await rebalancing.moves(), false, name, context);
    const moves = await destination.exclusively(waitNote(context), async () => {
      const moved: SiteMove[] = [];
      let planned = await rebalancing.moves();
      do {
        const line = context.log.progress(planned.length, 'sites');
        try {
          for (const move of planned) {
            context.signal.throwIfAborted();
            await rebalancing.move(move);
            line.advance(1);
          }
          await rebalancing.finish();
        } finally {
          line.finish();
        }
        moved.push(...planned);
        // One that was interrupted is finished first; shards may have been added since.
        planned = await rebalancing.moves();
      } while (planned.length > 0);
      return moved;
    });
    await print(moves, true, name, context);
  });
}

async function print(
  moves: readonly SiteMove[],
  moved: boolean,
  destination: string,
  { out }: Context,
): Promise<void> {
  const sites = moves.map(({ domainId, domain, from, to, partitions, rows }) => ({
    domain,
    domain_id: domainId,
    from,
    to,
    partitions,
    rows,
  }));
  const section = {
    title: `${pluralize(moves.length, 'site')} ${moved ? 'moved' : 'to move'} in ${destination}`,
    data: sites,
    view: {
      columns: [
        { key: 'domain', title: 'Site', kind: 'text' as const },
        { key: 'from', title: 'From', kind: 'text' as const },
        { key: 'to', title: 'To', kind: 'text' as const },
        { key: 'partitions', title: 'Partitions', kind: 'number' as const },
        { key: 'rows', title: 'Rows', kind: 'number' as const },
      ],
      secondary: ['domain_id'],
      empty: 'every site is where it belongs',
    },
  };
  const data = { moved, sites };
  if (moved) return await out.printResult(data, [section], sites);
  await out.printSections(data, [section], sites);
}
