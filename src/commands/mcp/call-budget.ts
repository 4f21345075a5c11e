/** How long the result of a call is reused for the same call. */
const REPEAT_MS = 10_000;
const MINUTE_MS = 60_000;

/** Limits the calls of a model that is in a loop. */
export class CallBudget<Result> {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #isFailure: (result: Result) => boolean;
  #calls: number[] = [];
  readonly #recent = new Map<string, { readonly at: number; readonly result: Promise<Result> }>();

  constructor(perMinute: number, now: () => number, isFailure: (result: Result) => boolean) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#isFailure = isFailure;
  }

  /**
   * Runs `call`, or returns the result of the same call seconds ago, if `key` names one. Returns the seconds to wait if there were
   * too many calls in the last minute.
   */
  async run(
    key: string | undefined,
    call: () => Promise<Result>,
  ): Promise<Result | { readonly waitSeconds: number }> {
    const now = this.#now();
    for (const [old, { at }] of this.#recent) if (now - at >= REPEAT_MS) this.#recent.delete(old);
    const same = key === undefined ? undefined : this.#recent.get(key);
    if (same !== undefined) return await same.result;
    this.#calls = this.#calls.filter(at => now - at < MINUTE_MS);
    const [first] = this.#calls;
    if (first !== undefined && this.#calls.length >= this.#perMinute)
      return { waitSeconds: Math.ceil((first + MINUTE_MS - now) / 1000) };
    this.#calls.push(now);
    const result = call();
    if (key === undefined) {
      try {
        return await result;
      } finally {
        // Reads after a write must see its changes.
        this.#recent.clear();
      }
    }
    this.#recent.set(key, { at: now, result });
    // The next call may succeed.
    const forget = (): boolean => this.#recent.delete(key);
    result.then(value => this.#isFailure(value) && forget(), forget);
    return await result;
  }
}
