import {
  ApiError,
  AuthError,
  CurlPrinted,
  GatectlError,
  InterruptedError,
  NetworkError,
  RateLimitError,
} from '../../errors/index.ts';
import type { RawResponse } from '../../http/gateway.ts';
import type { GatewayRequest } from '../../http/request.ts';
import type { Transfer } from '../../http/response-body.ts';
import type { RawSender } from '../../http/sender.ts';
import type { ApiCheck } from './api-check.ts';

/** The result of one harmless call. */
export interface ProbeResult {
  /** Whether the API exists at this path; undefined if the response does not show it. */
  readonly isPresent: boolean | undefined;
  /** `200`, `404`, `no response`. */
  readonly status: string;
  /** Undefined for success. */
  readonly error: GatectlError | undefined;
  /** Undefined where no response was received. */
  readonly transfer?: Transfer;
}

/** Sends a call once, without retries. Undefined with `--curl`, which sends nothing. */
async function probe(sender: RawSender, request: GatewayRequest): Promise<ProbeResult | undefined> {
  try {
    const response = await sender.sendRaw({ ...request, idempotent: false });
    return { ...resultOf(response, request.key.in === 'nowhere'), transfer: response.transfer };
  } catch (error) {
    if (error instanceof CurlPrinted) return undefined;
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return { isPresent: undefined, status: 'no response', error };
  }
}

/**
 * Sends the call of an API at a path, and its alternative if the first is not found. Undefined as for `probe`, and without a
 * call.
 */
export async function probeApi(
  sender: RawSender,
  api: Pick<ApiCheck, 'call' | 'otherForm'>,
  prefix: string,
  prepare: (request: GatewayRequest) => GatewayRequest,
): Promise<ProbeResult | undefined> {
  const call = api.call(prefix);
  const first = call && (await probe(sender, prepare(call)));
  if (first?.isPresent !== false || api.otherForm === undefined) return first;
  const other = await probe(sender, prepare(api.otherForm(prefix)));
  return other?.isPresent ? { ...other, status: `${other.status} without the trailing slash` } : first;
}

/** The same call without the key. */
export function keyless(request: GatewayRequest): GatewayRequest {
  return { ...request, key: { in: 'nowhere' } };
}

/** A response of the API itself, even an error, shows that it exists; a 404 or a web page shows that it does not. */
function resultOf({ status, error }: RawResponse, isKeyless: boolean): ProbeResult {
  const shown = String(status);
  if (error?.request?.isWebPage && !(error instanceof NetworkError))
    return { isPresent: error instanceof RateLimitError ? undefined : false, status: shown, error };
  const seen = error instanceof AuthError && (error.code !== 'key_not_received' || isKeyless);
  // A response that reports a missing key may come from another API, which expects the key elsewhere.
  if (error instanceof AuthError && !seen) return { isPresent: undefined, status: shown, error };
  if (error === undefined || seen || error instanceof RateLimitError)
    return { isPresent: true, status: shown, error };
  // A server that does not implement the method has no such API.
  if (status === 501) return { isPresent: false, status: shown, error };
  if (error instanceof ApiError) return { isPresent: status !== 404 && status !== 405, status: shown, error };
  return { isPresent: error instanceof NetworkError ? undefined : false, status: shown, error };
}
