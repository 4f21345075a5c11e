import {
  AuthError,
  GatectlError,
  InterruptedError,
  LimitedError,
  NetworkError,
  NothingSent,
  RefusedError,
} from '../../errors/index.ts';
import type { PlainAnswer } from '../../gateway/gateway.ts';
import type { GatewayRequest } from '../../gateway/request.ts';
import type { PlainSender } from '../../gateway/sender.ts';
import type { Surface } from './surface.ts';

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
export async function probe(sender: PlainSender, request: GatewayRequest): Promise<Probed | undefined> {
  try {
    return judged(await sender.ask({ ...request, repeatable: false }), request.key.in === 'nowhere');
  } catch (error) {
    if (error instanceof NothingSent) return undefined;
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return { answers: undefined, status: 'no answer', error };
  }
}

/** Sends a surface's call below a prefix, and its other form where the first is not there. Undefined as for `probe`, and without a call. */
export async function probeSurface(
  sender: PlainSender,
  surface: Pick<Surface, 'call' | 'otherForm'>,
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
function judged({ status, error }: PlainAnswer, isKeyless: boolean): Probed {
  const shown = String(status);
  if (error?.request?.isWebPage && !(error instanceof NetworkError))
    return { answers: error instanceof LimitedError ? undefined : false, status: shown, error };
  const seen = error instanceof AuthError && (error.reason !== 'key-not-seen' || isKeyless);
  // An API that does not see a key where this one carries it may be another one.
  if (error instanceof AuthError && !seen) return { answers: undefined, status: shown, error };
  if (error === undefined || seen || error instanceof LimitedError)
    return { answers: true, status: shown, error };
  // A server that knows no such method holds no API.
  if (status === 501) return { answers: false, status: shown, error };
  if (error instanceof RefusedError)
    return { answers: status !== 404 && status !== 405, status: shown, error };
  return { answers: error instanceof NetworkError ? undefined : false, status: shown, error };
}
