import { UsageError } from '../../../errors/index.ts';
import { pacedSender } from '../../../http/paced-sender.ts';
import { reachOf } from '../../../sync/destinations/reach.ts';
import { runUnits } from '../../../sync/run.ts';
import { openUnitsFile, planOfUnits, type Shard, unitsOf, WHOLE } from '../../../sync/units-file.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { openFor, reserved, waitNote } from '../../framework/open-sync.ts';
import { requireTrust } from '../../framework/trust.ts';
import type { AnyRunFlags, UnitFlags } from './flags.ts';
import { deadlineIn, recordedRun } from './run-all.ts';
import { printResult, type Ran, withRunMetrics } from './run-report.ts';
import { readShard, shardOfEnvironment } from './shard-flags.ts';

type UnitsFileFlags = UnitFlags & AnyRunFlags & { readonly units: string };

/** Runs the units of one shard that `plan --units` wrote, and prints what changed. */
export async function runUnitsFile(flags: UnitsFileFlags, context: Context): Promise<void> {
  await withRunMetrics({ ...flags, command: 'run' }, context, async report => {
    const ran = await runShard(flags, context);
    if (ran === undefined) return;
    report(ran);
    await printResult(ran, context);
  });
}

/** Resolves to what was done; undefined for a shard without units. */
async function runShard(flags: UnitsFileFlags, context: Context): Promise<Ran | undefined> {
  const deadline = deadlineIn(flags.deadline, context);
  const shard = shardOf(flags, context.io.env);
  const { io, signal } = context;
  const file = await openUnitsFile(flags.units, io, signal);
  const { destination: name, definitions, plans, units } = await planOfUnits(file, shard);
  if (name === undefined) {
    const which = shard.count === 1 ? '' : ` for shard ${shard.index + 1} of ${shard.count}`;
    context.log.note(`${file.name} has no units${which}: nothing to request`);
    return undefined;
  }
  const reach = await reachOf(file.path, {
    destination: name,
    tables: [...definitions.keys()],
    folder: file.folder,
    env: io.env,
  });
  const { allowsPlain } = await requireTrust(reach, context, { anyPath: true });
  const tables = [...definitions.values()];
  const destination = await openFor(context, { destination: name, tables, folder: file.folder, allowsPlain });
  const work = async () => {
    await destination.check();
    for (const { name: table, partition } of definitions.values()) {
      const schema = await destination.schema(table);
      if (schema.partition !== undefined && schema.partition !== partition)
        throw new UsageError(`the partitions of ${table} in ${destination.name} are ${schema.partition}s`, {
          code: 'invalid_input',
          hints: [`${file.name} was planned for another destination`],
        });
    }
    // Shards share a destination, unless only one process can open it.
    return destination.reserve === undefined
      ? await carryOut()
      : await destination.exclusively(waitNote(context), carryOut);
  };
  const carryOut = async () => {
    if (shard.count > 1)
      context.log.note(
        `shard ${shard.index + 1} of ${shard.count}: ${pluralize(units, 'unit')} of ${file.name}`,
      );
    const { concurrency } = flags;
    return await recordedRun({ destination, tables }, context, common => {
      const { sender, clock } = common;
      // The pause between two requests of one shard.
      const intervalMs = flags.accountRate && (1000 / flags.accountRate) * shard.count;
      const paced = intervalMs === undefined ? sender : pacedSender(sender, { intervalMs, clock, signal });
      return runUnits({
        ...common,
        sender: paced,
        units: unitsOf(file, shard),
        plans,
        concurrency,
        deadline,
      });
    });
  };
  const result = await reserved(destination, context, work).finally(() => destination.close());
  return { name: destination.name, ...result };
}

function shardOf({ shard, shardEnv, shards }: UnitFlags, env: Context['io']['env']): Shard {
  if (shard !== undefined && shardEnv !== undefined)
    throw new UsageError('--shard and --shard-env cannot be combined', { code: 'conflicting_options' });
  if (shards !== undefined && shardEnv === undefined)
    throw new UsageError('--shards requires --shard-env', {
      code: 'missing_argument',
      hints: ['pass --shard 3/16, or --shard-env JOB_COMPLETION_INDEX --shards 16'],
    });
  if (shardEnv !== undefined) return shardOfEnvironment(shardEnv, shards, env);
  return shard === undefined ? WHOLE : readShard(shard);
}
