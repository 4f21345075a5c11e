import type { Json } from '../../json/index.ts';
import { groupDigits, pluralize } from '../../terminal/numbers.ts';
import { defineCommand, integer, string } from '../framework/define-command.ts';
import { listOf } from '../framework/output-schema.ts';
import type { LoggedPurge } from '../framework/write-history.ts';

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
  description: `Lists the purges of this user and machine in the log of writes, the latest first, with the command that started each. A purge is confirmed if every target was cleared, and with --verify no page was stale.

The targets of the last 200 purges are stored; to print those of one, run gatectl cdn purge --repeat-plan ID.`,
  options: {
    domain: string('--domain <domain>', 'list only purges of this domain', { completes: 'domain' }),
    limit: integer('--limit <number>', 'maximum number of purges', { min: 1, fallback: 20 }),
  },
  examples: { 'gatectl cdn history': 'the last purges' },
  output: listOf({
    id: ['string', 'the id of the purge'],
    started_at: ['string', 'RFC 3339'],
    finished_at: ['string', 'RFC 3339'],
    profile: ['string?', 'the profile'],
    domain: ['string?', 'the domain, where all targets are on one'],
    what: ['string', 'what was purged, such as 3 URLs'],
    requested: ['number', 'number of targets'],
    cleared: ['number', 'number of those cleared'],
    failed: ['number', 'number of those not cleared'],
    confirmed: ['boolean', 'whether all were cleared, and no page was found stale'],
    command: ['string', 'the command line'],
  }),
  async run({ domain, limit }, context) {
    const { loggedPurges } = await import('../framework/write-history.ts');
    const purges = await loggedPurges(
      context,
      domain === undefined ? undefined : await context.domain(domain),
    );
    await context.out.print(purges.slice(0, limit).map(shown), { columns: COLUMNS, empty: 'no purges yet' });
    if (purges.length > limit)
      context.log.note(`${groupDigits(purges.length - limit)} earlier purges; --limit shows more`);
  },
});

function shown({
  id,
  startedAt,
  time,
  finishedAt,
  profile,
  domain,
  what,
  requested,
  cleared,
  failed,
  confirmed,
  command,
}: LoggedPurge): Json {
  return {
    ...{ id, started_at: startedAt, finished_at: finishedAt ?? time ?? null },
    ...(profile !== undefined && { profile }),
    ...(domain !== undefined && { domain }),
    what: what === 'everything' ? 'everything' : pluralize(requested, what),
    ...{ requested, cleared, failed, confirmed, command: command ?? null },
  };
}
