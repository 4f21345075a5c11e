import { columnsOf, DEFAULT_COLUMNS, type Output } from './io.ts';
import type { ProgressState } from './progress-bar.ts';

/** Milliseconds between redraws of the bar on a terminal. */
const REDRAW_MS = 100;
/** Milliseconds between lines without a terminal. */
const NOTE_MS = 15_000;
/** Milliseconds between redraws while nothing has arrived. */
const WAIT_MS = 1000;
const CLEAR_LINE = '\r\u001b[2K';

/** Shows the progress of a long job. */
export interface Progress {
  /** Sets the total number of items, once it is known. */
  expect(total: number | undefined): void;
  /** Sets the number of items from an earlier run: they count as done, but not in the rate. */
  resumeAt(earlier: number): void;
  /** Adds finished items, of which `failed` failed. */
  advance(done: number, failed?: number): void;
  /** Sets the bytes written and received so far. */
  bytes(written: number, received: number): void;
  /** Sets what else the line says. */
  describe(detail: string): void;
  /** Clears the bar before other output; the next `advance` redraws it. */
  hide(): void;
  /** Clears the bar and stops drawing. */
  finish(): void;
}

interface ProgressOptions {
  readonly total: number | undefined;
  /** In the plural: `readers`, `URLs`, `rows`. */
  readonly unit: string;
  readonly now: () => number;
  readonly unicode: boolean;
  /** With false, periodic lines are printed instead of a bar. */
  readonly bar: boolean;
}

const SILENT: Progress = {
  expect() {},
  resumeAt() {},
  advance() {},
  bytes() {},
  describe() {},
  hide() {},
  finish() {},
};

/**
 * Draws a bar on a terminal, and until the first items the time that it waits; prints periodic lines elsewhere, and nothing without a
 * stream. Jobs that take less than one period print nothing.
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
  let detail: string | undefined;
  let total = options.total;
  let shownAt = startedAt;
  let visible = false;
  let finished = false;
  // Loaded in the background: measuring text requires large tables, which short jobs never need.
  let drawing: typeof import('./progress-bar.ts') | undefined;
  import('./progress-bar.ts').then(
    loaded => {
      drawing = loaded;
    },
    // A job does not fail because its progress cannot be shown.
    () => {},
  );

  const state = (): ProgressState => {
    const { unit } = options;
    return { done, earlier, failed, total, unit, startedAt, now: options.now(), bytes, detail };
  };
  const draw = (line: (width: number) => string) => {
    stream.write(CLEAR_LINE + line((columnsOf(stream) ?? DEFAULT_COLUMNS) - 1));
    visible = true;
  };
  const waiting = setInterval(() => {
    if (drawing !== undefined) draw(width => drawing?.waitingLine(state(), width) ?? '');
  }, WAIT_MS).unref();
  if (!live) clearInterval(waiting);
  const hide = () => {
    if (visible) stream.write(CLEAR_LINE);
    visible = false;
  };
  return {
    expect(count) {
      total = count;
    },
    resumeAt(count) {
      earlier = count;
      done = count;
    },
    advance(more, moreFailed = 0) {
      clearInterval(waiting);
      done += more;
      failed += moreFailed;
      const now = options.now();
      if (finished || drawing === undefined || now - shownAt < every) return;
      shownAt = now;
      const { progressLine, progressNote } = drawing;
      if (live) draw(width => progressLine(state(), width, options.unicode));
      else stream.write(`${progressNote(state())}\n`);
    },
    bytes(written, received) {
      bytes = { written, received };
    },
    describe(text) {
      detail = text;
    },
    hide,
    finish() {
      finished = true;
      clearInterval(waiting);
      hide();
    },
  };
}
