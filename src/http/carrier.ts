import type { ContentEncoding } from './content-encoding.ts';
import type { WireRequest } from './request.ts';
import type { StreamingResponse } from './streaming-response.ts';

/** Decodes a body as it arrives. Iterating throws DecodeError and the errors of the body. */
export type Decompress = (
  body: AsyncIterable<Uint8Array>,
  encoding: ContentEncoding,
) => AsyncIterable<Uint8Array>;

/** Carries requests to a server: over connections of its own, or with a `fetch`. */
export interface Carrier {
  /** Sends a request once and resolves when the head of its response was received. Throws the signal's reason. */
  exchange(wire: WireRequest, signal: AbortSignal, timeoutMs: number): Promise<StreamingResponse>;
  /** Missing where bodies arrive decoded. */
  readonly decompress?: Decompress;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}
