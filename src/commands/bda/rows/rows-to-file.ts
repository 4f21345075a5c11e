import { basename, posix } from 'node:path';
import { version } from '../../../../package.json';
import type { Subject } from '../../../export/checkpoint.ts';
import { type ExportStats, isContradictory, warningsOf } from '../../../export/export-audit.ts';
import type { Progress } from '../../../export/export-rows.ts';
import {
  ACCOUNT,
  exportToFile,
  type FileExportOptions,
  type FileExportResult,
} from '../../../export/export-to-file.ts';
import { writeManifest } from '../../../export/manifest.ts';
import { sidecarPaths } from '../../../export/output-path.ts';
import { nextPage } from '../../../export/plan.ts';
import { stringifyJson } from '../../../json/index.ts';
import { trackProgress } from '../../../operations/rows/row-progress.ts';
import { type FileOnlyFormat, isFileOnly } from '../../../output/view.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { lockMachine } from '../../framework/lock-machine.ts';
import { withProgress } from './conversion-progress.ts';
import { exportOptions } from './export-options.ts';
import type { OutFile } from './out-file.ts';
import type { RowsOutput } from './rows-output.ts';
import { toParquet, toParquetEarly } from './to-parquet.ts';

/**
 * Writes rows to a file or an object, which appears only when it is complete; an interrupted export can be resumed. Rows that contradict
 * the request are not written, nor any if `isRefused`.
 */
export async function rowsToFile(
  output: RowsOutput,
  file: OutFile,
  isRefused: boolean,
  context: Context,
): Promise<ExportStats> {
  const { object } = file;
  if (object === undefined) return await rowsToPath(output, file, file.path, isRefused, context);
  const { openUpload } = await import('./object-upload.ts');
  const upload = await openUpload(object, { hasManifest: output.flags.manifest }, context);
  try {
    if (!context.globals.curl) await upload.check();
    return await rowsToPath(
      output,
      { ...file, path: upload.path },
      file.path,
      isRefused,
      context,
      upload.send,
    );
  } finally {
    await upload.close();
  }
}

/** `name` is what messages call the result; `send` makes a complete file what it names, where that is no local file. */
async function rowsToPath(
  output: RowsOutput,
  file: OutFile,
  name: string,
  isRefused: boolean,
  context: Context,
  send?: (file: string) => Promise<void>,
): Promise<ExportStats> {
  const { flags } = output;
  // --curl prints the request of each site, which the source of all of them does.
  const parts = context.globals.curl ? [] : (output.source.parts ?? []);
  const [first, ...otherParts] = parts;
  const plan = first?.plan ?? output.plan;
  const { path, format, compression } = file;
  const { clock } = context;
  const line = trackProgress(output, context.log);
  const baseUrl = (await context.settings()).baseUrl.value;
  const startedAt = clock.now();
  let isSending = false;
  const describe = async (exported: FileExportResult) => {
    if (!flags.manifest) return;
    const { request: query, days } = output;
    const flaws = exported.partStats.flatMap((stats, index) => flawsOf(stats, parts[index]?.name));
    const manifest = {
      path,
      name: file.object === undefined ? basename(path) : posix.basename(file.object.key),
      format,
      compression,
      exported,
      flaws,
      query,
      days,
      baseUrl,
      startedAt,
      version,
    };
    await writeManifest({ ...manifest, endedAt: clock.now() });
  };
  // --curl writes no file, so nothing is resumed or discarded.
  const resume = flags.resume ? 'required' : flags.autoResume && !context.globals.curl ? 'auto' : 'never';
  const exported = await exportToFile({
    ...(await exportOptions(first ?? output, isFileOnly(format) ? 'json' : format, context)),
    otherParts,
    path,
    compression,
    resumable: plan.single !== true,
    resume,
    mayDiscard: async ({ written }, changed) => {
      const { partial } = sidecarPaths(path);
      const rows = `${pluralize(written.position.rows, 'row')} of another export (${changed.join(', ')})`;
      return (await context.prompt?.confirm(`${partial} contains ${rows}. Discard them?`)) ?? false;
    },
    convert: isFileOnly(format) ? CONVERSIONS[format](output, context) : undefined,
    convertEarly:
      format === 'parquet'
        ? toParquetEarly(output, [plan, ...otherParts.map(part => part.plan)], path, context)
        : undefined,
    subject: {
      ...subjectOf({ request: output.request, plan }, file, baseUrl, context),
      ...(plan.single || context.globals.curl ? {} : { [ACCOUNT]: await accountText(context) }),
    },
    machine: lockMachine(context),
    accepts: stats => !isRefused && !isContradictory(stats),
    digest: flags.manifest,
    send:
      send &&
      (async (from, made) => {
        await describe(made);
        isSending = true;
        await send(from);
      }),
    onRows: line.onRows,
    onPage: line.onPage,
    onFound: ({ partsDone = 0, reached, written }, isResumed) => {
      const { rows } = written.position;
      const last = otherParts[partsDone - 1]?.plan ?? plan;
      const hasAll = partsDone === otherParts.length && nextPage(last, reached) === undefined;
      if (isResumed) line.resumeAt(rows);
      const how = resume === 'required' ? '' : '; to start again, add --no-resume';
      context.log.note(
        isResumed
          ? `${hasAll ? 'all rows were received before' : `resuming at row ${groupDigits(rows + 1)}`}${how}`
          : `discarding ${pluralize(rows, 'row')} of an interrupted export`,
      );
    },
    onInterrupted: progress =>
      context.log.warn(
        isSending ? unsentText(path, name, progress, output) : interruptedText(path, progress, output),
      ),
  });
  line.finish();
  for (const [index, stats] of exported.partStats.entries())
    if (stats !== undefined) parts[index]?.onExported(stats);
  if (!exported.isWritten) {
    context.log.warn(`nothing was written to ${name}, because the rows are not complete`);
    return exported.stats;
  }
  if (send === undefined) await describe(exported);
  context.log.note(
    `${pluralize(exported.stats.rows, 'row')} in ${name} (${pluralize(exported.bytes, 'byte')})`,
  );
  return exported.stats;
}

