import type { Answer, StreamedAnswer } from './gateway.ts';
import type { GatewayRequest } from './request.ts';

/** What a family needs of the core: bytes there and back. Tests and `--curl` stand in for the real one. */
export interface Sender {
  send(request: GatewayRequest): Promise<Answer>;
  stream(request: GatewayRequest): Promise<StreamedAnswer>;
}
