import type { PurgeRecord } from '../../apis/cdn/purge-history.ts';
import type { Json } from '../../json/index.ts';
import { groupDigits, pluralize } from '../../terminal/numbers.ts';
import { defineCommand, integer, string } from '../framework/define-command.ts';
import { gatewayName } from '../framework/lock-machine.ts';
import { listOf } from '../framework/output-schema.ts';

const COLUMNS = [
  { key: 'id', title: 'Id' },
  { key: 'started_at', title: 'Time', kind: 'time' },
  { key: 'domain', title: 'Domain', whenPresent: true },
  { key: 'what', title: 'What' },
  { key: 'confirmed', title: 'Confirmed', kind: 'flag' },
  { key: 'command', title: 'Command' },
] as const;

export const history = defineCommand({
  name: 'history',
  effect: 'read',
  summary: 'list earlier purges of this gateway',
  description: `Lists the purges of this user and machine, the latest first, with the command that started each. A purge is confirmed if every target was cleared, and with --verify no page was stale.

The last 200 purges are stored, with their targets; to print those of one, run gatectl cdn purge --undo-plan ID.`,
  options: {
    domain: string('--domain <domain>', 'list only purges of this domain', {
      completes: 'domain',
      isPasted: true,
    }),
    limit: integer('--limit <number>', 'maximum number of purges', { min: 1, fallback: 20 }),
  },
  examples: [{ does: 'the last purges', command: 'gatectl cdn history' }],
  output: listOf({
    id: ['string', 'names the purge'],
    started_at: ['string', 'RFC 3339'],
    finished_at: ['string', 'RFC 3339'],
    profile: ['string?', 'the profile'],
    domain: ['string?', 'the domain, where all targets are on one'],
    what: ['string', 'what was purged, such as 3 URLs'],
    requested: ['number', 'number of targets'],
    cleared: ['number', 'number of those cleared'],
    failed: ['number', 'number of those not cleared'],
    confirmed: ['boolean', 'whether all were cleared, and no page was found stale'],
    deploy: ['number?', 'the number of the deploy'],
    commit: ['string?', 'the commit that was deployed'],
    command: ['string', 'the command line'],
  }),
  async run({ domain, limit }, context) {
    const { purgeHistory } = await import('../framework/purge-history.ts');
    const only = domain === undefined ? undefined : await context.domain(domain);
    const gateway = await gatewayName(context);
    const records = ((await purgeHistory(context)?.list()) ?? []).filter(
      record => record.gateway === gateway && (only === undefined || record.domain === only),
    );
    await context.out.print(records.slice(0, limit).map(shown), {
      columns: COLUMNS,
      empty: 'no purges yet',
    });
    if (records.length > limit)
      context.log.note(`${groupDigits(records.length - limit)} earlier purges; --limit shows more`);
  },
});

function shown(record: PurgeRecord): Json {
  const { startedAt, finishedAt, gateway: _, what, requested, id, ...rest } = record;
  const targets = what === 'everything' ? 'everything' : pluralize(requested, what);
  return { id, started_at: startedAt, finished_at: finishedAt, what: targets, requested, ...rest };
}
