import { createHash } from 'node:crypto';
import { GatectlError } from '../../errors/index.ts';
import { type Judgement, judgeFreshness, type Observation, observe } from '../../families/cdn/freshness.ts';
import type { PurgeJournal } from '../../families/cdn/journal.ts';
import { writeWhole } from '../../files/whole-file.ts';
import { type Json, stringifyJson } from '../../json/index.ts';
import type { Context } from '../context.ts';

/** Pages that are looked at; the others are cleared just the same. */
const MOST_PAGES = 50;

interface Look {
  readonly url: string;
  readonly seen: Observation | string;
}

/** Looks at pages before and after a purge and says which came anew from their origin. */
export class Verification {
  readonly #before: readonly Look[];

  private constructor(before: readonly Look[]) {
    this.#before = before;
  }

  /** Looks at the first pages of a purge that is about to begin. */
  static async before(journal: PurgeJournal, context: Context): Promise<Verification> {
    const urls: string[] = [];
    for await (const block of await journal.remaining()) {
      urls.push(...block.slice(0, MOST_PAGES - urls.length).map(({ url }) => url));
      if (urls.length === MOST_PAGES) break;
    }
    if (journal.total > urls.length) context.note(`only the first ${urls.length} URLs are verified`);
    return new Verification(await lookAt(urls, context));
  }

  /** Looks again, tells each page's verdict on stderr, and writes the receipt where one is wanted. */
  async after(receipt: string | undefined, context: Context): Promise<void> {
    const purgedAt = context.clock.now();
    const again = await lookAt(
      this.#before.map(({ url }) => url),
      context,
    );
    const seconds = (context.clock.now() - purgedAt) / 1000;
    const pages = again.map(({ url, seen: after }, index) => {
      const before = this.#before[index]?.seen ?? '';
      return { url, ...verdictOf(before, after, seconds), before: asJson(before), after: asJson(after) };
    });
    for (const { url, verdict, because } of pages) context.note(`${verdict}: ${url} (${because})`);
    if (receipt === undefined) return;
    const document = { purgedAt: new Date(purgedAt).toISOString(), pages };
    await writeWhole(receipt, `${stringifyJson(document, 2)}\n`);
  }
}

function verdictOf(before: Observation | string, after: Observation | string, seconds: number): Judgement {
  if (typeof after === 'string') return { verdict: 'unknown', because: after };
  if (typeof before === 'string') return { verdict: 'unknown', because: `before the purge: ${before}` };
  return judgeFreshness(before, after, seconds);
}

async function lookAt(urls: readonly string[], context: Context): Promise<Look[]> {
  const pages = await context.pages();
  const looks: Look[] = [];
  for (const url of urls) {
    context.signal.throwIfAborted();
    try {
      const page = await pages.get(url);
      const hash = createHash('sha256');
      for await (const chunk of page.body) hash.update(chunk);
      looks.push({ url, seen: observe(page.status, page.headers, hash.digest('hex')) });
    } catch (error) {
      if (!(error instanceof GatectlError) || error.kind === 'interrupted') throw error;
      looks.push({ url, seen: error.message });
    }
  }
  return looks;
}

function asJson(seen: Observation | string): Json {
  if (typeof seen === 'string') return { error: seen };
  const { status, age, etag, cacheStatus, bodyHash } = seen;
  return { status, age, etag, cacheStatus, sha256: bodyHash };
}
