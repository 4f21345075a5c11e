import { isPresent } from '../../../apis/bda/fields.ts';
import { namedSegments } from '../../../apis/bda-v1/definition.ts';
import { UsageError } from '../../../errors/index.ts';
import { invalidInput, invalidUsage } from '../../../errors/usage.ts';
import { isRecord, type Json, parseJson, placeOf } from '../../../json/index.ts';
import {
  type Definitions,
  type MigratedQuery,
  type Migration,
  type MissingDefinition,
  readColumnCatalogue,
} from '../../../migrate/index.ts';
import { convertRequest, type MigrateOptions } from '../../../operations/migrate/convert-request.ts';
import {
  type DefinitionSource,
  fixedDefinitions,
  liveDefinitions,
} from '../../../operations/migrate/definitions.ts';
import { timeZoneOf, todayOf } from '../../../operations/today.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { jsonFile } from '../../framework/json-input.ts';
import { migrationRecord, printNotes, writeNotes } from '../output/migration-notes.ts';
import { daysFromFlags, type RequestedDays } from './day-flags.ts';
import type { MigrateFlags } from './migrate-flags.ts';
import type { MigrationSource } from './migration-source.ts';
import { segmentIdsIn } from './segments.ts';
import { assertKnown } from './unknown-values.ts';

/** Converts a request, prints the notes and writes them to the file of the flags. Throws UsageError for what v2 cannot express. */
export async function checkedMigration(input: MigrationSource, flags: MigrateFlags, context: Context) {
  const days = await daysFromFlags(flags, context, { hasEnd: hasEndDate(input.request) });
  const options = await migrateOptions(flags, days, context);
  const definitions = await definitionsFor(flags, context);
  const source = await withSegments(input, flags.segment, definitions);
  const migration = await convert(source, options, definitions);
  await writeNotes(flags.notes, migrationRecord(migration));
  if (!migration.ok) {
    const lossy = await convert(source, { ...options, lossy: true }, definitions);
    throw refusal(migration, source, { isLive: definitions.isLive, lossyHelps: lossy.ok });
  }
  printNotes(migration.notes, context);
  noteLabels(migration.queries, context);
  return { migration, source, options };
}

function hasEndDate(request: Json): boolean {
  return isRecord(request) && isPresent(request.EndDate);
}

function noteLabels(queries: readonly MigratedQuery[], context: Context): void {
  if (queries.length > 1)
    context.log.note(
      `${queries.length} queries, in this order: ${queries.map(({ label }) => label).join(', ')}`,
    );
}

/** Replaces the segments of the request with those of the flags (ids or names). Throws UsageError. */
async function withSegments(
  source: MigrationSource,
  given: readonly string[],
  definitions: DefinitionSource,
): Promise<MigrationSource> {
  if (given.length === 0 || !isRecord(source.request)) return source;
  const ids = await segmentIdsIn(given, async () => {
    if (definitions.isLive || definitions.known.segments !== undefined)
      return namedSegments(await definitions.segments());
    throw invalidUsage(
      'a segment name requires a gateway or --segments FILE',
      'pass the id of the segment',
      'or pass --segments FILE (gatectl bda segment list --json)',
    );
  });
  return { ...source, request: { ...source.request, SegmentIds: ids } };
}

/** The options from flags and profile. */
export async function migrateOptions(
  flags: Pick<MigrateFlags, 'lossy' | 'allowUnknown' | 'dataSet'>,
  days: RequestedDays,
  context: Context,
): Promise<MigrateOptions> {
  const settings = await context.settings();
  return {
    today: await todayOf(context),
    timeZone: await timeZoneOf(context),
    brand: settings.brand.value,
    lossy: flags.lossy,
    allowUnknown: flags.allowUnknown,
    dataSet: flags.dataSet,
    days,
  };
}

/** Converts the request of a file or script. Throws UsageError if values of it are unknown. */
export async function convert(
  { unknown, ...source }: MigrationSource,
  options: MigrateOptions,
  available: DefinitionSource,
): Promise<Migration> {
  if (unknown !== undefined) assertKnown(unknown.source, unknown.fields, options.days);
  return await convertRequest(source, options, available);
}

