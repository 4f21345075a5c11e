import type { GatewayRequest } from '../../http/request.ts';

/** Milliseconds. */
const TIMEOUT_MS = 5_000;

/** A request for what a heading or a note adds to a result: without retries, and with a short timeout. */
export function onlyBriefly(request: GatewayRequest): GatewayRequest {
  return { ...request, idempotent: false, timeoutMs: TIMEOUT_MS };
}
