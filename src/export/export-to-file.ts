import { dirname } from 'node:path';
import { UsageError } from '../errors/index.ts';
import { isDirect, openAtomic } from '../files/atomic-file.ts';
import { stat } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';
import { isThere } from '../files/if-there.ts';
import { type LockMachine, withLock } from '../files/lock.ts';
import { removeTemporaryFilesOf } from '../files/stray-files.ts';
import type { WritableFile } from '../files/writable-file.ts';
import {
  type Checkpoint,
  differences,
  readCheckpoint,
  removeCheckpoint,
  rollbackCheckpoint,
  type Subject,
} from './checkpoint.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import type { Compression } from './compression.ts';
import type { ExportStats } from './export-audit.ts';
import {
  type ExportOptions,
  type ExportResult,
  exportRows,
  type Progress,
  RepeatedPageError,
} from './export-rows.ts';
import { FileDigest, FileSink } from './file-sink.ts';
import { sidecarPaths } from './output-path.ts';
import type { Written } from './page-run.ts';
import { UnrepresentableValueError } from './unrepresentable-value.ts';

/**
 * `auto` resumes an export of the same subject, and discards the rows of another one only if `mayDiscard` allows it; `required`
 * resumes an export of the same subject, whichever account started it, and rejects another and none; `never` discards both.
 */
type ResumeMode = 'auto' | 'required' | 'never';

/** The name of the account in a subject. */
export const ACCOUNT = 'account';

export interface FileExportOptions extends Omit<ExportOptions, 'openSink' | 'resume' | 'onPage'> {
  readonly path: string;
  readonly compression: Compression | undefined;
  /** Stores complete pages and a checkpoint next to the file until the export is done. */
  readonly resumable: boolean;
  /** How to treat the unfinished export of an earlier run. */
  readonly resume: ResumeMode;
  /**
   * Whether the rows of another unfinished export may be discarded; `changed` names the parts of the subject that differ. Called
   * only with `resume: 'auto'`.
   */
  readonly mayDiscard: (found: Progress, changed: readonly string[]) => Promise<boolean>;
  /** What the rows of the file are. */
  readonly subject: Subject;
  /** With the uid of the user where the system has one: an unfinished file of another user is never touched. */
  readonly machine: LockMachine & { readonly uid?: number | undefined };
  /**
   * Converts the complete rows, one document of the encoding's format at `rowsPath`, to the file. Without it, that document is
   * the file. If it throws UnrepresentableValueError, nothing can be resumed.
   */
  readonly convert?: ((rowsPath: string, file: WritableFile) => Promise<void>) | undefined;
  /** Called after each complete page until it returns a conversion, whose file equals that of `convert`. */
  readonly convertEarly?:
    | ((rowsPath: string, progress: Progress) => Promise<EarlyConversion | undefined>)
    | undefined;
  /**
   * Whether the complete rows become the file; by default they do. If not, they are removed, and the file stays as it was. A device or
   * pipe has them already.
   */
  readonly accepts?: ((stats: ExportStats) => boolean) | undefined;
  /**
   * Takes the complete file from a path, instead of leaving it at `path`. If it throws, the rows are kept as those of an interrupted
   * export, so that resuming sends them without a request.
   */
  readonly send?: ((file: string, exported: FileExportResult) => Promise<void>) | undefined;
  /** Whether the result has the SHA-256 of the file. */
  readonly digest: boolean;
  readonly onPage: (progress: Progress) => void;
  /** Called when an earlier run left rows, which are resumed or else discarded. */
  readonly onFound: (progress: Progress, isResumed: boolean) => void;
  /** Called when the export ends early and keeps these rows. */
  readonly onInterrupted: (progress: Progress) => void;
}

/** A conversion of rows while others are fetched. */
interface EarlyConversion {
  /** More rows are complete. */
  reach(written: Written): void;
  /** Converts the rest of the rows to a file that is to be committed; undefined if only `convert` can. Throws the signal's reason. */
  finish(written: Written): Promise<WritableFile | undefined>;
  /** Ends the conversion, and removes what it made unless `finish` returned it. */
  stop(): Promise<void>;
}

