import { dirname, resolve } from 'node:path';
import { cacheFolder, stateFolder } from '../../config/platform.ts';
import type { Reach } from '../../config/trust.ts';
import { FileError, UsageError } from '../../errors/index.ts';
import { unknownName } from '../../errors/usage.ts';
import { readText } from '../../files/text-source.ts';
import { checkStoredNames } from '../../sync/column-names.ts';
import { hintNearest, problemAt, SYNC_FILE, type SyncConfig, type SyncTable } from '../../sync/config.ts';
import { parseSyncConfig } from '../../sync/config-file.ts';
import { checkPins } from '../../sync/contracts/type-choices.ts';
import type { Destination } from '../../sync/destinations/destination.ts';
import { type OpenOptions, openDestination } from '../../sync/destinations/open.ts';
import { reachOf } from '../../sync/destinations/reach.ts';
import { splitNames } from '../bda/flags/request-flags.ts';
import type { Context } from './context.ts';
import { lockMachine } from './lock-machine.ts';
import { rejectKeys } from './reject-keys.ts';
import { requireTrust } from './trust.ts';

/** A sync file that was checked, with its destination. */
export interface OpenSync {
  readonly config: SyncConfig;
  /** Those that the flags choose. */
  readonly tables: readonly SyncTable[];
  readonly destination: Destination;
}

export interface SyncScope {
  readonly file: string | undefined;
  readonly table: readonly string[];
  /** How another file is named, where it is not an argument: `--sync FILE`. */
  readonly naming?: string;
  /** Whether `work` writes to the destination. */
  readonly isRun?: boolean;
}

/** A sync file, and where it is. */
interface ReadSync {
  readonly config: SyncConfig;
  readonly path: string;
}

/**
 * Reads a sync file. `naming` is how another one is named, by default as the argument; `reason` is why a command requires the file, where
 * that is not obvious. Throws UsageError and FileError.
 */
export async function readSync(
  file: string,
  context: Context,
  { naming, reason }: { readonly naming?: string | undefined; readonly reason?: string } = {},
): Promise<ReadSync> {
  const path = resolve(context.io.cwd, file);
  const text = await readText(path, { signal: context.signal }).catch(error => {
    if (error instanceof UsageError || (error as { code?: string }).code !== 'file_not_found') throw error;
    const typed = { without: [], withArguments: false, add: ['FILE'] };
    throw new FileError(`no such file: ${file}`, {
      path,
      code: 'file_not_found',
      hints: [
        `write one with gatectl bda sync init, or name another one: ${naming ?? context.commandLine(typed)}`,
        ...(reason === undefined ? [] : [reason]),
      ],
    });
  });
  rejectKeys(text, { what: file, where: 'which others may read' }, context);
  return { config: parseSyncConfig(file, text), path };
}

/** What a sync file may send where. Throws UsageError. */
export async function reachOfSync(
  { config: { destination, tables }, path }: ReadSync,
  { io: { env } }: Pick<Context, 'io'>,
): Promise<Reach> {
  return await reachOf(path, {
    destination,
    tables: tables.map(({ name }) => name),
    folder: dirname(path),
    env,
  });
}

/** The destination of a sync file that the user trusts, which is not connected to yet. Throws UsageError. */
export async function destinationOf(read: ReadSync, context: Context): Promise<Destination> {
  const { config, path } = read;
  const { allowsPlain } = await requireTrust(await reachOfSync(read, context), context);
  const { destination, tables } = config;
  return await openFor(context, { destination, tables, folder: dirname(path), allowsPlain });
}

/** Opens a destination for a command, without connecting to it. */
export async function openFor(
  context: Context,
  given: Pick<OpenOptions, 'destination' | 'tables' | 'folder' | 'allowsPlain'>,
): Promise<Destination> {
  return await openDestination({
    ...given,
    env: context.io.env,
    machine: lockMachine(context),
    signal: context.signal,
    onSecret: secret => context.redactor.add(secret),
    cache: cacheFolder(context.io),
    state: stateFolder(context.io),
  });
}

/** Runs `work` with a sync file and its destination, after a look at both; sends nothing. Throws UsageError, FileError and the errors of `work`. */
export async function withSync<Value>(
  { file = SYNC_FILE, table, naming, isRun = false }: SyncScope,
  context: Context,
  work: (sync: OpenSync) => Promise<Value>,
): Promise<Value> {
  const read = await readSync(file, context, { naming });
  const { config } = read;
  const tables = chosenTables(config, table);
  const destination = await destinationOf(read, context);
  const use = async () => {
    await destination.check();
    for (const table of tables) {
      const { name, partition } = table;
      const schema = await destination.schema(name);
      checkStoredNames(config, table, schema);
      checkPins(config, table, schema);
      if (schema.partition === undefined || schema.partition === partition) continue;
      throw problemAt(
        config,
        `tables.${name}.partition`,
        `the partitions of ${name} in ${destination.name} are ${schema.partition}s`,
        [`set partition: ${schema.partition}, or give the table another name`],
      );
    }
    return await work({ config, tables, destination });
  };
  try {
    return isRun ? await reserved(destination, context, use) : await use();
  } finally {
    await destination.close();
  }
}

function chosenTables({ tables }: SyncConfig, given: readonly string[]): readonly SyncTable[] {
  const names = splitNames('--table', given);
  if (names === undefined) return tables;
  const known = tables.map(({ name }) => name);
  for (const name of names)
    if (!known.includes(name))
      throw unknownName(
        `the sync file has no table ${name}`,
        ...[...hintNearest(name, known), `tables: ${known.join(', ')}`].slice(0, 1),
      );
  return tables.filter(({ name }) => names.includes(name));
}

/** A function that prints which process holds a destination, before this one waits for it. */
export function waitNote({ log }: Pick<Context, 'log'>): (holder: string) => void {
  return holder => log.note(`${holder}; waiting until it ends`);
}

/** Runs the `work` of a run; with a destination that one run at a time can open, while no other run uses it. Throws the errors of both. */
export async function reserved<Value>(
  destination: Destination,
  context: Context,
  work: () => Promise<Value>,
): Promise<Value> {
  return destination.reserve === undefined
    ? await work()
    : await destination.reserve(waitNote(context), work);
}
