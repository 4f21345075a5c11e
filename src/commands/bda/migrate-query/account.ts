import { addDays } from '../../../apis/bda/days.ts';
import { anyFieldOf, idOf, scalarText, wholeNumberOf } from '../../../apis/bda/fields.ts';
import { readDateBase, reportTitle, unwrapReport } from '../../../apis/bda/report-definition.ts';
import { PartialError, UsageError } from '../../../errors/index.ts';
import { isRecord, type JsonRecord } from '../../../json/index.ts';
import { migrateSegment, type SegmentMigration } from '../../../migrate/index.ts';
import type { MigrateOptions } from '../../../operations/migrate/convert-request.ts';
import type { DefinitionSource } from '../../../operations/migrate/definitions.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import { QUERY_LIMIT_DEFAULT } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import { convert, definitionsFor, migrateOptions } from '../flags/checked-migration.ts';
import { daysFromFlags } from '../flags/day-flags.ts';
import type { MigrateFlags } from '../flags/migrate-flags.ts';
import { writeNotes } from '../output/migration-notes.ts';
import { type Item, itemRecord, migrateItems } from './batch.ts';
import { printBatch } from './batch-output.ts';
import { hasFailed } from './folder.ts';
import { distinctStems, fileStem, openOutFolder } from './out-folder.ts';

/** Limits the requests, one per report. */
const MAX_ITEMS = 1000;
/** Number of days in the request for a report that has no date range. */
const SAMPLE_DAYS = 7;

/**
 * Reports for every custom report and segment of the account whether it can be migrated. Throws PartialError with `--strict` if
 * one is blocked or loses something, and with `--verify` if one is not in parity.
 */
export async function migrateAccount(flags: MigrateFlags, context: Context): Promise<void> {
  const days = await daysFromFlags(flags, context);
  const options = await migrateOptions(flags, days, context);
  const definitions = await definitionsFor(flags, context);
  const folder =
    flags.outDir === undefined ? undefined : await openOutFolder(flags.outDir, { replace: flags.replace });
  const reports = await reportItems(options, definitions, context);
  const segments = await segmentItems(options, definitions, context);
  if (reports.length + segments.length === 0 && !definitions.isLive)
    throw new UsageError('the reports and segments of the account are unknown', {
      hints: ['pass --base-url URL or a profile', 'or pass --reports FILE --segments FILE'],
    });
  const items = withDistinctStems([...reports, ...segments]);
  const results = await migrateItems(items, flags, folder, options, context);
  await writeNotes(flags.notes, results.map(itemRecord));
  await printBatch(results, ['report', 'segment'], context);
  const failed = flags.strict || flags.verify ? results.filter(hasFailed(flags)).length : 0;
  if (failed > 0)
    throw new PartialError(`${failed} of ${results.length} reports and segments are not ready`, {
      code: 'partial_failure',
    });
}

function withDistinctStems(items: readonly Item[]): Item[] {
  const stems = distinctStems(items.map(({ stem }) => stem));
  return items.map((item, index) => ({ ...item, stem: stems[index] ?? item.stem }));
}

async function reportItems(
  options: MigrateOptions,
  definitions: DefinitionSource,
  context: Context,
): Promise<Item[]> {
  const items: Item[] = [];
  let hasNotedDays = false;
  const reports = await definitions.reports(MAX_ITEMS);
  for (const report of takeFirst(reports, 'reports', context)) {
    if (!isRecord(report)) continue;
    const definition = unwrapReport(report);
    const base = readDateBase(definition)?.id;
    const needsDays = options.days.from === undefined && (base === undefined || base === 'BASE_NOT_SELECTED');
    const sample = sampleDays(options);
    if (needsDays && !hasNotedDays) {
      context.log.note(`reports without a date range use ${sample.StartDate} to ${sample.EndDate}`);
      hasNotedDays = true;
    }
    const request = { MaxItems: QUERY_LIMIT_DEFAULT, ...(needsDays && sample) };
    const id = idOf(anyFieldOf(report, 'CustomReportId', 'ReportId', 'Id')) ?? null;
    const name = reportTitle(definition) ?? `report ${id ?? 'without a name'}`;
    const migration = await convert({ request, customReport: report }, options, definitions);
    const source = { request, customReport: report, ...(id !== null && { customReportId: id }) };
    items.push({
      ...{ kind: 'report', id, name, migration },
      stem: fileStem(id ?? undefined, name),
      ...(migration.ok && { verification: { source: source, parts: migration.parts } }),
    });
  }
  return items;
}

function sampleDays({ today }: MigrateOptions): { readonly StartDate: string; readonly EndDate: string } {
  return { StartDate: addDays(today, -SAMPLE_DAYS), EndDate: addDays(today, -1) };
}

/** Truncates a list to `MAX_ITEMS`, with a warning. */
function takeFirst(items: readonly unknown[], kind: string, context: Context): readonly unknown[] {
  if (items.length > MAX_ITEMS) {
    const option = kind === 'reports' ? '--reports FILE' : '--segments FILE';
    context.log.warn(
      `examined only the first ${groupDigits(MAX_ITEMS)} of ${groupDigits(items.length)} ${kind}; pass the others with ${option}`,
    );
  }
  return items.slice(0, MAX_ITEMS);
}

async function segmentItems(
  options: MigrateOptions,
  definitions: DefinitionSource,
  context: Context,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const segment of takeFirst(await definitions.segments(), 'segments', context)) {
    if (!isRecord(segment)) continue;
    const id = idOf(anyFieldOf(segment, 'Id', 'SegmentId')) ?? null;
    const name =
      scalarText(anyFieldOf(segment, 'SegmentName', 'Name')) ?? `segment ${id ?? 'without a name'}`;
    const migration = await convertSegment(segment, options, definitions);
    items.push({
      ...{ kind: 'segment', id, name, migration },
      stem: fileStem('segment', id ?? undefined, name),
      ...(await verificationOf(id, migration, options, definitions)),
    });
  }
  return items;
}

async function convertSegment(
  segment: JsonRecord,
  options: MigrateOptions,
  definitions: DefinitionSource,
): Promise<SegmentMigration> {
  const attempt = () => migrateSegment(segment, definitions.known, options);
  let migration = attempt();
  while (!migration.ok && (await definitions.lookUp(migration.missing))) migration = attempt();
  return migration;
}

/** A segment has no rows of its own: its verification compares the visits per day. */
async function verificationOf(
  id: string | null,
  migration: SegmentMigration,
  options: MigrateOptions,
  definitions: DefinitionSource,
): Promise<Pick<Item, 'verification'>> {
  if (!migration.ok || id === null) return {};
  const request = {
    MaxItems: QUERY_LIMIT_DEFAULT,
    ...sampleDays(options),
    DimensionColumns: [{ Data: 'report_day', Type: 'string' }],
    MetricColumns: [{ Data: 'visits', Type: 'number' }],
    SegmentIds: [wholeNumberOf(id) ?? id],
  };
  const source = { request };
  const visits = await convert(source, options, definitions);
  return visits.ok ? { verification: { source: source, parts: visits.parts } } : {};
}
