import { duration, integer, list, optional, string, type ValuesOf } from '../../framework/define-command.ts';
import { accountRate, type METRICS_FLAG } from './engine/flags.ts';

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

/** The sync file and what of it a command is for. */
export type SyncFlags = ValuesOf<typeof SCOPE_FLAGS> & { readonly file: string | undefined };

/** The flags that decide which partitions are requested. */
export const PLAN_FLAGS = {
  lookback: string(
    '--lookback <days>',
    'request the last days again: 7d, or auto (default: the sync file, or 7d)',
  ),
  refetch: string('--refetch <days>', "request these days again: 2026-03, 2026-03-14, 'last month'"),
};

export type PlanFlags = ValuesOf<typeof PLAN_FLAGS>;

export const RUN_DEADLINE_FLAG = {
  deadline: duration(
    '--deadline <time>',
    'send no query after this time; exit code 7 if partitions are left',
    {
      min: 1000,
    },
  ),
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
  accountRate: accountRate(
    'maximum requests of all shares together, such as 10/s or 600/m; each takes its part',
  ),
};

/** The flags of `run`, whatever it runs. */
export type AnyRunFlags = ValuesOf<typeof RUN_DEADLINE_FLAG & typeof METRICS_FLAG> & {
  readonly concurrency: number | undefined;
};
export type UnitFlags = ValuesOf<typeof UNIT_FLAGS>;
