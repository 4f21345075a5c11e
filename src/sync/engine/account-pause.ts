import { lowered } from './rate.ts';
import type { WorkerOptions } from './worker-options.ts';

/** Pauses all workers of an account when the gateway refuses a request of one of them. */
export class AccountPause {
  readonly #options: Pick<WorkerOptions, 'clock' | 'queue' | 'onPaused'>;
  #until = Number.NEGATIVE_INFINITY;

  constructor(options: Pick<WorkerOptions, 'clock' | 'queue' | 'onPaused'>) {
    this.#options = options;
  }

  /** Starts no unit for `ms`. The first worker that notices lowers the rate: the server has shown that it is too high. */
  async rateLimited(ms: number): Promise<void> {
    const { clock, queue, onPaused } = this.#options;
    const until = clock.now() + ms;
    if (until <= this.#until) return;
    const isFirst = clock.now() > this.#until;
    this.#until = until;
    const left = await queue.pauseLeft();
    const { rate } = await queue.limits();
    const window = rate === undefined ? undefined : rate.ms;
    // A longer time than the window is a pause that another worker has set.
    const isPaused = left > (window ?? 0);
    if (left < ms) await queue.pause(ms);
    const slower = rate !== undefined && isFirst && !isPaused ? lowered(rate) : undefined;
    if (slower !== undefined) await queue.setLimits({ rate: slower, concurrency: undefined });
    onPaused(ms, slower === undefined ? undefined : (slower.max * 1000) / slower.ms);
  }
}
