import type { Clock } from './clock.ts';

/** Successes in a row after which one more request may be in flight. */
const RECOVERY_STREAK = 10;

/**
 * One gate for all requests of a process. A rate or concurrency answer closes it for everybody for a while and halves
 * how many may be in flight; successes open it again one by one.
 */
export class AdaptiveLimiter {
  readonly #clock: Clock;
  #allowed = Number.POSITIVE_INFINITY;
  #inFlight = 0;
  #pausedUntil = 0;
  #streak = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits until a request may go out; every `enter` needs a `leave`. Rejects when `signal` aborts first. */
  async enter(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const pause = this.#pausedUntil - this.#clock.now();
      if (pause > 0) {
        await this.#clock.sleep(pause, signal);
      } else if (this.#inFlight < this.#allowed) {
        this.#inFlight += 1;
        return;
      } else {
        await this.#place(signal);
      }
    }
  }

  leave(): void {
    this.#inFlight -= 1;
    this.#waiting.shift()?.();
  }

  succeeded(): void {
    if (this.#allowed === Number.POSITIVE_INFINITY) return;
    this.#streak += 1;
    if (this.#streak < RECOVERY_STREAK) return;
    this.#streak = 0;
    this.#allowed += 1;
    this.#waiting.shift()?.();
  }

  /** Everybody waits `ms`, and half as many go on afterwards. Call while the limited request still counts as in flight. */
  backOff(ms: number): void {
    this.#allowed = Math.max(1, Math.floor(Math.min(this.#allowed, this.#inFlight) / 2));
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + ms);
    this.#streak = 0;
  }

  #place(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        signal.removeEventListener('abort', leaveQueue);
        resolve();
      };
      const leaveQueue = () => {
        const index = this.#waiting.indexOf(wake);
        if (index >= 0) this.#waiting.splice(index, 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leaveQueue, { once: true });
      this.#waiting.push(wake);
    });
  }
}
