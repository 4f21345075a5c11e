import { DIRECTIONS } from '../../analysis/metric-health.ts';
import { missingArgument } from '../../errors/usage.ts';
import { queryRecord } from '../../migrate/index.ts';
import { cacheColumns } from '../../operations/listings/column-catalogue.ts';
import { columnsMatching } from '../../operations/listings/columns-matching.ts';
import { dataSetListing, listingOf } from '../../operations/listings/listings.ts';
import { savedReports } from '../../operations/listings/saved-reports.ts';
import { incompleteRows } from '../../operations/rows/completeness.ts';
import {
  DEFAULT_RULES,
  SETTLE_DAYS,
  watchedDays,
  watchMetrics,
} from '../../operations/watch/watch-metrics.ts';
import { followedFigure, PLAIN_WORDING, rowOf } from '../../operations/watch/watched-figure.ts';
import { secretsInArgv } from '../../text/redactor.ts';
import { checkedChange } from '../bda/flags/checked-change.ts';
import { checkedQuery } from '../bda/flags/checked-query.ts';
import { checkedReport } from '../bda/flags/checked-report.ts';
import { MIGRATE_FLAGS } from '../bda/flags/migrate-flags.ts';
import type { MigrationSource } from '../bda/flags/migration-source.ts';
import { QUERY_FLAGS } from '../bda/flags/query-flags.ts';
import { RUN_FLAGS } from '../bda/flags/report-flags.ts';
import { assertFigures, settledBy, watchedQuery } from '../bda/flags/watched-query.ts';
import { WHY_FLAGS } from '../bda/flags/why-flags.ts';
import type { Context } from '../framework/context.ts';
import { oneOf, string } from '../framework/define-command.ts';
import { rowsToFile, SHOWN_ROWS } from './rows-to-file.ts';
import { defineTool, type Tool, type ToolResult } from './tool.ts';
import { valuesOf } from './tool-schema.ts';

/** Options of the command line in the words of a tool. */
const DAYS = {
  last: { ...QUERY_FLAGS.last, summary: 'days up to yesterday: 7d, 4w, 3m, 1y' },
  previous: { ...QUERY_FLAGS.previous, summary: 'the one before this one' },
  from: { ...QUERY_FLAGS.from, summary: 'first day: 2026-10-05' },
  to: { ...QUERY_FLAGS.to, summary: 'last day' },
};
const dataSet = { ...QUERY_FLAGS.dataSet, summary: 'a name that columns lists' };
const filter = { ...QUERY_FLAGS.filter, summary: "conditions: 'visits>=3', 'country=DE,AT'" };
/** The most rows that one request returns. */
const limit = { ...QUERY_FLAGS.limit, summary: 'maximum rows (default: all)' };
const ROWS = {
  columns: 'array',
  rows: 'array',
  count: 'integer',
  complete: 'boolean',
  file: 'string',
} as const;

/** The filters of a request that has only those of `filter`. */
const NO_OTHER_FILTERS = { anyOf: [], filterJson: [] };

