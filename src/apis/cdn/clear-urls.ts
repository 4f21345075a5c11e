import { ApiError, AuthError, GatectlError, NetworkError, RateLimitError } from '../../errors/index.ts';
import { forEachConcurrently } from '../../http/concurrent.ts';
import type { Sender } from '../../http/sender.ts';
import { type Batch, halves } from './batches.ts';
import { assertSuccess, type CdnSite, clearUrlsRequest } from './requests.ts';

/** What one request came to. */
export interface ClearEvent {
  readonly batch: Batch;
  readonly cleared: boolean;
  readonly error?: GatectlError;
  /** True when the batch goes on in halves: its failure is not final. */
  readonly split: boolean;
}

export interface ClearOptions {
  readonly sender: Sender;
  readonly site: CdnSite;
  /** Maximum requests in flight; undefined for as many as the server bears. */
  readonly concurrency: number | undefined;
  /** Splits a refused batch in halves until the refused URLs stand alone. */
  readonly split: boolean;
  /** Receives an error text that came with a success. */
  readonly onRemark: (text: string) => void;
  /** Awaited before the next request of the same worker goes out. */
  readonly onEvent: (event: ClearEvent) => void | Promise<void>;
}

/** Batches in a row that the network swallowed: after so many there is no sense in trying the rest. */
const HOPELESS = 5;

/**
 * Clears batches with bounded concurrency. A refused or failed batch is reported and the rest goes on; a refused key, a
 * limit that stays in force or a network that is gone ends everything and is thrown. Clears may be repeated (spec,
 * Endpoints B), so each request has its retries.
 */
export async function clearUrls(batches: AsyncIterable<Batch>, options: ClearOptions): Promise<void> {
  let lost = 0;
  let stopped = false;

  const clear = async (batch: Batch): Promise<void> => {
    const error = await attempt(batch.urls, options);
    const split = error instanceof ApiError && options.split && batch.urls.length > 1;
    await options.onEvent({ batch, cleared: error === undefined, split, ...(error && { error }) });
    lost = error instanceof NetworkError ? lost + 1 : 0;
    if (error instanceof AuthError || error instanceof RateLimitError || (error && lost >= HOPELESS))
      throw error;
    if (!split || stopped) return;
    for (const half of halves(batch)) await clear(half);
  };

  const stopping = async (batch: Batch): Promise<void> => {
    try {
      await clear(batch);
    } catch (error) {
      stopped = true;
      throw error;
    }
  };
  const { sender, concurrency: most } = options;
  await forEachConcurrently(batches, stopping, { most, capacity: () => sender.capacity });
}

/** One request; what the API or the network did wrong comes back, anything else is thrown. */
async function attempt(
  urls: readonly string[],
  { sender, site, onRemark }: ClearOptions,
): Promise<GatectlError | undefined> {
  try {
    assertSuccess(await sender.send(clearUrlsRequest(site, urls)), onRemark);
    return undefined;
  } catch (error) {
    if (error instanceof GatectlError && error.kind !== 'interrupted') return error;
    throw error;
  }
}
