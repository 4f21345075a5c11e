import { formatBytes, groupDigits } from './numbers.ts';
import { displayWidth, truncate } from './width.ts';

/** The progress of a long job. Times are milliseconds of one clock. */
export interface ProgressState {
  readonly done: number;
  /** The part of `done` from before this job started. */
  readonly earlier?: number;
  /** Unknown for a stream without an announced length. */
  readonly total?: number | undefined;
  readonly failed: number;
  readonly startedAt: number;
  readonly now: number;
  /** The counted items, in the plural: `readers`, `URLs`, `rows`. */
  readonly unit: string;
  /** Bytes written, and bytes received over the network. */
  readonly bytes?: { readonly written: number; readonly received: number } | undefined;
  /** What else is known, such as `1,200 rows`. */
  readonly detail?: string | undefined;
}

const SEPARATOR = '  ';
const LONGEST_BAR = 30;
const SHORTEST_BAR = 8;

/**
 * One line of at most `width` columns: counts, failures, rate, time left, bytes, and a bar if there is room. On a narrow terminal
 * the least important parts are omitted. With `unicode` false it is ASCII. Counts and times must be finite numbers.
 */
export function progressLine(state: ProgressState, width: number, unicode: boolean): string {
  const share = shareDone(state);
  // The most important first.
  const { detail = '' } = state;
  const parts = [
    ...[countText(state), failedText(state), timeLeftText(state), detail],
    ...[rateText(state), bytesText(state)],
  ];
  let shown: string[] = [];
  for (const part of parts) {
    if (part === '') continue;
    const longer = [...shown, part];
    if (displayWidth(longer.join(SEPARATOR)) <= width) shown = longer;
  }
  if (shown.length === 0) return truncate(countText(state), width, unicode ? '…' : '...');
  const text = shown.join(SEPARATOR);
  if (share === undefined) return text;
  const room = Math.min(LONGEST_BAR, width - displayWidth(text) - SEPARATOR.length);
  return room < SHORTEST_BAR ? text : bar(share, room, unicode) + SEPARATOR + text;
}

/** How long nothing has arrived, in at most `width` columns of ASCII. */
export function waitingLine({ unit, startedAt, now }: ProgressState, width: number): string {
  return truncate(`waiting for the first ${unit}: ${Math.floor((now - startedAt) / 1000)} s`, width, '...');
}

/** All parts on one line, in ASCII, for output that is not a terminal. */
export function progressNote(state: ProgressState): string {
  const { detail = '' } = state;
  return [countText(state), failedText(state), rateText(state), timeLeftText(state), detail, bytesText(state)]
    .filter(part => part !== '')
    .join(', ');
}

function bar(share: number, width: number, unicode: boolean): string {
  if (!unicode) {
    const filled = Math.floor(share * (width - 2));
    return `[${'#'.repeat(filled)}${'-'.repeat(width - 2 - filled)}]`;
  }
  const filled = Math.floor(share * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

function shareDone({ done, total }: ProgressState): number | undefined {
  if (total === undefined || total <= 0) return undefined;
  return Math.min(1, Math.max(0, done / total));
}

function countText({ done, total, unit }: ProgressState): string {
  const count = total === undefined ? groupDigits(done) : `${groupDigits(done)}/${groupDigits(total)}`;
  return `${count} ${unit}`;
}

function failedText({ failed }: ProgressState): string {
  return failed > 0 ? `${groupDigits(failed)} failed` : '';
}

function rateText(state: ProgressState): string {
  const rate = ratePerSecond(state);
  if (rate === undefined) return '';
  return `${rate < 10 ? rate.toFixed(1) : groupDigits(Math.round(rate))}/s`;
}

function timeLeftText(state: ProgressState): string {
  const rate = ratePerSecond(state);
  const { done, earlier = 0, total, startedAt, now } = state;
  if (rate === undefined || total === undefined || done >= total) return '';
  // The first of many are no measure of the rest: connections open, and more requests than at first are in flight later.
  if (done - earlier < (total - earlier) / 100 && now - startedAt < 10_000) return '';
  return `${duration(Math.ceil((total - done) / rate))} left`;
}

function bytesText({ bytes }: ProgressState): string {
  if (bytes === undefined) return '';
  return `${formatBytes(bytes.received)} received, ${formatBytes(bytes.written)} written`;
}

/** Undefined before the first item and in the first half second, when a rate would be meaningless. */
function ratePerSecond({ done, earlier = 0, startedAt, now }: ProgressState): number | undefined {
  const elapsed = now - startedAt;
  return done > earlier && elapsed >= 500 ? ((done - earlier) * 1000) / elapsed : undefined;
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${twoDigits(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h${twoDigits(Math.floor((seconds % 3600) / 60))}m`;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
