import { invariant } from '../errors/invariant.ts';
import type { WritableFile } from '../files/writable-file.ts';
import { type Subject, writeCheckpoint } from './checkpoint.ts';
import type { Progress } from './export-rows.ts';

/**
 * Saves the progress of an export while it continues: first the rows, then the checkpoint that covers them, so that after a power
 * cut no checkpoint covers missing rows. Saving blocks nothing; of the pages written meanwhile, only the latest progress is saved
 * next.
 */
export class CheckpointWriter {
  readonly #file: WritableFile;
  readonly #path: string;
  readonly #subject: Subject;
  #newest: Progress | undefined;
  /** The first progress that is not saved yet; equal to the saved one if there is none. */
  #first: Progress | undefined;
  #saved: Progress | undefined;
  #pending: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `path` is that of the checkpoint; `saved` is what it covers already, of the same rows. */
  constructor(file: WritableFile, path: string, subject: Subject, saved: Progress | undefined) {
    this.#file = file;
    this.#path = path;
    this.#subject = subject;
    this.#newest = saved;
    this.#first = saved;
    this.#saved = saved;
  }

  /** The progress from which a later run can resume. */
  get saved(): Progress | undefined {
    return this.#saved;
  }

  /** Schedules saving after complete pages, and returns immediately. Throws the error of an earlier save. */
  note(progress: Progress): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#newest = progress;
    if (this.#first === this.#saved) this.#first = progress;
    this.#pending ??= this.#saveNewest();
  }

  /** Waits until all scheduled progress is on disk. Throws FileError. */
  async settle(): Promise<void> {
    await this.#pending;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /**
   * Retries saving after a failure: on a full disk, truncating the rows behind the checkpoint, if necessary even complete pages,
   * makes room for it. Throws FileError; the earlier checkpoint then stays valid.
   */
  async retry(): Promise<void> {
    await this.#pending;
    await this.#truncateTo(this.#newest).catch(() => this.#truncateTo(this.#first));
  }

  async #truncateTo(progress: Progress | undefined): Promise<void> {
    if (progress === undefined || progress === this.#saved) return;
    await this.#file.truncate(progress.written.sinkBytes);
    await this.#save(progress);
  }

  async #saveNewest(): Promise<void> {
    try {
      for (let next = this.#newest; next !== undefined && next !== this.#saved; next = this.#newest)
        await this.#save(next);
    } catch (error) {
      this.#failure = { error };
    }
    this.#pending = undefined;
  }

  async #save(progress: Progress): Promise<void> {
    const { sinkBytes } = progress.written;
    invariant(
      sinkBytes <= this.#file.position,
      `a checkpoint of ${sinkBytes} bytes covers rows that are not written`,
    );
    await this.#file.sync();
    await writeCheckpoint(this.#path, { subject: this.#subject, progress });
    this.#saved = progress;
    this.#first = this.#newest;
  }
}
