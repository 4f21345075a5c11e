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
import type { RawSender } from '../../http/sender.ts';
import type { ApiCheck } from './api-check.ts';

/** What became of one harmless call. */
export interface Probed {
  /** Whether the API is there; undefined where that can't be told. */
  readonly answers: boolean | undefined;
  /** `200`, `404`, `no answer`. */
  readonly status: string;
  /** Why it was no success. */
  readonly error: GatectlError | undefined;
}

/** Sends a call once. Undefined where nothing was sent, because commands are printed instead. */
export async function probe(sender: RawSender, request: GatewayRequest): Promise<Probed | undefined> {
  try {
    return judged(await sender.ask({ ...request, idempotent: false }), request.key.in === 'nowhere');
  } catch (error) {
    if (error instanceof CurlPrinted) return undefined;
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return { answers: undefined, status: 'no answer', error };
  }
}

/** Sends a surface's call below a prefix, and its other form where the first is not there. Undefined as for `probe`, and without a call. */
export async function probeSurface(
  sender: RawSender,
  surface: Pick<ApiCheck, 'call' | 'otherForm'>,
  prefix: string,
  dressed: (request: GatewayRequest) => GatewayRequest,
): Promise<Probed | undefined> {
  const call = surface.call(prefix);
  const first = call && (await probe(sender, dressed(call)));
  if (first?.answers !== false || surface.otherForm === undefined) return first;
  const other = await probe(sender, dressed(surface.otherForm(prefix)));
  return other?.answers ? { ...other, status: `${other.status} without the last slash` } : first;
}

/** The same call without the key. */
export function keyless(request: GatewayRequest): GatewayRequest {
  return { ...request, key: { in: 'nowhere' } };
}

/** An answer in the API's own terms shows that it is there, be it a refusal; a 404 or a web page shows that it is not. */
function judged({ status, error }: RawResponse, isKeyless: boolean): Probed {
  const shown = String(status);
  if (error?.request?.isWebPage && !(error instanceof NetworkError))
    return { answers: error instanceof RateLimitError ? undefined : false, status: shown, error };
  const seen = error instanceof AuthError && (error.code !== 'key_not_received' || isKeyless);
  // An API that does not see a key where this one carries it may be another one.
  if (error instanceof AuthError && !seen) return { answers: undefined, status: shown, error };
  if (error === undefined || seen || error instanceof RateLimitError)
    return { answers: true, status: shown, error };
  // A server that knows no such method holds no API.
  if (status === 501) return { answers: false, status: shown, error };
  if (error instanceof ApiError) return { answers: status !== 404 && status !== 405, status: shown, error };
  return { answers: error instanceof NetworkError ? undefined : false, status: shown, error };
}
