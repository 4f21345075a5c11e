import type { Clock } from '../../http/clock.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import type { Progress } from '../../terminal/progress.ts';

/** Milliseconds between notifications. */
const NOTIFY_MS = 1000;

/** A notification of the progress of a call. */
export interface CallNotification {
  /** What is done, and one for each second in which nothing was: the protocol requires that it increases. */
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

/** The progress of one call, whatever jobs it has. */
export class CallProgress {
  /** Items of earlier jobs, and seconds in which nothing was done. */
  #before = 0;
  #done = 0;
  #total: number | undefined;
  #unit = '';
  #notified = 0;

  /** Follows the next job of the call. */
  follow(total: number | undefined, unit: string): Progress {
    this.#before += this.#done;
    this.#done = 0;
    this.#total = total;
    this.#unit = unit;
    return {
      expect: count => {
        this.#total = count;
      },
      resumeAt: earlier => {
        this.#done = earlier;
      },
      advance: more => {
        this.#done += more;
      },
      bytes() {},
      describe() {},
      hide() {},
      finish() {},
    };
  }

  /** Calls `notify` once a second, until `signal` aborts. */
  async notifyEachSecond(
    clock: Pick<Clock, 'sleep'>,
    signal: AbortSignal,
    notify: (notification: CallNotification) => Promise<void>,
  ): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(NOTIFY_MS, signal).catch(() => {});
      if (!signal.aborted) await notify(this.#next());
    }
  }

  #next(): CallNotification {
    this.#before += Math.max(0, this.#notified + 1 - (this.#before + this.#done));
    this.#notified = this.#before + this.#done;
    const of = this.#total === undefined ? '' : ` of ${groupDigits(this.#total)}`;
    return {
      progress: this.#notified,
      ...(this.#total !== undefined && { total: this.#before + this.#total }),
      message: this.#done === 0 ? 'waiting for the gateway' : `${groupDigits(this.#done)}${of} ${this.#unit}`,
    };
  }
}
