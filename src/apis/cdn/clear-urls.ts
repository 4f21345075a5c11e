import { ApiError, AuthError, GatectlError, RateLimitError } from '../../errors/index.ts';
import { forEachConcurrently } from '../../http/concurrent.ts';
import type { Sender } from '../../http/sender.ts';
import { assertSuccess, type CdnSite, clearUrlsRequest } from './requests.ts';
import type { NumberedUrl } from './url-list.ts';

/** The result of one request. */
export interface ClearEvent {
  readonly batch: Batch;
  readonly cleared: boolean;
  readonly error?: GatectlError;
  /** Whether the batch is split and sent again, so that its failure is not final. */
  readonly split: boolean;
}

export interface ClearOptions {
  readonly sender: Sender;
  readonly site: CdnSite;
  /** Maximum concurrent requests; undefined to adapt to the server. */
  readonly concurrency: number | undefined;
  /** Splits a rejected batch in halves until the rejected URLs are isolated. */
  readonly split: boolean;
  /** Called with the error text of a successful response. */
  readonly onErrorText: (text: string) => void;
  /** Awaited before the next request of the same worker. */
  readonly onEvent: (event: ClearEvent) => void | Promise<void>;
}

/** Consecutive failures that do not depend on the URLs, after which the rest is not sent. */
const MAX_REQUEST_FAILURES = 5;

/** 404, 405 and 410 concern the path of the endpoint. */
const PATH_STATUSES: readonly number[] = [404, 405, 410];

/**
 * Clears batches with bounded concurrency. Reports a rejected or failed batch and continues; stops and throws for a rejected API
 * key, a rate limit that persists after retries, and repeated failures that do not depend on the URLs.
 */
export async function clearUrls(batches: AsyncIterable<Batch>, options: ClearOptions): Promise<void> {
  let requestFailures = 0;
  let stopped = false;

  const clear = async (batch: Batch): Promise<void> => {
    const error = await attempt(batch.urls, options);
    const concernsUrls = error instanceof ApiError && mayConcernUrls(error);
    const split = concernsUrls && options.split && batch.urls.length > 1;
    await options.onEvent({ batch, cleared: error === undefined, split, ...(error && { error }) });
    requestFailures = error === undefined || concernsUrls ? 0 : requestFailures + 1;
    if (
      error instanceof AuthError ||
      error instanceof RateLimitError ||
      (error && requestFailures >= MAX_REQUEST_FAILURES)
    )
      throw error;
    if (!split || stopped) return;
    for (const half of halves(batch)) await clear(half);
  };

  const clearOrStop = async (batch: Batch): Promise<void> => {
    try {
      await clear(batch);
    } catch (error) {
      stopped = true;
      throw error;
    }
  };
  const { sender, concurrency: most } = options;
  await forEachConcurrently(batches, clearOrStop, { most, capacity: () => sender.capacity });
}

/** Whether the rejection may be due to single URLs of the batch. The gateway's own errors, and those of the path, are not. */
function mayConcernUrls({ code, request }: ApiError): boolean {
  if (request?.isApiError || code === 'validation_error') return true;
  const { status = 200 } = request ?? {};
  return code !== 'not_found' && status >= 400 && !PATH_STATUSES.includes(status);
}

/** Sends one request; returns an error of the API or the network, throws any other. */
async function attempt(
  urls: readonly string[],
  { sender, site, onErrorText }: ClearOptions,
): Promise<GatectlError | undefined> {
  try {
    assertSuccess(await sender.send(clearUrlsRequest(site, urls)), onErrorText);
    return undefined;
  } catch (error) {
    if (error instanceof GatectlError && error.kind !== 'interrupted') return error;
    throw error;
  }
}

/** Consecutive URLs of a list, with their position, for the journal. */
export interface Batch {
  /** Index of its first URL. */
  readonly from: number;
  readonly urls: readonly string[];
}

/** Groups URLs into batches of at most `size` with consecutive indices. */
export async function* contiguousBatches(
  urls: AsyncIterable<readonly NumberedUrl[]>,
  size: number,
): AsyncGenerator<Batch> {
  let from = 0;
  let batch: string[] = [];
  for await (const block of urls) {
    for (const { index, url } of block) {
      if (batch.length === size || (batch.length > 0 && index !== from + batch.length)) {
        yield { from, urls: batch };
        batch = [];
      }
      if (batch.length === 0) from = index;
      batch.push(url);
    }
  }
  if (batch.length > 0) yield { from, urls: batch };
}

/** Splits a batch in half. */
export function halves({ from, urls }: Batch): readonly [Batch, Batch] {
  const middle = Math.ceil(urls.length / 2);
  return [
    { from, urls: urls.slice(0, middle) },
    { from: from + middle, urls: urls.slice(middle) },
  ];
}
