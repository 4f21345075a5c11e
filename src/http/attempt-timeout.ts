import { TimeoutReached } from './network-errors.ts';

/** An answer that brings less than this in a whole time limit of waiting for it only drips. */
const DRIP_BYTES = 1024;
/** How often a limit's length the waiting is looked at. */
const LOOKS = 4;

/**
 * One attempt's right to run: ends when the user interrupts or when its time is over. A controller of its own per
 * attempt, unlinked by `release`, because `AbortSignal.any` keeps every attempt alive on a long-lived signal.
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

  /** Ends with the first of the signals: that of the user, and of whoever needs the response no longer. */
  constructor(signals: readonly AbortSignal[], ms: number) {
    this.#signals = signals;
    this.#ms = ms;
    for (const signal of signals) signal.addEventListener('abort', this.#interrupted);
    if (signals.some(({ aborted }) => aborted)) this.#interrupted();
    this.#timer = setTimeout(
      () => this.#controller.abort(new TimeoutReached(`no complete answer within ${ms / 1000} s`)),
      ms,
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * The answer streams on beyond this attempt: a long one is not a stuck one. From here the user's interrupt and the idle limits
   * hold, and the answer must not drip; with `byRows` it must also bring a row within the limit, which `rowCame` tells. Time counts
   * only between `waiting` and `came`: a slow reader of the rows is no fault.
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
          new TimeoutReached(`the answer only drips: less than ${DRIP_BYTES} bytes in ${seconds} s`),
        );
      }
    }, this.#ms / LOOKS);
    // An answer that nobody begins to read must not keep the process.
    this.#timer.unref();
  }

  /** Bytes of the answer are asked for. */
  onWait(): void {
    this.#isWaiting = true;
  }

  /** So many bytes came. */
  onBytes(bytes: number): void {
    this.#isWaiting = false;
    this.#bytes += bytes;
  }

  /** A row is complete. */
  rowCame(): void {
    this.#looksSinceRow = 0;
  }

  /** The attempt is over; a limit that was handed over stays until its new owner calls `release`. */
  finish(): void {
    if (!this.#handedOver) this.release();
  }

  release(): void {
    clearTimeout(this.#timer);
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#interrupted);
  }

  readonly #interrupted = () => this.#controller.abort(this.#signals.find(({ aborted }) => aborted)?.reason);
}
