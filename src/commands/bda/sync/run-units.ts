import { dirname, resolve } from 'node:path';
import { cacheFolder } from '../../../config/platform.ts';
import type { Reach } from '../../../config/trust.ts';
import { UsageError } from '../../../errors/index.ts';
import { hasContent, readLines, readText } from '../../../files/text-source.ts';
import { pacedSender } from '../../../http/paced-sender.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import type { SyncTable } from '../../../sync/config.ts';
import { openDestination } from '../../../sync/destinations/open.ts';
import { reachOf } from '../../../sync/destinations/reach.ts';
import { runUnits } from '../../../sync/run.ts';
import {
  type Rate,
  readRate,
  readShard,
  type Shard,
  shardOfEnvironment,
  WHOLE,
} from '../../../sync/shard.ts';
import type { UnitPlan } from '../../../sync/unit-pool.ts';
import { type RecordedUnit, UnitRecordError, unitOfRecord } from '../../../sync/unit-record.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine, machineClock } from '../../framework/lock-machine.ts';
import { requireTrust } from '../../framework/trust.ts';
import { reserved, waitNote } from './reserved.ts';
import { columnReports, partitionReport, printResult, totalsOf } from './run-all.ts';

interface UnitFlags {
  readonly units: string;
  readonly shard: string | undefined;
  readonly shardEnv: string | undefined;
  readonly shards: number | undefined;
  readonly accountRate: string | undefined;
  readonly concurrency: number | undefined;
}

/** Runs the units of one shard that `plan --units` wrote, and prints what changed. */
export async function runUnitsFile(flags: UnitFlags, context: Context): Promise<void> {
  const shard = shardOf(flags, context.io.env);
  const rate = flags.accountRate === undefined ? undefined : readRate(flags.accountRate, '--account-rate');
  const file = await unitsFile(flags.units, context);
  const { destination: name, definitions, plans, units } = await look(file, shard);
  if (name === undefined) {
    const which = shard.count === 1 ? '' : ` for shard ${shard.index + 1} of ${shard.count}`;
    return context.log.note(`${file.name} has no units${which}: nothing to request`);
  }
  const reach = await unitsReach(file, name, definitions, context);
  const { allowsPlain } = await requireTrust(reach, context, { anyPath: true });
  const destination = await openDestination({
    destination: name,
    tables: [...definitions.values()],
    folder: file.folder,
    allowsPlain,
    env: context.io.env,
    machine: lockMachine(context),
    signal: context.signal,
    onSecret: secret => context.redactor.add(secret),
    cache: cacheFolder(context.io),
  });
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
    const { log, signal } = context;
    const clock = machineClock(context);
    const gateway = await context.gateway();
    const startedAt = new Date(clock.now()).toISOString();
    const line = log.progress(undefined, 'partitions');
    if (shard.count > 1)
      log.note(`shard ${shard.index + 1} of ${shard.count}: ${pluralize(units, 'unit')} of ${file.name}`);
    let planned = 0;
    const result = await runUnits({
      units: unitsOf(file, shard),
      plans,
      tables: [...definitions.values()],
      destination,
      sender: rate === undefined ? gateway : pacedSender(gateway, { ...shareOf(rate, shard), clock, signal }),
      site: await bdaV2Site(context),
      clock,
      signal,
      retries: (await context.settings()).retries.value,
      concurrency: flags.concurrency,
      onPlanned: partitions => {
        planned += partitions;
        line.expect(planned);
      },
      onPartitions: partitionReport(line, definitions.size),
      ...columnReports(line, log),
    }).finally(() => line.finish());
    const finishedAt = new Date(clock.now()).toISOString();
    await destination.addRun({ startedAt, finishedAt, ...totalsOf(result) });
    return result;
  };
  const result = await reserved(destination, context, work).finally(() => destination.close());
  await printResult({ name: destination.name, ...result }, context);
}

/** What the units of a plan may send where; undefined for a file without units. Throws UsageError. */
export async function reachOfUnits(given: string, context: Context): Promise<Reach | undefined> {
  const file = await unitsFile(given, context);
  const { destination, definitions } = await look(file, WHOLE);
  return destination === undefined ? undefined : await unitsReach(file, destination, definitions, context);
}

async function unitsReach(
  { path, folder }: UnitsFile,
  destination: string,
  definitions: ReadonlyMap<string, SyncTable>,
  { io: { env } }: Context,
): Promise<Reach> {
  return await reachOf(path, { destination, tables: [...definitions.keys()], folder, env });
}

/** The pause between two requests of one shard. */
function shareOf({ requests, perMs }: Rate, { count }: Shard): { readonly intervalMs: number } {
  return { intervalMs: (perMs / requests) * count };
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

/** Lines that can be read several times. */
interface UnitsFile {
  /** As messages name it. */
  readonly name: string;
  /** Undefined for standard input. */
  readonly path: string | undefined;
  /** Where relative paths in it start. */
  readonly folder: string;
  readonly lines: () => AsyncIterable<{ readonly line: number; readonly text: string }>;
}

async function unitsFile(given: string, context: Context): Promise<UnitsFile> {
  const { io, signal } = context;
  if (given === '-') {
    const all = (await readText(io.stdin, { signal })).split('\n');
    return {
      name: 'standard input',
      path: undefined,
      folder: io.cwd,
      lines: async function* () {
        for (const [index, text] of all.entries()) if (text.trim() !== '') yield { line: index + 1, text };
      },
    };
  }
  const path = resolve(io.cwd, given);
  return {
    name: given,
    path,
    folder: dirname(path),
    lines: async function* () {
      for await (const block of readLines(path, signal)) yield* block.filter(hasContent);
    },
  };
}

/** The units of a shard. All units of a site are in one shard, because one process at a time writes a site. Throws UsageError. */
async function* unitsOf(
  { name, lines }: UnitsFile,
  { index, count }: Shard,
): AsyncGenerator<RecordedUnit & { readonly definition: string }> {
  let site: string | undefined;
  let sites = -1;
  for await (const { line, text } of lines()) {
    try {
      const record = JSON.parse(text);
      const next = `${record?.table}/${record?.domain_id}`;
      if (next !== site) sites += 1;
      site = next;
      if (sites % count !== index) continue;
      yield { ...unitOfRecord(record), definition: JSON.stringify(record.definition) };
    } catch (error) {
      const isJson = !(error instanceof SyntaxError);
      if (isJson && !(error instanceof UnitRecordError)) throw error;
      throw new UsageError(`${name}:${line}: it ${isJson ? error.message : 'is no unit'}`, {
        code: 'invalid_input',
        hints: ['write the file with gatectl bda sync plan --units'],
      });
    }
  }
}

/** What the units of a shard have in common. Throws UsageError for units of several plans. */
async function look(file: UnitsFile, shard: Shard) {
  const definitions = new Map<string, SyncTable>();
  const texts = new Map<string, string>();
  const plans = new Map<string, UnitPlan>();
  let destination: string | undefined;
  let units = 0;
  for await (const { unit, plan, definition, ...recorded } of unitsOf(file, shard)) {
    const { name } = unit.table;
    destination ??= recorded.destination;
    if (destination !== recorded.destination || (texts.get(name) ?? definition) !== definition)
      throw new UsageError(`${file.name} has units of several plans`, {
        code: 'invalid_input',
        hints: ['run each plan on its own'],
      });
    texts.set(name, definition);
    definitions.set(name, unit.table);
    plans.set(name, plan);
    units += 1;
  }
  return { destination, definitions, plans, units };
}
