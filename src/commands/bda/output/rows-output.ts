import type { RequestedRows } from '../../../operations/rows/requested-rows.ts';
import type { Chart } from '../../../output/chart/chart.ts';
import type { ChartFlags } from '../flags/chart-flags.ts';
import type { RowFlags } from '../flags/row-flags.ts';

/** Rows to fetch, and where to write them. */
export interface RowsOutput extends RequestedRows {
  /** Maximum rows in table, md and html; undefined for those of the plan. */
  readonly tableRows?: number | undefined;
  readonly flags: Pick<RowFlags, 'out' | 'resume' | 'autoResume' | 'manifest' | 'strict'> &
    Partial<ChartFlags>;
  /** The complete command that resumes an interrupted export, on any day. */
  readonly resumeCommand: string;
  /** The chart of the rows, where one was requested: beside the rows in a workbook. */
  readonly chart?: Chart | undefined;
  /** Whether that command reads its request from stdin. */
  readonly readsStdin: boolean;
  /** The command that requests all rows, if this one has no `--all`. */
  readonly allCommand?: string;
}
