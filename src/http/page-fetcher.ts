import { InvalidResponseError } from '../errors/index.ts';
import { AttemptTimeout } from './attempt-timeout.ts';
import { type Network, openDispatcher } from './dispatcher.ts';
import { networkFailure } from './network-errors.ts';
import { withStallTimeout, withTypedErrors } from './response-body.ts';
import { streamingResponse } from './streaming-response.ts';

/** A public page as the server sent it. */
interface Page {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Iterating throws NetworkError, and InvalidResponseError above 256 MB. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends a page without reading the rest of its body. */
  drop(): void;
}

/** Fetches public pages. Sends neither key nor reader, so it may follow redirects. */
export interface PageFetcher {
  /**
   * Fetches an http or https URL and follows redirects to URLs that `mayFollow` accepts. Throws NetworkError or
   * InvalidResponseError, with code `redirect` for any other redirect.
   */
  get(url: string, mayFollow: (target: URL) => boolean): Promise<Page>;
  /** Fetches an http or https URL, and returns a redirect as it is. Throws NetworkError or InvalidResponseError. */
  getUnfollowed(url: string): Promise<Page>;
  close(): Promise<void>;
}

interface PageOptions {
  readonly network: Network;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The address to request for a URL: the embedded gateway replaces its hosts. */
  readonly locate: (url: URL) => URL;
}

const MOST_REDIRECTS = 5;
const PAGE_LIMIT_BYTES = 256 * 1024 * 1024;

/** Creates a fetcher with connections of its own. */
export function pageFetcher({ network, signal, timeoutMs, locate }: PageOptions): PageFetcher {
  const opening = openDispatcher({ connectTimeoutMs: Math.min(timeoutMs, 10_000), secure: true, ...network });
  // The first page awaits it; until then, a failure must not count as unhandled.
  opening.catch(() => {});

  const getOnce = async (url: URL): Promise<Page> => {
    const target = locate(url);
    const facts = { method: 'GET', origin: url.origin, path: `${url.pathname}${url.search}` };
    const limit = new AttemptTimeout([signal], timeoutMs);
    try {
      const request = {
        origin: target.origin,
        path: `${target.pathname}${target.search}`,
        method: 'GET',
        headers: { Accept: '*/*', 'User-Agent': network.userAgent },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      } as const;
      const { status, headers, body } = await streamingResponse(await opening, request, limit.signal);
      limit.detach();
      return {
        status,
        headers,
        body: withTypedErrors(withStallTimeout(body, limit), { ...facts, status }, limit, {
          most: PAGE_LIMIT_BYTES,
        }),
        drop() {
          limit.release();
          body.drop();
        },
      };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw networkFailure(error, facts).error;
    } finally {
      limit.finish();
    }
  };

  return {
    async get(url, mayFollow) {
      let at = new URL(url);
      for (let redirects = 0; ; redirects += 1) {
        const page = await getOnce(at);
        const { location } = page.headers;
        if (page.status < 300 || page.status >= 400 || location === undefined) return page;
        page.drop();
        const target = redirectTarget(location, at, redirects, mayFollow);
        if (target instanceof URL) at = target;
        else throw badRedirect(target, at, page.status);
      }
    },
    getUnfollowed: url => getOnce(new URL(url)),
    async close() {
      // A dispatcher that failed to open needs no closing.
      const dispatcher = await opening.catch(() => undefined);
      await dispatcher?.destroy();
    },
  };
}

/** The target of a redirect, or why it is not followed. Only its scheme and host are printed, because it may contain secrets. */
function redirectTarget(
  location: string,
  from: URL,
  redirects: number,
  mayFollow: (target: URL) => boolean,
): URL | string {
  if (redirects === MOST_REDIRECTS) return 'redirects too often';
  if (!URL.canParse(location, from.href)) return 'redirects to an invalid URL';
  const target = new URL(location, from);
  if (!isWebUrl(target)) return `redirects to a ${target.protocol} address, which is neither http nor https`;
  return mayFollow(target) ? target : `redirects to another site, ${target.host}`;
}

function badRedirect(
  problem: string,
  { origin, pathname, search }: URL,
  status: number,
): InvalidResponseError {
  const request = { method: 'GET', origin, path: `${pathname}${search}`, status };
  return new InvalidResponseError(`the page ${problem}`, { request, code: 'redirect' });
}

/** Whether a URL can be fetched: `file:`, `data:` and similar have no host. */
function isWebUrl({ protocol, hostname }: URL): boolean {
  return (protocol === 'https:' || protocol === 'http:') && hostname !== '';
}