/** The flaws of the rows, with the site if there are several. */
function flawsOf(stats: ExportStats | undefined, site: string | undefined): readonly string[] {
  const flaws = stats === undefined ? [] : warningsOf(stats);
  return site === undefined ? flaws : flaws.map(flaw => `${site}: ${flaw}`);
}

type Conversion = NonNullable<FileExportOptions['convert']>;

/** How the rows become a file, once all of them are fetched; only then the library is loaded. */
const CONVERSIONS: Readonly<Record<FileOnlyFormat, (output: RowsOutput, context: Context) => Conversion>> = {
  parquet: toParquet,
  xlsx: toXlsx,
};

function toXlsx({ source, query, request, chart }: RowsOutput, context: Context): Conversion {
  return async (rowsPath, file) => {
    const [{ rowsToXlsx }, units] = await Promise.all([
      import('../../../export/xlsx/rows-to-xlsx.ts'),
      query?.units(),
    ]);
    await withProgress(context, onRows =>
      rowsToXlsx({
        rowsPath,
        file,
        columns: source.columns,
        units: units ?? new Map(),
        sheetName: typeof request.data_set === 'string' ? request.data_set : 'rows',
        createdBy: `gatectl ${version}`,
        decimals: context.globals.decimals,
        chart,
        signal: context.signal,
        onRows,
        onDigits: (column, example) =>
          context.log.note(
            `the column ${column} is text, because a spreadsheet would change numbers such as ${example}${example.includes('.') ? '; --decimals N rounds them' : ''}`,
          ),
      }),
    );
  };
}

function interruptedText(
  path: string,
  { partsDone = 0, reached, written }: Progress,
  output: RowsOutput,
): string {
  const { rows } = written.position;
  const pages = partsDone > 0 ? '' : ` in ${pluralize(reached.pages, 'page')}`;
  const what = `${pluralize(rows, 'row')}${pages}`;
  const are = rows === 1 ? 'is' : 'are';
  return `${what} ${are} kept in ${sidecarPaths(path).partial}; to resume, ${howToResume(output)}`;
}

function unsentText(path: string, name: string, { written }: Progress, output: RowsOutput): string {
  const { rows } = written.position;
  const what = `${pluralize(rows, 'row')} ${rows === 1 ? 'is' : 'are'} complete`;
  const { partial } = sidecarPaths(path);
  return `${what} in ${partial}, but not in ${name}; to upload without requesting them again, ${howToResume(output)}`;
}

function howToResume({ resumeCommand, readsStdin }: RowsOutput): string {
  return `run${readsStdin ? ' with the same stdin' : ''}: ${resumeCommand}`;
}

/** The account, without its key: an export must not mix the rows of two accounts. */
async function accountText(context: Context): Promise<string> {
  if (context.globals.sandbox) return 'of the sandbox';
  const { profile, baseUrl } = await context.settings();
  // A profile may have a new key: one that was rejected is a usual reason for an interruption.
  if (profile.value !== undefined) return `profile ${profile.value}`;
  return `key with the hash ${await context.keyHash(`export from ${baseUrl.value}`)}`;
}

/** Everything that determines the content of the file. */
function subjectOf(
  { request, plan }: Pick<RowsOutput, 'request' | 'plan'>,
  { format, compression }: OutFile,
  baseUrl: string | undefined,
  { globals }: Context,
): Subject {
  const fields = Object.entries(request).map(([name, value]) => [name, stringifyJson(value ?? null)]);
  return {
    ...Object.fromEntries(fields),
    gateway: globals.sandbox ? 'the sandbox' : (baseUrl ?? ''),
    format: format === 'csv' ? `csv (${globals.csvDialect})` : format,
    ...(globals.decimals !== undefined && { decimals: String(globals.decimals) }),
    compression: compression ?? 'none',
    'first row': String(plan.start),
    ...(plan.single && { limit: String(plan.pageSize) }),
  };
}
