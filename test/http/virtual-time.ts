import type { Clock } from '../../src/http/clock.ts';

/** A clock that jumps to the next timer as soon as nothing else is left to do, and random numbers that come again with the seed. */
export class VirtualTime implements Clock {
  readonly #timers: { readonly at: number; readonly order: number; readonly fire: () => void }[] = [];
  #now = 1_000_000;
  #order = 0;
  #seed: number;

  constructor(seed = 1) {
    this.#seed = seed;
  }

  readonly now = (): number => this.#now;

  readonly random = (): number => {
    // mulberry32
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => reject(signal?.reason);
      const fire = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      this.#order += 1;
      this.#timers.push({ at: this.#now + ms, order: this.#order, fire });
      signal?.addEventListener('abort', stop, { once: true });
    });

  /** Runs something to its end; resolves to its value and the milliseconds that it took. */
  async run<Value>(task: Promise<Value>): Promise<{ readonly value: Value; readonly ms: number }> {
    const from = this.#now;
    let isOver = false;
    const ended = task.finally(() => {
      isOver = true;
    });
    ended.catch(() => {});
    while (!isOver) {
      await settled();
      if (isOver) break;
      this.#timers.sort((one, other) => one.at - other.at || one.order - other.order);
      const next = this.#timers.shift();
      if (next === undefined) throw new Error('nothing is left to wait for');
      this.#now = Math.max(this.#now, next.at);
      next.fire();
    }
    return { value: await ended, ms: this.#now - from };
  }
}

/** After all that promises still have to do. */
async function settled(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve));
}
