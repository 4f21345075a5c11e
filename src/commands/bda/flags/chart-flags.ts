import { COMPARISONS } from '../../../analysis/compared-days.ts';
import { cannotCombine, invalidUsage, missingArgument } from '../../../errors/usage.ts';
import { CHART_FILE_KINDS, chartFileKind } from '../../../export/output-path.ts';
import { boolean, inGroup, optionalString, string, type ValuesOf } from '../../framework/define-command.ts';
import { checkedComparison } from './day-flags.ts';

/** Whether the words of a comparison are understood does not depend on the day. */
const ANY_DAY = '2026-01-01';

/** The flags for charts and comparisons. */
export const CHART_FLAGS = inGroup('Charts and comparison', {
  chart: optionalString('--chart [file]', 'draw a chart, or write it: .svg, .png, .html'),
  title: string('--title <text>', 'title of the chart'),
  ascii: boolean('--ascii', 'draw with ASCII characters only'),
  compare: {
    ...string('--vs, --compare <period>', 'compare with previous, year (earlier) or 2026-09', {
      completes: COMPARISONS,
    }),
    read: (given: string) => {
      checkedComparison(given, ANY_DAY);
      return given;
    },
  },
  matchWeekdays: boolean('--match-weekdays', 'with --compare: shift by complete weeks'),
  completePeriods: boolean('--complete-periods', 'omit partial weeks and months'),
});

export type ChartFlags = ValuesOf<typeof CHART_FLAGS>;

/** Throws UsageError for flags that exclude or require each other. */
export function checkChartFlags(flags: ChartFlags & { readonly resume: boolean }): void {
  if (flags.ascii && flags.chart !== true)
    throw missingArgument('--ascii requires --chart without a file', 'type --chart --ascii');
  if (flags.title !== undefined && flags.chart === undefined)
    throw missingArgument('--title requires --chart', 'type --chart, or --chart FILE.svg');
  if (flags.matchWeekdays && flags.compare === undefined)
    throw missingArgument(
      '--match-weekdays requires --compare',
      `type --compare ${COMPARISONS.join(' or --compare ')}`,
    );
  if (flags.matchWeekdays && !COMPARISONS.some(kind => kind === flags.compare))
    throw cannotCombine(
      `--match-weekdays and --compare ${flags.compare}`,
      `it shifts the days of --compare ${COMPARISONS.join(' or ')}`,
    );
  if (typeof flags.chart === 'string' && chartFileKind(flags.chart) === undefined)
    throw invalidUsage(
      `cannot write a chart to ${flags.chart === '' ? 'a file without a name' : flags.chart}`,
      `use a file name that ends in ${CHART_FILE_KINDS.map(kind => `.${kind}`).join(', ')}; without a file, --chart draws on the screen`,
      'put a file with a query before the flags',
    );
  for (const flag of ['chart', 'compare'] as const) {
    if (flags[flag] !== undefined && flags.resume)
      throw cannotCombine(
        `--${flag} and --resume`,
        `finish the export first, then run the query again with --${flag}`,
      );
  }
}
