import type { ExportStats } from '../../../export/export-audit.ts';
import { exportRows } from '../../../export/export-rows.ts';
import { streamSink } from '../../../export/sink.ts';
import type { RowFormat } from '../../../export/transcode/formats.ts';
import { isOnTerminal } from '../../../terminal/io.ts';
import type { Context } from '../../framework/context.ts';
import { exportOptions, followed } from './export-options.ts';
import type { RowsOutput } from './rows-output.ts';

/** Writes rows to stdout as they come. */
export async function rowsToStdout(
  delivery: RowsOutput,
  format: RowFormat,
  context: Context,
): Promise<ExportStats> {
  // On a terminal the rows themselves show how far it is.
  const line = isOnTerminal(context.io) ? undefined : followed(delivery, context);
  const options = await exportOptions(delivery, format, context);
  const { remarks } = await context.out.stream(write =>
    exportRows({
      ...options,
      openSink: async () => streamSink(write),
      onRows: (...counts) => line?.onRows(...counts),
      onPage: async progress => line?.onPage(progress),
    }),
  );
  line?.finish();
  return remarks;
}
