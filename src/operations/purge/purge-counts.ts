import type { NumberedUrl } from '../../apis/cdn/url-list.ts';
import type { GatectlError } from '../../errors/index.ts';
import type { Effect } from '../../wire/effect.ts';

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

/** What the lines of a journal are: URLs, surrogate keys, or the one domain of which everything is purged. */
export type PurgedLines = 'URL' | 'key' | 'everything';

/** A purge for the history. */
export interface PurgeFacts extends Omit<PurgeCounts, 'requests'> {
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly domain?: string;
  readonly what: PurgedLines | 'target';
  /** Whether everything was sent and cleared, and nothing spoke against it. */
  readonly confirmed: boolean;
}

/** All that a purge will clear. */
export interface WeighedPurge {
  readonly effect: Effect;
  /** The one domain of all targets, where there is one; bare for keys. */
  readonly domain: string | undefined;
  readonly targets: () => AsyncIterable<
    readonly { readonly what: PurgedLines; readonly targets: readonly string[] }[]
  >;
  /** URLs, or keys, of which nothing can be measured; undefined for all of a domain. */
  readonly urls: (() => AsyncGenerator<readonly NumberedUrl[]>) | undefined;
  /** Surrogate keys besides. */
  readonly keys: number;
}
