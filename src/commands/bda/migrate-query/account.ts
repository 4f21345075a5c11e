import { addDays } from '../../../apis/bda/days.ts';
import { anyFieldOf, idOf, scalarText } from '../../../apis/bda/fields.ts';
import { readDateBase, reportTitle, unwrapReport } from '../../../apis/bda/report-definition.ts';
import { PartialError, UsageError } from '../../../errors/index.ts';
import { isRecord, type JsonRecord } from '../../../json/index.ts';
import { migrateSegment, type SegmentMigration } from '../../../migrate/index.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import { QUERY_LIMIT_DEFAULT } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import { daysFromFlags } from '../day-flags.ts';
import { type Item, itemRecord, migrateItem } from './batch.ts';
import { answerBatch } from './batch-output.ts';
import { convert, type MigrateOptions, migrateOptions } from './convert.ts';
import type { DefinitionSource } from './definitions.ts';
import type { MigrateFlags } from './flags.ts';
import { hasFailed } from './folder.ts';
import { definitionsFor } from './live-definitions.ts';
import { writeNotes } from './notes.ts';
import { distinctStems, fileStem, openOutFolder } from './out-folder.ts';

/** Each report costs a request, and each item a search in all the others. */
const MAX_ITEMS = 1000;
/** Days that a report without any is tried with. */
const TRIED_DAYS = 7;

/**
 * Tells how far every custom report and segment of the account is from v2. Throws PartialError with `--strict` when one is
 * blocked or loses something, and with `--verify` when one is not in parity.
 */
export async function migrateAccount(flags: MigrateFlags, context: Context): Promise<void> {
  const days = await daysFromFlags(flags, context);
  const terms = await migrateOptions(flags, days, context);
  const definitions = await definitionsFor(flags, context);
  const folder = flags.outDir === undefined ? undefined : await openOutFolder(flags.outDir, undefined);
  const reports = await reportItems(terms, definitions, context);
  const segments = await segmentItems(terms, definitions, context);
  if (reports.length + segments.length === 0 && !definitions.isLive)
    throw new UsageError('the reports and segments of the account are not known', {
      hints: ['name a gateway: --base-url URL or a profile', 'or type --reports FILE --segments FILE'],
    });
  const items = withDistinctStems([...reports, ...segments]);
  const settled = await migrateItem(items, flags, folder, terms, context);
  await writeNotes(flags.notes, settled.map(itemRecord));
  await answerBatch(settled, ['report', 'segment'], context);
  const failed = flags.strict || flags.verify ? settled.filter(hasFailed(flags)).length : 0;
  if (failed > 0)
    throw new PartialError(`${failed} of ${settled.length} reports and segments are not ready`, {
      code: 'partial_failure',
    });
}

function withDistinctStems(items: readonly Item[]): Item[] {
  const stems = distinctStems(items.map(({ stem }) => stem));
  return items.map((item, index) => ({ ...item, stem: stems[index] ?? item.stem }));
}

async function reportItems(
  terms: MigrateOptions,
  definitions: DefinitionSource,
  context: Context,
): Promise<Item[]> {
  const items: Item[] = [];
  let areDaysTold = false;
  const reports = await definitions.reports(MAX_ITEMS);
  for (const report of first(reports, 'reports', context)) {
    if (!isRecord(report)) continue;
    const definition = unwrapReport(report);
    const base = readDateBase(definition)?.id;
    const needsDays = terms.days.from === undefined && (base === undefined || base === 'BASE_NOT_SELECTED');
    const tried = triedDays(terms);
    if (needsDays && !areDaysTold) {
      context.log.note(
        `reports without days of their own are tried with ${tried.StartDate} to ${tried.EndDate}`,
      );
      areDaysTold = true;
    }
    const request = { MaxItems: QUERY_LIMIT_DEFAULT, ...(needsDays && tried) };
    const id = idOf(anyFieldOf(report, 'CustomReportId', 'ReportId', 'Id')) ?? null;
    const name = reportTitle(definition) ?? `report ${id ?? 'without a name'}`;
    const migration = await convert({ request, customReport: report }, terms, definitions);
    const asked = { request, customReport: report, ...(id !== null && { customReportId: id }) };
    items.push({
      ...{ kind: 'report', id, name, migration },
      stem: fileStem(id ?? undefined, name),
      ...(migration.ok && { proof: { asked, queries: migration.queries } }),
    });
  }
  return items;
}

function triedDays({ today }: MigrateOptions): { readonly StartDate: string; readonly EndDate: string } {
  return { StartDate: addDays(today, -TRIED_DAYS), EndDate: addDays(today, -1) };
}

/** What is examined of a list; a warning says how much is not. */
function first(items: readonly unknown[], kind: string, context: Context): readonly unknown[] {
  if (items.length > MAX_ITEMS) {
    const option = kind === 'reports' ? '--reports FILE' : '--segments FILE';
    context.log.warn(
      `examined only the first ${groupDigits(MAX_ITEMS)} of ${groupDigits(items.length)} ${kind}; pass the others with ${option}`,
    );
  }
  return items.slice(0, MAX_ITEMS);
}

async function segmentItems(
  terms: MigrateOptions,
  definitions: DefinitionSource,
  context: Context,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const segment of first(await definitions.segments(), 'segments', context)) {
    if (!isRecord(segment)) continue;
    const id = idOf(anyFieldOf(segment, 'Id', 'SegmentId')) ?? null;
    const name =
      scalarText(anyFieldOf(segment, 'SegmentName', 'Name')) ?? `segment ${id ?? 'without a name'}`;
    const migration = await convertSegment(segment, terms, definitions);
    items.push({
      ...{ kind: 'segment', id, name, migration },
      stem: fileStem('segment', id ?? undefined, name),
      ...(await proofOf(id, migration, terms, definitions)),
    });
  }
  return items;
}

async function convertSegment(
  segment: JsonRecord,
  { lossy }: MigrateOptions,
  definitions: DefinitionSource,
): Promise<SegmentMigration> {
  const attempt = () => migrateSegment(segment, definitions.known, lossy);
  let migration = attempt();
  while (!migration.ok && (await definitions.lookUp(migration.needs))) migration = attempt();
  return migration;
}

/** A segment alone has no rows: it is proven by the visits of each day. */
async function proofOf(
  id: string | null,
  migration: SegmentMigration,
  terms: MigrateOptions,
  definitions: DefinitionSource,
): Promise<Pick<Item, 'proof'>> {
  if (!migration.ok || id === null) return {};
  const request = {
    MaxItems: QUERY_LIMIT_DEFAULT,
    ...triedDays(terms),
    DimensionColumns: [{ Data: 'report_day', Type: 'string' }],
    MetricColumns: [{ Data: 'visits', Type: 'number' }],
    SegmentIds: [id],
  };
  const asked = { request };
  const visits = await convert(asked, terms, definitions);
  return visits.ok ? { proof: { asked, queries: visits.queries } } : {};
}
