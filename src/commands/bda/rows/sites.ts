import type { DayRange } from '../../../apis/bda/days.ts';
import { UsageError } from '../../../errors/index.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import type { Site } from '../domain-flag.ts';
import type { RowsOutput } from './rows-output.ts';

/** The column that names the site, where several are queried. */
const SITE_COLUMN = 'domain';

/** Throws UsageError for several sites with --print, which prints one request. */
export function checkSites(sites: readonly Site[], { print }: { readonly print: boolean }): void {
  if (sites.length < 2 || !print) return;
  throw new UsageError('--print and several --domain names cannot be combined', {
    code: 'conflicting_options',
    hints: ['name one domain at a time'],
  });
}

/**
 * The rows of several sites one below the other, with the name of the site as first column; undefined for fewer than two. The APIs take
 * one site per request, so each has its own request. The rows are held in memory until all are there, unless they are exported to
 * a file. Throws UsageError where the request has a column of that name.
 */
export async function rowsOfSites(
  sites: readonly Site[],
  outputOf: (site: Site) => RowsOutput,
  context: Context,
): Promise<RowsOutput | undefined> {
  const parts = sites.map(site => ({ name: site.name, output: outputOf(site) }));
  const [first, second] = parts;
  if (first === undefined || second === undefined) return undefined;
  const { source, query, request, tableRows } = first.output;
  if (source.columns.includes(SITE_COLUMN)) throw columnTaken();
  const { MAX_TABLE_ROWS } = await import('./row-flags.ts');
  const { collectSites } = await import('./collect-sites.ts');
  let isIncomplete = false;
  const forDays = (days: DayRange | undefined) =>
    collectSites(
      parts.flatMap(({ name, output }) => {
        const part = days === undefined ? output : output.query?.forDays(days);
        return part === undefined ? [] : [{ name, source: part.source, plan: part.plan }];
      }),
      {
        column: SITE_COLUMN,
        columnTaken,
        onIncomplete: () => {
          isIncomplete = true;
        },
      },
      context,
    );
  const { domain_id: _, DomainId: __, ...rest } = request;
  return {
    ...first.output,
    ...forDays(undefined),
    request: { ...rest, domains: sites.map(({ name }): Json => name) } satisfies JsonRecord,
    tableRows: tableRows === undefined || tableRows === MAX_TABLE_ROWS ? tableRows : tableRows * parts.length,
    ...(query !== undefined && {
      query: {
        ...query,
        dimensions: [SITE_COLUMN, ...query.dimensions],
        siteColumn: SITE_COLUMN,
        forDays,
        // No request is for several sites but not all.
        ownValues: undefined,
      },
    }),
    isIncomplete: () => isIncomplete,
  };
}

function columnTaken(): UsageError {
  return new UsageError(`the rows have a column ${SITE_COLUMN} already`, {
    code: 'conflicting_options',
    hints: ['name one domain at a time'],
  });
}
