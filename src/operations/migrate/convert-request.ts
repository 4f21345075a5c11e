import { isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { type Migration, type MigrationInput, migrate, type Note } from '../../migrate/index.ts';
import { DEFAULT_DATA_SET } from '../../wire/bda-v2.ts';
import type { DefinitionSource } from './definitions.ts';

/** A v1 request and the report that it runs. */
export interface MigrationRequest {
  readonly request: Json;
  /** Whether none was given, only a report. */
  readonly isPageAssumed?: boolean;
  readonly reportName?: string;
  readonly customReportId?: string;
  /** The definition of the custom report. */
  readonly customReport?: Json;
  /** Notes on other parts of the URL. */
  readonly notes?: readonly Note[];
}

/** Options of a migration. */
export interface MigrateOptions
  extends Pick<MigrationInput, 'today' | 'timeZone' | 'brand' | 'lossy' | 'allowUnknown'> {
  readonly dataSet: string | undefined;
  /** Days that override those of the request. */
  readonly days: { readonly from: string | undefined; readonly to: string | undefined };
}

/** Migrates a request, and repeats as long as missing definitions can be looked up. Throws the errors of the listings. */
export async function convertRequest(
  source: MigrationRequest,
  options: MigrateOptions,
  available: DefinitionSource,
): Promise<Migration> {
  const { notes = [], request, ...report } = source;
  const { days, dataSet, ...rest } = options;
  const migrateKnown = () =>
    migrate({
      ...rest,
      ...report,
      ...(dataSet !== undefined && { dataSet }),
      request: isRecord(request) ? { ...request, ...daysOf(options) } : request,
      definitions: available.known,
    });
  // A listing may contain only the name of the report, which migrate() cannot recognize as incomplete.
  if (source.customReportId !== undefined)
    await available.lookUp([{ what: 'custom report', id: source.customReportId }]);
  let migration = migrateKnown();
  while (!migration.ok && (await available.lookUp(migration.missing))) migration = migrateKnown();
  for (const listing of listingsFor(migration))
    if (await available.lookUpListing(listing)) migration = migrateKnown();
  return { ...migration, notes: [...notes, ...migration.notes] };
}

/** What only a listing tells: whether v1 has the columns of another data set, or one that v2 lacks, and whether the account has a site. */
function listingsFor(migration: Migration): readonly ('columnsV1' | 'siteIds')[] {
  const queries = migration.ok ? migration.queries.map(({ query }) => query) : [];
  const isOther = queries.some(query => query.data_set !== DEFAULT_DATA_SET);
  const losesColumn =
    migration.ok &&
    migration.notes.some(({ kind, field }) => kind === 'lost' && /Columns\[|^Filters\[/.test(field));
  return [
    ...(isOther || losesColumn ? (['columnsV1'] as const) : []),
    ...(queries.some(query => query.domain_id !== undefined) ? (['siteIds'] as const) : []),
  ];
}

/** The days of the options, as fields of a v1 request. */
export function daysOf({ days: { from, to } }: Pick<MigrateOptions, 'days'>): JsonRecord {
  return { ...(from !== undefined && { StartDate: from }), ...(to !== undefined && { EndDate: to }) };
}
