import { extname } from 'node:path';
import { nearest } from '../../../../errors/nearest.ts';
import { cannotCombine, invalidValue, missingArgument } from '../../../../errors/usage.ts';
import type { Context } from '../../../framework/context.ts';
import { filterFlag } from '../../../framework/filter-flag.ts';

export const REPORT_FORMATS = ['html', 'xlsx', 'eml', 'md'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Where a report goes. */
export interface ReportTarget {
  /** Undefined for stdout. */
  readonly path: string | undefined;
  /** `json` and `ndjson` are printed only. */
  readonly format: ReportFormat | 'json';
}

/** The target of `--out`, `--format` and `-o`; stdout without `--out`. Throws UsageError. */
export async function reportTarget(
  {
    out,
    format,
    dryRun,
  }: {
    readonly out: string | undefined;
    readonly format: ReportFormat | undefined;
    readonly dryRun: boolean;
  },
  context: Context,
): Promise<ReportTarget> {
  const { jq } = context.globals;
  const filter = filterFlag(context.globals);
  if (out !== undefined && out.trim() === '')
    throw missingArgument('--out is empty', 'pass a file name: --out weekly.html');
  const path = out === '-' ? undefined : out;
  const other = path !== undefined ? '--out' : format !== undefined ? '--format' : undefined;
  if (jq !== undefined && other !== undefined)
    throw cannotCombine(`${filter} and ${other}`, `redirect the output of ${filter}: > FILE`);
  // The list of queries has any format.
  if (dryRun && path === undefined && format === undefined) return { path, format: 'json' };
  const chosen =
    format ?? (await formatOfFlag(path, context)) ?? (path === undefined ? 'md' : formatOf(path));
  if (path === undefined && chosen === 'xlsx' && !dryRun)
    throw missingArgument('a workbook requires --out FILE', 'type --out FILE.xlsx');
  return { path, format: chosen };
}

/** The format of `-o`. A table is for the screen, where a report is Markdown. Throws UsageError for a format that a report does not have. */
async function formatOfFlag(
  path: string | undefined,
  context: Context,
): Promise<ReportTarget['format'] | undefined> {
  const { globals } = context;
  const { value: set, origin } = (await context.settings()).output;
  if (globals.jq !== undefined) return 'json';
  const isTyped = globals.fileFormat !== undefined || origin.startsWith('flag');
  if (path !== undefined && !isTyped) return undefined;
  const value = globals.fileFormat ?? set;
  if (value === 'table') return undefined;
  const found = REPORT_FORMATS.find(format => format === value);
  if (found !== undefined) return found;
  if (path === undefined && (value === 'json' || value === 'ndjson')) return 'json';
  if (!isTyped) return undefined;
  throw invalidValue(
    path === undefined ? `a report cannot be printed as ${value}` : `cannot write a report as ${value}`,
    'use --format html, xlsx, eml or md; -o json prints its data',
  );
}

/** Throws UsageError for a name with another ending. */
function formatOf(path: string): ReportFormat {
  const ending = extname(path).slice(1).toLowerCase();
  const found = REPORT_FORMATS.find(format => format === ending);
  if (found !== undefined) return found;
  const similar = nearest(ending, REPORT_FORMATS);
  throw invalidValue(
    `cannot detect the format of ${path}`,
    similar === undefined
      ? 'use .html, .xlsx, .eml or .md, or pass --format'
      : `did you mean .${similar}? The formats are .html, .xlsx, .eml and .md`,
  );
}
