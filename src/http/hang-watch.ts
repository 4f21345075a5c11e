/** A request that this many later ones have overtaken may hang. */
const OVERTAKEN = 2;
/** How long it may still wait then: this, or a multiple of the slowest response so far. */
const LEAST_MS = 5_000;
const TIMES_SLOWEST = 10;

/** A request that waits for its response. */
interface WaitingRequest {
  /** Later requests that were answered before it. */
  overtaken: number;
  timer: NodeJS.Timeout | undefined;
  /** Called once, when it seems to hang; undefined for a request that must not be sent again. */
  readonly onHang: ((waitedMs: number) => void) | undefined;
}

/**
 * Detects requests that hang while others are answered: a server or proxy may accept more connections than it serves, and never
 * answer on the others. A server that is slow with some requests raises the limit by the time that it takes for them.
 */
export class HangWatch {
  /** In the order in which they were sent. */
  readonly #waiting = new Set<WaitingRequest>();
  #slowestMs = 0;

  /** Call it when a request is sent, and `end` when it was answered or failed. */
  begin(onHang: WaitingRequest['onHang']): WaitingRequest {
    const request = { overtaken: 0, timer: undefined, onHang };
    this.#waiting.add(request);
    return request;
  }

  /** `latencyMs` is undefined for a request that was not answered. */
  end(request: WaitingRequest, latencyMs: number | undefined): void {
    clearTimeout(request.timer);
    if (latencyMs !== undefined) {
      this.#slowestMs = Math.max(this.#slowestMs, latencyMs);
      for (const earlier of this.#waiting) {
        if (earlier === request) break;
        earlier.overtaken += 1;
        if (earlier.overtaken === OVERTAKEN) this.#limit(earlier, 0);
      }
    }
    this.#waiting.delete(request);
  }

  #limit(request: WaitingRequest, waitedMs: number): void {
    const { onHang } = request;
    if (onHang === undefined) return;
    const mostMs = Math.max(LEAST_MS, this.#slowestMs * TIMES_SLOWEST);
    if (waitedMs >= mostMs) onHang(waitedMs);
    else request.timer = setTimeout(() => this.#limit(request, mostMs), mostMs - waitedMs).unref();
  }
}
