import { extname } from 'node:path';
import { UsageError } from '../../../errors/index.ts';
import { COMPARISONS, type ComparisonWay } from '../../../families/bda/compared-days.ts';
import { choice, maybeText, toggle } from '../../define.ts';

/** The flags that say how rows are looked at. */
export const LOOK_FLAGS = {
  chart: maybeText(
    '--chart [file]',
    'draw the rows in place of the table; with a file (.svg or .html), print the rows and write a picture',
    { completes: 'file' },
  ),
  ascii: toggle('--ascii', 'with --chart: plain characters'),
  compare: choice(
    '--compare <period>',
    'compare with the previous period, or with the same period a year earlier',
    COMPARISONS,
  ),
  completeOnly: toggle(
    '--complete-only',
    'leave out weeks and months that the days cut, or that are not over yet',
  ),
};

export interface LookFlags {
  /** True without a file. */
  readonly chart: string | true | undefined;
  readonly ascii: boolean;
  readonly compare: ComparisonWay | undefined;
  readonly completeOnly: boolean;
}

export const PICTURE_KINDS = ['svg', 'html'] as const;
export type PictureKind = (typeof PICTURE_KINDS)[number];

/** Throws UsageError for flags that don't go together. */
export function checkLookFlags(flags: LookFlags & { readonly resume: boolean }): void {
  if (flags.ascii && flags.chart !== true)
    throw new UsageError('--ascii goes with --chart without a file', { hints: ['type --chart --ascii'] });
  if (typeof flags.chart === 'string' && pictureKind(flags.chart) === undefined)
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
export function pictureKind(path: string): PictureKind | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return PICTURE_KINDS.find(kind => kind === extension);
}
