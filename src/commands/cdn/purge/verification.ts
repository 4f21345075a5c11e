import { createHash } from 'node:crypto';
import { type Judgement, judgeFreshness, type Observation, observe } from '../../../apis/cdn/freshness.ts';
import type { PurgeJournal } from '../../../apis/cdn/journal.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { type Json, stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { allowedSites } from './allowed-sites.ts';
import type { PurgeFlags } from './flags.ts';

/** Pages that are fetched; the others are purged just the same. */
const MAX_PAGES = 50;
/** How long pages are fetched, before the purge and after it: slow ones must not hold it up for long. */
const MAX_SECONDS = 60;
const TOO_LATE = `not fetched within ${MAX_SECONDS} s`;

interface Look {
  readonly url: string;
  readonly seen: Observation | string;
}

/** Looks at pages before and after a purge and says which came anew from their origin. */
export class Verification {
  readonly #before: readonly Look[];
  readonly #flags: PurgeFlags;

  private constructor(before: readonly Look[], flags: PurgeFlags) {
    this.#before = before;
    this.#flags = flags;
  }

  /** Fetches the first pages of a purge that is about to begin. */
  static async before(journal: PurgeJournal, flags: PurgeFlags, context: Context): Promise<Verification> {
    const urls: string[] = [];
    for await (const block of journal.remaining(() => {})) {
      urls.push(...block.slice(0, MAX_PAGES - urls.length).map(({ url }) => url));
      if (urls.length === MAX_PAGES) break;
    }
    if (journal.total > urls.length) context.log.note(`only the first ${urls.length} URLs are verified`);
    return new Verification(await lookAt(urls, flags, context), flags);
  }

  /** Fetches the pages again, prints the verdict on each, and writes `--receipt`. Resolves to the error where that failed. */
  async after(context: Context): Promise<unknown> {
    const purgedAt = context.clock.now();
    const again = await lookAt(
      this.#before.map(({ url }) => url),
      this.#flags,
      context,
    );
    const seconds = (context.clock.now() - purgedAt) / 1000;
    const pages = again.map(({ url, seen: after }, index) => {
      const before = this.#before[index]?.seen ?? '';
      return { url, ...verdictOf(before, after, seconds), before: asJson(before), after: asJson(after) };
    });
    for (const { url, verdict, because } of pages) context.log.note(`${verdict}: ${url} (${because})`);
    const { receipt } = this.#flags;
    if (receipt === undefined) return undefined;
    const document = { purgedAt: new Date(purgedAt).toISOString(), pages };
    return await writeAtomic(receipt, `${stringifyJson(document, 2)}\n`).then(
      () => undefined,
      error => error,
    );
  }
}

function verdictOf(before: Observation | string, after: Observation | string, seconds: number): Judgement {
  if (typeof after === 'string') return { verdict: 'unknown', because: after };
  if (typeof before === 'string') return { verdict: 'unknown', because: `before the purge: ${before}` };
  return judgeFreshness(before, after, seconds);
}

/** Fetches pages. One that can't be fetched, whatever the reason, has that for an outcome: the purge must not depend on it. */
async function lookAt(urls: readonly string[], flags: PurgeFlags, context: Context): Promise<Look[]> {
  const deadline = context.clock.now() + MAX_SECONDS * 1000;
  const isLate = () => context.clock.now() >= deadline;
  const looks: Look[] = [];
  for (const url of urls) {
    context.signal.throwIfAborted();
    try {
      looks.push({ url, seen: isLate() ? TOO_LATE : await observed(url, isLate, flags, context) });
    } catch (error) {
      context.signal.throwIfAborted();
      looks.push({ url, seen: error instanceof Error ? error.message : 'it could not be fetched' });
    }
  }
  return looks;
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

function asJson(seen: Observation | string): Json {
  if (typeof seen === 'string') return { error: seen };
  const { status, age, etag, cacheStatus, bodyHash } = seen;
  return { status, age, etag, cacheStatus, sha256: bodyHash };
}
