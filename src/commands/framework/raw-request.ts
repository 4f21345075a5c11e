import { type ApiOfPath, apiOfPath, effectOf, isRepeatable } from '../../apis/api-of-path.ts';
import type { GatewayRequest } from '../../http/request.ts';
import { cdnSite } from './cdn-site.ts';
import type { Context } from './context.ts';

/** A request to a path below the base URL. */
type RawRequest = Pick<GatewayRequest, 'method' | 'path' | 'query' | 'readerHeaders' | 'body'>;

/** The request as the API of its path requires it: with the key in its place, its effect and its errors. */
export async function rawRequest(
  raw: RawRequest,
  context: Context,
): Promise<{ api: ApiOfPath; request: GatewayRequest }> {
  const api = apiOfPath(raw.path, await context.settings());
  const request: GatewayRequest = {
    ...(api.name !== 'unknown' && { api: api.name }),
    ...raw,
    key: api.key,
    effect: effectOf(raw.method, raw.path, api),
    idempotent: isRepeatable(raw.method, api),
    ...(api.name === 'cdn' && { timeoutMs: (await cdnSite(context)).timeoutMs }),
    readError: api.readError,
  };
  return { api, request };
}
