import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import {
  ApiError,
  FileError,
  InvalidResponseError,
  PartialError,
  UsageError,
} from '../../../errors/index.ts';
import { fileError, systemCode } from '../../../files/file-error.ts';
import { readText } from '../../../files/text-source.ts';
import { secretsInArgv } from '../../../http/secrets-in-argv.ts';
import type { Context } from '../../framework/context.ts';
import { daysFromFlags } from '../day-flags.ts';
import { type Item, type ItemResult, itemRecord, migrateItem } from './batch.ts';
import { answerBatch } from './batch-output.ts';
import { convert, type MigrateOptions, migrateOptions } from './convert.ts';
import type { DefinitionSource } from './definitions.ts';
import type { MigrateFlags } from './flags.ts';
import { shellValues } from './input.ts';
import { definitionsFor } from './live-definitions.ts';
import { writeNotes } from './notes.ts';
import { openOutFolder } from './out-folder.ts';
import { readMigrationSource, type ShellValues } from './source.ts';

/** Files that may hold a request. */
const ENDINGS = new Set(['.json', '.sh', '.curl', '.txt', '.url']);

/** Migrates every request in a folder into files of another. Throws PartialError when some can't be. */
export async function migrateFolder(
  folder: string,
  out: string,
  flags: MigrateFlags,
  context: Context,
): Promise<void> {
  const files = await requestFiles(folder, context);
  const days = await daysFromFlags(flags, context);
  const terms = await migrateOptions(flags, days, context);
  const definitions = await definitionsFor(flags, context);
  const target = await openOutFolder(out, folder);
  const items: Item[] = [];
  const values = shellValues(flags.set);
  for (const file of files)
    items.push(await itemIn(join(folder, file), file, values, terms, definitions, context));
  const settled = await migrateItem(items, flags, target, terms, context);
  await writeNotes(flags.notes, settled.map(itemRecord));
  await answerBatch(settled, ['request'], context);
  const failed = settled.filter(hasFailed(flags)).length;
  if (failed > 0)
    throw new PartialError(`${failed} of ${settled.length} requests are not migrated as asked`, {
      code: 'partial_failure',
    });
}

/** Whether an item is not what the flags ask for. */
export function hasFailed({ verify }: Pick<MigrateFlags, 'verify'>): (one: ItemResult) => boolean {
  return ({ state, isTooLossy, proven }) =>
    state === 'blocked' || isTooLossy || (verify && proven?.outcome !== 'parity');
}

async function requestFiles(folder: string, context: Context): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(error => {
    if (systemCode(error) !== 'ENOTDIR') throw fileError(folder, error, 'read');
    throw new UsageError(`--out-dir goes with a folder of requests, and ${folder} is a file`, {
      hints: ['for one request, type > FILE instead'],
    });
  });
  const names = entries
    .filter(entry => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  const files = names.filter(name => ENDINGS.has(extname(name).toLowerCase())).sort();
  const skipped = names.length - files.length;
  if (skipped > 0)
    context.log.note(
      `${skipped === 1 ? 'one file is' : `${skipped} files are`} not looked at: requests end in ${[...ENDINGS].join(', ')}`,
    );
  if (files.length === 0) throw new UsageError(`${folder} holds no requests`, { code: 'invalid_input' });
  const stems = files.map(stemOf);
  const twice = files.find((file, index) => stems.indexOf(stemOf(file)) !== index);
  if (twice === undefined) return files;
  throw new UsageError(`two requests are called ${stemOf(twice)}, and so would be their queries`, {
    hints: ['give one of them another name'],
  });
}

/** What is wrong with one request alone, such as a report that the gateway does not have. */
const ENDS_ONE = [UsageError, FileError, ApiError, InvalidResponseError];

const stemOf = (file: string) => file.slice(0, -extname(file).length);

async function itemIn(
  path: string,
  name: string,
  values: ShellValues,
  terms: MigrateOptions,
  definitions: DefinitionSource,
  context: Context,
): Promise<Item> {
  const about = { kind: 'request', id: null, name, stem: stemOf(name) } as const;
  try {
    const text = await readText(path, { signal: context.signal });
    for (const key of secretsInArgv(text)) context.redactor.add(key);
    const asked = await readMigrationSource(text, name, values, context.signal);
    const migration = await convert(asked, terms, definitions);
    return { ...about, migration, ...(migration.ok && { proof: { asked, queries: migration.queries } }) };
  } catch (error) {
    if (!ENDS_ONE.some(kind => error instanceof kind)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const refusals = [{ field: 'file', reason: context.redactor.redact(message) }];
    return { ...about, migration: { ok: false, refusals, notes: [], needs: [] } };
  }
}
