import { idOf, isPresent, isSameField, wholeNumberOf } from '../../apis/bda/fields.ts';
import { inlineColumns } from '../../apis/bda-v1/data-request.ts';
import { fetchRowsV1 } from '../../apis/bda-v1/fetch-rows.ts';
import type { BdaV1Site, DataTarget } from '../../apis/bda-v1/requests.ts';
import type { Sender } from '../../http/sender.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import {
  type Comparison,
  compareRows,
  isKeyName,
  type MergedRow,
  type PlanPart,
  pageOfPart,
  withPage,
} from '../../migrate/index.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX, type Query } from '../../wire/bda-v2.ts';
import type { MigrationRequest } from './convert-request.ts';
import {
  type FetchedRows,
  fetchPagesV1,
  fetchPart,
  type PlannedRows,
  type QueryFetcher,
} from './fetch-rows.ts';

/** A v1 request as it was given, and the parts of the plan that replace it. */
export interface Replay {
  /** A name for messages. */
  readonly label: string;
  readonly target: DataTarget;
  /** The body, as it is sent. Undefined where v1 has no such request. */
  readonly request: JsonRecord | undefined;
  readonly parts: readonly PlanPart[];
}

/** Sends requests to both versions. */
export interface Versions {
  v1(target: DataTarget, request: JsonRecord): Promise<FetchedRows>;
  readonly v2: QueryFetcher;
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

/**
 * The v1 requests that a plan replaces: the request itself, with its keys removed, or for a definition that v1 has not saved, one inline
 * request for each chart. `days` are sent where they are given; otherwise a saved report uses its own.
 */
export function replaysOf(
  source: MigrationRequest,
  parts: readonly PlanPart[],
  days: JsonRecord,
): readonly Replay[] {
  const report = reportTarget(source);
  const label = labelOf(parts);
  if (report === undefined && isPresent(source.customReport))
    return parts.map(part => ({
      label: labelOf([part]),
      target: { inline: true },
      request: part.v1.request && { MaxItems: pageOfPart(part).limit, ...part.v1.request },
      parts: [part],
    }));
  const typed = isRecord(source.request) ? source.request : {};
  const fields = Object.entries(typed).filter(([name, value]) => !isKeyName(name) && value !== undefined);
  const request = { ...Object.fromEntries(fields), ...days };
  if (report === undefined) return [{ label, target: { inline: true }, request, parts }];
  // getdata requires a page size.
  const sized = isPresent(request.MaxItems) ? request : { MaxItems: QUERY_LIMIT_DEFAULT, ...request };
  return [{ label, target: report, request: sized, parts }];
}

/** The labels of all queries. */
function labelOf(parts: readonly PlanPart[]): string {
  return parts.flatMap(({ queries }) => queries.map(({ label }) => label)).join(' + ');
}

function reportTarget({ reportName, customReportId }: MigrationRequest): DataTarget | undefined {
  if (reportName !== undefined) return { reportName };
  const id = wholeNumberOf(idOf(customReportId));
  return id === undefined ? undefined : { customReportId: String(id) };
}

/** The days of all queries together: `2026-03-01..2026-03-07`. */
export function verifiedDays(parts: readonly PlanPart[]): string {
  const ranges = parts.flatMap(part => part.queries.map(({ query }) => query.date_range));
  const [first] = ranges.map(range => range.start_date).sort();
  const last = ranges
    .map(range => range.end_date)
    .sort()
    .at(-1);
  return `${first}..${last}`;
}

/** Both versions of a gateway. */
export function gatewayVersions(sender: Sender, v1: BdaV1Site, v2: QueryFetcher): Versions {
  return {
    v1: (target, request) =>
      fetchPagesV1(request, page =>
        fetchRowsV1(sender, v1, target, { ...request, ...page }, inlineColumns(request)),
      ),
    v2,
  };
}

/** Sends the v1 request as it is, runs the plan, merges its rows as it says, and compares them row by row with those of v1. */
export async function verifyMigration(replay: Replay, versions: Versions): Promise<Verification> {
  const { label, request } = replay;
  if (request === undefined)
    return { label, outcome: 'unverified', note: 'v1 requires the id of a segment, and this one has none' };
  const page = await fetchBoth(replay, request, versions);
  const found = provenBy(page, outcomeOf(replay, page));
  if (replay.parts.length > 1 && found.outcome === 'different') return chartsOf(found, page, replay);
  if (found.outcome === 'parity' || !isPartial(page, replay) || hasSameRows(found)) return found;
  if (page.v1.rows.length === 0 || plannedRows(page).length === 0) return found;
  return provenBy(page, await compareBeyondPage(found, page, replay, request, versions));
}

/** Of several charts, v1 may return the rows of one only. */
function chartsOf(found: Verification, page: BothRows, replay: Replay): Verification {
  for (const [index, part] of replay.parts.entries()) {
    const only = { ...replay, parts: [part] };
    const rows = { v1: page.v1, v2: page.v2.slice(index, index + 1) };
    const one = provenBy(rows, outcomeOf(only, rows));
    if (one.outcome !== 'parity') continue;
    const others = replay.parts.filter(other => other !== part);
    const note = `v1 returned the rows of ${labelOf([part])} only; the plan also returns those of ${labelOf(others)}`;
    return { ...one, outcome: 'different', note: joined(note, one.note) };
  }
  return { ...found, note: 'v1 returned other rows than the charts of the report, one or all' };
}

/**
 * Rows with equal sort values may be on either side of the end of a page. If the pages have as many rows with the same sequence of sort
 * values, all rows are compared instead.
 */
async function compareBeyondPage(
  found: Verification,
  page: BothRows,
  replay: Replay,
  request: JsonRecord,
  versions: Versions,
): Promise<Verification> {
  const everything = { offset: 0, limit: QUERY_LIMIT_MAX };
  const all: Replay = { ...replay, parts: replay.parts.map(part => withPage(part, everything)) };
  const requested = { ...request, StartItem: everything.offset, MaxItems: everything.limit };
  const both = await fetchBoth(all, requested, versions);
  const full = provenBy(both, outcomeOf(all, both));
  const count = full.comparison?.joined ?? 0;
  if (full.outcome !== 'parity')
    return { ...full, note: joined(`all ${count} rows were compared`, full.note) };
  const [sort] = sortsOf(replay);
  if (sort === undefined)
    return {
      ...found,
      note: `the request has no order, so each version has its own rows on the page; all ${count} rows agree`,
    };
  if (page.v1.rows.length !== plannedRows(page).length || brokenSort(page, replay) !== undefined)
    return { ...found, note: joined(`the pages differ, though all ${count} rows agree`, found.note) };
  return {
    ...full,
    note: joined(
      `rows with equal sort values cross the end of the page, so all ${count} rows were compared`,
      full.note,
    ),
  };
}

interface BothRows {
  readonly v1: FetchedRows;
  /** One for each part of the plan. */
  readonly v2: readonly PlannedRows[];
}

const plannedRows = ({ v2 }: BothRows): readonly MergedRow[] => v2.flatMap(({ rows }) => rows);

async function fetchBoth(
  { target, parts }: Replay,
  request: JsonRecord,
  versions: Versions,
): Promise<BothRows> {
  const v1 = await versions.v1(target, request);
  const v2: PlannedRows[] = [];
  for (const part of parts) v2.push(await fetchPart(part, versions.v2));
  return { v1, v2 };
}

/** Rows that are not complete prove no parity. */
function provenBy({ v1, v2 }: BothRows, found: Verification): Verification {
  const several = v2.flatMap(({ rows }) => rows).some(({ query }, _, [first]) => query !== first?.query);
  const flaws = [
    ...v1.flaws.map(flaw => `v1: ${flaw}`),
    ...v2.flatMap(part =>
      part.flaws.map(({ query, flaw }) => (several ? `v2: ${query.label}: ${flaw}` : `v2: ${flaw}`)),
    ),
  ];
  const stated = flaws.filter(flaw => !found.note?.includes(flaw));
  if (stated.length === 0) return found;
  const note = joined(found.note, ...stated);
  return { ...found, outcome: found.outcome === 'parity' ? 'unverified' : found.outcome, note };
}

/** The outcome for a page, by rows, values and order. */
function outcomeOf(replay: Replay, both: BothRows): Verification {
  const { label } = replay;
  const comparison = compare(replay, both);
  if (comparison.joined === 0 && comparison.parity)
    return { label, comparison, outcome: 'unverified', note: 'neither version returned rows' };
  const lacking = comparison.metrics.flatMap(({ metric, lacking: sides = [] }) =>
    sides.map(side => `${side} returned no ${metric}`),
  );
  const others = otherColumns(replay, both);
  const notes = [...lacking, ...(others.length > 0 ? [`v1 also returned ${others.join(', ')}`] : [])];
  const found: Verification = {
    ...{ label, comparison, outcome: comparison.parity ? 'parity' : 'different' },
    ...(notes.length > 0 && { note: notes.join('; ') }),
  };
  if (!hasSameRows(found)) return found;
  const sort = brokenSort(both, replay);
  if (sort === undefined) return found;
  return {
    ...found,
    outcome: 'different',
    note: joined(`the rows are not in the same order by ${sort.column} ${sort.direction}`, found.note),
  };
}

function hasSameRows({ comparison }: Verification): boolean {
  return comparison?.onlyV1.length === 0 && comparison.onlyV2.length === 0;
}

type Sort = NonNullable<Query['sort']>[number];

/** The sort columns of the parts. */
function sortsOf({ parts }: Replay): Sort[] {
  return parts.flatMap(({ queries: [first] }) => first?.query.sort?.[0] ?? []);
}

/** Not the names of any columns. */
const SEGMENT = '(segment)';
const POSITION = '(position)';

/** Compares the rows, joined on their dimensions and, where v1 names it, their segment. */
function compare(replay: Replay, both: BothRows): Comparison {
  const { dimensions, metrics, options } = columnsOf(replay);
  const planned = plannedRows(both);
  const segment = segmentColumn(both.v1.rows, replay);
  if (segment === undefined)
    return compareRows(
      both.v1.rows,
      planned.map(({ row }) => row),
      { ...options, dimensions, metrics },
    );
  return compareRows(
    both.v1.rows.map(row => ({ ...row, [SEGMENT]: row[segment] ?? null })),
    planned.map(({ query, row }) => ({ ...row, [SEGMENT]: query.segment ?? null })),
    { ...options, dimensions: [SEGMENT, ...dimensions], metrics },
  );
}

/** The first sort by which the rows of a part are in another order than those of v1, allowing for rounding. */
function brokenSort(both: BothRows, replay: Replay): Sort | undefined {
  const numbered = (rows: readonly JsonRecord[]) =>
    rows.map((row, position) => ({ ...row, [POSITION]: position }));
  let before = 0;
  for (const [index, part] of replay.parts.entries()) {
    const planned = both.v2[index]?.rows ?? [];
    // The rows of v1 are those of one chart after another.
    const rows = both.v1.rows.slice(before, replay.parts.length > 1 ? before + planned.length : undefined);
    before += planned.length;
    const only = { ...replay, parts: [part] };
    const [sort] = sortsOf(only);
    if (sort === undefined) continue;
    const sorted = compareRows(numbered(rows), numbered(planned.map(({ row }) => row)), {
      ...columnsOf(only).options,
      dimensions: [POSITION],
      metrics: [sort.column],
    });
    // Rows that only one version has are compared elsewhere.
    if (sorted.metrics.some(({ verdict }) => verdict === 'different')) return sort;
  }
  return undefined;
}

/** What the parts of a plan have in columns, together. */
function columnsOf({ parts }: Replay) {
  const queries = parts.flatMap(part => part.queries.map(({ query }) => query));
  return {
    dimensions: [...new Set(queries.flatMap(query => query.dimensions ?? []))],
    metrics: [...new Set(queries.flatMap(query => query.metrics ?? []))],
    options: {
      v1Columns: Object.assign({}, ...parts.map(({ v1 }) => v1.columns)) as Record<string, string>,
      decimals: Object.assign({}, ...parts.map(({ v1 }) => v1.decimals)) as Record<string, number>,
      rounded: parts.flatMap(({ v1 }) => v1.rounded),
    },
  };
}

/** The column in which v1 names the segment of each row: it is not documented, so it is known by its values. */
function segmentColumn(rows: readonly JsonRecord[], { parts }: Replay): string | undefined {
  const names = new Set(parts.flatMap(part => part.queries.flatMap(({ segment }) => segment ?? [])));
  const [first] = rows;
  if (names.size < 2 || first === undefined) return undefined;
  return Object.keys(first).find(column =>
    rows.every(row => typeof row[column] === 'string' && names.has(row[column])),
  );
}

/** Columns of the rows of v1 that the plan lacks, such as the name of the only segment. */
function otherColumns(replay: Replay, { v1 }: BothRows): string[] {
  const { dimensions, metrics, options } = columnsOf(replay);
  const planned = [...dimensions, ...metrics].flatMap(name => [name, options.v1Columns[name] ?? name]);
  const segment = segmentColumn(v1.rows, replay);
  return Object.keys(v1.rows[0] ?? {}).filter(
    name => name !== segment && !planned.some(other => isSameField(name, other)),
  );
}

/** Whether there may be rows outside the page. */
function isPartial({ v1, v2 }: BothRows, { parts }: Replay): boolean {
  return parts.some((part, index) => {
    const { offset, limit } = pageOfPart(part);
    const { rows, total } = v2[index] ?? { rows: [], total: undefined };
    return offset > 0 || v1.rows.length >= limit || rows.length >= limit || (total ?? 0) > rows.length;
  });
}

/** Sentences, one after another. */
function joined(...notes: readonly (string | undefined)[]): string {
  return notes.filter(note => note !== undefined).join('; ');
}