export interface FileExportResult extends ExportResult {
  /** Whether the rows became the file. */
  readonly isWritten: boolean;
  /** The size of the file. */
  readonly bytes: number;
  readonly sha256: string | undefined;
}

/**
 * Exports rows to a file that gets its name once it is complete. A resumable export keeps complete pages in `FILE.part` and a
 * checkpoint in `FILE.part.json`, and a lock prevents two processes from writing them. Throws UsageError before the first request if the
 * rows of another export must not be discarded or the required one is missing, FileError, and the errors of `exportRows`.
 */
export async function exportToFile(options: FileExportOptions): Promise<FileExportResult> {
  const { path, resumable, convert, machine } = options;
  const direct = await isDirect(path);
  if (direct && convert !== undefined)
    throw new UsageError(`${path} is a device or a pipe, and this format needs a file of its own`, {
      reason: 'requires_own_file',
    });
  if (direct || !(resumable || convert !== undefined)) {
    if (options.resume === 'required')
      throw new UsageError(`cannot resume ${path}`, { code: 'cannot_resume', reason: 'not_resumable' });
    if (direct) return await write(options, undefined, { hasPartial: false });
  }
  await checkFolder(path);
  const { partial, checkpoint } = sidecarPaths(path);
  return await withLock(partial, { machine, wait: 0, displayPath: path }, async () => {
    await removeTemporaryFilesOf(path).catch(() => undefined);
    if (!resumable && convert === undefined) return await write(options, undefined, { hasPartial: false });
    // A run that was killed while renaming its file left a checkpoint without rows.
    const found = (await isThere(partial)) ? await foundCheckpoint(checkpoint, options) : undefined;
    if (found === undefined) {
      if (options.resume === 'required') throw nothingToResume(path);
      return await write(options, undefined, { hasPartial: true });
    }
    const isResumed = options.resume !== 'never' && (await isSame(found, options));
    return await write(options, { progress: found.progress, isResumed }, { hasPartial: true });
  });
}

/** Undefined for a damaged checkpoint whose rows are to be discarded anyway. */
async function foundCheckpoint(path: string, { resume }: FileExportOptions): Promise<Checkpoint | undefined> {
  if (resume !== 'never') return await readCheckpoint(path);
  return await readCheckpoint(path).catch(() => undefined);
}

/** Whether the checkpoint belongs to the same export; false if it may be discarded. Throws UsageError if not. */
async function isSame(found: Checkpoint, options: FileExportOptions): Promise<boolean> {
  const { path, subject, resume, mayDiscard } = options;
  const changed = differences(found.subject, subject).filter(name => resume === 'auto' || name !== ACCOUNT);
  if (changed.length === 0) return true;
  if (resume === 'auto' && (await mayDiscard(found.progress, changed))) return false;
  throw cannotResume(path, found, subject, changed);
}

interface Found {
  readonly progress: Progress;
  readonly isResumed: boolean;
}

