/** How many units may start in a window of some milliseconds, at all workers together. */
export interface RateWindow {
  readonly max: number;
  readonly ms: number;
}

/** A window that limits nothing: a queue without one ignores pauses. */
export const UNLIMITED: RateWindow = { max: 1_000_000_000, ms: 1000 };

/**
 * The longest window, in milliseconds, where the rate allows it. A second contains at most the rate and one window more, so that 85 %
 * of a hard limit never exceeds it. Workers notice the end of a window some milliseconds late, which much shorter ones would multiply.
 */
const WINDOW_MS = 175;
/** By how much a rate limit response lowers the rate. */
const LOWERED = 0.85;

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Units a second of `20`, `0.5`, `20/s`, `300/m` or `5000/h`; undefined for anything else. */
export function readRate(text: string): number | undefined {
  const [, count, unit = 's'] = /^(\d{1,6}(?:\.\d{1,3})?)(?:\/([smh]))?$/.exec(text) ?? [];
  const rate = Number(count) / (SECONDS[unit] ?? 1);
  return rate > 0 ? rate : undefined;
}

/** The window of a rate, in units a second. */
export function windowOf(rate: number): RateWindow {
  const max = Math.max(1, Math.floor((rate * WINDOW_MS) / 1000));
  return { max, ms: Math.max(1, Math.round((max * 1000) / rate)) };
}

/** The units a second of a window. */
export function rateOf({ max, ms }: RateWindow): number {
  return (max * 1000) / ms;
}

/** The window after the server refused a request at this rate. */
export function lowered(window: RateWindow): RateWindow {
  return windowOf(rateOf(window) * LOWERED);
}
