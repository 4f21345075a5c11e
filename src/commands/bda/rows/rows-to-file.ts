import { version } from '../../../../package.json';
import type { Subject } from '../../../export/checkpoint.ts';
import type { ExportStats } from '../../../export/export-audit.ts';
import type { Progress } from '../../../export/export-rows.ts';
import { exportToFile, type FileExportOptions } from '../../../export/export-to-file.ts';
import { writeManifest } from '../../../export/manifest.ts';
import { sidecarPaths } from '../../../export/output-path.ts';
import { stringifyJson } from '../../../json/index.ts';
import { counted } from '../../../terminal/grouped.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { exportOptions, followed } from './export-options.ts';
import type { OutFile } from './out-file.ts';
import type { RowsOutput } from './rows-output.ts';

/** Writes rows to a file that is there only when it is whole; an interrupted export can be gone on with. */
export async function rowsToFile(
  delivery: RowsOutput,
  file: OutFile,
  context: Context,
): Promise<ExportStats> {
  const { plan, flags } = delivery;
  const { path, format, compression } = file;
  const { clock } = context;
  const line = followed(delivery, context);
  const baseUrl = (await context.settings()).baseUrl.value;
  const startedAt = clock.now();
  let isFound = false;
  const exported = await exportToFile({
    ...(await exportOptions(delivery, format === 'parquet' ? 'json' : format, context)),
    path,
    compression,
    resumable: plan.single !== true,
    resume: flags.resume,
    convert: format === 'parquet' ? toParquet(delivery, context) : undefined,
    subject: subjectOf(delivery, file, baseUrl, context),
    machine: lockMachine(context),
    digest: flags.manifest,
    onRows: line.onRows,
    onPage: line.onPage,
    onFound: ({ reached }) => {
      isFound = true;
      if (flags.resume) line.goOnAfter(reached.rows);
      const rows = `${counted(reached.rows, 'row')} that an earlier run left`;
      context.log.note(flags.resume ? `going on after ${rows}` : `starting again; ${rows} are given up`);
    },
    onKept: progress => context.log.warn(keptText(path, progress, delivery)),
  });
  line.finish();
  if (flags.resume && !isFound) context.log.note('there was nothing to go on with, so the export began anew');
  if (flags.manifest) {
    const { request: query, days } = delivery;
    const facts = { path, format, compression, exported, query, days, baseUrl, startedAt, version };
    await writeManifest({ ...facts, endedAt: clock.now() });
  }
  context.log.note(
    `${counted(exported.remarks.rows, 'row')} in ${path} (${counted(exported.bytes, 'byte')})`,
  );
  return exported.remarks;
}

/** The library is loaded once all rows are there. */
function toParquet({ source, figures }: RowsOutput, context: Context): FileExportOptions['convert'] {
  return async (rowsPath, file) => {
    const { rowsToParquet } = await import('../../../export/parquet/rows-to-parquet.ts');
    const line = context.log.progress(undefined, 'rows into columns');
    let shown = 0;
    await rowsToParquet({
      rowsPath,
      file,
      columns: source.columns,
      figures,
      createdBy: `gatectl ${version}`,
      signal: context.signal,
      onRows: (written, all) => {
        line.expect(all);
        line.advance(written - shown);
        shown = written;
      },
      onMixed: column =>
        context.log.note(`the column ${column} holds values of several kinds, so it is text in the file`),
    });
    line.finish();
  };
}

function keptText(path: string, { reached }: Progress, { resumeWith }: RowsOutput): string {
  const how = `the same command with ${resumeWith}--resume goes on from there`;
  const what = `${counted(reached.rows, 'row')} in ${counted(reached.pages, 'page')}`;
  return `${what} ${reached.rows === 1 ? 'is' : 'are'} kept in ${sidecarPaths(path).partial}; ${how}`;
}

/** Everything that makes the bytes of the file what they are. */
function subjectOf(
  { request, plan }: RowsOutput,
  { format, compression }: OutFile,
  baseUrl: string | undefined,
  { globals }: Context,
): Subject {
  const fields = Object.entries(request).map(([name, value]) => [name, stringifyJson(value ?? null)]);
  return {
    ...Object.fromEntries(fields),
    gateway: globals.sandbox ? 'the embedded one' : (baseUrl ?? ''),
    format: format === 'csv' ? `csv (${globals.csvDialect})` : format,
    compression: compression ?? 'none',
    'first row': String(plan.start),
  };
}
