import { type GatectlError, PartialError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import type { Context } from '../../framework/context.ts';

interface Failed {
  readonly target: string;
  readonly error: GatectlError;
}

const COUNTS = ['requested', 'cleared', 'failed', 'requests'].map(key => ({ key, kind: 'number' }) as const);

const FAILURES = [
  { key: 'target', title: 'Target' },
  { key: 'error', title: 'Error' },
];

/** Counts what a purge came to and tells it in the end. */
export class Tally {
  readonly #failed: Failed[] = [];
  #requested = 0;
  #cleared = 0;
  #requests = 0;

  get cleared(): number {
    return this.#cleared;
  }

  requested(count: number): void {
    this.#requested += count;
  }

  request(): void {
    this.#requests += 1;
  }

  succeeded(count: number): void {
    this.#cleared += count;
  }

  failed(targets: readonly string[], error: GatectlError): void {
    for (const target of targets) this.#failed.push({ target, error });
  }

  /** Counts targets that were cleared, and could not be cleared again after the pause, as failed. */
  failedAgain(targets: readonly string[], error: GatectlError): void {
    const known = new Set(this.#failed.map(({ target }) => target));
    const cleared = targets.filter(target => !known.has(target));
    this.#cleared -= cleared.length;
    this.failed(cleared, error);
  }

  /**
   * Prints the outcome and writes what failed to `failedFile`. Throws what could not be written, `receiptError` included;
   * otherwise PartialError when some of it failed, and the failure itself when all of it did.
   */
  async conclude(context: Context, failedFile: string | undefined, receiptError?: unknown): Promise<void> {
    const failures = this.#failed.map(({ target, error }) => ({ target, error: error.message }));
    const counts = {
      requested: this.#requested,
      cleared: this.#cleared,
      failed: failures.length,
      requests: this.#requests,
    };
    // First, and whatever becomes of it: the reader of the answer may have gone, and a list that can't be written is still printed.
    const unwritten = (await this.#writeFailed(failedFile)) ?? receiptError;
    const format = (await context.settings()).output.value;
    if (format !== 'ndjson' || context.globals.jq !== undefined) {
      const purge = { title: 'Purge', data: counts, view: { columns: COUNTS } };
      const notCleared = { title: 'Not cleared', data: failures, view: { columns: FAILURES } };
      const data = { ...counts, failures };
      if (failures.length === 0) await context.out.printResult(data, [purge], failures);
      else await context.out.printSections(data, [purge, notCleared], failures);
    }
    if (unwritten !== undefined) throw unwritten;
    const [first] = this.#failed;
    if (first === undefined) return;
    if (this.#cleared === 0) throw first.error;
    throw new PartialError(`${failures.length} of ${this.#requested} could not be cleared`, {
      code: 'partial_failure',
    });
  }

  async #writeFailed(path: string | undefined): Promise<unknown> {
    if (path === undefined) return undefined;
    const lines = this.#failed.map(({ target }) => `${target}\n`);
    return await writeAtomic(path, lines.join('')).then(
      () => undefined,
      error => error,
    );
  }
}
