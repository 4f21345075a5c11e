import type { DayRange } from '../../apis/bda/days.ts';
import { CurlPrinted, UsageError } from '../../errors/index.ts';
import { type ExportStats, hasWarnings, warningsOf } from '../../export/export-audit.ts';
import { rowsInMemory } from '../../export/row-source.ts';
import { withField } from '../../export/with-field.ts';
import type { Json, JsonRecord } from '../../json/index.ts';
import { groupDigits } from '../../terminal/numbers.ts';
import { type CollectedRows, collectRows, recordsOf } from './collect-rows.ts';
import type { RequestedRows, Site } from './requested-rows.ts';
import type { RowWork } from './row-progress.ts';

/** The column that names the site, where several are queried. */
const SITE_COLUMN = 'domain';
/** The maximum number of cells in memory, over all sites: each costs up to a hundred bytes of memory. */
const MOST_CELLS = 4_000_000;
/** More rows than memory holds. */
const ROWS_MAX = 2 ** 31 - 1;

/** The rows of one site. */
type SiteRows = Pick<RequestedRows, 'source' | 'plan'> & { readonly name: string };

/**
 * The rows of several sites one below the other, with the name of the site as first column. The APIs take one site per request, so each
 * has its own request. The rows are held in memory until all are there, unless they are exported to a file. Throws UsageError where
 * the request has a column of that name.
 */
export function rowsOfSites(
  sites: readonly Site[],
  rowsOf: (site: Site) => RequestedRows,
  work: RowWork,
): RequestedRows {
  const parts = sites.map(site => ({ name: site.name, rows: rowsOf(site) }));
  const [first] = parts;
  if (first === undefined) throw new Error('no sites');
  const { source, query, request } = first.rows;
  if (source.columns.includes(SITE_COLUMN)) throw columnTaken();
  let isIncomplete = false;
  const forDays = (days: DayRange | undefined) =>
    collectSites(
      parts.flatMap(({ name, rows }) => {
        const part = days === undefined ? rows : rows.query?.forDays(days);
        return part === undefined ? [] : [{ name, source: part.source, plan: part.plan }];
      }),
      () => {
        isIncomplete = true;
      },
      work,
    );
  const { domain_id: _, DomainId: __, ...rest } = request;
  return {
    ...first.rows,
    ...forDays(undefined),
    request: { ...rest, domains: sites.map(({ name }): Json => name) },
    ...(query !== undefined && {
      query: {
        ...query,
        dimensions: [SITE_COLUMN, ...query.dimensions],
        siteColumn: SITE_COLUMN,
        forDays,
        // No request is for several sites but not all.
        ownValues: undefined,
        byDay: undefined,
      },
    }),
    isIncomplete: () => isIncomplete,
  };
}

function columnTaken(): UsageError {
  return new UsageError(`the rows have a column ${SITE_COLUMN} already`, {
    code: 'conflicting_options',
    reason: 'site_column_taken',
  });
}

/** The rows of all sites as those of one request, which are fetched when the first of them is needed, one site after the other. */
function collectSites(
  sites: readonly SiteRows[],
  onIncomplete: () => void,
  work: RowWork,
): Pick<RequestedRows, 'source' | 'plan'> {
  const named = sites[0]?.source.columns ?? [];
  const columns = named.length === 0 ? [] : [SITE_COLUMN, ...named];
  let count: number | undefined;
  const report = (name: string, stats: ExportStats) => {
    for (const warning of warningsOf(stats)) work.report({ kind: 'warning', text: `${name}: ${warning}` });
    if (hasWarnings(stats)) onIncomplete();
  };
  const collect = async (): Promise<JsonRecord[]> => {
    const all: JsonRecord[] = [];
    let printed: CurlPrinted | undefined;
    for (const { name, ...site } of sites) {
      try {
        const collected = await collectRows(site, work, rows => checkSize(all.length + rows, columns));
        report(name, collected.stats);
        reportRemaining(name, collected, site.plan.start, work);
        for (const row of recordsOf(collected.rows)) {
          if (Object.hasOwn(row, SITE_COLUMN)) throw columnTaken();
          all.push({ [SITE_COLUMN]: name, ...row });
        }
      } catch (error) {
        if (!(error instanceof CurlPrinted)) throw error;
        printed = error;
      }
    }
    if (printed !== undefined) throw printed;
    return all;
  };
  const addedField = (value: string) => ({ name: SITE_COLUMN, value, taken: columnTaken });
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
    { code: 'output_too_large', reason: 'too_many_cells' },
  );
}

function reportRemaining(
  name: string,
  { rows, stats, total }: CollectedRows,
  start: number,
  { report }: RowWork,
): void {
  const isCut = total !== undefined && start + rows.length < total;
  if (!isCut && !stats.hasMoreRows) return;
  report({ kind: 'remaining', site: name, rows: rows.length, total, isUnasked: stats.hasMoreRows });
}
