import { unref } from './clock.ts';
import { TimeoutReached } from './network-errors.ts';

/** Minimum bytes per time limit while waiting for the response. */
const DRIP_BYTES = 1024;
/** Checks per time limit while waiting. */
const LOOKS = 4;

/**
 * The time limit of one attempt, which a signal may also end. Each attempt has an AbortController of its own, unlinked by
 * `release`, because `AbortSignal.any` keeps every attempt alive on a long-lived signal.
 */
export class AttemptTimeout {
  readonly #controller = new AbortController();
  readonly #signals: readonly AbortSignal[];
  readonly #ms: number;
  #timer: NodeJS.Timeout;
  #handedOver = false;
  #isWaiting = false;
  #bytes = 0;
  #looksSinceRow = 0;

  /** Aborts with the first of the signals: that of the user, and that of a caller that no longer needs the response. */
  constructor(signals: readonly AbortSignal[], ms: number) {
    this.#signals = signals;
    this.#ms = ms;
    for (const signal of signals) signal.addEventListener('abort', this.#interrupted);
    if (signals.some(({ aborted }) => aborted)) this.#interrupted();
    this.#timer = setTimeout(
      () => this.#controller.abort(new TimeoutReached(`no complete response within ${ms / 1000} s`)),
      ms,
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Replaces the time limit of the attempt by idle limits, because a long response is not a stalled one: bytes must keep arriving
   * and, with `byRows`, a row per time limit, reported by `onRow`. Only the time between `onWait` and `onBytes` counts, so that
   * a slow consumer is no error.
   */
  detach({ byRows = false } = {}): void {
    this.#handedOver = true;
    clearTimeout(this.#timer);
    let looks = 0;
    this.#timer = setInterval(() => {
      if (this.#isWaiting) this.#looksSinceRow += 1;
      if (byRows && this.#looksSinceRow > LOOKS && this.#bytes >= DRIP_BYTES) {
        this.#controller.abort(new TimeoutReached(`no row arrived within ${this.#ms / 1000} s`));
      }
      if (this.#bytes >= DRIP_BYTES) {
        this.#bytes = 0;
        looks = 0;
      } else if (this.#isWaiting && ++looks > LOOKS) {
        const seconds = this.#ms / 1000;
        this.#controller.abort(
          new TimeoutReached(`the response is too slow: less than ${DRIP_BYTES} bytes in ${seconds} s`),
        );
      }
    }, this.#ms / LOOKS);
    // A response that is never read must not keep the process alive.
    unref(this.#timer);
  }

  /** Ends the attempt before its time limit. */
  expire(message: string): void {
    this.#controller.abort(new TimeoutReached(message));
  }

  /** Starts waiting for bytes of the response. */
  onWait(): void {
    this.#isWaiting = true;
  }

  /** Counts received bytes. */
  onBytes(bytes: number): void {
    this.#isWaiting = false;
    this.#bytes += bytes;
  }

  /** A row is complete. */
  onRow(): void {
    this.#looksSinceRow = 0;
  }

  /** Ends the attempt; after `detach`, the limits stay in force until `release`. */
  finish(): void {
    if (!this.#handedOver) this.release();
  }

  release(): void {
    clearTimeout(this.#timer);
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#interrupted);
  }

  readonly #interrupted = () => this.#controller.abort(this.#signals.find(({ aborted }) => aborted)?.reason);
}
