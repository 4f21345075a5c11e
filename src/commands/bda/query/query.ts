import { dataDays } from '../../../analysis/data-days.ts';
import { grainsOf } from '../../../analysis/periods.ts';
import { type DayRange, isDay } from '../../../apis/bda/days.ts';
import { problemsOf } from '../../../apis/bda-v2/check-query.ts';
import { fetchDateRange } from '../../../apis/bda-v2/listings.ts';
import {
  columnsOf,
  namesOf,
  pageOf,
  withDays,
  withQueryFields,
  withTotalOrder,
} from '../../../apis/bda-v2/query.ts';
import { queryRows } from '../../../apis/bda-v2/query-rows.ts';
import { ApiError } from '../../../errors/index.ts';
import type { Plan } from '../../../export/plan.ts';
import {
  integerOf,
  isList,
  isRecord,
  type Json,
  type JsonRecord,
  stringifyJson,
} from '../../../json/index.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import { boolean, defineCommand, inGroup, optional } from '../../framework/define-command.ts';
import { assertDistinctFiles } from '../../framework/file-arguments.ts';
import { inputName } from '../../framework/json-input.ts';
import { listOf } from '../../framework/output-schema.ts';
import { columnNames, unitsOf } from '../column-catalogue.ts';
import type { Site } from '../domain-flag.ts';
import { listingOf } from '../listings.ts';
import { throwProblems, withOrigins } from '../origins.ts';
import { checkChartFlags } from '../rows/chart-flags.ts';
import { checkRowFlags, type RowFlags, resumeCommand, rowCountOf } from '../rows/row-flags.ts';
import type { RowsOutput } from '../rows/rows-output.ts';
import { checkSites, rowsOfSites } from '../rows/sites.ts';
import { bdaV2Site } from '../site.ts';
import { QUERY_FLAGS, queryFromFlags } from './query-flags.ts';
import { misplacedName, requestFrom } from './query-input.ts';

export const query = defineCommand({
  name: 'query',
  summary: 'query analytics, or export all rows',
  description: `Queries analytics with flags, with JSON from a file or stdin, or both: flags override the JSON's fields. A table shows 100 rows, files and other formats contain all. Filters, days and exports: gatectl help filters, dates, output.`,
  arguments: {
    file: optional('file', 'query as JSON (- for stdin), before the flags', { completes: 'file' }),
  },
  options: {
    ...QUERY_FLAGS,
    ...inGroup('Query', { print: boolean('--print', 'print the query as JSON and send nothing') }),
  },
  examples: [
    {
      does: 'list the ten countries with the most visits in the last week',
      command:
        'gatectl bda query --data-set pageview -d country -m visits --sort visits:desc --limit 10 --last 7d',
    },
    {
      does: 'export all pages of last month with more than 100 visits',
      command:
        "gatectl bda query --data-set pageview -d page_url -m visits --filter 'visits>100' --previous month --out pages.csv",
    },
    {
      does: 'draw visits per day of last month, compared with the month before',
      command:
        'gatectl bda query --data-set pageview -d report_day -m visits --previous month --compare previous --chart',
    },
  ],
  output: listOf({
    '(column)': ['any', 'each requested dimension and metric; numbers keep all digits'],
  }),
  async run(flags, context) {
    checkRowFlags(flags);
    checkChartFlags(flags);
    assertDistinctFiles([['FILE', flags.file]], [['--out', flags.out]], context.io);
    const body = await requestFrom(flags.file, context).catch(error => {
      const columns = [...flags.dimension, ...flags.metric];
      throw (
        misplacedName(
          flags.file,
          { columns, hasDataSet: flags.dataSet !== undefined, last: flags.last },
          error,
        ) ?? error
      );
    });
    const maySend = !flags.print && !context.globals.curl;
    const { limit: ownLimit, ...rest } = body;
    const { all, tableRows } = await rowCountOf(flags, ownLimit !== undefined && ownLimit !== null, context);
    const {
      query: fromFlags,
      origins,
      days,
      sites,
    } = await queryFromFlags(flags, all ? rest : body, context, {
      maySend,
    });
    const completeDays = flags.completePeriods ? await completeDaysOf(fromFlags, context) : undefined;
    const requested = completeDays === undefined ? fromFlags : withDays(fromFlags, completeDays);
    const source = flags.file === undefined ? undefined : inputName(flags.file);
    throwProblems(problemsOf(requested), origins, source);

    // The same flags may mean other days tomorrow.
    const exactDays = completeDays ?? (days.isRelative ? days : undefined);
    const plan = planOf(requested, all, flags);
    const sent = all ? withTotalOrder(requested) : requested;
    checkSites(sites, flags);
    if (flags.print) {
      const { start: offset, pageSize: limit } = plan;
      const first = all ? pageOf(sent, { offset, limit }) : sent;
      return await context.out.printText(stringifyJson(first, 2));
    }
    if (flags.all && ownLimit !== undefined) context.log.note(`--all overrides the limit in ${source}`);
    const site = await bdaV2Site(context);
    const gateway = await context.gateway();
    const outputOf = (sent: JsonRecord): RowsOutput => {
      const { limit: _, offset: __, ...request } = sent;
      return {
        source: queryRows(gateway, site, sent, { paged: all }),
        plan,
        tableRows,
        figures: namesOf(sent.metrics),
        flags,
        request,
        days: request.date_range ?? null,
        query: {
          dimensions: namesOf(sent.dimensions),
          days: daysOf(sent),
          period: completeDays === undefined ? days.period : undefined,
          forDays: days => ({
            source: queryRows(gateway, site, withDays(withTotalOrder(sent), days), { paged: true }),
            plan: allRows(0, flags),
          }),
          dataDays: async () => dataDays(await fetchDateRange(gateway, site), textIn(sent.data_set)),
          isSorted: isList(requested.sort) && requested.sort.length > 0,
          units: () => unitsOf(columnsOf(sent), context, () => listingOf('columns', 'v2', context)),
        },
        resumeCommand: resumeCommand(QUERY_FLAGS, exactDays, context),
        readsStdin: flags.file === '-',
      };
    };
    const outputOfSite = ({ id }: Site) => outputOf(withQueryFields(sent, new Map([['domain_id', id]])));
    // The export engine is large, and only a query that is sent needs it.
    const { writeRows } = await import('../rows/write-rows.ts');
    try {
      const output = await rowsOfSites(sites, outputOfSite, context);
      await writeRows(output ?? outputOf(sent), context);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const allOrigins = new Map([...origins, ...sortOrigins(requested, sent)]);
      throw await withOrigins(error, allOrigins, source, options => columnNames(context, options));
    }
  },
});

