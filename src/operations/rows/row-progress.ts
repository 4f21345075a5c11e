import type { OpenDays } from '../../analysis/periods.ts';
import type { Progress as Reached } from '../../export/export-rows.ts';
import { expectedRows, type Plan, plausibleTotal } from '../../export/plan.ts';
import type { RowSource } from '../../export/row-source.ts';
import type { Clock } from '../../http/clock.ts';
import type { Sentence } from '../../output/sentence.ts';
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
  readonly openDays: () => Promise<OpenDays>;
  /** Receives what the user should know, as it becomes known. */
  readonly report: (event: RowEvent) => void;
}

/**
 * What is known about rows besides them. A note or a warning is worded; how to get the rest of the rows depends on who requested
 * them, so that is left to the receiver.
 */
export type RowEvent =
  | { readonly kind: 'note' | 'warning'; readonly text: Sentence }
  | ({ readonly kind: 'remaining'; readonly site?: string } & Remaining)
  | { readonly kind: 'some_compared'; readonly text: Sentence; readonly isUnasked: boolean }
  /** The compared periods do not contain the same days of the week; `canShift`: other days were possible. */
  | { readonly kind: 'weekdays_differ'; readonly canShift: boolean }
  | { readonly kind: 'kept_as_text'; readonly column: string; readonly example: string };

/** The first rows of more. */
export interface Remaining {
  readonly rows: number;
  /** How many rows match; undefined if the API does not report it. */
  readonly total: number | undefined;
  /** Whether no one asked for a limit. */
  readonly isUnasked: boolean;
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

/** Shows the progress of a conversion. */
export async function withConversionProgress<Made>(
  { progress }: Pick<RowWork, 'progress'>,
  convert: (onRows: (written: number, all: number) => void) => Promise<Made>,
): Promise<Made> {
  const line = progress(undefined, 'rows converted');
  let shown = 0;
  const made = await convert((written, all) => {
    line.expect(all);
    line.advance(written - shown);
    shown = written;
  });
  line.finish();
  return made;
}
