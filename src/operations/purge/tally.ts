import { type GatectlError, PartialError } from '../../errors/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import type { ClearEvent } from './clear-targets.ts';
import type { PurgeCounts, PurgeFailure } from './purge-counts.ts';

/** The outcome of a purge as data; `domain` is the one domain of all targets. */
export function purgeRecord(domain: string | undefined, { counts, failures }: PurgeTally): JsonRecord {
  return {
    ...(domain !== undefined && { domain }),
    ...counts,
    failures: failures.map(({ target, error }) => ({ target, error: error.message })),
  };
}

/** Counts what becomes of the targets of a purge. */
export class PurgeTally {
  readonly #failures: PurgeFailure[] = [];
  #requested = 0;
  #cleared = 0;
  #requests = 0;

  get failures(): readonly PurgeFailure[] {
    return this.#failures;
  }

  get counts(): PurgeCounts {
    const failed = this.#failures.length;
    return { requested: this.#requested, cleared: this.#cleared, failed, requests: this.#requests };
  }

  /** Whether a target could not be cleared. */
  hasFailed(target: string): boolean {
    return this.#failures.some(failure => failure.target === target);
  }

  addRequested(count: number): void {
    this.#requested += count;
  }

  /** Counts a request, and its targets unless they are sent again in parts. */
  add({ batch: { targets }, cleared, error, split }: ClearEvent): void {
    this.#requests += 1;
    if (cleared) this.#cleared += targets.length;
    else if (!split && error !== undefined) this.addFailed(targets, error);
  }

  addFailed(targets: readonly string[], error: GatectlError): void {
    for (const target of targets) this.#failures.push({ target, error });
  }

  /** Counts a request of a repeated purge: targets that it could not clear again count as failed. */
  addRepeated({ batch: { targets }, error, split }: ClearEvent): void {
    this.#requests += 1;
    if (split || error === undefined) return;
    const known = new Set(this.#failures.map(({ target }) => target));
    const cleared = targets.filter(target => !known.has(target));
    this.#cleared -= cleared.length;
    this.addFailed(cleared, error);
  }

  /** Throws the first failure if nothing was cleared. */
  throwIfNothingCleared(): void {
    const [first] = this.#failures;
    if (first !== undefined && this.#cleared === 0) throw first.error;
  }

  /** What is wrong if some targets were not cleared. Throws the first failure if none was. */
  get shortfall(): PartialError | undefined {
    this.throwIfNothingCleared();
    const failed = this.#failures.length;
    if (failed === 0) return undefined;
    return new PartialError(`${failed} of ${this.#requested} could not be cleared`, {
      code: 'partial_failure',
    });
  }
}
