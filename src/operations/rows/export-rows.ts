import { basename, posix } from 'node:path';
import { version } from '../../../package.json';
import type { Subject } from '../../export/checkpoint.ts';
import type { Compression } from '../../export/compression.ts';
import { type ExportStats, isContradictory, warningsOf } from '../../export/export-audit.ts';
import {
  ACCOUNT,
  exportToFile,
  type FileExportOptions,
  type FileExportResult,
} from '../../export/export-to-file.ts';
import { writeManifest } from '../../export/manifest.ts';
import { type FileFormat, sidecarPaths } from '../../export/output-path.ts';
import { nextPage } from '../../export/plan.ts';
import { stringifyJson } from '../../json/index.ts';
import type { S3Location } from '../../objects/s3-location.ts';
import type { Chart } from '../../output/chart/chart.ts';
import { presentationOf } from '../../output/presentation/index.ts';
import { sentenceText } from '../../output/sentence.ts';
import { type CsvDialect, type FileOnlyFormat, isFileOnly } from '../../output/view.ts';
import { pluralize } from '../../terminal/numbers.ts';
import { coverageOf } from './completeness.ts';
import type { RequestedRows } from './requested-rows.ts';
import { type RowWork, trackProgress, withConversionProgress } from './row-progress.ts';
import { partialPeriods } from './shown-rows.ts';
import { toParquet, toParquetEarly } from './to-parquet.ts';

/** A file for rows. */
export interface RowFile {
  /** A path, or `s3://bucket/key` for an object. */
  readonly path: string;
  /** The object that the file becomes. */
  readonly object?: S3Location;
  readonly format: FileFormat;
  readonly compression: Compression | undefined;
}

interface RowFileOptions extends Pick<FileExportOptions, 'resume'> {
  /** Whether the file gets a manifest, `FILE.meta.json`. */
  readonly manifest: boolean;
  /** Nothing is written, because the rows are known to be incomplete. */
  readonly isRefused: boolean;
  readonly csvDialect: CsvDialect;
  /** Decimals of the numbers in a workbook; undefined for all digits. */
  readonly decimals: number | undefined;
  /** A sheet of its own in a workbook. */
  readonly chart: Chart | undefined;
  /** The base URL, for the manifest. */
  readonly baseUrl: string | undefined;
  /** What identifies the gateway: rows of two gateways are never mixed. */
  readonly gateway: string;
  /** What identifies the account, without its key. Called where an interrupted export can be resumed. */
  readonly account: () => Promise<string>;
  /** Writes the file of the rows in its format, where it differs from them. */
  readonly convert?: Conversion;
}

/** What is known of the rows of an earlier run, or of those that an interrupted one keeps. */
export type RowFileEvent =
  | {
      readonly kind: 'resumed';
      readonly rows: number;
      /** Whether no row is left to request. */
      readonly hasAll: boolean;
    }
  | { readonly kind: 'discarded'; readonly rows: number }
  | {
      readonly kind: 'interrupted';
      readonly rows: number;
      /** The requested pages; undefined if they are those of several sites. */
      readonly pages: number | undefined;
      /** The file with the rows. */
      readonly partial: string;
      /** Set if all rows are there, and only sending them to this object failed. */
      readonly unsentTo: string | undefined;
    };

interface RowFileWork extends RowWork {
  readonly machine: FileExportOptions['machine'];
  /** The folder of the rows of an object until they are complete. */
  readonly stateFolder: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Requests are printed instead of sent, so that no file is written. */
  readonly isPrinting: boolean;
  /** Whether `rows` of another export in the file `partial` may be discarded; `changed` is what differs. */
  readonly mayDiscard: (partial: string, rows: number, changed: readonly string[]) => Promise<boolean>;
  readonly onFile: (event: RowFileEvent) => void;
}

/**
 * Writes rows to a file or an object, which appears only when it is complete; an interrupted export can be resumed. Rows that contradict
 * the request are not written, nor any if `isRefused`. Throws UsageError, FileError, DestinationError, and the errors of requests.
 */
export async function exportRowsToFile(
  rows: RequestedRows,
  file: RowFile,
  options: RowFileOptions,
  work: RowFileWork,
): Promise<ExportStats> {
  const { object } = file;
  if (object === undefined) return await rowsToPath(rows, { ...file, name: file.path }, options, work);
  const { openUpload } = await import('./object-upload.ts');
  const upload = await openUpload(object, { hasManifest: options.manifest, ...work });
  try {
    if (!work.isPrinting) await upload.check();
    const local = { ...file, path: upload.path, name: file.path, send: upload.send };
    return await rowsToPath(rows, local, options, work);
  } finally {
    await upload.close();
  }
}

interface LocalFile extends RowFile {
  /** What messages call the result. */
  readonly name: string;
  /** Makes a complete file what `name` names, where that is no local file. */
  readonly send?: (file: string) => Promise<void>;
}

