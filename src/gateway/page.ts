import { UnusableAnswerError } from '../errors/index.ts';
import { arrivingAnswer } from './arriving-answer.ts';
import { guarded } from './bytes.ts';
import { type Network, openDispatcher } from './dispatcher.ts';
import { Limit } from './limit.ts';
import { networkFailure } from './network-errors.ts';

/** A public page as it was served. */
export interface Page {
  /** Where it came from in the end. */
  readonly url: string;
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Throws NetworkError, and UnusableAnswerError above 256 MB. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends a page whose body nobody wants, however long it is. */
  drop(): void;
}

/** Fetches public pages. Carries no key and no reader, which is why it may follow redirects. */
export interface PageFetcher {
  /** Throws NetworkError or UnusableAnswerError. */
  get(url: string): Promise<Page>;
  close(): Promise<void>;
}

export interface PageOptions {
  readonly network: Network;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Where a URL is really asked for: the embedded gateway stands in for its hosts. */
  readonly locate: (url: URL) => URL;
}

const MOST_REDIRECTS = 5;
const PAGE_LIMIT_BYTES = 256 * 1024 * 1024;

/** Makes a fetcher with connections of its own. */
export function pageFetcher({ network, signal, timeoutMs, locate }: PageOptions): PageFetcher {
  const opening = openDispatcher({ connectTimeoutMs: Math.min(timeoutMs, 10_000), secure: true, ...network });
  // It is awaited by the first page; until then a failure must not count as unhandled.
  opening.catch(() => {});

  const getOnce = async (url: URL): Promise<Page> => {
    const target = locate(url);
    const facts = { method: 'GET', origin: url.origin, path: `${url.pathname}${url.search}` };
    const limit = new Limit(signal, timeoutMs);
    try {
      const request = {
        origin: target.origin,
        path: `${target.pathname}${target.search}`,
        method: 'GET',
        headers: { Accept: '*/*', 'User-Agent': 'gatectl' },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      } as const;
      const { status, headers, body } = await arrivingAnswer(await opening, request, limit.signal);
      limit.handOver();
      return {
        url: url.href,
        status,
        headers,
        body: guarded(body, { ...facts, status }, limit, PAGE_LIMIT_BYTES),
        drop() {
          limit.release();
          body.drop();
        },
      };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw networkFailure(error, facts).error;
    } finally {
      limit.settle();
    }
  };

  return {
    async get(url) {
      let at = new URL(url);
      for (let redirects = 0; ; redirects += 1) {
        const page = await getOnce(at);
        const { location } = page.headers;
        if (page.status < 300 || page.status >= 400 || location === undefined) return page;
        page.drop();
        if (redirects === MOST_REDIRECTS || !URL.canParse(location, at.href)) {
          const request = {
            method: 'GET',
            origin: at.origin,
            path: `${at.pathname}${at.search}`,
            status: page.status,
          };
          throw new UnusableAnswerError('the page redirects too often or to nowhere', {
            request,
            code: 'redirect',
          });
        }
        at = new URL(location, at);
      }
    },
    async close() {
      // One that could not be opened has nothing to end.
      const dispatcher = await opening.catch(() => undefined);
      await dispatcher?.destroy();
    },
  };
}
