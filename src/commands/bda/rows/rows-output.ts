import type { Roles } from '../../../analysis/column-roles.ts';
import type { CalendarPeriod, Grain } from '../../../analysis/periods.ts';
import type { DayRange } from '../../../apis/bda/days.ts';
import type { Plan } from '../../../export/plan.ts';
import type { RowSource } from '../../../export/row-source.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import type { ChartFlags } from './chart-flags.ts';
import type { RowFlags } from './row-flags.ts';

/** Rows that a command asks for, on their way to wherever the flags say. */
export interface RowsOutput {
  readonly source: RowSource;
  readonly plan: Plan;
  /** Most rows that table, md and html show; undefined for no more than the plan brings. */
  readonly tableRows?: number | undefined;
  /** Columns that hold figures, which a table groups by thousands. */
  readonly figures: readonly string[];
  readonly flags: Pick<RowFlags, 'out' | 'resume' | 'autoResume' | 'manifest' | 'strict'> &
    Partial<ChartFlags>;
  /** The request without paging, for the manifest and for telling one unfinished export from another. */
  readonly request: JsonRecord;
  readonly days: Json;
  /** The complete command that resumes an interrupted export, on any day. */
  readonly resumeCommand: string;
  /** Whether that command reads its request from stdin. */
  readonly readsStdin: boolean;
  /** The command that has `--all`, if this one lacks it. */
  readonly allBy?: string;
  /** What is asked, as far as charts and comparisons need to know; without it the rows have to speak for themselves. */
  readonly question?: RowsQuery;
  /** Of rows collected from several requests: whether one of these was incomplete, which was printed. */
  readonly isIncomplete?: () => boolean;
  /** What a page with the rows says below them. */
  readonly footnote?: string | undefined;
  /** Set where the rows stand beside those of other days. */
  readonly comparison?: { readonly roles: Roles; readonly before: DayRange; readonly isCovered: boolean };
}

export interface RowsQuery {
  /** The columns that tell rows apart, in order, as far as the request names them. */
  readonly dimensions: readonly string[];
  /** What the rows are grouped by, in a column that the request does not name. */
  readonly groupedBy?: Grain | undefined;
  /** Undefined where only the API knows them. */
  readonly days: DayRange | undefined;
  /** The period of the calendar that the days are, where one was asked for. */
  readonly period?: CalendarPeriod | undefined;
  /** All rows of the same question about other days. */
  over(days: DayRange): Pick<RowsOutput, 'source' | 'plan'>;
  /** The days that there is data of, where the API tells them; undefined where the answer can't be read. */
  dataDays?(): Promise<DayRange | undefined>;
  /** Whether an order was asked for. */
  readonly isSorted: boolean;
  /** The units of columns, as far as they are known. */
  units(): Promise<ReadonlyMap<string, string>>;
}
