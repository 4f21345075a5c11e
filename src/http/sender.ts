import type { ApiName } from '../errors/index.ts';
import type { AheadOptions, JsonResponse, RawResponse, RowStream } from './gateway.ts';
import type { GatewayRequest } from './request.ts';

/** Sends the requests of an API. Implemented by the gateway, by `--curl` and by tests. */
export interface Sender {
  send(request: GatewayRequest): Promise<JsonResponse>;
  /** With `ahead`, the request is sent once, and only if the server accepts one more; without it, in its turn. */
  stream(request: GatewayRequest, ahead?: AheadOptions): Promise<RowStream>;
  /** How many requests to an API may be in flight now; it adapts to the server. */
  capacity(api: ApiName): number;
}

/** A sender that also returns responses unchanged, including errors. */
export interface RawSender extends Sender {
  sendRaw(request: GatewayRequest): Promise<RawResponse>;
}
