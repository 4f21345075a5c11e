import { UsageError } from '../../../errors/index.ts';
import { isRecord, type Json, type JsonRecord } from '../../../json/index.ts';
import { type Migration, type MissingDefinition, migrate } from '../../../migrate/index.ts';
import { timeZoneOf, todayOf } from '../../../operations/today.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import { DEFAULT_DATA_SET } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import type { RequestedDays } from '../flags/day-flags.ts';
import type { DefinitionSource } from './definitions.ts';
import type { MigrateFlags } from './flags.ts';
import type { MigrationSource } from './source.ts';
import { assertKnown } from './unknown-values.ts';

/** Options of a migration. */
export interface MigrateOptions {
  readonly today: string;
  readonly timeZone: string;
  readonly brand: string;
  readonly lossy: boolean;
  readonly allowUnknown: readonly string[];
  readonly dataSet: string | undefined;
  /** Days that override those of the request. */
  readonly days: Pick<RequestedDays, 'from' | 'to'>;
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

/** Migrates a request, and repeats as long as missing definitions can be looked up. Throws UsageError. */
export async function convert(
  source: MigrationSource,
  options: MigrateOptions,
  available: DefinitionSource,
): Promise<Migration> {
  const { notes = [], unknown, request, ...report } = source;
  const { days, dataSet, ...rest } = options;
  if (unknown !== undefined) assertKnown(unknown.source, unknown.fields, days);
  const migrateKnown = () =>
    migrate({
      ...rest,
      ...report,
      ...(dataSet !== undefined && { dataSet }),
      request: withDays(request, days),
      definitions: available.known,
    });
  // A listing may contain only the name of the report, which migrate() cannot recognize as incomplete.
  if (source.customReportId !== undefined)
    await available.lookUp([{ what: 'custom report', id: source.customReportId }]);
  let migration = migrateKnown();
  while (!migration.ok && (await available.lookUp(migration.missing))) migration = migrateKnown();
  if (usesOtherDataSet(migration) && (await available.lookUpColumnsV1())) migration = migrateKnown();
  return { ...migration, notes: [...notes, ...migration.notes] };
}

/** Whether v1, which has no data sets, may lack a column. */
function usesOtherDataSet(migration: Migration): boolean {
  return migration.ok && migration.queries.some(({ query }) => query.data_set !== DEFAULT_DATA_SET);
}

function withDays(request: Json, days: MigrateOptions['days']): Json {
  return isRecord(request) ? { ...request, ...typedDays(days) } : request;
}

/** The days of the flags, as fields of a v1 request. */
export function typedDays({ from, to }: MigrateOptions['days']): JsonRecord {
  return { ...(from !== undefined && { StartDate: from }), ...(to !== undefined && { EndDate: to }) };
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
export function refusal(
  migration: Extract<Migration, { ok: false }>,
  { isLive }: DefinitionSource,
  lossyHelps: boolean,
): UsageError {
  const details = migration.blockers.map(({ field, reason }) => ({ field, message: reason }));
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
