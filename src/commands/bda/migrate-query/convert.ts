import { dayIn } from '../../../apis/bda/days.ts';
import { UsageError } from '../../../errors/index.ts';
import { isRecord, type Json } from '../../../json/index.ts';
import { type Migration, migrate, type Need } from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';
import { type RequestedDays, timeZoneOf } from '../day-flags.ts';
import type { DefinitionSource } from './definitions.ts';
import type { MigrateFlags } from './flags.ts';
import type { MigrationSource } from './source.ts';
import { assertKnown } from './unknown-values.ts';

/** What one migration goes by besides the request. */
export interface MigrateOptions {
  readonly today: string;
  readonly timeZone: string;
  readonly brand: string;
  readonly lossy: boolean;
  readonly dataSet: string | undefined;
  /** Days that take the place of the request's own. */
  readonly days: Pick<RequestedDays, 'from' | 'to'>;
}

/** The terms that the flags and the profile set. */
export async function migrateOptions(
  flags: Pick<MigrateFlags, 'lossy' | 'dataSet'>,
  days: RequestedDays,
  context: Context,
): Promise<MigrateOptions> {
  const settings = await context.settings();
  const timeZone = await timeZoneOf(context);
  return {
    today: dayIn(context.clock.now(), timeZone),
    timeZone,
    brand: settings.brand.value,
    lossy: flags.lossy,
    dataSet: flags.dataSet,
    days,
  };
}

/** Migrates a request, and again with each kind of definition that turns out to be needed and can be had. Throws UsageError. */
export async function convert(
  asked: MigrationSource,
  terms: MigrateOptions,
  source: DefinitionSource,
): Promise<Migration> {
  const { notes = [], unknown, request, ...report } = asked;
  const { days, dataSet, ...rest } = terms;
  if (unknown !== undefined) assertKnown(unknown.source, unknown.fields, days);
  const attempt = () =>
    migrate({
      ...rest,
      ...report,
      ...(dataSet !== undefined && { dataSet }),
      request: withDays(request, days),
      definitions: source.known,
    });
  // A listing may tell the report's name alone, which the converter can't know to be too little.
  if (asked.customReportId !== undefined)
    await source.lookUp([{ what: 'custom report', id: asked.customReportId }]);
  let migration = attempt();
  while (!migration.ok && (await source.lookUp(migration.needs))) migration = attempt();
  return { ...migration, notes: [...notes, ...migration.notes] };
}

function withDays(request: Json, { from, to }: MigrateOptions['days']): Json {
  if (!isRecord(request)) return request;
  return {
    ...request,
    ...(from !== undefined && { StartDate: from }),
    ...(to !== undefined && { EndDate: to }),
  };
}

const LISTED_BY: Readonly<Record<Need['what'], string>> = {
  report: '--reports FILE (gatectl bda report show NAME --json)',
  'custom report': '--custom-report FILE (gatectl bda report show --id N --json)',
  segment: '--segments FILE (gatectl bda segment list --json)',
  multifilter: '--multifilters FILE (gatectl bda multifilter list --json)',
  filter: '--filters FILE (gatectl bda filter list --json)',
};

/** Fields that stand for the days of a request. */
const DAYS = /^(StartDate|EndDate|(ReportDateRange\.)?(Date)?BaseSelectId)$/;

/** Why a request has no query in v2, field by field. `lossyHelps`: leaving things out would give one. */
export function refusal(
  migration: Extract<Migration, { ok: false }>,
  { isLive }: DefinitionSource,
  lossyHelps: boolean,
): UsageError {
  const details = migration.refusals.map(({ field, reason }) => ({ field, message: reason }));
  const count = details.length === 1 ? 'one field stands' : `${details.length} fields stand`;
  const missing = isLive ? [] : [...new Set(migration.needs.map(({ what }) => LISTED_BY[what]))];
  const hints = missing.map(file => `what is missing comes from the gateway, or from ${file}`);
  if (migration.refusals.some(({ field }) => DAYS.test(field)))
    hints.push('--last 7d, or --from DAY --to DAY, says the days');
  if (lossyHelps) hints.push('--lossy leaves out what v2 can do without, and says so');
  return new UsageError(`this request can't become a query of v2: ${count} in the way`, {
    code: 'not_convertible',
    details,
    hints,
  });
}
