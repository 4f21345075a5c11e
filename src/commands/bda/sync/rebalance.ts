import { boolean, defineCommand } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { SYNC_ARGUMENT } from './flags.ts';

export const syncRebalance = defineCommand({
  name: 'rebalance',
  summary: 'move sites to the shards that were added to a cluster',
  description:
    'For a destination in a ClickHouse cluster: copies the rows of each site that belongs on another shard, compares both copies, and then shows the new one instead of the old one. Only the sites that a new shard gets are moved. After an interruption, run it again. Stop other machines that write to the destination first.',
  arguments: SYNC_ARGUMENT,
  options: { dryRun: boolean('--dry-run', 'show what would be moved, and change nothing') },
  examples: [
    { does: 'what would be moved', command: 'gatectl bda sync rebalance --dry-run' },
    { does: 'move it', command: 'gatectl bda sync rebalance' },
  ],
  output: object({
    moved: ['boolean', 'false with --dry-run'],
    sites: ['array', 'for each site: domain, domain_id, from, to, partitions and rows'],
  }),
  async run(flags, context) {
    const { rebalance } = await import('./rebalance-sites.ts');
    await rebalance(flags, context);
  },
});
