import type { Output } from './io.ts';
import type { ProgressState } from './progress-bar.ts';

/** Redraws of the bar on a terminal, in milliseconds. */
const REDRAW_MS = 100;
/** Lines where there is no terminal. */
const NOTE_MS = 15_000;
const CLEAR_LINE = '\r\u001b[2K';

/** How far a long job is. */
export interface Progress {
  /** Says how many items there will be, once that is known. */
  expect(total: number): void;
  /** Says how many were done before this job began: they count as done, and not in its rate. */
  goOnAfter(earlier: number): void;
  /** Adds finished items; failed ones count as finished too. */
  advance(done: number, failed?: number): void;
  /** The bytes that were written so far, and those that came over the network for them. */
  bytes(written: number, received: number): void;
  /** Takes the bar away, so that something else can be written; the next `advance` draws it again. */
  hide(): void;
  /** Takes the bar away for good. */
  finish(): void;
}

export interface ProgressOptions {
  readonly total: number | undefined;
  /** In the plural: `readers`, `URLs`, `rows`. */
  readonly unit: string;
  readonly now: () => number;
  readonly unicode: boolean;
  /** False keeps the periodic lines and draws no bar. */
  readonly bar: boolean;
}

const SILENT: Progress = { expect() {}, goOnAfter() {}, advance() {}, bytes() {}, hide() {}, finish() {} };

/**
 * A bar on a terminal, a line every so often elsewhere, nothing without a stream. Short jobs without a terminal leave no
 * trace.
 */
export function progressOn(stream: Output | undefined, options: ProgressOptions): Progress {
  if (stream === undefined) return SILENT;
  const startedAt = options.now();
  const live = options.bar && stream.isTTY === true;
  const every = live ? REDRAW_MS : NOTE_MS;
  let done = 0;
  let earlier = 0;
  let failed = 0;
  let bytes: ProgressState['bytes'];
  let total = options.total;
  let shownAt = startedAt;
  let visible = false;
  let finished = false;
  // Measuring text is dear to load: a job that is over at once never needs it.
  let drawing: typeof import('./progress-bar.ts') | undefined;
  import('./progress-bar.ts').then(loaded => {
    drawing = loaded;
  });

  const state = (): ProgressState => {
    const { unit } = options;
    return { done, earlier, failed, total, unit, startedAt, now: options.now(), bytes };
  };
  const hide = () => {
    if (visible) stream.write(CLEAR_LINE);
    visible = false;
  };
  return {
    expect(count) {
      total = count;
    },
    goOnAfter(count) {
      earlier = count;
      done = count;
    },
    advance(more, moreFailed = 0) {
      done += more;
      failed += moreFailed;
      const now = options.now();
      if (finished || drawing === undefined || now - shownAt < every) return;
      shownAt = now;
      if (live) {
        stream.write(CLEAR_LINE + drawing.progressLine(state(), (stream.columns || 80) - 1, options.unicode));
        visible = true;
      } else {
        stream.write(`${drawing.progressNote(state())}\n`);
      }
    },
    bytes(written, received) {
      bytes = { written, received };
    },
    hide,
    finish() {
      finished = true;
      hide();
    },
  };
}
