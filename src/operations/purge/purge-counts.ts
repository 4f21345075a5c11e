import type { GatectlError } from '../../errors/index.ts';

/** A target that could not be cleared, as it was sent, and why. */
export interface PurgeFailure {
  readonly target: string;
  readonly error: GatectlError;
}

/** What became of the targets of a purge. */
export interface PurgeCounts {
  readonly requested: number;
  readonly cleared: number;
  readonly failed: number;
  /** Requests that were sent. */
  readonly requests: number;
}