async function write(
  options: FileExportOptions,
  found: Found | undefined,
  { hasPartial }: { readonly hasPartial: boolean },
): Promise<FileExportResult> {
  const { path, compression, subject, convert } = options;
  const mayStay = hasPartial && options.resumable;
  const { partial, checkpoint } = sidecarPaths(path);
  const resume = found?.isResumed ? found.progress : undefined;
  const from = resume?.written.sinkBytes ?? 0;
  let file: WritableFile | undefined;
  let checkpoints: CheckpointWriter | undefined;
  let early: EarlyConversion | undefined;
  try {
    const digest =
      options.digest && convert === undefined ? await FileDigest.ofFile(partial, from) : undefined;
    let sink: FileSink | undefined;
    const exported = await exportRows({
      ...options,
      resume,
      openSink: async () => {
        if (found !== undefined) options.onFound(found.progress, found.isResumed);
        if (hasPartial && resume === undefined) await rollbackCheckpoint(checkpoint);
        file = await openAtomic(
          path,
          hasPartial ? { partial: { path: partial, from, uid: options.machine.uid } } : {},
        );
        if (mayStay) checkpoints = new CheckpointWriter(file, checkpoint, subject, resume);
        sink = new FileSink(file, compression, digest);
        return sink;
      },
      onPage: async progress => {
        options.onPage(progress);
        checkpoints?.note(progress);
        early ??= await options.convertEarly?.(partial, progress);
        early?.reach(progress.written);
      },
    });
    await checkpoints?.settle();
    await sink?.complete();
    const isWritten = file?.canTruncate === false || (options.accepts?.(exported.stats) ?? true);
    if (!isWritten) {
      await early?.stop();
      if (hasPartial) await rollbackCheckpoint(checkpoint);
      await file?.discard();
      return { ...exported, bytes: 0, sha256: undefined, isWritten };
    }
    const send = async (from: string, made: Made): Promise<FileExportResult> => {
      const result = { ...exported, ...made, isWritten };
      await options.send?.(from, result);
      return result;
    };
    const result =
      convert === undefined || file === undefined
        ? await committed(file, mayStay ? partial : undefined, digest, options, send)
        : await converted(
            { file, path: partial },
            await early?.finish(exported.progress.written),
            convert,
            options,
            send,
          );
    if (hasPartial) await removeCheckpoint(checkpoint);
    return result;
  } catch (error) {
    await early?.stop();
    await checkpoints?.retry().catch(() => undefined);
    const saved = checkpoints === undefined ? resume : checkpoints.saved;
    const isHopeless = error instanceof UnrepresentableValueError || error instanceof RepeatedPageError;
    if (isHopeless) await removeCheckpoint(checkpoint);
    if (saved === undefined || isHopeless) await file?.discard();
    else {
      // The current error matters more than one from closing the file.
      await file?.closeUnfinished().catch(() => undefined);
      options.onInterrupted(saved);
    }
    throw error;
  }
}

type Made = Pick<FileExportResult, 'bytes' | 'sha256'>;
type Send = (from: string, made: Made) => Promise<FileExportResult>;

/** `partial`: where a resumable file is until it is complete. It is sent from there, so that it can still be resumed. */
async function committed(
  file: WritableFile | undefined,
  partial: string | undefined,
  digest: FileDigest | undefined,
  { path, ...options }: FileExportOptions,
  send: Send,
): Promise<FileExportResult> {
  const made = { bytes: file?.position ?? 0, sha256: digest?.hex() };
  if (options.send === undefined || partial === undefined) {
    await file?.commit();
    return await send(path, made);
  }
  const result = await send(partial, made);
  await file?.discard();
  return result;
}

/** The rows stay until the converted file is complete and sent. */
async function converted(
  rows: { readonly file: WritableFile; readonly path: string },
  ready: WritableFile | undefined,
  convert: NonNullable<FileExportOptions['convert']>,
  { path, digest }: FileExportOptions,
  send: Send,
): Promise<FileExportResult> {
  const made = ready ?? (await openAtomic(path));
  try {
    if (ready === undefined) await convert(rows.path, made);
    await made.commit();
  } catch (error) {
    await made.discard();
    throw error;
  }
  const bytes = made.position;
  const sha256 = digest ? (await FileDigest.ofFile(path, bytes)).hex() : undefined;
  const result = await send(path, { bytes, sha256 });
  await rows.file.discard();
  return result;
}

/** Without this check, a missing folder would be reported with the name of the lock file. */
async function checkFolder(path: string): Promise<void> {
  try {
    await stat(dirname(path));
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

function nothingToResume(path: string): UsageError {
  return new UsageError(`cannot resume ${path}: no rows of an interrupted export are kept`, {
    code: 'cannot_resume',
    reason: 'nothing_to_resume',
  });
}

function cannotResume(path: string, found: Checkpoint, now: Subject, changed: readonly string[]): UsageError {
  const { partial } = sidecarPaths(path);
  const what = changed.length === 1 ? `${changed[0]} has` : `${changed.join(', ')} have`;
  return new UsageError(`cannot resume ${path}: ${what} changed since the export began`, {
    code: 'cannot_resume',
    reason: {
      name: 'export_changed',
      changes: changed.map(name => ({ name, before: found.subject[name], now: now[name] })),
      partial,
      rows: found.progress.written.position.rows,
    },
  });
}
