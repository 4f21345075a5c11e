import {
  assertSuccess,
  type CdnSite,
  clearKeysRequest,
  clearUrlsRequest,
  KEYS_PER_REQUEST,
} from '../../apis/cdn/requests.ts';
import type { NumberedUrl } from '../../apis/cdn/url-list.ts';
import { ApiError, AuthError, GatectlError, RateLimitError } from '../../errors/index.ts';
import { forEachConcurrently } from '../../http/concurrent.ts';
import type { GatewayRequest } from '../../http/request.ts';
import type { Sender } from '../../http/sender.ts';
import { BULK_CLEAR_LIMIT } from '../../wire/cdn.ts';

/** The result of one request. */
export interface ClearEvent {
  readonly batch: Batch;
  readonly cleared: boolean;
  readonly error?: GatectlError;
  /** Whether the batch is split and sent again, so that its failure is not final. */
  readonly split: boolean;
}

/** How targets of one kind are cleared. */
export interface TargetKind {
  /** Targets of one request. */
  readonly batchSize: number;
  /** The request that clears a batch. */
  readonly requestOf: (targets: readonly string[]) => GatewayRequest;
}

/** Clears URLs. */
export function urlTargets(site: CdnSite): TargetKind {
  return { batchSize: BULK_CLEAR_LIMIT, requestOf: urls => clearUrlsRequest(site, urls) };
}

/** Clears surrogate keys of a bare domain. */
export function keyTargets(site: CdnSite, domain: string): TargetKind {
  return { batchSize: KEYS_PER_REQUEST, requestOf: keys => clearKeysRequest(site, keys, domain) };
}

interface ClearOptions {
  readonly sender: Sender;
  readonly requestOf: TargetKind['requestOf'];
  /** Maximum concurrent requests; undefined to adapt to the server. */
  readonly concurrency: number | undefined;
  /** Splits a rejected batch in halves until the rejected targets are isolated. */
  readonly split: boolean;
  /** Called with the error text of a successful response. */
  readonly onErrorText: (text: string) => void;
  /** Awaited before the next request of the same worker. */
  readonly onEvent: (event: ClearEvent) => void | Promise<void>;
}

/** Consecutive failures that do not depend on the targets, after which the rest is not sent. */
const MAX_REQUEST_FAILURES = 5;

/** 404, 405 and 410 concern the path of the endpoint. */
const PATH_STATUSES: readonly number[] = [404, 405, 410];

/**
 * Clears batches with bounded concurrency. Reports a rejected or failed batch and continues; stops and throws for a rejected API
 * key, a rate limit that persists after retries, and repeated failures that do not depend on the targets.
 */
export async function clearTargets(batches: AsyncIterable<Batch>, options: ClearOptions): Promise<void> {
  let requestFailures = 0;
  let stopped = false;

  const clear = async (batch: Batch): Promise<void> => {
    const error = await attempt(batch.targets, options);
    const concernsTargets = mayConcernTargets(error);
    const split = concernsTargets && options.split && batch.targets.length > 1;
    await options.onEvent({ batch, cleared: error === undefined, split, ...(error && { error }) });
    requestFailures = error === undefined || concernsTargets ? 0 : requestFailures + 1;
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
  await forEachConcurrently(batches, clearOrStop, { most, capacity: () => sender.capacity('cdn') });
}

/** Whether the rejection may be due to single targets of the batch. The gateway's own errors, and those of the path, are not. */
export function mayConcernTargets(error: GatectlError | undefined): boolean {
  if (!(error instanceof ApiError)) return false;
  const { code, request } = error;
  if (request?.isApiError || code === 'validation_error') return true;
  const { status = 200 } = request ?? {};
  return code !== 'not_found' && status >= 400 && !PATH_STATUSES.includes(status);
}

/** Sends one request; returns an error of the API or the network, throws any other. */
async function attempt(
  targets: readonly string[],
  { sender, requestOf, onErrorText }: ClearOptions,
): Promise<GatectlError | undefined> {
  try {
    assertSuccess(await sender.send(requestOf(targets)), onErrorText);
    return undefined;
  } catch (error) {
    if (error instanceof GatectlError && error.kind !== 'interrupted') return error;
    throw error;
  }
}

/** Consecutive targets of a list, with their position, for the journal. */
export interface Batch {
  /** Index of its first target. */
  readonly from: number;
  readonly targets: readonly string[];
}

/** Groups the lines of a journal into batches of at most `size` with consecutive indices. */
export async function* contiguousBatches(
  lines: AsyncIterable<readonly NumberedUrl[]>,
  size: number,
): AsyncGenerator<Batch> {
  let from = 0;
  let targets: string[] = [];
  for await (const block of lines) {
    for (const { index, url } of block) {
      if (targets.length === size || (targets.length > 0 && index !== from + targets.length)) {
        yield { from, targets };
        targets = [];
      }
      if (targets.length === 0) from = index;
      targets.push(url);
    }
  }
  if (targets.length > 0) yield { from, targets };
}

/** Groups a list in memory into batches. */
export async function* batchesOf(targets: readonly string[], size: number): AsyncGenerator<Batch> {
  for (let from = 0; from < targets.length; from += size)
    yield { from, targets: targets.slice(from, from + size) };
}

/** Splits a batch in half. */
export function halves({ from, targets }: Batch): readonly [Batch, Batch] {
  const middle = Math.ceil(targets.length / 2);
  return [
    { from, targets: targets.slice(0, middle) },
    { from: from + middle, targets: targets.slice(middle) },
  ];
}
