import type { Progress as Reached } from '../../export/export-rows.ts';
import { expectedRows, type Plan, plausibleTotal } from '../../export/plan.ts';
import type { RowSource } from '../../export/row-source.ts';
import type { Clock } from '../../http/clock.ts';
import type { Progress } from '../../terminal/progress.ts';

/** Rows to request. With `parts`, they are those of several sites. */
export interface RowSupply {
  readonly source: RowSource & { readonly parts?: readonly unknown[] };
  readonly plan: Plan;
}

/** What requesting rows takes besides them. */
export interface RowWork {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Retries of one request. */
  readonly retries: number;
  /** Shows the progress of a long job. */
  readonly progress: (total: number | undefined, unit: string) => Progress;
}

/** Updates the progress of an export: rows, bytes, and the expected rows once the API reports a total. */
export function trackProgress({ source, plan }: RowSupply, work: Pick<RowWork, 'progress'>) {
  let line: Progress | undefined;
  let shown = 0;
  let earlier = 0;
  return {
    /** Starts at the rows of an interrupted run. */
    resumeAt(rows: number): void {
      shown = rows;
      earlier = rows;
    },
    onRows(rows: number, bytes: number, received: number): void {
      if (line === undefined) {
        line = work.progress(undefined, 'rows');
        line.resumeAt(earlier);
      }
      line.bytes(bytes, received);
      line.advance(rows - shown);
      shown = rows;
    },
    onPage({ reached }: Reached): void {
      // The total is that of one site.
      if (source.parts !== undefined) return;
      line?.expect(expectedRows(plan, plausibleTotal(plan, reached)));
    },
    finish(): void {
      line?.finish();
    },
  };
}
