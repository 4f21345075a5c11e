import { createHash } from 'node:crypto';
import {
  type FreshnessResult,
  judgeFreshness,
  type Observation,
  observe,
} from '../../../apis/cdn/freshness.ts';
import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { type Json, stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { allowedSites } from './allowed-sites.ts';
import type { PurgeFlags } from './flags.ts';

/** Maximum number of pages to fetch; the others are purged without verification. */
const MAX_PAGES = 50;
/** Time limit for fetching pages, before the purge and after it. */
const MAX_SECONDS = 60;
const TOO_LATE = `not fetched within ${MAX_SECONDS} s`;

interface FetchedPage {
  readonly url: string;
  readonly observation: Observation | string;
}

/** Fetches pages before and after a purge, and reports which are fresh. */
export class Verification {
  readonly #before: readonly FetchedPage[];
  readonly #flags: PurgeFlags;

  private constructor(before: readonly FetchedPage[], flags: PurgeFlags) {
    this.#before = before;
    this.#flags = flags;
  }

  /** Fetches the first pages of a purge before it starts. */
  static async before(journal: PurgeJournal, flags: PurgeFlags, context: Context): Promise<Verification> {
    const urls: string[] = [];
    for await (const block of journal.remaining(() => {})) {
      urls.push(...block.slice(0, MAX_PAGES - urls.length).map(({ url }) => url));
      if (urls.length === MAX_PAGES) break;
    }
    if (journal.total > urls.length) context.log.note(`only the first ${urls.length} URLs are verified`);
    return new Verification(await fetchPages(urls, flags, context), flags);
  }

  /** Fetches the pages again, prints the verdict on each, and writes `--receipt`. Returns the error if that fails. */
  async after(context: Context): Promise<unknown> {
    const purgedAt = context.clock.now();
    const again = await fetchPages(
      this.#before.map(({ url }) => url),
      this.#flags,
      context,
    );
    const seconds = (context.clock.now() - purgedAt) / 1000;
    const pages = again.map(({ url, observation: after }, index) => {
      const before = this.#before[index]?.observation ?? '';
      return { url, ...verdictOf(before, after, seconds), before: asJson(before), after: asJson(after) };
    });
    for (const { url, verdict, reason } of pages) context.log.note(`${verdict}: ${url} (${reason})`);
    const { receipt } = this.#flags;
    if (receipt === undefined) return undefined;
    const document = { purgedAt: new Date(purgedAt).toISOString(), pages };
    return await writeAtomic(receipt, `${stringifyJson(document, 2)}\n`).then(
      () => undefined,
      error => error,
    );
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

/** Fetches pages. A failure is recorded as the result of the page, reason the purge must not depend on it. */
async function fetchPages(
  urls: readonly string[],
  flags: PurgeFlags,
  context: Context,
): Promise<FetchedPage[]> {
  const deadline = context.clock.now() + MAX_SECONDS * 1000;
  const isLate = () => context.clock.now() >= deadline;
  const fetched: FetchedPage[] = [];
  for (const url of urls) {
    context.signal.throwIfAborted();
    try {
      fetched.push({ url, observation: isLate() ? TOO_LATE : await observed(url, isLate, flags, context) });
    } catch (error) {
      context.signal.throwIfAborted();
      fetched.push({ url, observation: error instanceof Error ? error.message : 'cannot be fetched' });
    }
  }
  return fetched;
}

async function observed(
  url: string,
  isLate: () => boolean,
  flags: PurgeFlags,
  context: Context,
): Promise<Observation | string> {
  const pages = await context.pages();
  const page = await pages.get(url, await allowedSites(url, flags, context));
  const hash = createHash('sha256');
  for await (const chunk of page.body) {
    if (isLate()) return TOO_LATE;
    hash.update(chunk);
  }
  return observe(page.status, page.headers, hash.digest('hex'));
}

function asJson(observation: Observation | string): Json {
  if (typeof observation === 'string') return { error: observation };
  const { status, age, etag, cacheStatus, bodyHash } = observation;
  return { status, age, etag, cacheStatus, sha256: bodyHash };
}
