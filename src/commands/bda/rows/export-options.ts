import type { ExportOptions, Progress } from '../../../export/export-rows.ts';
import type { Encoding } from '../../../export/page-run.ts';
import { expectedRows, plausibleTotal } from '../../../export/plan.ts';
import type { RowFormat } from '../../../export/transcode/formats.ts';
import type { Progress as ProgressLine } from '../../../terminal/progress.ts';
import type { Context } from '../../framework/context.ts';
import type { RowsOutput } from './rows-output.ts';

/** Options of every export. */
export async function exportOptions(
  { source, plan }: Pick<RowsOutput, 'source' | 'plan'>,
  format: RowFormat,
  context: Context,
): Promise<
  Omit<ExportOptions, 'openSink' | 'onRows' | 'onPage' | 'encoding'> & { readonly encoding: Encoding }
> {
  const settings = await context.settings();
  return {
    source,
    plan,
    encoding: { format, dialect: context.globals.csvDialect },
    clock: context.clock,
    signal: context.signal,
    retries: settings.retries.value,
  };
}

/** Updates the progress line of an export: rows, bytes, and the expected rows once the API reports a total. */
export function trackProgress({ source, plan }: Pick<RowsOutput, 'source' | 'plan'>, context: Context) {
  let line: ProgressLine | undefined;
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
        line = context.log.progress(undefined, 'rows');
        line.resumeAt(earlier);
      }
      line.bytes(bytes, received);
      line.advance(rows - shown);
      shown = rows;
    },
    onPage({ reached }: Progress): void {
      // The total is that of one site.
      if (source.parts !== undefined) return;
      line?.expect(expectedRows(plan, plausibleTotal(plan, reached)));
    },
    finish(): void {
      line?.finish();
    },
  };
}
