import type { JsonResponse, RawResponse, RowStream } from './gateway.ts';
import type { GatewayRequest } from './request.ts';

/** What a family needs of the core: bytes there and back. Tests and `--curl` stand in for the real one. */
export interface Sender {
  send(request: GatewayRequest): Promise<JsonResponse>;
  stream(request: GatewayRequest): Promise<RowStream>;
}

/** A sender that also hands over answers as they came, failures included. */
export interface RawSender extends Sender {
  ask(request: GatewayRequest): Promise<RawResponse>;
}
