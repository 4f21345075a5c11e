import type { Day } from '../apis/bda/days.ts';
import type { JudgedDay } from './metric-health.ts';

/** An alert that has not cleared: the first and the last day on which the figure was off. */
interface OpenAlert {
  readonly since: Day;
  readonly last: Day;
}

/** The state of a metric that is stored between runs. */
export interface WatchedSeries {
  /** The last day that was judged. */
  readonly seenTo: Day;
  readonly open?: OpenAlert | undefined;
}

/** `opened`: new, to be reported. `open`: reported before. `cleared`: reported before and over. */
export type AlertEvent = 'opened' | 'open' | 'cleared' | 'none';

/**
 * Updates a metric's alert with the days since the last run; without one, with all days. A day that cannot be
 * judged neither opens nor clears an alert. `missed` are alerts that opened and cleared since the last run.
 */
export function followAlert(
  before: WatchedSeries | undefined,
  judged: readonly JudgedDay[],
): { readonly series: WatchedSeries; readonly event: AlertEvent; readonly missed: readonly OpenAlert[] } {
  const last = judged.at(-1);
  if (last === undefined) throw new RangeError('no days were judged');
  const fresh = judged.filter(({ day }) => before === undefined || day > before.seenTo);
  let open = before?.open;
  const missed: OpenAlert[] = [];
  // Without an earlier run, all days count, so that an incident starts on its first day.
  for (const { day, status } of fresh) {
    if (status === 'alert') open = { since: open?.since ?? day, last: day };
    else if (status === 'ok') {
      if (before !== undefined && open !== undefined && open.since !== before.open?.since) missed.push(open);
      open = undefined;
    }
  }
  const isSame = before?.open !== undefined && open?.since === before.open.since;
  const event =
    open !== undefined ? (isSame ? 'open' : 'opened') : before?.open === undefined ? 'none' : 'cleared';
  const seenTo = before !== undefined && before.seenTo > last.day ? before.seenTo : last.day;
  return { series: { seenTo, ...(open !== undefined && { open }) }, event, missed };
}