/** Origins of the sort keys that fetching all rows adds. */
function sortOrigins(requested: JsonRecord, sent: JsonRecord): [string, string][] {
  const [own, all] = [requested, sent].map(({ sort }) => (isList(sort) ? sort.length : 0));
  return Array.from({ length: (all ?? 0) - (own ?? 0) }, (_, at) => [
    `sort.${(own ?? 0) + at}`,
    'sorting by each dimension, which fetching all rows requires',
  ]);
}

/** The days of complete weeks or months, for --complete-periods. */
async function completeDaysOf(query: JsonRecord, context: Context): Promise<DayRange> {
  const { completeDays } = await import('../rows/complete-periods.ts');
  const grains = grainsOf(namesOf(query.dimensions)).map(({ grain }) => grain);
  return await completeDays(daysOf(query), grains, context);
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The days of a query. */
function daysOf({ date_range: days }: JsonRecord): DayRange | undefined {
  if (!isRecord(days) || typeof days.start_date !== 'string' || typeof days.end_date !== 'string')
    return undefined;
  const { start_date: from, end_date: to } = days;
  return isDay(from) && isDay(to) ? { from, to } : undefined;
}

type PagingFlags = Pick<RowFlags, 'pageSize' | 'concurrency'>;

function planOf(requested: JsonRecord, all: boolean, flags: PagingFlags): Plan {
  const start = integerOf(requested.offset) ?? 0;
  if (all) return allRows(start, flags);
  const limit = integerOf(requested.limit);
  if (limit === undefined) return { start, pageSize: QUERY_LIMIT_DEFAULT, single: true, endsByItself: true };
  return { start, pageSize: limit, single: true };
}

function allRows(start: number, { pageSize, concurrency }: PagingFlags): Plan {
  return {
    start,
    pageSize: pageSize ?? QUERY_LIMIT_MAX,
    pagesInFlight: concurrency,
    expectsPages: pageSize !== undefined,
  };
}
