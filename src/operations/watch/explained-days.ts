import { WEEKS } from '../../analysis/expected-figure.ts';
import type { JudgedDay } from '../../analysis/metric-health.ts';
import { addDays, type Day, type DayRange } from '../../apis/bda/days.ts';

/** The days of an alert, and those that they are compared with to explain it. */
interface ExplainedDays {
  readonly days: DayRange;
  readonly before: DayRange;
}

/**
 * What explains an alert. A decline: its days and those before, as it compares them. A day: the last same weekday before the incident
 * that is within the band of the day, or else the one that is nearest to its expected figure; none that was an alert or a holiday, and none
 * from which the figure did not move as the alert says. Undefined if there is none.
 */
export function explainedDays(
  { day, decline, reason, value = 0, expected, band }: JudgedDay,
  since: Day,
  judged: readonly JudgedDay[],
): ExplainedDays | undefined {
  if (decline !== undefined) {
    const from = addDays(day, 1 - decline.days);
    return {
      days: { from, to: day },
      before: { from: addDays(from, -decline.before), to: addDays(from, -1) },
    };
  }
  const isMove = (before: number) => (reason === 'rise' ? before < value : before > value);
  const byDay = new Map(judged.map(each => [each.day, each]));
  const weekdays = Array.from({ length: WEEKS }, (_, week) => addDays(day, -7 * (week + 1)));
  const distances = weekdays.flatMap(weekday => {
    const { status, value: before } = byDay.get(weekday) ?? {};
    if (
      weekday >= since ||
      status === 'alert' ||
      status === 'holiday' ||
      before === undefined ||
      !isMove(before)
    )
      return [];
    const isUsual = band === undefined || (before >= band.low && before <= band.high);
    return [{ weekday, distance: isUsual ? 0 : Math.abs(before - (expected ?? 0)) }];
  });
  const [nearest] = distances.sort((a, b) => a.distance - b.distance);
  return nearest && { days: { from: day, to: day }, before: { from: nearest.weekday, to: nearest.weekday } };
}
