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
  #kept: Progress | undefined;
  #onItsWay: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `path` is that of the checkpoint; `kept` is what it covers already, of the same rows. */
  constructor(file: WritableFile, path: string, subject: Subject, kept: Progress | undefined) {
    this.#file = file;
    this.#path = path;
    this.#subject = subject;
    this.#newest = kept;
    this.#first = kept;
    this.#kept = kept;
  }

  /** The progress from which a later run can resume. */
  get kept(): Progress | undefined {
    return this.#kept;
  }

  /** Schedules saving after complete pages, and returns immediately. Throws the error of an earlier save. */
  note(progress: Progress): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#newest = progress;
    if (this.#first === this.#kept) this.#first = progress;
    this.#onItsWay ??= this.#bring();
  }

  /** Waits until all scheduled progress is on disk. Throws FileError. */
  async settle(): Promise<void> {
    await this.#onItsWay;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /**
   * Retries saving after a failure: on a full disk, truncating the rows behind the checkpoint, if necessary even complete pages,
   * makes room for it. Throws FileError; the earlier checkpoint then stays valid.
   */
  async rescue(): Promise<void> {
    await this.#onItsWay;
    await this.#goBackTo(this.#newest).catch(() => this.#goBackTo(this.#first));
  }

  async #goBackTo(progress: Progress | undefined): Promise<void> {
    if (progress === undefined || progress === this.#kept) return;
    await this.#file.truncate(progress.written.sinkBytes);
    await this.#keep(progress);
  }

  async #bring(): Promise<void> {
    try {
      for (let next = this.#newest; next !== undefined && next !== this.#kept; next = this.#newest)
        await this.#keep(next);
    } catch (error) {
      this.#failure = { error };
    }
    this.#onItsWay = undefined;
  }

  async #keep(progress: Progress): Promise<void> {
    await this.#file.sync();
    await writeCheckpoint(this.#path, { subject: this.#subject, progress });
    this.#kept = progress;
    this.#first = this.#newest;
  }
}
