import { extname } from 'node:path';
import { COMPARISONS } from '../../../analysis/compared-days.ts';
import { UsageError } from '../../../errors/index.ts';
import { boolean, oneOf, optionalString, type ValuesOf } from '../../framework/define-command.ts';

/** The flags that say how rows are looked at. */
export const CHART_FLAGS = {
  chart: optionalString(
    '--chart [file]',
    'draw the rows in place of the table; with a file (.svg or .html), print the rows and write a picture',
    { completes: 'file' },
  ),
  ascii: boolean('--ascii', 'with --chart: plain characters'),
  compare: oneOf(
    '--compare <period>',
    'compare with the previous period, or with the same period a year earlier',
    COMPARISONS,
  ),
  completePeriods: boolean(
    '--complete-periods',
    'leave out weeks and months that the days cut, or that are not over yet',
  ),
};

export type ChartFlags = ValuesOf<typeof CHART_FLAGS>;

export const CHART_FILE_KINDS = ['svg', 'html'] as const;
export type ChartFileKind = (typeof CHART_FILE_KINDS)[number];

/** Throws UsageError for flags that don't go together. */
export function checkChartFlags(flags: ChartFlags & { readonly resume: boolean }): void {
  if (flags.ascii && flags.chart !== true)
    throw new UsageError('--ascii goes with --chart without a file', { hints: ['type --chart --ascii'] });
  if (typeof flags.chart === 'string' && chartFileKind(flags.chart) === undefined)
    throw new UsageError(`--chart can't make ${flags.chart === '' ? 'a file without a name' : flags.chart}`, {
      hints: [
        'name the picture .svg or .html; without a file, --chart draws on the screen',
        'a file with a query stands before the flags',
      ],
    });
  for (const flag of ['chart', 'compare'] as const) {
    if (flags[flag] !== undefined && flags.resume)
      throw new UsageError(`--${flag} and --resume don't go together`, {
        hints: [`finish the export first, then ask again with --${flag}`],
      });
  }
}

/** What a file's name asks for. */
export function chartFileKind(path: string): ChartFileKind | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return CHART_FILE_KINDS.find(kind => kind === extension);
}
