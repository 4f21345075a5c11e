import type { ExportOptions } from '../../../export/export-rows.ts';
import type { Encoding } from '../../../export/page-run.ts';
import type { RowFormat } from '../../../export/transcode/formats.ts';
import type { RowSupply, RowWork } from '../../../operations/rows/row-progress.ts';
import type { Context } from '../../framework/context.ts';

/** What requesting rows takes, from the context of a command. */
export async function rowWork(context: Context): Promise<RowWork> {
  const { retries } = await context.settings();
  return {
    clock: context.clock,
    signal: context.signal,
    retries: retries.value,
    progress: (total, unit) => context.log.progress(total, unit),
  };
}

/** Options of every export. */
export async function exportOptions(
  { source, plan }: RowSupply,
  format: RowFormat,
  context: Context,
): Promise<
  Omit<ExportOptions, 'openSink' | 'onRows' | 'onPage' | 'encoding'> & { readonly encoding: Encoding }
> {
  const { clock, signal, retries } = await rowWork(context);
  const encoding = { format, dialect: context.globals.csvDialect };
  return { source, plan, encoding, clock, signal, retries };
}
