import type { Roles } from '../../analysis/column-roles.ts';
import type { OwnValues } from '../../analysis/period-totals.ts';
import type { CalendarPeriod, Grain } from '../../analysis/periods.ts';
import type { DayRange } from '../../apis/bda/days.ts';
import type { ExportStats } from '../../export/export-audit.ts';
import type { Part } from '../../export/export-rows.ts';
import type { Plan } from '../../export/plan.ts';
import type { RowSource } from '../../export/row-source.ts';
import type { Json, JsonRecord } from '../../json/index.ts';
import type { Conclusion } from '../../output/conclusion.ts';
import type { ColumnFacts } from '../../output/presentation/column.ts';
import type { Sentence } from '../../output/sentence.ts';

/** A site of the account. */
export interface Site {
  /** As the listing of domains has it. */
  readonly name: string;
  readonly id: number;
}

/** The rows of one of several sites, with the site as first column. */
interface SitePart extends Part {
  readonly name: string;
  /** Call it with the stats of the exported rows: reports warnings about them. */
  readonly onExported: (stats: ExportStats) => void;
}

/** Rows to fetch. */
export interface RequestedRows {
  /** With `parts`, the rows may be exported one part at a time instead, which is not limited by memory and can be resumed. */
  readonly source: RowSource & { readonly parts?: readonly SitePart[] };
  readonly plan: Plan;
  /** Numeric columns, formatted with thousands separators in a table. */
  readonly figures: readonly string[];
  /** The request without paging, for the manifest and to identify an interrupted export. */
  readonly request: JsonRecord;
  readonly days: Json;
  /** The query, for charts and comparisons; without it they depend on the rows only. */
  readonly query?: RowsQuery;
  /** Of rows collected from several requests: whether one of these was incomplete, which was reported. */
  readonly isIncomplete?: () => boolean;
  /** Set for rows that are compared with another period. */
  readonly comparison?: RowComparison;
}

/** What is known of rows that are compared with another period. */
interface RowComparison {
  readonly roles: Roles;
  readonly before: DayRange;
  readonly isCovered: boolean;
  /** How many rows are compared; undefined for all. */
  readonly limit: Sentence | undefined;
  /** How many rows of the requested period match, as far as it is known. */
  readonly total: number | undefined;
  /** What restricts the comparison; undefined for nothing. */
  readonly footnote: Sentence | undefined;
  /** The totals of both periods; may send requests. */
  totals(): Promise<readonly Conclusion[]>;
}

/** Rows by day, or why there are none. */
export type RowsByDay = { readonly rows: readonly JsonRecord[] } | { readonly reason: Sentence };

export interface RowsQuery {
  /** The dimensions that the request names, in order. */
  readonly dimensions: readonly string[];
  /** Time grouping whose column the request does not name. */
  readonly groupedBy?: Grain | undefined;
  /** Undefined for a default date range. */
  readonly days: DayRange | undefined;
  /** The calendar period that was requested. */
  readonly period?: CalendarPeriod | undefined;
  /** All rows of the same query for other days. */
  forDays(days: DayRange): Pick<RequestedRows, 'source' | 'plan'>;
  /** The API's own values of the metrics over some days; absent where one request cannot state them. */
  readonly ownValues?: ((days: DayRange) => Promise<OwnValues>) | undefined;
  /** The metrics by day, whatever the dimensions are; absent where the API cannot be asked for them. */
  readonly byDay?: ((days: DayRange) => Promise<RowsByDay>) | undefined;
  /** Whether its filters may select rows by their figures. */
  readonly selectsByFigures?: () => Promise<boolean>;
  /** The column of the site, where several are queried. */
  readonly siteColumn?: string;
  /** The days with data, if the API reports them; undefined if the response is unreadable. They are requested once. */
  dataDays?(): Promise<DayRange | undefined>;
  /** Whether the request sets an order. */
  readonly isSorted: boolean;
  /** What the gateway lists of its columns, by name; empty if that is unknown. */
  facts(): Promise<ReadonlyMap<string, ColumnFacts>>;
}

/** Column to unit, as far as they are known. */
export async function unitsOfRows(
  query: Pick<RowsQuery, 'facts'> | undefined,
): Promise<ReadonlyMap<string, string>> {
  const facts = (await query?.facts()) ?? new Map<string, ColumnFacts>();
  return new Map([...facts].flatMap(([name, { unit }]) => (unit === undefined ? [] : [[name, unit]])));
}
