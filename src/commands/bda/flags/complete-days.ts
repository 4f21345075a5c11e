import { completePeriods, type Grain } from '../../../analysis/periods.ts';
import { type DayRange, dayCount } from '../../../apis/bda/days.ts';
import { invalidUsage } from '../../../errors/usage.ts';
import { todayOf } from '../../../operations/today.ts';
import { counted, sentence } from '../../../output/sentence.ts';
import type { Context } from '../../framework/context.ts';

/** The days of complete periods, for `--complete-periods`. `grains` are those of the requested time dimensions. Throws UsageError. */
export async function completeDays(
  days: DayRange | undefined,
  grains: readonly Grain[],
  context: Context,
): Promise<DayRange> {
  const [grain, other] = [...new Set(grains)].filter(grain => grain !== 'day' || grains.length === 1);
  if (grain === undefined)
    throw invalidUsage(
      '--complete-periods requires weeks or months',
      'add the dimension report_week or report_month, or for a saved report --group-by week',
    );
  if (other !== undefined)
    throw invalidUsage(`--complete-periods cannot combine ${grain}s and ${other}s`, 'request one of them');
  if (days === undefined)
    throw invalidUsage(
      '--complete-periods requires days',
      'pass --last 8w, --previous quarter, or --from DAY --to DAY',
    );
  const complete = completePeriods(days, grain, await todayOf(context));
  if (complete === undefined)
    throw invalidUsage(
      days.from === days.to
        ? `${days.from} is not a complete ${grain}`
        : `no complete ${grain} from ${days.from} to ${days.to}`,
      'request more days, or omit --complete-periods',
    );
  if (complete.from !== days.from || complete.to !== days.to)
    context.log.note(sentence`complete ${grain}s only: ${complete}, ${counted(dayCount(complete), 'day')}`);
  return complete;
}
