import { createHash } from 'node:crypto';
import {
  type FreshnessResult,
  judgeFreshness,
  type Observation,
  observe,
} from '../../../apis/cdn/freshness.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { type Json, type JsonRecord, stringifyJson } from '../../../json/index.ts';
import {
  redirectName,
  redirectSentence,
  redirectState,
  redirectTarget,
  requestedUrl,
  summaryOf,
  type VerifiedPage,
} from '../../../operations/purge/verification.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import type { PurgeFlags } from './flags.ts';

/** Maximum number of pages to fetch in each stage; the others are purged without verification. */
export const MAX_PAGES = 50;
/** Time limit for fetching pages, before the purge and after it. */
const MAX_SECONDS = 60;
const TOO_LATE = `not fetched within ${MAX_SECONDS} s`;

interface FetchedPage {
  readonly url: string;
  readonly observation: Observation | string;
}

/** Fetches pages before and after a purge, and reports which are fresh. Follows no redirect: its target is another page. */
export class Verification {
  /** Pages to fetch in each stage. */
  readonly most = MAX_PAGES;
  readonly #receipt: string | undefined;
  readonly #context: Context;
  #before: readonly FetchedPage[] = [];
  readonly #pages: VerifiedPage[] = [];
  #purgedAt = 0;
  #result: JsonRecord = {};

  constructor({ receipt }: Pick<PurgeFlags, 'receipt'>, context: Context) {
    this.#receipt = receipt;
    this.#context = context;
  }

  /** Number of pages that were stale after the purge. */
  get stale(): number {
    return this.#pages.filter(({ verdict }) => verdict === 'stale').length;
  }

  /** The targets of redirects. */
  get redirectTargets(): ReadonlySet<string> {
    const targets = this.#pages.flatMap(({ redirect }) =>
      redirect !== undefined && 'url' in redirect ? [requestedUrl(redirect.url)] : [],
    );
    return new Set(targets);
  }

  /** Fetches pages before they are purged. */
  async before(urls: readonly string[]): Promise<void> {
    this.#before = await this.#fetch(urls);
  }

  /** Fetches the pages again, and prints the verdict on each. */
  async after(): Promise<void> {
    const { clock, log } = this.#context;
    const purgedAt = clock.now();
    const again = await this.#fetch(this.#before.map(({ url }) => url));
    const seconds = (clock.now() - purgedAt) / 1000;
    for (const [index, { url, observation: after }] of again.entries()) {
      const before = this.#before[index]?.observation ?? '';
      const { verdict, reason } = verdictOf(before, after, seconds);
      const seen = typeof after === 'string' ? before : after;
      const redirect = typeof seen === 'string' ? undefined : redirectTarget(seen.status, seen.location, url);
      this.#pages.push({ url, verdict, reason, before, after, ...(redirect !== undefined && { redirect }) });
      const line = `${verdict}: ${url} (${reason})`;
      if (verdict === 'stale') log.warn(line);
      else log.note(line);
    }
    this.#purgedAt = purgedAt;
  }

  /**
   * Prints where pages redirect to, and returns the result for the output. `requested` URLs were to be purged; `purged` are those of
   * `redirectTargets` that were.
   */
  finish(requested: number, purged: ReadonlySet<string>): JsonRecord {
    const { log } = this.#context;
    const pages = this.#pages.map(({ url, verdict, reason, before, after, redirect }): JsonRecord => {
      const page = { url, verdict, reason, before: asJson(before), after: asJson(after) };
      if (redirect === undefined) return page;
      const state = redirectState(url, redirect, purged);
      const sentence = redirectSentence(url, redirect, state);
      if (state === 'purged') log.note(sentence);
      else log.warn(sentence);
      return { ...page, redirect: { to: redirectName(redirect), purged: state === 'purged', sentence } };
    });
    const { completeness, ...counts } = summaryOf(this.#pages, requested);
    if (counts.unknown > 0)
      log.note(`not known to be fresh: ${pluralize(counts.unknown, 'page')} of ${counts.checked}`);
    this.#result = { completeness, ...counts, pages };
    return this.#result;
  }

  /** Writes `--receipt`. Returns the error if that fails. */
  async writeReceipt(): Promise<unknown> {
    if (this.#receipt === undefined) return undefined;
    const document = { purgedAt: new Date(this.#purgedAt).toISOString(), ...this.#result };
    return await writeAtomic(this.#receipt, `${stringifyJson(document, 2)}\n`).then(
      () => undefined,
      error => error,
    );
  }

  /** Fetches pages. A failure is the result of its page, because the purge must not depend on it. */
  async #fetch(urls: readonly string[]): Promise<FetchedPage[]> {
    const { clock, signal } = this.#context;
    const deadline = clock.now() + MAX_SECONDS * 1000;
    const isLate = () => clock.now() >= deadline;
    const fetched: FetchedPage[] = [];
    for (const url of urls) {
      signal.throwIfAborted();
      try {
        fetched.push({ url, observation: isLate() ? TOO_LATE : await this.#observe(url, isLate) });
      } catch (error) {
        signal.throwIfAborted();
        fetched.push({ url, observation: error instanceof Error ? error.message : 'cannot be fetched' });
      }
    }
    return fetched;
  }

  async #observe(url: string, isLate: () => boolean): Promise<Observation | string> {
    const pages = await this.#context.pages();
    const page = await pages.getUnfollowed(url);
    const hash = createHash('sha256');
    for await (const chunk of page.body) {
      if (isLate()) return TOO_LATE;
      hash.update(chunk);
    }
    return observe(page.status, page.headers, hash.digest('hex'));
  }
}

function verdictOf(
  before: Observation | string,
  after: Observation | string,
  seconds: number,
): FreshnessResult {
  if (typeof after === 'string') return { verdict: 'unknown', reason: after };
  if (typeof before === 'string') return { verdict: 'unknown', reason: `before the purge: ${before}` };
  return judgeFreshness(before, after, seconds);
}

function asJson(observation: Observation | string): Json {
  if (typeof observation === 'string') return { error: observation };
  const { status, age, etag, cacheStatus, bodyHash } = observation;
  return { status, age, etag, cacheStatus, sha256: bodyHash };
}
