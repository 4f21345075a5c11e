import { cleanUrl, type PurgeWords } from '../apis/cdn/clean-url.ts';
import { assertSuccess, type CdnSite, pingRequest, purgeDomainRequest } from '../apis/cdn/requests.ts';
import { type FieldProblem, GatectlError, UsageError } from '../errors/index.ts';
import type { GatewayRequest } from '../http/request.ts';
import {
  batchesOf,
  type ClearEvent,
  clearTargets,
  keyTargets,
  type TargetKind,
  urlTargets,
} from '../operations/purge/clear-targets.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import { textOf, validDomain } from './settings.ts';

/** A URL or surrogate key that was not cleared, and why. */
export interface PurgeFailure {
  /** As it was sent. */
  readonly target: string;
  readonly error: GatectlError;
}

/** The result of a purge. Every target is either cleared or listed in `failures`. */
export interface PurgeResult {
  /** Distinct targets. */
  readonly requested: number;
  readonly cleared: number;
  readonly failed: number;
  /** Requests that were sent. */
  readonly requests: number;
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

const MAX_PROBLEMS = 20;
const WORDS: PurgeWords = { keys: 'purgeKeys()', all: 'purgeDomain()' };

/** The CDN API. Clearing is idempotent, so that transient failures are retried. */
export class Cdn {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
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
    const targets = await cleaned(urls);
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
    const distinct = [...new Set(keys)];
    const { domainProblem, keyProblem } = await import('../apis/cdn/names.ts');
    throwProblems(
      'surrogate key',
      distinct.flatMap((key, index) => {
        const problem = typeof key === 'string' ? keyProblem(key, WORDS) : 'is not a string';
        return problem === undefined ? [] : [{ field: `keys[${index}]`, message: problem }];
      }),
    );
    const domain = this.#domain(options.domain, domainProblem);
    return await this.#clear(distinct, keyTargets(this.#site, domain), { ...options, split: false });
  }

  /** Purges everything of one bare domain. The domain is required, so that no default purges a site by mistake. */
  async purgeDomain(domain: string, options: CallOptions = {}): Promise<void> {
    const { domainProblem } = await import('../apis/cdn/names.ts');
    const bare = this.#domain(textOf('domain', domain), domainProblem);
    await this.#send(purgeDomainRequest(this.#site, bare), options);
  }

  async #clear(
    targets: readonly string[],
    { batchSize, requestOf }: TargetKind,
    options: PurgeOptions,
  ): Promise<PurgeResult> {
    const tally = new Tally(targets);
    const { split = true, concurrency, onResult } = options;
    const onEvent = (event: ClearEvent) => {
      this.#connection.redactError(event.error);
      tally.add(event);
      if (!event.split) onResult?.(event.batch.targets, event.error);
    };
    try {
      await clearTargets(batchesOf(targets, batchSize), {
        sender: this.#connection.sender(options),
        requestOf,
        concurrency,
        split,
        onErrorText: text => this.#connection.warn(text),
        onEvent,
      });
    } catch (error) {
      if (!(error instanceof GatectlError)) throw error;
      tally.failRest(error);
    }
    tally.throwIfNothingCleared();
    return tally.result();
  }

  get #site(): CdnSite {
    const { prefixes, keyIn, cdnTimeoutMs } = this.#connection.settings;
    return { prefix: prefixes.cdn, keyIn, timeoutMs: cdnTimeoutMs };
  }

  #domain(given: string | undefined, problemOf: (domain: string) => { problem: string } | undefined): string {
    const domain = validDomain('domain', given ?? textOf('domain', this.#connection.settings.domain));
    const found = problemOf(domain);
    if (found === undefined) return domain;
    throw new UsageError(`the domain ${domain} ${found.problem}`, { code: 'invalid_value' });
  }

  async #send(request: GatewayRequest, options: CallOptions): Promise<void> {
    const connection = this.#connection;
    await connection.run(async () =>
      assertSuccess(await connection.sender(options).send(request), text => connection.warn(text)),
    );
  }
}

/** Counts what becomes of each target. */
class Tally {
  readonly #targets: readonly string[];
  readonly #isSettled: Uint8Array;
  readonly #failures: PurgeFailure[] = [];
  cleared = 0;
  #requests = 0;

  constructor(targets: readonly string[]) {
    this.#targets = targets;
    this.#isSettled = new Uint8Array(targets.length);
  }

  add({ batch: { from, targets }, cleared, error, split }: ClearEvent): void {
    this.#requests += 1;
    if (split) return;
    this.#isSettled.fill(1, from, from + targets.length);
    if (cleared) this.cleared += targets.length;
    else if (error !== undefined) for (const target of targets) this.#failures.push({ target, error });
  }

  /** The targets that were not sent fail for the reason why. */
  failRest(error: GatectlError): void {
    for (const [index, target] of this.#targets.entries())
      if (this.#isSettled[index] === 0) this.#failures.push({ target, error });
  }

  throwIfNothingCleared(): void {
    const [first] = this.#failures;
    if (first !== undefined && this.cleared === 0) throw first.error;
  }

  result(): PurgeResult {
    return {
      requested: this.#targets.length,
      cleared: this.cleared,
      failed: this.#failures.length,
      requests: this.#requests,
      failures: this.#failures,
    };
  }
}

/** Distinct URLs in the form in which they are sent. Throws UsageError that lists invalid ones. */
async function cleaned(urls: Iterable<string> | AsyncIterable<string>): Promise<string[]> {
  if (typeof urls === 'string')
    throw new UsageError('urls must be a list of URLs', { code: 'invalid_value' });
  const distinct = new Set<string>();
  const problems: FieldProblem[] = [];
  let index = 0;
  for await (const url of urls) {
    const clean = typeof url === 'string' ? cleanUrl(url, undefined, WORDS) : { problem: 'is not a string' };
    if ('url' in clean) distinct.add(clean.url);
    else problems.push({ field: `urls[${index}]`, message: clean.problem });
    index += 1;
  }
  throwProblems('URL', problems);
  return [...distinct];
}

function throwProblems(kind: string, problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
  throw new UsageError(`invalid ${kind}: ${first.field} ${first.message}${more}`, {
    code: 'invalid_value',
    details: problems.slice(0, MAX_PROBLEMS),
  });
}
