import { TimeLimitReached } from './network-errors.ts';

/**
 * One attempt's right to run: ends when the user interrupts or when its time is over. A controller of its own per
 * attempt, unlinked by `release`, because `AbortSignal.any` keeps every attempt alive on a long-lived signal.
 */
export class Limit {
  readonly #controller = new AbortController();
  readonly #user: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #handedOver = false;

  constructor(user: AbortSignal, ms: number) {
    this.#user = user;
    user.addEventListener('abort', this.#interrupted);
    this.#timer = setTimeout(() => this.#controller.abort(new TimeLimitReached(ms)), ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The answer streams on beyond this attempt: only the user's interrupt and the idle limits hold from here. */
  handOver(): void {
    this.#handedOver = true;
    clearTimeout(this.#timer);
  }

  /** The attempt is over; a limit that was handed over stays until its new owner calls `release`. */
  settle(): void {
    if (!this.#handedOver) this.release();
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#user.removeEventListener('abort', this.#interrupted);
  }

  readonly #interrupted = () => this.#controller.abort(this.#user.reason);
}
