import { CurlPrinted, UsageError } from '../../../errors/index.ts';
import { type ExportStats, hasWarnings, warningsOf } from '../../../export/export-audit.ts';
import { rowsInMemory } from '../../../export/row-source.ts';
import { withField } from '../../../export/with-field.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { type CollectedRows, collectRows, recordsOf } from '../../../operations/rows/collect-rows.ts';
import { groupDigits } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { rowWork } from './export-options.ts';
import type { RowsOutput } from './rows-output.ts';

/** The maximum number of cells in memory, over all sites: each costs up to a hundred bytes of memory. */
const MOST_CELLS = 4_000_000;
/** More rows than memory holds. */
const ROWS_MAX = 2 ** 31 - 1;

/** The rows of one site. */
type SiteRows = Pick<RowsOutput, 'source' | 'plan'> & { readonly name: string };

interface SiteOptions {
  /** The column with the name of the site. */
  readonly column: string;
  readonly columnTaken: () => UsageError;
  readonly onIncomplete: () => void;
}

/** The rows of all sites as those of one request, which are fetched when the first of them is needed, one site after the other. */
export function collectSites(
  sites: readonly SiteRows[],
  { column, columnTaken, onIncomplete }: SiteOptions,
  context: Context,
): Pick<RowsOutput, 'source' | 'plan'> {
  const named = sites[0]?.source.columns ?? [];
  const columns = named.length === 0 ? [] : [column, ...named];
  let count: number | undefined;
  const report = (name: string, stats: ExportStats) => {
    for (const warning of warningsOf(stats)) context.log.warn(`${name}: ${warning}`);
    if (hasWarnings(stats)) onIncomplete();
  };
  const collect = async (): Promise<JsonRecord[]> => {
    const all: JsonRecord[] = [];
    let printed: CurlPrinted | undefined;
    for (const { name, ...site } of sites) {
      try {
        const collected = await collectRows(site, await rowWork(context), rows =>
          checkSize(all.length + rows, columns),
        );
        report(name, collected.stats);
        noteRemaining(name, collected, site.plan.start, context);
        for (const row of recordsOf(collected.rows)) {
          if (Object.hasOwn(row, column)) throw columnTaken();
          all.push({ [column]: name, ...row });
        }
      } catch (error) {
        if (!(error instanceof CurlPrinted)) throw error;
        printed = error;
      }
    }
    if (printed !== undefined) throw printed;
    return all;
  };
  const addedField = (value: string) => ({ name: column, value, taken: columnTaken });
  const parts = sites.map(({ name, source, plan }) => ({
    name,
    source: withField(source, addedField(name)),
    plan,
    onExported: (stats: ExportStats) => report(name, stats),
  }));
  return {
    source: {
      ...(parts.every(({ plan }) => !plan.single) && { parts }),
      columns,
      hasTotal: true,
      readError: () => undefined,
      async open(page) {
        const rows = await collect();
        count = rows.length;
        return await rowsInMemory(rows, columns).source.open(page);
      },
      total: () => count,
    },
    plan: { start: 0, pageSize: ROWS_MAX, single: true, isWhole: true },
  };
}

function checkSize(rows: number, { length }: readonly string[]): void {
  if (rows * Math.max(1, length) <= MOST_CELLS) return;
  throw new UsageError(
    `the rows of these sites hold more than ${groupDigits(MOST_CELLS)} cells, too many to hold at once`,
    { code: 'output_too_large', hints: ['export them to a file: --out FILE'] },
  );
}

function noteRemaining(
  name: string,
  { rows, stats, total }: CollectedRows,
  start: number,
  context: Context,
): void {
  const isCut = total !== undefined && start + rows.length < total;
  if (!isCut && !stats.hasMoreRows) return;
  const text =
    total === undefined
      ? `${name}: the first ${groupDigits(rows.length)} rows; there may be more, --all shows all`
      : `${name}: ${groupDigits(rows.length)} of ${groupDigits(total)} rows; --all shows all`;
  if (stats.hasMoreRows) context.log.warn(text);
  else context.log.note(text);
}
