import { idOf, isPresent, wholeNumberOf } from '../../../apis/bda/fields.ts';
import { inlineColumns } from '../../../apis/bda-v1/data-request.ts';
import { fetchRowsV1 } from '../../../apis/bda-v1/fetch-rows.ts';
import type { DataTarget } from '../../../apis/bda-v1/requests.ts';
import { pageOf } from '../../../apis/bda-v2/query.ts';
import { queryRows } from '../../../apis/bda-v2/query-rows.ts';
import { integerOf, isRecord, type JsonRecord } from '../../../json/index.ts';
import {
  type Comparison,
  compareRows,
  type MigratedQuery,
  queryRecord,
  type V1Equivalent,
} from '../../../migrate/index.ts';
import { bdaV1Site, bdaV2Site } from '../../../operations/listings/analytics.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX, type Query } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import type { MigrateOptions } from './convert.ts';
import { type FetchedRows, fetchAllRows, fetchPagesV1, limitedPlan } from './fetched-rows.ts';
import type { MigrationSource } from './source.ts';

/** Sends requests to both versions. */
export interface Versions {
  /** `isFullReport`: the saved report returns these rows. */
  v1(request: JsonRecord, isFullReport: boolean): Promise<FetchedRows>;
  v2(query: JsonRecord): Promise<FetchedRows>;
}

/** `parity`: the same rows, values and order. `unverified`: nothing to compare. */
export type Outcome = 'parity' | 'different' | 'unverified';

