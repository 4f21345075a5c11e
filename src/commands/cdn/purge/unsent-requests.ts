import type { Batch } from '../../../apis/cdn/clear-urls.ts';
import { clearUrlsRequest } from '../../../apis/cdn/requests.ts';
import { CurlPrinted } from '../../../errors/index.ts';
import type { GatewayRequest } from '../../../http/request.ts';
import type { Context } from '../../framework/context.ts';
import { cdnSite } from '../site.ts';
import { printDryRun } from './dry-run.ts';
import { bareDomain, keyRequests } from './keys.ts';

/** What a purge would send: batches of URLs, then surrogate keys of the domain. */
export interface UnsentPurge {
  readonly batches: AsyncIterable<Batch>;
  readonly keys: readonly string[];
  readonly domain: string | undefined;
  /** Prints a list of the requests, not a command of curl for each. */
  readonly isDryRun: boolean;
}

/**
 * Prints the requests of a purge and sends none, for --dry-run and --curl. Throws UsageError for keys without a bare domain, and for
 * --curl CurlPrinted at the end.
 */
export async function printUnsent(purge: UnsentPurge, context: Context): Promise<void> {
  const requests = await requestsOf(purge, context);
  if (purge.isDryRun) return await printDryRun(requests, context);
  const sender = await context.gateway();
  for await (const request of requests)
    await sender.send(request).catch(error => {
      if (!(error instanceof CurlPrinted)) throw error;
    });
  throw new CurlPrinted();
}

async function requestsOf(
  { batches, keys, domain }: UnsentPurge,
  context: Context,
): Promise<AsyncIterable<GatewayRequest>> {
  const site = await cdnSite(context);
  const last = keys.length === 0 ? [] : await keyRequests(keys, await bareDomain(domain, context), context);
  return (async function* () {
    for await (const { urls } of batches) yield clearUrlsRequest(site, urls);
    yield* last;
  })();
}
