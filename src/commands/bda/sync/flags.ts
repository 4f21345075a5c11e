import { type DatePhrase, readDatePhrase } from '../../../analysis/relative-dates.ts';
import type { Day } from '../../../apis/bda/days.ts';
import { UsageError } from '../../../errors/index.ts';
import type { SyncTable } from '../../../sync/config.ts';
import { lastDayOf } from '../../../sync/partitions.ts';
import { integer, list, optional, string } from '../../framework/define-command.ts';

/** The argument of every sync command. */
export const SYNC_ARGUMENT = {
  file: optional('file', 'sync file (default gatectl.sync.yaml)', { completes: 'file' }),
};

/** The flags that narrow a sync to some tables and sites. */
export const SCOPE_FLAGS = {
  table: list('--table <names>', 'only these tables, comma-separated or repeated'),
  domain: list('--domain <names>', 'only these sites, comma-separated or repeated', {
    completes: 'domain',
    isPasted: true,
  }),
};

/** The flags that decide which partitions are requested. */
export const PLAN_FLAGS = {
  lookback: string(
    '--lookback <days>',
    'request the last days again: 7d, or auto (default: the sync file, or 7d)',
  ),
  refetch: string('--refetch <days>', "request these days again: 2026-03, 2026-03-14, 'last month'"),
};

/** The flags for units that `plan --units` wrote. */
export const UNIT_FLAGS = {
  units: string('--units <file>', 'run the units of this file, or of stdin (-), in place of a sync file', {
    completes: 'file',
  }),
  shard: string('--shard <i/n>', 'run only this share of the units, such as 3/16; the first is 1/16'),
  shardEnv: string(
    '--shard-env <name>',
    'take the share from a scheduler: JOB_COMPLETION_INDEX (Kubernetes), SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX or CLOUD_RUN_TASK_INDEX',
  ),
  shards: integer('--shards <n>', 'how many shares there are, for --shard-env JOB_COMPLETION_INDEX', {
    min: 1,
    max: 1_000_000,
  }),
  accountRate: string(
    '--account-rate <rate>',
    'maximum requests of all shares together, such as 10/s or 600/m; each takes its part',
  ),
};

/** The tables whose days an error lists. */
const TABLES_SHOWN = 3;

/** The days of `--refetch`. Throws UsageError for a text that is none, and for days that no table has. */
export function refetchDays(
  text: string | undefined,
  { tables, today }: { readonly tables: readonly SyncTable[]; readonly today: Day },
): DatePhrase | undefined {
  if (text === undefined) return undefined;
  const days = readDatePhrase(text, today);
  if (days === undefined)
    throw new UsageError(`invalid --refetch '${text}'`, {
      code: 'invalid_value',
      hints: ['pass a day such as 2026-03-14, a month such as 2026-03, or words such as yesterday'],
    });
  const isOf = (table: SyncTable) => table.start <= days.to && lastDayOf(table, today) >= days.from;
  if (tables.some(isOf)) return days;
  throw new UsageError(`no table has days of --refetch '${text}'`, {
    code: 'invalid_value',
    hints: tables.slice(0, TABLES_SHOWN).map(table => {
      const last = lastDayOf(table, today);
      return last < table.start
        ? `${table.name} starts on ${table.start}`
        : `${table.name} has ${table.start} to ${last}`;
    }),
  });
}