export interface Verification {
  readonly label: string;
  readonly outcome: Outcome;
  /** Absent where v1 has no such request. */
  readonly comparison?: Comparison;
  /** Explanation of the outcome. */
  readonly note?: string;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Runs the request on v1 and the query on v2, and compares the values of each row and the requested order. */
export async function verifyQuery(one: MigratedQuery, versions: Versions): Promise<Verification> {
  const { label, query, v1 } = one;
  if (v1 === undefined)
    return { label, outcome: 'unverified', note: 'v1 requires the id of a segment, and this one has none' };
  const { limit = QUERY_LIMIT_DEFAULT, offset = 0 } = query;
  const page = await fetchBoth(one, v1, { offset, limit }, versions);
  const found = provenBy(page, verification(label, comparePages(page, one, v1)));
  const isSorted = isInOrder(page, one, v1);
  if (hasSameRows(found)) return isSorted ? found : notInOrder(found, query);
  // Missing rows shift the rows after them, so the order cannot be compared.
  if (!isPartial(page)) return found;
  // Rows with equal sort values may be on either side of the end of a page: compare all rows instead.
  const all = await fetchBoth(one, v1, { offset: 0, limit: QUERY_LIMIT_MAX }, versions);
  const full = provenBy(all, verification(label, comparePages(all, one, v1)));
  if (hasSameRows(full) && !isSorted) return notInOrder(full, query);
  const why = isSorted
    ? 'rows with equal sort values cross the end of the page'
    : 'the pages contain different rows';
  const count = full.comparison?.joined ?? 0;
  const note = `${why}, so all ${count} rows were compared`;
  return { ...full, note: full.note === undefined ? note : `${note}; ${full.note}` };
}

/** Rows that are not complete prove no parity. */
function provenBy({ v1, v2 }: PagePair, found: Verification): Verification {
  const flaws = [...v1.flaws.map(flaw => `v1: ${flaw}`), ...v2.flaws.map(flaw => `v2: ${flaw}`)];
  if (flaws.length === 0) return found;
  const note = [...(found.note === undefined ? [] : [found.note]), ...flaws].join('; ');
  return { ...found, outcome: found.outcome === 'parity' ? 'unverified' : found.outcome, note };
}

function hasSameRows({ comparison }: Verification): boolean {
  return comparison?.onlyV1.length === 0 && comparison.onlyV2.length === 0;
}

function notInOrder(found: Verification, { sort = [] }: Query): Verification {
  const by = sort.map(({ column, direction }) => `${column} ${direction}`).join(', ');
  return { ...found, outcome: 'different', note: `the rows are not in the same order by ${by}` };
}

interface PagePair extends Page {
  readonly v1: FetchedRows;
  readonly v2: FetchedRows;
}

async function fetchBoth(
  one: MigratedQuery,
  v1: V1Equivalent,
  page: Page,
  versions: Versions,
): Promise<PagePair> {
  const request = { ...v1.request, StartItem: page.offset, MaxItems: page.limit };
  return {
    ...page,
    v1: await versions.v1(request, v1.isFullReport),
    v2: await versions.v2(pageOf(queryRecord(one.query), page)),
  };
}

function comparePages({ v1, v2 }: PagePair, { query }: MigratedQuery, side: V1Equivalent): Comparison {
  const { dimensions = [], metrics = [] } = query;
  return compareRows(v1.rows, v2.rows, { ...side, v1Columns: side.columns, dimensions, metrics });
}

/** Whether the sort column has the same sequence of values in both versions, allowing for rounding. */
function isInOrder({ v1, v2 }: PagePair, { query }: MigratedQuery, side: V1Equivalent): boolean {
  const [sort] = query.sort ?? [];
  if (sort === undefined) return true;
  const numbered = (rows: readonly JsonRecord[]) =>
    rows.map((row, position) => ({ ...row, [POSITION]: position }));
  const sorted = compareRows(numbered(v1.rows), numbered(v2.rows), {
    ...side,
    v1Columns: side.columns,
    dimensions: [POSITION],
    metrics: [sort.column],
  });
  // Rows that only one version has are compared elsewhere.
  return sorted.metrics.every(({ verdict }) => verdict !== 'different');
}

/** Not the name of any column. */
const POSITION = '(position)';

/** Whether there may be rows outside the page. */
function isPartial({ v1, v2, offset, limit }: PagePair): boolean {
  return offset > 0 || v1.rows.length >= limit || v2.rows.length >= limit || (v2.total ?? 0) > v2.rows.length;
}

function verification(label: string, comparison: Comparison): Verification {
  const absent = comparison.metrics.flatMap(({ metric, lacking }) =>
    lacking === undefined ? [] : [`${lacking.join(' and ')} returned no ${metric}`],
  );
  if (!comparison.parity)
    return {
      label,
      outcome: 'different',
      comparison,
      ...(absent.length > 0 && { note: absent.join('; ') }),
    };
  if (comparison.joined > 0) return { label, outcome: 'parity', comparison };
  return { label, outcome: 'unverified', comparison, note: 'neither version returned rows' };
}

/** Fields that a saved report defines itself. */
const REPORT_FIELDS = ['DimensionColumns', 'MetricColumns', 'Order', 'Filters'];
const DAYS = ['StartDate', 'EndDate'];

/**
 * The senders of both versions. v1 runs the saved report by its name or id where it has one, and with its default days if the
 * request names none, so that the comparison covers the computed days as well.
 */
export async function versionsFor(
  source: MigrationSource,
  options: Pick<MigrateOptions, 'days'>,
  context: Context,
): Promise<Versions> {
  const [sender, v1, v2] = [await context.gateway(), await bdaV1Site(context), await bdaV2Site(context)];
  const report = reportTarget(source);
  const ownFields = usesDefaultDays(source, options) ? [...REPORT_FIELDS, ...DAYS] : REPORT_FIELDS;
  const rowsOfV1 = (target: DataTarget, request: JsonRecord, columns: readonly string[]) =>
    fetchPagesV1(request, page => fetchRowsV1(sender, v1, target, { ...request, ...page }, columns));
  return {
    v1: (request, isFullReport) =>
      report !== undefined && isFullReport
        ? rowsOfV1(report, omitFields(request, ownFields), inlineColumns(request))
        : rowsOfV1({ inline: true }, request, inlineColumns(request)),
    v2: query => {
      const plan = limitedPlan(integerOf(query.offset) ?? 0, integerOf(query.limit) ?? QUERY_LIMIT_DEFAULT);
      return fetchAllRows({ source: queryRows(sender, v2, query, { paged: false }), plan }, context);
    },
  };
}

/** Whether the request uses the default days of its report. */
export function usesDefaultDays(
  { request }: MigrationSource,
  { days }: Pick<MigrateOptions, 'days'>,
): boolean {
  const fields = isRecord(request) ? [request.StartDate, request.EndDate] : [];
  return ![days.from, days.to, ...fields].some(isPresent);
}

function reportTarget({ reportName, customReportId }: MigrationSource): DataTarget | undefined {
  if (reportName !== undefined) return { reportName };
  const id = wholeNumberOf(idOf(customReportId));
  return id === undefined ? undefined : { customReportId: String(id) };
}

function omitFields(request: JsonRecord, fields: readonly string[]): JsonRecord {
  return Object.fromEntries(Object.entries(request).filter(([field]) => !fields.includes(field)));
}