async function rowsToPath(
  rows: RequestedRows,
  file: LocalFile,
  options: RowFileOptions,
  work: RowFileWork,
): Promise<ExportStats> {
  const { path, name, format, compression, send } = file;
  const { clock, signal, retries, isPrinting } = work;
  // A printed request is that of each site, which the source of all of them sends.
  const parts = isPrinting ? [] : (rows.source.parts ?? []);
  const [first, ...otherParts] = parts;
  const { source, plan } = first ?? rows;
  const line = trackProgress(rows, work);
  let isSending = false;
  const describe = manifestWriter(rows, file, options, clock.now);
  const exported = await exportToFile({
    ...{ source, plan, clock, signal, retries, otherParts, path, compression },
    encoding: { format: isFileOnly(format) ? 'json' : format, dialect: options.csvDialect },
    resumable: plan.single !== true,
    resume: options.resume,
    mayDiscard: ({ written }, changed) =>
      work.mayDiscard(sidecarPaths(path).partial, written.position.rows, changed),
    convert: isFileOnly(format) ? CONVERSIONS[format](rows, options, work) : options.convert,
    convertEarly:
      format === 'parquet'
        ? toParquetEarly(rows, [plan, ...otherParts.map(part => part.plan)], path, work)
        : undefined,
    subject: {
      ...subjectOf({ request: rows.request, plan }, file, options),
      ...(plan.single || isPrinting ? {} : { [ACCOUNT]: await options.account() }),
    },
    machine: work.machine,
    accepts: stats => !options.isRefused && !isContradictory(stats),
    digest: options.manifest,
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
      const { rows: found } = written.position;
      const last = otherParts[partsDone - 1]?.plan ?? plan;
      const hasAll = partsDone === otherParts.length && nextPage(last, reached) === undefined;
      if (isResumed) line.resumeAt(found);
      work.onFile(isResumed ? { kind: 'resumed', rows: found, hasAll } : { kind: 'discarded', rows: found });
    },
    onInterrupted: ({ partsDone = 0, reached, written }) =>
      work.onFile({
        kind: 'interrupted',
        rows: written.position.rows,
        pages: partsDone > 0 ? undefined : reached.pages,
        partial: sidecarPaths(path).partial,
        unsentTo: isSending ? name : undefined,
      }),
  });
  line.finish();
  for (const [index, stats] of exported.partStats.entries())
    if (stats !== undefined) parts[index]?.onExported(stats);
  if (!exported.isWritten) {
    work.report({
      kind: 'warning',
      text: `nothing was written to ${name}, because the rows are not complete`,
    });
    return exported.stats;
  }
  if (send === undefined) await describe(exported);
  const [count, size] = [pluralize(exported.stats.rows, 'row'), pluralize(exported.bytes, 'byte')];
  work.report({ kind: 'note', text: `${count} in ${name} (${size})` });
  return exported.stats;
}

/** Writes the manifest of an export that begins now, if there is to be one. */
function manifestWriter(
  { source, request, query, days, comparison }: RequestedRows,
  { path, object, format, compression }: LocalFile,
  { manifest, baseUrl }: RowFileOptions,
  now: () => number,
): (exported: FileExportResult) => Promise<void> {
  const startedAt = now();
  return async exported => {
    if (!manifest) return;
    const { gap } = comparison === undefined ? await coverageOf(query, exported.stats.rows) : {};
    const flaws = [
      ...exported.partStats.flatMap((stats, index) => flawsOf(stats, source.parts?.[index]?.name)),
      ...(gap === undefined ? [] : [sentenceText(gap)]),
    ];
    const name = object === undefined ? basename(path) : posix.basename(object.key);
    const facts = { path, name, format, compression, exported, flaws, days, baseUrl, version };
    await writeManifest({ ...facts, query: request, startedAt, endedAt: now() });
  };
}

/** The flaws of the rows, with the site if there are several. */
function flawsOf(stats: ExportStats | undefined, site: string | undefined): readonly string[] {
  const flaws = stats === undefined ? [] : warningsOf(stats);
  return site === undefined ? flaws : flaws.map(flaw => `${site}: ${flaw}`);
}

type Conversion = NonNullable<FileExportOptions['convert']>;

/** How the rows become a file, once all of them are fetched; only then the library is loaded. */
const CONVERSIONS: Readonly<
  Record<FileOnlyFormat, (rows: RequestedRows, options: RowFileOptions, work: RowWork) => Conversion>
> = {
  parquet: (rows, _, work) => toParquet(rows, work),
  xlsx: toXlsx,
};

function toXlsx(requested: RequestedRows, { chart, decimals }: RowFileOptions, work: RowWork): Conversion {
  return async (rowsPath, file) => {
    const { source, query, request, comparison } = requested;
    const [{ rowsToXlsx }, { daysText }, facts, partOf] = await Promise.all([
      import('../../export/xlsx/rows-to-xlsx.ts'),
      import('./shown-rows.ts'),
      query?.facts(),
      partialPeriods(requested, [], work),
    ]);
    await withConversionProgress(work, onRows =>
      rowsToXlsx({
        rowsPath,
        file,
        columns: source.columns,
        figureOf: column => presentationOf(column, name => facts?.get(name)),
        partOf,
        sheetName: typeof request.data_set === 'string' ? request.data_set : 'rows',
        footer: daysText(query?.days, comparison?.before),
        createdBy: `gatectl ${version}`,
        decimals,
        chart,
        signal: work.signal,
        onRows,
        onDigits: (column, example) => work.report({ kind: 'kept_as_text', column, example }),
      }),
    );
  };
}

/** Everything that determines the content of the file. */
function subjectOf(
  { request, plan }: Pick<RequestedRows, 'request' | 'plan'>,
  { format, compression }: RowFile,
  { gateway, csvDialect, decimals }: RowFileOptions,
): Subject {
  const fields = Object.entries(request).map(([name, value]) => [name, stringifyJson(value ?? null)]);
  return {
    ...Object.fromEntries(fields),
    gateway,
    format: format === 'csv' ? `csv (${csvDialect})` : format,
    ...(decimals !== undefined && { decimals: String(decimals) }),
    compression: compression ?? 'none',
    'first row': String(plan.start),
    ...(plan.single && { limit: String(plan.pageSize) }),
  };
}
