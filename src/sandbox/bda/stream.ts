import type { SandboxReply } from '../routing.ts';

const HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/**
 * A JSON document made in chunks. One of a single chunk goes out whole, with its length; a longer one is made as it
 * is sent.
 *
 * @param ended called once the chunks were all made, failed, or are no longer wanted
 */
export function streamedJson(chunks: Iterable<Uint8Array>, ended: () => void = () => {}): SandboxReply {
  const source = chunks[Symbol.iterator]();
  const ahead = [source.next(), source.next()];
  const [first, second] = ahead;
  if (second?.done) {
    ended();
    return { status: 200, headers: HEADERS, body: first?.done ? '' : first?.value };
  }
  const end = (): IteratorResult<Uint8Array> => {
    ended();
    return { done: true, value: undefined };
  };
  const iterator: AsyncIterator<Uint8Array> = {
    next: async () => {
      try {
        const step = ahead.shift() ?? source.next();
        return step.done ? end() : step;
      } catch (error) {
        ended();
        throw error;
      }
    },
    return: async () => {
      ahead.length = 0;
      source.return?.();
      return end();
    },
  };
  return { status: 200, headers: HEADERS, body: { [Symbol.asyncIterator]: () => iterator } };
}