/** The tools on analytics. */
export const ANALYTICS_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'columns',
    title: 'List data sets and columns',
    description: 'Without arguments the data sets; with data_set or search the columns that query accepts.',
    options: {
      dataSet: string('--data-set', 'only columns of this data set'),
      search: string('--search', 'only columns with this word'),
    },
    result: { result: { data_sets: 'array', columns: 'array' } },
    async call({ dataSet, search }, { context }) {
      if (dataSet === undefined && search === undefined)
        return { data: { result: await dataSetListing(context) } };
      const listing = await listingOf('columns', 'v2', context);
      await cacheColumns(listing, context);
      return { data: { result: columnsMatching(listing.body, { dataSet, search }, context.log) } };
    },
  }),
  defineTool({
    name: 'query',
    title: 'Query analytics',
    description: `Writes all rows to a CSV file and returns the first ${SHOWN_ROWS}, their number and the file.`,
    options: {
      dataSet,
      dimension: { ...QUERY_FLAGS.dimension, summary: 'columns to group by' },
      metric: { ...QUERY_FLAGS.metric, summary: 'columns to measure' },
      filter,
      sort: { ...QUERY_FLAGS.sort, summary: 'columns, ascending unless followed by :desc' },
      limit,
      ...DAYS,
      domain: { ...QUERY_FLAGS.domain, summary: 'only these sites' },
    },
    result: ROWS,
    addsFiles: true,
    async call(given, tool) {
      const { context } = tool;
      const flags = { ...given, ...NO_OTHER_FILTERS, domainId: undefined };
      const how = { source: undefined, maySend: true, isPaged: given.limit === undefined };
      const checked = await checkedQuery(flags, {}, context, how);
      try {
        return await rowsToFile(await checked.rows(), tool);
      } catch (error) {
        throw await checked.withFlags(error);
      }
    },
  }),
  defineTool({
    name: 'why',
    title: 'Explain a change',
    description: 'Which values of which dimensions explain the change of a metric, with exact contributions.',
    options: {
      dataSet,
      metric: WHY_FLAGS.metric,
      dimension: { ...WHY_FLAGS.dimension, summary: 'default: chosen from the listed columns' },
      filter,
      ...DAYS,
      compare: { ...WHY_FLAGS.compare, summary: 'with the period before (default) or a year earlier' },
      depth: { ...WHY_FLAGS.depth, summary: '2 also explains the first value by the other dimensions' },
    },
    required: ['metric'],
    result: { result: { sentences: 'array', dimensions: 'array', complete: 'boolean' } },
    async call(given, { context }) {
      const { explain } = await checkedChange({ ...valuesOf(WHY_FLAGS, [], {}), ...given }, context);
      const { data, lacking, isContradictory } = await explain();
      const result = { ...data, complete: lacking === undefined && !isContradictory };
      return { data: { result }, ...(isContradictory && { error: incompleteRows() }) };
    },
  }),
  defineTool({
    name: 'watch',
    title: 'Detect unusual metrics',
    description:
      'Compares the last final day with the same weekdays before, and recent weeks with the quarter before.',
    options: {
      dataSet,
      metric: { ...QUERY_FLAGS.metric, summary: 'metrics to judge' },
      filter,
      domain: { ...QUERY_FLAGS.domain, summary: 'sites to judge one by one (default: all together)' },
      direction: oneOf('--direction', 'drop by default', DIRECTIONS),
    },
    required: ['metric'],
    result: { result: { settled_to: 'string', alerts: 'integer', complete: 'boolean', figures: 'array' } },
    async call({ direction = DEFAULT_RULES.direction, ...given }, { context }) {
      const flags = { ...given, ...NO_OTHER_FILTERS, domainId: undefined };
      const watched = await watchedQuery(flags, {}, undefined, context);
      const settled = await settledBy(watched.query, { settle: SETTLE_DAYS }, context);
      const { series, isComplete } = await watchMetrics(watched.sites, watched.figures, {
        settled,
        settle: SETTLE_DAYS,
        rules: { ...DEFAULT_RULES, direction, kindOf: () => 'plain' },
      });
      await assertFigures(series, watchedDays(settled), async () => PLAIN_WORDING, context);
      const figures = series.map(one => followedFigure(one).figure);
      const alerts = figures.filter(({ since }) => since !== null).length;
      const result = { settled_to: settled.to, alerts, complete: isComplete, figures: figures.map(rowOf) };
      return { data: { result }, ...(!isComplete && { error: incompleteRows() }) };
    },
  }),
  defineTool({
    name: 'sync_status',
    title: 'Show synced tables',
    description: 'What the destination of the sync file in the working folder holds, by table.',
    options: {},
    result: { result: 'array' },
    async call(_, { context }) {
      const naming = 'start gatectl mcp in its folder';
      const [{ withSync }, { syncStatus }] = await Promise.all([
        import('../framework/open-sync.ts'),
        import('../framework/sync-status.ts'),
      ]);
      const result = await withSync({ file: undefined, table: [], naming }, context, sync =>
        syncStatus(sync, context),
      );
      return { data: { result } };
    },
  }),
  defineTool({
    name: 'report',
    title: 'Run a saved v1 report',
    description: 'Without arguments the saved reports; with name or id the rows, as query returns them.',
    options: {
      name: string('--name', 'a predefined report'),
      id: { ...RUN_FLAGS.id, summary: 'a custom report' },
      filter: { ...RUN_FLAGS.filter, summary: "conditions: 'visits>=3'" },
      segment: { ...RUN_FLAGS.segment, summary: 'segments that split the rows' },
      limit,
      ...DAYS,
    },
    result: { result: 'array', ...ROWS },
    addsFiles: true,
    async call(given, tool) {
      const { context } = tool;
      const isEmpty = Object.values(given).every(value => value === undefined || String(value) === '');
      if (isEmpty) return { data: { result: await savedReports(context) } };
      const flags = { ...given, domain: [], domainId: undefined };
      const report = await checkedReport(flags, {}, context, async () => given.limit === undefined);
      let result: ToolResult | undefined;
      await report.run(async rows => {
        result = await rowsToFile(rows, tool);
      });
      return result ?? { data: {} };
    },
  }),
  defineTool({
    name: 'migrate',
    title: 'Convert a v1 request to v2',
    description:
      'The v2 query with the same rows as a v1 data request or saved report, and notes on what changes.',
    options: {
      request: string('--request', 'JSON, a URL, or a curl command'),
      report: { ...MIGRATE_FLAGS.report, summary: 'predefined report that the request runs' },
      customReport: string('--custom-report', 'id or title of the custom report that it runs'),
      last: DAYS.last,
      from: DAYS.from,
      to: DAYS.to,
    },
    result: { result: 'array' },
    async call({ request, ...given }, { context }) {
      if ((request ?? given.report ?? given.customReport) === undefined)
        throw missingArgument('request, report or custom_report is required');
      const flags = { ...valuesOf(MIGRATE_FLAGS, [], {}), ...given, file: undefined };
      const source = await sourceOf(request, given, context);
      const { checkedMigration } = await import('../bda/flags/checked-migration.ts');
      const { migration } = await checkedMigration(source, flags, context);
      return { data: { result: migration.queries.map(({ query }) => queryRecord(query)) } };
    },
  }),
];

/** The request of a text, and the report that it runs. No file is read. Throws UsageError. */
async function sourceOf(
  text: string | undefined,
  { report, customReport }: Partial<Record<'report' | 'customReport', string>>,
  { redactor, signal }: Context,
): Promise<MigrationSource> {
  const { readMigrationSource, withReport } = await import('../bda/flags/migration-source.ts');
  const name = 'the request';
  // An error may quote the input, so its keys are redacted.
  for (const key of secretsInArgv(text ?? '')) redactor.add(key);
  const given =
    text === undefined
      ? undefined
      : await readMigrationSource(text, name, {}, { signal, mayReadFiles: false });
  const address = {
    ...(report !== undefined && { reportName: report }),
    ...(customReport !== undefined && { customReportId: customReport }),
  };
  return withReport(given, address, { name, option: 'the other' });
}
