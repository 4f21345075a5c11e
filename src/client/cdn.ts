import { assertSuccess, type CdnSite, pingRequest, purgeDomainRequest } from '../apis/cdn/requests.ts';
import { GatectlError, UsageError } from '../errors/index.ts';
import type { GatewayRequest } from '../http/request.ts';
import { checkedKeys, checkedUrls } from '../operations/purge/check-targets.ts';
import {
  batchesOf,
  type ClearEvent,
  clearTargets,
  keyTargets,
  type TargetKind,
  urlTargets,
} from '../operations/purge/clear-targets.ts';
import type { PurgeCounts, PurgeFailure } from '../operations/purge/purge-counts.ts';
import { PurgeTally } from '../operations/purge/tally.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import { textOf, validDomain } from './settings.ts';

/** The result of a purge. Every target is either cleared or listed in `failures`. */
export interface PurgeResult extends PurgeCounts {
  readonly failures: readonly PurgeFailure[];
}

export interface PurgeOptions extends CallOptions {
  /** Splits a rejected batch in halves until only the rejected URLs remain; true by default. */
  readonly split?: boolean;
  /** Maximum concurrent requests; by default as many as the server accepts. */
  readonly concurrency?: number;
  /** Called with URLs as soon as they are cleared, or have failed for good. */
  readonly onResult?: (targets: readonly string[], error: GatectlError | undefined) => void;
}

export interface PurgeKeysOptions extends CallOptions {
  /** A bare domain of the account, instead of the gateway's. */
  readonly domain?: string;
}

/** The CDN API. Clearing is idempotent, so that transient failures are retried. */
export class Cdn {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The domain of the gateway; undefined where it has none. */
  get domain(): string | undefined {
    return this.#connection.settings.domain;
  }

  /** Checks that the CDN API responds. */
  async ping(options: CallOptions = {}): Promise<void> {
    await this.#send(pingRequest(this.#site), options);
  }

  /**
   * Clears URLs, each once, in batches of 100. Throws UsageError before anything is sent if a URL is invalid. A rejected or failed
   * batch does not stop the others; after a rejected key, a rate limit or repeated network failures the rest is not sent. Throws that
   * error if nothing was cleared; otherwise the result lists it with every URL that was not.
   */
  async purge(
    urls: Iterable<string> | AsyncIterable<string>,
    options: PurgeOptions = {},
  ): Promise<PurgeResult> {
    if (typeof urls === 'string')
      throw new UsageError('urls must be a list of URLs', { code: 'invalid_value' });
    const targets = await checkedUrls(urls);
    const { concurrency } = options;
    if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0))
      throw new UsageError('concurrency must be a positive integer', { code: 'invalid_value' });
    return await this.#clear(targets, urlTargets(this.#site), { split: true, ...options });
  }

  /**
   * Clears all pages with these surrogate keys on one domain, in batches of 1,000, which fail and end as those of `purge` do, but are not
   * split. Throws the error if nothing was cleared.
   */
  async purgeKeys(keys: Iterable<string>, options: PurgeKeysOptions = {}): Promise<PurgeResult> {
    if (typeof keys === 'string')
      throw new UsageError('keys must be a list of surrogate keys', { code: 'invalid_value' });
    const distinct = await checkedKeys(keys);
    const domain = this.#domain(options.domain);
    return await this.#clear(distinct, keyTargets(this.#site, domain), { ...options, split: false });
  }

  /** Purges everything of one bare domain. The domain is required, so that no default purges a site by mistake. */
  async purgeDomain(domain: string, options: CallOptions = {}): Promise<void> {
    const bare = this.#domain(textOf('domain', domain));
    await this.#send(purgeDomainRequest(this.#site, bare), options);
  }

  async #clear(
    targets: readonly string[],
    { batchSize, requestOf }: TargetKind,
    options: PurgeOptions,
  ): Promise<PurgeResult> {
    const tally = new PurgeTally();
    tally.addRequested(targets.length);
    const left = new Set(targets);
    const { split = true, concurrency, onResult } = options;
    const onEvent = (event: ClearEvent) => {
      this.#connection.redactError(event.error);
      tally.add(event);
      if (event.split) return;
      for (const target of event.batch.targets) left.delete(target);
      onResult?.(event.batch.targets, event.error);
    };
    try {
      await this.#connection.run(options, sender =>
        clearTargets(batchesOf(targets, batchSize), {
          sender,
          requestOf,
          concurrency,
          split,
          onErrorText: text => this.#connection.warn(text),
          onEvent,
        }),
      );
    } catch (error) {
      if (!(error instanceof GatectlError)) throw error;
      // Those that were not sent fail for the reason why.
      tally.addFailed([...left], error);
    }
    tally.throwIfNothingCleared();
    return { ...tally.counts, failures: tally.failures };
  }

  get #site(): CdnSite {
    const { prefixes, keyIn, cdnTimeoutMs } = this.#connection.settings;
    return { prefix: prefixes.cdn, keyIn, timeoutMs: cdnTimeoutMs };
  }

  /** Whether a domain is bare depends on the Public Suffix List, which is larger than the client: the gateway decides. */
  #domain(given: string | undefined): string {
    return validDomain('domain', given ?? textOf('domain', this.#connection.settings.domain));
  }

  async #send(request: GatewayRequest, options: CallOptions): Promise<void> {
    const connection = this.#connection;
    await connection.run(options, async sender =>
      assertSuccess(await sender.send(request), text => connection.warn(text)),
    );
  }
}
