import type { AheadOptions, JsonResponse, RawResponse, RowStream } from './gateway.ts';
import type { GatewayRequest } from './request.ts';

/** What a family needs of the core: bytes there and back. Tests and `--curl` stand in for the real one. */
export interface Sender {
  send(request: GatewayRequest): Promise<JsonResponse>;
  /** With `ahead`, once and only where the server bears one more request; without it, in its turn. */
  stream(request: GatewayRequest, ahead?: AheadOptions): Promise<RowStream>;
  /** How many requests may be in flight now; it changes with what the server bears. */
  readonly capacity: number;
}

/** A sender that also hands over answers as they came, failures included. */
export interface RawSender extends Sender {
  ask(request: GatewayRequest): Promise<RawResponse>;
}