/**
 * Definitions from files, and those of other kinds from the gateway, fetched when first required. Without a gateway, with
 * `--offline` or with `--curl`, from files only. Throws UsageError or FileError.
 */
export async function definitionsFor(flags: MigrateFlags, context: Context): Promise<DefinitionSource> {
  const files = await definitionsInFiles(flags, context);
  const { baseUrl } = await context.settings();
  if (flags.offline || context.globals.curl || baseUrl.value === undefined) return fixedDefinitions(files);
  return await liveDefinitions(files, context);
}

/** Reads the files of definitions. Throws UsageError or FileError. */
async function definitionsInFiles(flags: MigrateFlags, context: Context): Promise<Definitions> {
  const read = async (path: string | undefined): Promise<Json | undefined> =>
    path === undefined ? undefined : await jsonFile(path, context);
  const reports = await read(flags.reports);
  return {
    reports,
    customReports: reports,
    segments: await read(flags.segments),
    multifilters: await read(flags.multifilters),
    filters: await read(flags.filters),
    columnsV2: await columnsIn(flags.columns, context),
  };
}

/** Rejects a file without columns: every column of a request would fail the check. */
async function columnsIn(path: string | undefined, context: Context): Promise<Json | undefined> {
  const listing = path === undefined ? undefined : await jsonFile(path, context);
  if (listing === undefined || readColumnCatalogue(listing) !== undefined) return listing;
  throw invalidInput(`no columns in ${path}`, 'gatectl bda columns --json prints them in this format');
}

const DEFINITION_FLAGS: Readonly<Record<MissingDefinition['what'], string>> = {
  report: '--reports FILE (gatectl bda report show NAME --json)',
  'custom report': '--custom-report FILE (gatectl bda report show --id N --json)',
  segment: '--segments FILE (gatectl bda segment list --json)',
  multifilter: '--multifilters FILE (gatectl bda multifilter list --json)',
  filter: '--filters FILE (gatectl bda filter list --json)',
};

/** Fields that set the days of a request. */
const DAYS = /^(StartDate|EndDate|(ReportDateRange\.)?(Date)?BaseSelectId)$/;

/** The error for a blocked migration, with a detail per field. `lossyHelps`: whether --lossy would succeed. */
function refusal(
  migration: Extract<Migration, { ok: false }>,
  { document }: MigrationSource,
  { isLive, lossyHelps }: { readonly isLive: boolean; readonly lossyHelps: boolean },
): UsageError {
  const details = migration.blockers.map(({ field, reason: message }) => {
    const origin = document && originIn(document, field);
    return { field, message, ...(origin !== undefined && { origin }) };
  });
  const missing = isLive ? [] : [...new Set(migration.missing.map(({ what }) => DEFINITION_FLAGS[what]))];
  const hints = missing.map(file => `definitions come from the gateway, or from ${file}`);
  if (migration.blockers.some(({ field }) => DAYS.test(field)))
    hints.push('to set the days, pass --last 7d, or --from DAY --to DAY');
  if (lossyHelps) hints.push('to omit what v2 cannot express, pass --lossy');
  return new UsageError(`cannot convert the request to a v2 query: ${pluralize(details.length, 'problem')}`, {
    code: 'not_convertible',
    details,
    hints,
  });
}

/** The place of a field: `request.json:3:17`. Undefined for one that the request lacks, such as a field of the report that it runs. */
function originIn(
  { name, text }: NonNullable<MigrationSource['document']>,
  field: string,
): string | undefined {
  const path = [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([part, index]) =>
    index === undefined ? part : Number(index),
  );
  const document = parseJson(text);
  const [first] = path;
  if (!isRecord(document) || first === undefined || !Object.hasOwn(document, first)) return undefined;
  const { line, column } = placeOf(text, path);
  return `${name}:${line}:${column}`;
}
