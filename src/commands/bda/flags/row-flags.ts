import type { Day } from '../../../apis/bda/days.ts';
import { cannotCombine, conflict, invalidUsage, missingArgument } from '../../../errors/usage.ts';
import { contentByName } from '../../../export/output-path.ts';
import { PAGES_IN_FLIGHT } from '../../../export/plan.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { isForPeople } from '../../../output/view.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX } from '../../../wire/bda-v2.ts';
import type { Context, Globals } from '../../framework/context.ts';
import {
  boolean,
  inGroup,
  integer,
  type Option,
  string,
  type ValuesOf,
} from '../../framework/define-command.ts';
import { REQUESTS_IN_FLIGHT } from '../../framework/shared-flags.ts';
import { DAY_FLAGS } from './day-flags.ts';
import { setsField } from './request-flags.ts';

/** The flags for the number of rows and their destination; `pageSize` is the default number of rows per request. */
export const rowFlags = (pageSize: number) => ({
  ...inGroup('Rows', {
    limit: setsField(
      integer('--limit <n>', 'maximum rows, sorted by size (in a table: 100)', {
        min: 1,
        max: QUERY_LIMIT_MAX,
      }),
      { v2: 'limit' },
    ),
    offset: setsField(integer('--offset <n>', 'rows to skip at the beginning', { min: 0 }), {
      v2: 'offset',
    }),
    all: boolean('--all', 'all rows, in table, md and html too'),
    pageSize: integer('--page-size <n>', `rows per request (default ${pageSize})`, {
      min: 1,
      max: QUERY_LIMIT_MAX,
    }),
    concurrency: integer(
      '--concurrency <n>',
      `maximum pages in flight (default: adapts, up to ${PAGES_IN_FLIGHT})`,
      { min: 1, max: REQUESTS_IN_FLIGHT },
    ),
    strict: boolean('--strict', 'exit 7 if the result is incomplete'),
  }),
  ...inGroup('File', {
    out: string('--out <file>', '.csv .tsv .ndjson .json (.gz .zst) .parquet .xlsx, or s3://'),
    resume: boolean('--resume', 'resume an interrupted export to --out, or fail'),
    // A --no flag is true unless it is typed.
    autoResume: boolean('--no-resume', 'discard the rows of an interrupted export to --out'),
    manifest: boolean('--manifest', 'write query, days, rows, hash to FILE.meta.json'),
  }),
});

export type RowFlags = ValuesOf<ReturnType<typeof rowFlags>>;

/** Throws UsageError for flags that cannot be combined. */
export function checkRowFlags(flags: RowFlags): void {
  if (flags.all && flags.limit !== undefined)
    throw cannotCombine(
      '--all and --limit',
      'omit one of them; --page-size sets the number of rows per request',
    );
  if (flags.pageSize !== undefined && flags.limit !== undefined)
    throw cannotCombine('--page-size and --limit', '--limit is the size of the page too; omit one of them');
  if (flags.resume && !flags.autoResume) throw cannotCombine('--resume and --no-resume', 'give one of them');
  if (!flags.autoResume && !hasOutFile(flags.out)) throw missingArgument('--no-resume requires --out FILE');
  if (flags.resume && (flags.out === undefined || flags.limit !== undefined))
    throw conflict(
      '--resume requires --out and cannot be combined with --limit',
      'repeat the interrupted command with --resume',
    );
  if (flags.manifest && flags.out === undefined)
    throw missingArgument('--manifest requires --out', 'type --out FILE');
}

/** How many rows are fetched and shown. */
interface RowCount {
  /** Whether all rows are fetched, page by page. */
  readonly all: boolean;
  /** Maximum rows in table, md and html; undefined with a limit. */
  readonly tableRows: number | undefined;
}

/** Default rows of a table: the default limit of the API. */
export const TABLE_ROWS = QUERY_LIMIT_DEFAULT;

/** Maximum rows of a table with --all. */
export const MAX_TABLE_ROWS = 10_000;

/**
 * Files, machine-readable formats and charts get all rows unless `--limit` or, with `requestHasLimit`, the request limits them;
 * table, md and html only with `--all`. Throws UsageError for `--page-size` or `--resume` without effect.
 */
export async function rowCountOf(
  flags: RowFlags & { readonly chart: string | true | undefined },
  requestHasLimit: boolean,
  context: Context,
): Promise<RowCount> {
  checkDecimals(flags, context);
  if (flags.all) return { all: true, tableRows: MAX_TABLE_ROWS };
  const isLimited = flags.limit !== undefined || requestHasLimit;
  const tableRows = isLimited ? undefined : TABLE_ROWS;
  if (!isLimited && !(await isPrintedForPeople(flags, context))) return { all: true, tableRows };
  const flag = flags.pageSize !== undefined ? '--page-size' : flags.resume ? '--resume' : undefined;
  if (flag === undefined) return { all: false, tableRows };
  const why = requestHasLimit ? 'the request has a limit' : `a table shows the first ${TABLE_ROWS} rows only`;
  throw invalidUsage(`${flag} has no effect: ${why}`, 'add --all to fetch all rows');
}

/** Whether a query as JSON has a limit of its own. */
export function hasLimit({ limit }: JsonRecord): boolean {
  return limit !== undefined && limit !== null;
}

/** The rows of a table for some sites, each of which has as many as one site alone. */
export function tableRowsOf(
  tableRows: number | undefined,
  { length }: readonly unknown[],
): number | undefined {
  return tableRows === undefined || tableRows === MAX_TABLE_ROWS
    ? tableRows
    : tableRows * Math.max(1, length);
}

/** Throws UsageError for `--decimals` without a table or a workbook: other files have all digits, and a chart has its own. */
function checkDecimals(
  { out, chart }: { readonly out: string | undefined; readonly chart: string | true | undefined },
  { globals }: Context,
): void {
  if (globals.decimals === undefined || isWorkbook(out, globals)) return;
  const other = hasOutFile(out) ? '--out' : chart === true ? '--chart' : undefined;
  if (other === undefined) return;
  throw cannotCombine(
    `--decimals and ${other}`,
    'omit --decimals, which rounds the numbers of a table or of an .xlsx file',
  );
}

function isWorkbook(out: string | undefined, { fileFormat }: Globals): boolean {
  return out !== undefined && hasOutFile(out) && (fileFormat ?? contentByName(out).format) === 'xlsx';
}

/** Whether the rows are only printed as a table, md or html. A chart summarizes them, so it needs all of them. */
export async function isPrintedForPeople(
  { out, chart }: { readonly out: string | undefined; readonly chart: string | true | undefined },
  context: Context,
): Promise<boolean> {
  if (hasOutFile(out) || chart !== undefined || context.globals.jq !== undefined) return false;
  return isForPeople((await context.settings()).output.value);
}

/** Whether `--out` names a file; `-` is stdout. */
export function hasOutFile(out: string | undefined): boolean {
  return out !== undefined && out !== '-';
}

/** The command line that resumes an export: the one that was typed, with `days` in place of words that mean other days tomorrow. */
export function resumeCommand(
  { resume, autoResume }: { readonly resume: Option<boolean>; readonly autoResume: Option<boolean> },
  days: { readonly from: Day | undefined; readonly to: Day | undefined } | undefined,
  context: Context,
): string {
  return context.commandLine({
    without: [resume, autoResume, ...(days === undefined ? [] : Object.values(DAY_FLAGS))],
    withArguments: true,
    add: [
      ...(days?.from === undefined ? [] : ['--from', days.from]),
      ...(days?.to === undefined ? [] : ['--to', days.to]),
    ],
  });
}
