import type { SandboxReply } from '../http.ts';

/**
 * A JSON document sent in chunks.
 *
 * @param ended called once the chunks were all read, failed, or are no longer wanted
 */
export function streamedJson(chunks: Iterable<Uint8Array>, ended: () => void = () => {}): SandboxReply {
  const source = chunks[Symbol.iterator]();
  const end = (): IteratorResult<Uint8Array> => {
    ended();
    return { done: true, value: undefined };
  };
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      try {
        const step = source.next();
        return step.done ? end() : step;
      } catch (error) {
        ended();
        throw error;
      }
    },
    // A generator that was never started would not run its own clean-up here.
    return: async () => {
      source.return?.();
      return end();
    },
  };
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: { [Symbol.asyncIterator]: () => iterator },
  };
}
