import type { Answer, PlainAnswer, StreamedAnswer } from './gateway.ts';
import type { GatewayRequest } from './request.ts';

/** What a family needs of the core: bytes there and back. Tests and `--curl` stand in for the real one. */
export interface Sender {
  send(request: GatewayRequest): Promise<Answer>;
  stream(request: GatewayRequest): Promise<StreamedAnswer>;
}

/** A sender that also hands over answers as they came, failures included. */
export interface PlainSender extends Sender {
  ask(request: GatewayRequest): Promise<PlainAnswer>;
}
