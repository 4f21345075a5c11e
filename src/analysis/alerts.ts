import { type Day, dayCount } from '../apis/bda/days.ts';
import type { DayStatus, JudgedDay } from './metric-health.ts';

/** An alert that has not ended. */
interface OpenAlert {
  /** Its first and its last day. */
  readonly since: Day;
  readonly last: Day;
  /** The figure of the last day; null for none, undefined where an earlier version did not store it. */
  readonly value?: number | null | undefined;
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
 * What ended an alert. `later_day`: a day after it was as expected, or has a figure again. `no_decline`: a day after a decline was none.
 * `restated`: its last day has another figure now. `rejudged`: that day has the same figure, and is no alert by the present rules,
 * holidays, and days before.
 */
export type AlertEnd = 'later_day' | 'no_decline' | 'restated' | 'rejudged';

/** An alert whose last day is longer ago than this, and that was never reported, is history. */
const NEWS_DAYS = 28;
/** Where data are missing: an alert that was reported is not over because of them. */
export const LACKS_DATA: ReadonlySet<DayStatus> = new Set(['no_data', 'too_few_days', 'after_alerts']);

interface FollowedAlert {
  readonly series: WatchedSeries;
  readonly event: AlertEvent;
  /** The first day of the alert, if there is one. */
  readonly since: Day | undefined;
  /** Of what is cleared. */
  readonly end: AlertEnd | undefined;
  /** What the event rests on: the last day of an alert, the day that ended one, or the last day. */
  readonly basis: JudgedDay;
  /** Alerts that opened and cleared since the last run. */
  readonly missed: readonly OpenAlert[];
}

/** Whether a day ends an alert: one that is as expected, or that has a figure again where there was none, or none above zero. */
function endsAlert(
  { value: figure }: OpenAlert,
  { status, value = null }: { readonly status: DayStatus; readonly value: number | null | undefined },
): boolean {
  const isNone = (each: number | null | undefined) => each === null || (each !== undefined && each <= 0);
  return status === 'ok' || (status !== 'alert' && status !== 'holiday' && isNone(figure) && !isNone(value));
}

/**
 * Finds the alert that all days judged now lead to, and compares it with the one that was reported. A day that cannot be judged opens no
 * alert, and clears only one of missing figures.
 */
export function followAlert(before: WatchedSeries | undefined, judged: readonly JudgedDay[]): FollowedAlert {
  const last = judged.at(-1);
  if (last === undefined) throw new RangeError('no days were judged');
  const reported = before?.open;
  const isReportedDay = (day: Day) => day === reported?.since || day === reported?.last;
  // Of days before the first one, only what is stored is known.
  let open = reported !== undefined && reported.since < (judged[0]?.day ?? '') ? reported : undefined;
  const missed: OpenAlert[] = [];
  for (const { day, status, value = null } of judged) {
    const kept = LACKS_DATA.has(status) && isReportedDay(day) ? reported : undefined;
    if (status === 'alert') open = { since: open?.since ?? day, last: day, value };
    else if (kept !== undefined && !endsAlert(kept, { status, value }))
      open = { ...kept, since: open?.since ?? day, last: day };
    else if (open !== undefined && endsAlert(open, { status, value })) {
      if (before !== undefined && open.since > before.seenTo) missed.push(open);
      open = undefined;
    }
  }
  const dayOf = (day: Day | undefined) => judged.find(each => each.day === day);
  // Of days after the last one, nothing is known now.
  if (before !== undefined && last.day < before.seenTo) {
    const kept = reported ?? open;
    const event = kept === undefined ? 'none' : 'open';
    const basis = dayOf(kept?.last) ?? last;
    return { series: before, event, since: kept?.since, end: undefined, basis, missed: [] };
  }
  const isReported = open !== undefined && reported !== undefined && open.since <= reported.last;
  if (open !== undefined && !isReported && dayCount({ from: open.last, to: last.day }) > NEWS_DAYS)
    open = undefined;
  const series = { seenTo: last.day, ...(open !== undefined && { open }) };
  const found = { series, since: open?.since, end: undefined, missed };
  if (open !== undefined)
    return { ...found, event: isReported ? 'open' : 'opened', basis: dayOf(open.last) ?? last };
  if (reported === undefined) return { ...found, event: 'none', basis: last };
  const later = judged.findLast(each => each.day > reported.last && endsAlert(reported, each));
  const own = dayOf(reported.last) ?? last;
  const isNoDecline = own.reason === 'decline' && later?.status === 'ok';
  if (later !== undefined)
    return { ...found, event: 'cleared', end: isNoDecline ? 'no_decline' : 'later_day', basis: later };
  const isRestated = reported.value !== undefined && reported.value !== (own.value ?? null);
  return { ...found, event: 'cleared', end: isRestated ? 'restated' : 'rejudged', basis: own };
}
