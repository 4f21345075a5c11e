import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Environment } from '../config/platform.ts';
import type { Reach } from '../config/trust.ts';
import { UsageError } from '../errors/index.ts';
import { hasContent, readLines, readText } from '../files/text-source.ts';
import type { SyncTable } from './config.ts';
import { reachOf } from './destinations/reach.ts';
import type { UnitPlan } from './unit-pool.ts';
import { type RecordedUnit, UnitRecordError, unitOfRecord } from './unit-record.ts';

/** A share of the units: the `index`-th of `count`, counted from 0. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** All units. */
export const WHOLE: Shard = { index: 0, count: 1 };

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

/** Opens a file of units, `-` for standard input. Throws FileError and UsageError. */
export async function openUnitsFile(
  given: string,
  io: { readonly cwd: string; readonly stdin: Readable },
  signal: AbortSignal,
): Promise<UnitsFile> {
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
export async function* unitsOf(
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
        reason: 'not_a_unit',
      });
    }
  }
}

/** What the units of a shard have in common. */
interface PlanOfUnits {
  /** Undefined for a shard without units. */
  readonly destination: string | undefined;
  /** By the names of the tables, as `plans`. */
  readonly definitions: ReadonlyMap<string, SyncTable>;
  readonly plans: ReadonlyMap<string, UnitPlan>;
  readonly units: number;
}

/** Reads the units of a shard once. Throws UsageError for units of several plans. */
export async function planOfUnits(file: UnitsFile, shard: Shard): Promise<PlanOfUnits> {
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
        reason: 'units_of_several_plans',
      });
    texts.set(name, definition);
    definitions.set(name, unit.table);
    plans.set(name, plan);
    units += 1;
  }
  return { destination, definitions, plans, units };
}

/** What the units of a plan may send where; undefined for a file without units. Throws UsageError. */
export async function reachOfUnits(file: UnitsFile, env: Environment): Promise<Reach | undefined> {
  const { destination, definitions } = await planOfUnits(file, WHOLE);
  const { path, folder } = file;
  if (destination === undefined) return undefined;
  return await reachOf(path, { destination, tables: [...definitions.keys()], folder, env });
}
