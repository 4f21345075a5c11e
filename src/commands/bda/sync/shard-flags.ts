import { UsageError } from '../../../errors/index.ts';
import type { Shard } from '../../../sync/units-file.ts';

/** Reads `3/16`, counted from 1. Throws UsageError. */
export function readShard(text: string): Shard {
  const [, number, count] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  const shard = { index: Number(number) - 1, count: Number(count) };
  if (shard.index >= 0 && shard.index < shard.count) return shard;
  throw new UsageError(`invalid --shard '${text}'`, {
    code: 'invalid_value',
    hints: ['pass the number of the shard and how many there are, such as 3/16; the first is 1/16'],
  });
}

/** How a scheduler numbers the tasks of an array. */
interface Scheduler {
  readonly name: string;
  /** Its variable for how many there are; undefined if it has none. */
  readonly count?: string;
  /** Its variables for the first number, the last one and the step; without them, the first number is 0. */
  readonly range?: readonly [first: string, last: string, step: string];
}

const SCHEDULERS: Readonly<Record<string, Scheduler>> = {
  // Kubernetes sets the index only: the count is `completions` of the Job.
  JOB_COMPLETION_INDEX: { name: 'a Kubernetes Job with completionMode Indexed' },
  SLURM_ARRAY_TASK_ID: {
    name: 'a Slurm array',
    count: 'SLURM_ARRAY_TASK_COUNT',
    range: ['SLURM_ARRAY_TASK_MIN', 'SLURM_ARRAY_TASK_MAX', 'SLURM_ARRAY_TASK_STEP'],
  },
  AWS_BATCH_JOB_ARRAY_INDEX: { name: 'an AWS Batch array job', count: 'AWS_BATCH_JOB_ARRAY_SIZE' },
  CLOUD_RUN_TASK_INDEX: { name: 'a Cloud Run job', count: 'CLOUD_RUN_TASK_COUNT' },
};

/** The variables of schedulers that `shardOfEnvironment` reads. */
const SHARD_VARIABLES = Object.keys(SCHEDULERS);

/**
 * The shard of a task of a scheduler, from its environment variables: `variable` has its number. `shards` is how many there are, where
 * the scheduler does not say. Throws UsageError.
 */
export function shardOfEnvironment(
  variable: string,
  shards: number | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Shard {
  const scheduler = SCHEDULERS[variable];
  if (scheduler === undefined)
    throw new UsageError(`invalid --shard-env '${variable}'`, {
      code: 'invalid_value',
      reason: { name: 'unknown_scheduler', variables: SHARD_VARIABLES },
    });
  const numberIn = (name: string): number | undefined => {
    const value = env[name];
    if (value === undefined || value === '') return undefined;
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw new UsageError(`${name} is '${value}', which is not a number`, { code: 'invalid_value' });
  };
  const number = numberIn(variable);
  if (number === undefined)
    throw new UsageError(`${variable} is not set`, {
      code: 'missing_setting',
      reason: { name: 'no_shard', scheduler: scheduler.name },
    });
  const count = (scheduler.count === undefined ? undefined : numberIn(scheduler.count)) ?? shards;
  if (count === undefined)
    throw new UsageError(`${variable} does not set the number of shards`, {
      code: 'missing_argument',
      reason: { name: 'no_shard_count', variable: scheduler.count },
    });
  if (shards !== undefined && shards !== count)
    throw new UsageError(`--shards is ${shards}, but ${scheduler.count} is ${count}`, {
      code: 'conflicting_options',
    });
  const index = scheduler.range === undefined ? number : indexInRange(number, count, scheduler, numberIn);
  if (index >= count)
    throw new UsageError(`${variable} is ${number}, but there are ${count} shards`, {
      code: 'invalid_value',
    });
  return { index, count };
}

/** The position of a number in a range that starts anywhere, such as 1-16 or 0-30:2. Throws UsageError for a list with gaps. */
function indexInRange(
  number: number,
  count: number,
  { name, range }: Scheduler,
  numberIn: (name: string) => number | undefined,
): number {
  const [first = 0, last = first + count - 1, step = 1] = (range ?? []).map(numberIn);
  const index = (number - first) / step;
  if (Number.isInteger(index) && index >= 0 && last === first + (count - 1) * step) return index;
  throw new UsageError(`${name} with gaps does not identify the shard`, {
    code: 'invalid_value',
    reason: 'shards_with_gaps',
  });
}
