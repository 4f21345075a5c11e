import { createHash } from 'node:crypto';
import {
  type FreshnessResult,
  judgeFreshness,
  type Observation,
  observe,
} from '../../../apis/cdn/freshness.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { type Json, type JsonRecord, stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { allowedSites } from './allowed-sites.ts';
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

/** Fetches pages before and after a purge, and reports which are fresh. */
export class Verification {
  readonly #flags: PurgeFlags;
  readonly #context: Context;
  #before: readonly FetchedPage[] = [];
  readonly #pages: JsonRecord[] = [];
  #purgedAt = 0;
  /** Number of pages that were stale after the purge. */
  stale = 0;

  constructor(flags: PurgeFlags, context: Context) {
    this.#flags = flags;
    this.#context = context;
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
    const pages = again.map(({ url, observation: after }, index) => {
      const before = this.#before[index]?.observation ?? '';
      return { url, ...verdictOf(before, after, seconds), before: asJson(before), after: asJson(after) };
    });
    this.stale += pages.filter(({ verdict }) => verdict === 'stale').length;
    for (const { url, verdict, reason } of pages) log.note(`${verdict}: ${url} (${reason})`);
    this.#pages.push(...pages);
    this.#purgedAt = purgedAt;
  }

  /** Writes `--receipt`. Returns the error if that fails. */
  async writeReceipt(): Promise<unknown> {
    const { receipt } = this.#flags;
    if (receipt === undefined) return undefined;
    const document = { purgedAt: new Date(this.#purgedAt).toISOString(), pages: this.#pages };
    return await writeAtomic(receipt, `${stringifyJson(document, 2)}\n`).then(
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
    const page = await pages.get(url, await allowedSites(url, this.#flags, this.#context));
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
