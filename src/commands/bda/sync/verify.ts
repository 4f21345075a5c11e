import { PartialError } from '../../../errors/index.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import type { Mismatch, Verified } from '../../../sync/verify.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { textColumns } from './columns.ts';
import { SCOPE_FLAGS, SYNC_ARGUMENT, type SyncFlags } from './flags.ts';
import type { PreparedSync } from './prepare.ts';

/** More periods than this are named by longer ones. */
const MOST_COMMANDS = 3;
/** Sites without partitions that are named. */
const MOST_SITES = 3;

/** The shell command that requests again what differs; empty for none. */
function repairOf(mismatches: readonly Mismatch[], file: string | undefined): string {
  if (mismatches.length === 0) return '';
  const named = file === undefined ? '' : ` ${file}`;
  if (mismatches.every(({ isRestated }) => isRestated)) return `gatectl bda sync sweep${named}`;
  const all = mismatches.flatMap(({ partition }) => partition ?? []);
  const isRange = (key: string) => key.includes('..');
  // A difference in the number of rows names the days of all partitions, so that it only counts where there is no other.
  const isLong = all.every(isRange);
  const keys = isLong ? all : all.filter(key => !isRange(key));
  const periods = (length: number) => [
    ...new Set(keys.flatMap(key => key.split('..').map(day => day.slice(0, length)))),
  ];
  const shown = isLong
    ? periods(4)
    : ([periods(10), periods(7)].find(list => list.length <= MOST_COMMANDS) ?? periods(4));
  const run = `gatectl bda sync run${named} --refetch`;
  return shown
    .sort()
    .map(days => `${run} ${days}`)
    .join(' && ');
}

/** The error of a comparison in which the destination has no partition to compare. */
export function nothingSynced(file: string | undefined): PartialError {
  return new PartialError('nothing was compared, because nothing was synced yet', {
    code: 'rows_incomplete',
    hints: [`gatectl bda sync run${file === undefined ? '' : ` ${file}`}`],
  });
}

/** How to remove what no run replaces. */
function removalHints(mismatches: readonly Mismatch[]): readonly string[] {
  const removals = [...new Set(mismatches.flatMap(({ removal }) => removal ?? []))];
  const hints = removals.slice(0, MOST_COMMANDS).map(removal => `remove what no run wrote: ${removal}`);
  const more = removals.length - hints.length;
  return more > 0 ? [...hints, `-o json prints ${more} more as removal`] : hints;
}

/** What was found where nothing differs, without a claim about sites and totals that were not compared. */
export function nothingFound({
  partitions,
  uncompared,
  unsynced,
}: Pick<Verified, 'partitions' | 'uncompared' | 'unsynced'>): string {
  if (partitions === 0) return 'no partitions to compare: nothing was synced yet';
  if (uncompared.length + unsynced.length === 0) return 'all as at the gateway';
  const names = uncompared.map(({ table, metrics }) =>
    metrics.length === 0 ? table : `${metrics.join(', ')} of ${table}`,
  );
  const sites = unsynced.slice(0, MOST_SITES).map(({ table, domain }) => `${table} of ${domain}`);
  const more = unsynced.length - sites.length;
  return [
    'no difference found',
    ...(names.length > 0 ? [`totals not compared: ${names.join('; ')}`] : []),
    ...(sites.length > 0
      ? [`not synced yet: ${sites.join(', ')}${more > 0 ? ` and ${more} more` : ''}`]
      : []),
  ].join('; ');
}

export const syncVerify = defineCommand({
  name: 'verify',
  effect: 'read',
  summary: 'compare the tables with the gateway, exactly',
  description:
    'Compares each file with the ledger (SHA-256), finds rows and files that are not in the ledger, and compares the rows of each site with the total of the gateway, and the values of each day with those of the gateway, in two requests for each site and table. Exits with 7 if anything differs, or if the gateway no longer lists a site, and prints the commands that repair it.',
  arguments: SYNC_ARGUMENT,
  options: SCOPE_FLAGS,
  examples: { 'gatectl bda sync verify': 'all tables and sites' },
  output: object({
    partitions: ['number', 'partitions compared'],
    rows: ['number', 'rows in them'],
    not_compared: ['array', 'metrics whose values of a day cannot be compared: table and metrics'],
    not_synced: ['array', 'sites without a partition, which are not compared: table, domain'],
    not_listed: [
      'array',
      'sites that the sync file does not list, which are not compared: table, domain, partitions, rows, and whether all of them are of the current_query',
    ],
    mismatches: [
      'array',
      'what differs: table, domain, partition, state, problem, and removal where no run repairs it',
    ],
  }),
  async run(flags, context) {
    const { withPreparedSync } = await import('./prepare.ts');
    await withPreparedSync(flags, context, prepared => verifyAll(prepared, flags, context));
  },
});

async function verifyAll(prepared: PreparedSync, flags: SyncFlags, context: Context): Promise<void> {
  const { verify } = await import('../../../sync/verify.ts');
  const { findOtherSites } = await import('./other-sites.ts');
  const line = context.log.progress(undefined, 'partitions');
  const { partitions, rows, mismatches, uncompared, unsynced } = await verify({
    ...prepared,
    unlisted:
      flags.domain.length > 0
        ? []
        : prepared.unlisted.filter(({ table }) => prepared.tables.some(({ name }) => name === table)),
    isOnlyDomains: flags.domain.length > 0,
    sender: await context.gateway(),
    site: await bdaV2Site(context),
    onPartitions: done => line.advance(done),
  }).finally(() => line.finish());
  const others = flags.domain.length > 0 ? [] : await findOtherSites(prepared, context);
  for (const { table, isAll } of uncompared)
    if (isAll)
      context.log.warn(
        `${table} has no metric whose totals can be compared; only its number of rows was compared with the gateway`,
      );
  const list = mismatches.map(({ isRestated, ...shown }) => shown);
  const data = {
    partitions,
    rows,
    not_compared: uncompared.map(({ table, metrics }) => ({ table, metrics: [...metrics] })),
    not_synced: unsynced.map(site => ({ ...site })),
    not_listed: others.map(({ isOfQuery, ...site }) => ({ ...site, current_query: isOfQuery })),
    mismatches: list,
  };
  const title = `${pluralize(partitions, 'partition')} with ${pluralize(rows, 'row')} compared`;
  const section = {
    title,
    data: list,
    view: {
      columns: [
        ...textColumns({ table: 'Table', domain: 'Site', partition: 'Partition' }),
        ...textColumns({ state: 'State', problem: 'Problem' }),
      ],
      empty: nothingFound({ partitions, uncompared, unsynced }),
    },
  };
  if (list.length === 0 && partitions > 0) return await context.out.printResult(data, [section], list);
  await context.out.printSections(data, [section], list);
  if (list.length === 0) throw nothingSynced(flags.file);
  const repair = repairOf(
    mismatches.filter(
      ({ problem, removal }) =>
        removal === undefined && !prepared.unlisted.some(site => site.problem === problem),
    ),
    flags.file,
  );
  throw new PartialError(
    `${pluralize(list.length, 'difference')} found${repair === '' ? '' : `; request the rows again: ${repair}`}`,
    { code: 'partial_failure', hints: removalHints(mismatches) },
  );
}
