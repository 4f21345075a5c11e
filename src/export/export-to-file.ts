import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../errors/index.ts';
import { fileError } from '../files/file-error.ts';
import { type LockMachine, withLock } from '../files/lock.ts';
import { isDirect, openWhole, type WholeFile } from '../files/whole-file.ts';
import {
  type Checkpoint,
  differences,
  readCheckpoint,
  removeCheckpoint,
  type Subject,
  writeCheckpoint,
} from './checkpoint.ts';
import type { Compression } from './compression.ts';
import { FileDigest } from './digest.ts';
import { type Exported, type ExportOptions, exportRows, type Progress } from './export-rows.ts';
import { companionsOf } from './file-name.ts';
import { FileSink } from './file-sink.ts';

export interface FileExportOptions extends Omit<ExportOptions, 'openSink' | 'resume' | 'onPage'> {
  readonly path: string;
  readonly compression: Compression | undefined;
  /** Keeps whole pages and a checkpoint beside the file until the export is done. */
  readonly resumable: boolean;
  /** Goes on with what an earlier run left, where it left something. */
  readonly resume: boolean;
  /** What the file is about. */
  readonly subject: Subject;
  readonly machine: LockMachine;
  /** Whether the result tells the file's SHA-256. */
  readonly digest: boolean;
  readonly onPage: (progress: Progress) => void;
  /** What an earlier run left: gone on with, or (with `resume` false) replaced. */
  readonly onFound: (progress: Progress) => void;
  /** The export ends early, and these rows are kept. */
  readonly onKept: (progress: Progress) => void;
}

export interface FileExported extends Exported {
  /** The file's size. */
  readonly bytes: number;
  readonly sha256: string | undefined;
}

/**
 * Exports rows to a file that takes its name when it is whole. A resumable export keeps its whole pages in `FILE.part`, and what
 * it takes to go on in `FILE.part.json`; only one process at a time works on them. Throws UsageError where what is left is of
 * something else, FileError, and what `exportRows` throws.
 */
export async function exportToFile(options: FileExportOptions): Promise<FileExported> {
  const { path, resumable, machine } = options;
  if (!resumable || (await isDirect(path))) {
    if (options.resume) throw notResumable(path);
    return await write(options, undefined, { mayStay: false });
  }
  await checkFolder(path);
  const { partial, checkpoint } = companionsOf(path);
  return await withLock(partial, { machine, wait: 0 }, async () => {
    const found = await readCheckpoint(checkpoint);
    if (found !== undefined && options.resume) refuseOther(path, found, options.subject);
    return await write(options, found?.progress, { mayStay: true });
  });
}

async function write(
  options: FileExportOptions,
  found: Progress | undefined,
  { mayStay }: { readonly mayStay: boolean },
): Promise<FileExported> {
  const { path, compression, subject } = options;
  const { partial, checkpoint } = companionsOf(path);
  const resume = options.resume ? found : undefined;
  const from = resume?.written.sinkBytes ?? 0;
  let kept = resume;
  let file: WholeFile | undefined;
  try {
    const digest = options.digest ? await FileDigest.ofFile(partial, from) : undefined;
    let sink: FileSink | undefined;
    const exported = await exportRows({
      ...options,
      resume,
      openSink: async () => {
        if (found !== undefined) options.onFound(found);
        if (mayStay && resume === undefined) await removeCheckpoint(checkpoint);
        file = await openWhole(path, mayStay ? { partial: { path: partial, from } } : {});
        sink = new FileSink(file, compression, digest);
        return sink;
      },
      onPage: async progress => {
        options.onPage(progress);
        if (!mayStay) return;
        await writeCheckpoint(checkpoint, { subject, progress });
        kept = progress;
      },
    });
    await sink?.complete();
    const bytes = file?.position ?? 0;
    await file?.commit();
    if (mayStay) await removeCheckpoint(checkpoint);
    return { ...exported, bytes, sha256: digest?.hex() };
  } catch (error) {
    if (kept === undefined) await file?.discard();
    else {
      // The error at hand says more than one from closing the file.
      await file?.keep().catch(() => undefined);
      options.onKept(kept);
    }
    throw error;
  }
}

/** A lock beside a file whose folder is missing would fail in the lock's name. */
async function checkFolder(path: string): Promise<void> {
  try {
    await stat(dirname(path));
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

function notResumable(path: string): UsageError {
  return new UsageError(`${path} can't be gone on with`, {
    hints: ['--resume goes with --all and a file of its own'],
  });
}

function refuseOther(path: string, found: Checkpoint, now: Subject): void {
  const differing = differences(found.subject, now);
  if (differing.length === 0) return;
  const hints = differing.map(
    name => `${name}: then ${found.subject[name] ?? 'none'}, now ${now[name] ?? 'none'}`,
  );
  throw new UsageError(`the unfinished export in ${companionsOf(path).partial} is another one`, {
    hints: [...hints, 'repeat the earlier command with --resume, or leave --resume out to start again'],
  });
}
