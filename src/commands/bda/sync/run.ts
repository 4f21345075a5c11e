import { UsageError } from '../../../errors/index.ts';
import { defineCommand } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { concurrencyFlag } from '../../framework/shared-flags.ts';
import { PLAN_FLAGS, SCOPE_FLAGS, SYNC_ARGUMENT, UNIT_FLAGS } from './flags.ts';

/** What `run` and `sweep` write as JSON. */
export const RUN_OUTPUT = object({
  destination: ['string', 'where the tables are'],
  tables: [
    'array',
    'for each table: partitions, and how many of them were added, changed or unchanged; failed ones, rows, requests',
  ],
  failures: ['array', 'what failed: table, domain, from, to and error'],
});

export const syncRun = defineCommand({
  name: 'run',
  summary: 'bring the tables up to date',
  description:
    'Requests the partitions that the destination lacks and those that may have changed, and replaces each as a whole. After an interruption, run it again: it continues where it stopped. Partitions that fail are listed, the others are written, and the exit code is 7.',
  arguments: SYNC_ARGUMENT,
  options: { ...PLAN_FLAGS, ...SCOPE_FLAGS, ...UNIT_FLAGS, concurrency: concurrencyFlag() },
  examples: [
    { does: 'as gatectl.sync.yaml says', command: 'gatectl bda sync run' },
    { does: 'from cron: print problems only', command: 'gatectl bda sync run --quiet' },
    {
      does: 'the third of 16 shares of a plan',
      command: 'gatectl bda sync run --units units.ndjson --shard 3/16',
    },
    { does: 'request a month again', command: 'gatectl bda sync run --refetch 2026-03' },
  ],
  output: RUN_OUTPUT,
  async run(flags, context) {
    const { units } = flags;
    if (units === undefined) {
      rejectUnitFlags(flags);
      const { runAll } = await import('./run-all.ts');
      return await runAll(flags, context);
    }
    rejectPlanFlags(flags);
    const { runUnitsFile } = await import('./run-units.ts');
    await runUnitsFile({ ...flags, units }, context);
  },
});

/** Throws UsageError for flags that only units have. */
function rejectUnitFlags(flags: Readonly<Record<string, unknown>>): void {
  for (const [key, { flags: given }] of Object.entries(UNIT_FLAGS)) {
    if (flags[key] === undefined) continue;
    throw new UsageError(`${given.split(' ')[0]} requires --units`, {
      code: 'missing_argument',
      hints: ['write the units with gatectl bda sync plan --units'],
    });
  }
}

/** Throws UsageError for what the plan of the units has decided. */
function rejectPlanFlags(flags: Readonly<Record<string, unknown>>): void {
  if (flags.file !== undefined)
    throw new UsageError('a sync file and --units cannot be combined', {
      code: 'conflicting_options',
      hints: ['the units contain what they need of the sync file'],
    });
  for (const [key, { flags: given }] of Object.entries({ ...PLAN_FLAGS, ...SCOPE_FLAGS })) {
    const value = flags[key];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    throw new UsageError(`${given.split(' ')[0]} and --units cannot be combined`, {
      code: 'conflicting_options',
      hints: ['pass it to gatectl bda sync plan --units'],
    });
  }
}
