import { type ApiOfPath, apiOfPath, effectOf, isRepeatable } from '../../apis/api-of-path.ts';
import type { GatewayRequest } from '../../http/request.ts';
import { cdnSite } from './cdn-site.ts';
import type { Context } from './context.ts';

/** A request to a path below the base URL. */
type RawRequest = Pick<GatewayRequest, 'method' | 'path' | 'query' | 'readerHeaders' | 'body'>;

/** Headers that change nothing about what a request does. */
const USUAL_HEADERS =
  /^(?:accept|accept-language|content-type|if-none-match|x-[a-z-]*reader-[a-z-]*|x-request-id)$/i;

/** Whether it has neither a header nor a field with which servers replace the method or the path. */
function isPlain({ query = [], readerHeaders = {} }: RawRequest): boolean {
  return (
    Object.keys(readerHeaders).every(name => USUAL_HEADERS.test(name)) &&
    query.every(([name]) => !/^_?method$/i.test(name))
  );
}

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
    effect: isPlain(raw) ? effectOf(raw.method, raw.path, api) : 'write',
    idempotent: isRepeatable(raw.method, api),
    ...(api.name === 'cdn' && { timeoutMs: (await cdnSite(context)).timeoutMs }),
    readError: api.readError,
  };
  return { api, request };
}
