import { extname } from 'node:path';
import { UsageError } from '../../errors/index.ts';
import { maybeText, toggle } from '../define.ts';

/** The flags that say how rows are looked at. */
export const LOOK_FLAGS = {
  chart: maybeText(
    '--chart [file]',
    'draw the rows instead of printing them; with a file (.svg or .html), make a picture of them too',
    { completes: 'file' },
  ),
  ascii: toggle('--ascii', 'with --chart: plain characters'),
};

export interface LookFlags {
  /** True without a file. */
  readonly chart: string | true | undefined;
  readonly ascii: boolean;
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
  if (flags.chart !== undefined && flags.resume)
    throw new UsageError("--chart and --resume don't go together", {
      hints: ['finish the export first, then ask again with --chart'],
    });
}

/** What a file's name asks for. */
export function pictureKind(path: string): PictureKind | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return PICTURE_KINDS.find(kind => kind === extension);
}
