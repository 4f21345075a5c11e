import { extname, join } from 'node:path';
import {
  ApiError,
  FileError,
  InvalidResponseError,
  PartialError,
  UsageError,
} from '../../../errors/index.ts';
import { type Dirent, readdir } from '../../../files/disk.ts';
import { fileError, systemCode } from '../../../files/file-error.ts';
import { readText } from '../../../files/text-source.ts';
import type { MigrateOptions } from '../../../operations/migrate/convert-request.ts';
import type { DefinitionSource } from '../../../operations/migrate/definitions.ts';
import { secretsInArgv } from '../../../text/redactor.ts';
import type { Context } from '../../framework/context.ts';
import { convert, definitionsFor, migrateOptions } from '../flags/checked-migration.ts';
import { daysFromFlags } from '../flags/day-flags.ts';
import type { MigrateFlags } from '../flags/migrate-flags.ts';
import { readMigrationSource, type ShellValues } from '../flags/migration-source.ts';
import { writeNotes } from '../output/migration-notes.ts';
import { type Item, type ItemResult, itemRecord, migrateItems } from './batch.ts';
import { printBatch } from './batch-output.ts';
import { shellValues } from './input.ts';
import { openOutFolder } from './out-folder.ts';

/** Extensions of request files. */
const SHOWN_NAMES = 5;
const EXTENSIONS = new Set(['.json', '.sh', '.curl', '.txt', '.url']);

/** Migrates every request in a folder, and writes the queries to another. Throws PartialError if some fail. */
export async function migrateFolder(
  folder: string,
  out: string,
  flags: MigrateFlags,
  context: Context,
): Promise<void> {
  const files = await requestFiles(folder, context);
  const days = await daysFromFlags(flags, context);
  const options = await migrateOptions(flags, days, context);
  const definitions = await definitionsFor(flags, context);
  const target = await openOutFolder(out, { source: folder, replace: flags.replace });
  const items: Item[] = [];
  const values = shellValues(flags.set);
  for (const file of files)
    items.push(await readItem(join(folder, file), file, values, options, definitions, context));
  const results = await migrateItems(items, flags, target, options, context);
  await writeNotes(flags.notes, results.map(itemRecord));
  await printBatch(results, ['request'], context);
  const failed = results.filter(hasFailed(flags)).length;
  if (failed > 0)
    throw new PartialError(`${failed} of ${results.length} requests failed`, { code: 'partial_failure' });
}

/** Whether an item fails under these flags. */
export function hasFailed({ verify }: Pick<MigrateFlags, 'verify'>): (one: ItemResult) => boolean {
  return ({ state, isTooLossy, verified }) =>
    state === 'blocked' || isTooLossy || (verify && verified?.outcome !== 'parity');
}

async function requestFiles(folder: string, context: Context): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(error => {
    if (systemCode(error) !== 'ENOTDIR') throw fileError(folder, error, 'read');
    throw new UsageError(`--out-dir requires a folder of requests, and ${folder} is a file`, {
      hints: ['for one request, redirect the output: > FILE'],
    });
  });
  const visible = entries.filter(({ name }) => !name.startsWith('.'));
  // A link is tried, and fails by itself.
  const isRequest = (entry: Dirent) =>
    !entry.isDirectory() && EXTENSIONS.has(extname(entry.name).toLowerCase());
  const files = visible
    .filter(isRequest)
    .map(({ name }) => name)
    .sort();
  const skipped = visible
    .filter(entry => !isRequest(entry))
    .map(({ name }) => name)
    .sort();
  if (skipped.length > 0)
    context.log.note(
      `skipped ${shownOf(skipped)}: requests are files that end in ${[...EXTENSIONS].join(', ')}`,
    );
  if (files.length === 0) throw new UsageError(`no requests in ${folder}`, { code: 'invalid_input' });
  const stems = files.map(stemOf);
  const duplicate = files.find((file, index) => stems.indexOf(stemOf(file)) !== index);
  if (duplicate === undefined) return files;
  throw new UsageError(
    `two requests are named ${stemOf(duplicate)}, so their queries would overwrite each other`,
    {
      hints: ['rename one of them'],
    },
  );
}

/** Names in a message: the first of many. */
function shownOf(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, SHOWN_NAMES), names.length - SHOWN_NAMES];
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** Errors that concern one request only, such as an unknown report. */
const ITEM_ERRORS = [UsageError, FileError, ApiError, InvalidResponseError];

const stemOf = (file: string) => file.slice(0, -extname(file).length);

async function readItem(
  path: string,
  name: string,
  values: ShellValues,
  options: MigrateOptions,
  definitions: DefinitionSource,
  context: Context,
): Promise<Item> {
  const base = { kind: 'request', id: null, name, stem: stemOf(name) } as const;
  try {
    const text = await readText(path, { signal: context.signal });
    for (const key of secretsInArgv(text)) context.redactor.add(key);
    const source = await readMigrationSource(text, name, values, { signal: context.signal });
    const migration = await convert(source, options, definitions);
    return {
      ...base,
      migration,
      ...(migration.ok && { verification: { source, parts: migration.parts } }),
    };
  } catch (error) {
    if (!ITEM_ERRORS.some(kind => error instanceof kind)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const blockers = [{ field: 'file', reason: context.redactor.redact(message) }];
    return { ...base, migration: { ok: false, blockers, notes: [], missing: [] } };
  }
}
