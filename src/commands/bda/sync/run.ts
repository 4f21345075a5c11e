import { UsageError } from '../../../errors/index.ts';
import { defineCommand } from '../../framework/define-command.ts';
import { Modes } from '../../framework/modes.ts';
import { object } from '../../framework/output-schema.ts';
import { concurrencyFlag } from '../../framework/shared-flags.ts';
import { METRICS_FLAG } from './engine/flags.ts';
import { PLAN_FLAGS, RUN_DEADLINE_FLAG, SCOPE_FLAGS, SYNC_ARGUMENT, UNIT_FLAGS } from './flags.ts';

/** The modes of `run`: what the sync file says, and units that were planned before. */
export const RUN_MODES = new Modes(
  {
    file: {
      label: 'a sync file',
      instead: 'write the units with gatectl bda sync plan --units, and pass them with --units',
    },
    units: { label: '--units', group: 'Units', instead: 'pass it to gatectl bda sync plan --units' },
  },
  {
    ...{ ...PLAN_FLAGS, ...SCOPE_FLAGS, ...UNIT_FLAGS, ...RUN_DEADLINE_FLAG, ...METRICS_FLAG },
    concurrency: concurrencyFlag(),
  },
  {
    ...({
      lookback: ['file'],
      refetch: ['file'],
      table: ['file'],
      domain: ['file'],
      units: ['units'],
    } as const),
    ...({ shard: ['units'], shardEnv: ['units'], shards: ['units'], accountRate: ['units'] } as const),
  },
);

/** What `run` and `sweep` write as JSON. */
export const RUN_OUTPUT = object({
  destination: ['string', 'where the tables are'],
  tables: [
    'array',
    'for each table: partitions, and how many of them were added, changed or unchanged; failed ones, rows, requests',
  ],
  failures: [
    'array',
    'what failed: table, domain, from, to, error, and quarantined if its rows are kept aside',
  ],
  left: ['number?', 'partitions that were not started before the deadline'],
});

export const syncRun = defineCommand({
  name: 'run',
  effect: 'read',
  summary: 'bring the tables up to date',
  description:
    'Requests the partitions that the destination lacks and those that may have changed, and replaces each completely. After an interruption, run it again: it continues where it stopped. If some partitions fail, they are listed, the others are written, and the exit code is 7.',
  arguments: SYNC_ARGUMENT,
  options: RUN_MODES.options,
  examples: {
    'gatectl bda sync run': 'as gatectl.sync.yaml says',
    'gatectl bda sync run --quiet': 'from cron: print problems only',
    'gatectl bda sync run --units units.ndjson --shard 3/16': 'the third of 16 shares of a plan',
    'gatectl bda sync run --refetch 2026-03': 'request a month again',
  },
  output: RUN_OUTPUT,
  async run(flags, context) {
    const { units, file } = flags;
    RUN_MODES.assertApplies(units === undefined ? 'file' : 'units', flags);
    if (units === undefined) {
      const { runAll } = await import('./run-all.ts');
      return await runAll(flags, context);
    }
    if (file !== undefined)
      throw new UsageError('a sync file and --units cannot be combined', {
        code: 'conflicting_options',
        hints: ['the units contain what is required of the sync file'],
      });
    const { runUnitsFile } = await import('./run-units.ts');
    await runUnitsFile({ ...flags, units }, context);
  },
});
