import type { WritableFile } from '../files/writable-file.ts';
import { type Subject, writeCheckpoint } from './checkpoint.ts';
import type { Progress } from './export-rows.ts';

/**
 * Brings to the disk how far an export has come while it goes on: first the rows, then the checkpoint that tells of them. Whatever
 * cuts the power, a checkpoint never tells of rows that are not there. While one is on its way nobody waits: of the pages that
 * come meanwhile the last one counts.
 */
export class CheckpointWriter {
  readonly #file: WritableFile;
  readonly #path: string;
  readonly #subject: Subject;
  #newest: Progress | undefined;
  /** Of those since the one that is kept; the same as that where there is none. */
  #first: Progress | undefined;
  #kept: Progress | undefined;
  #onItsWay: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `path` is the checkpoint's; `kept` is what it tells already, of the same rows. */
  constructor(file: WritableFile, path: string, subject: Subject, kept: Progress | undefined) {
    this.#file = file;
    this.#path = path;
    this.#subject = subject;
    this.#newest = kept;
    this.#first = kept;
    this.#kept = kept;
  }

  /** What a next run can go on from. */
  get kept(): Progress | undefined {
    return this.#kept;
  }

  /** Takes whole pages that are written, and returns at once. Throws what kept earlier ones from the disk. */
  note(progress: Progress): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#newest = progress;
    if (this.#first === this.#kept) this.#first = progress;
    this.#onItsWay ??= this.#bring();
  }

  /** Waits until all that was noted is on the disk. Throws FileError. */
  async settle(): Promise<void> {
    await this.#onItsWay;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /**
   * The same where that failed before: a full disk has room for the checkpoint once the rows behind it are gone, if need be those
   * of whole pages, too. Throws FileError; what was kept before is kept still.
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
