import { queryRecord } from '../../migrate/index.ts';
import { cacheColumns } from '../../operations/listings/column-catalogue.ts';
import { columnsMatching } from '../../operations/listings/columns-matching.ts';
import { dataSetListing, listingOf } from '../../operations/listings/listings.ts';
import { savedReports } from '../../operations/listings/saved-reports.ts';
import { incompleteRows } from '../../operations/rows/completeness.ts';
import { checkedChange } from '../bda/flags/checked-change.ts';
import { checkedQuery } from '../bda/flags/checked-query.ts';
import { checkedReport } from '../bda/flags/checked-report.ts';
import { QUERY_FLAGS } from '../bda/flags/query-flags.ts';
import { RUN_FLAGS } from '../bda/flags/report-flags.ts';
import { WHY_FLAGS } from '../bda/flags/why-flags.ts';
import { MIGRATE_FLAGS } from '../bda/migrate-query/flags.ts';
import { string } from '../framework/define-command.ts';
import { rowsToFile, SHOWN_ROWS } from './rows-to-file.ts';
import { defineTool, type Tool, type ToolResult } from './tool.ts';
import { valuesOf } from './tool-schema.ts';

const { last, previous, from, to } = QUERY_FLAGS;
const DAYS = { last, previous, from, to };
/** The filters of a request that has only those of `filter`. */
const NO_OTHER_FILTERS = { anyOf: [], filterJson: [] };

/** The tools on analytics. */
export const ANALYTICS_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'columns',
    title: 'List data sets and columns',
    description: 'Without arguments the data sets; with data_set or search the columns that query accepts.',
    options: {
      dataSet: string('--data-set <name>', 'only columns of this data set'),
      search: string('--search <word>', 'only columns with this word in their name, description or unit'),
    },
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
      dataSet: QUERY_FLAGS.dataSet,
      dimension: QUERY_FLAGS.dimension,
      metric: QUERY_FLAGS.metric,
      filter: QUERY_FLAGS.filter,
      sort: QUERY_FLAGS.sort,
      limit: QUERY_FLAGS.limit,
      ...DAYS,
      domain: QUERY_FLAGS.domain,
    },
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
      dataSet: WHY_FLAGS.dataSet,
      metric: WHY_FLAGS.metric,
      dimension: WHY_FLAGS.dimension,
      filter: WHY_FLAGS.filter,
      ...DAYS,
      compare: WHY_FLAGS.compare,
      depth: WHY_FLAGS.depth,
    },
    required: ['metric'],
    async call(given, { context }) {
      const { explain } = await checkedChange({ ...valuesOf(WHY_FLAGS, [], {}), ...given }, context);
      const { data, isIncomplete, isContradictory } = await explain();
      const result = { ...data, complete: !isIncomplete && !isContradictory };
      return { data: { result }, ...(isContradictory && { error: incompleteRows() }) };
    },
  }),
  defineTool({
    name: 'report',
    title: 'Run a saved v1 report',
    description: 'Without arguments the saved reports; with name or id the rows, as query returns them.',
    options: {
      name: string('--name <name>', 'a predefined report'),
      id: RUN_FLAGS.id,
      filter: RUN_FLAGS.filter,
      segment: RUN_FLAGS.segment,
      limit: RUN_FLAGS.limit,
      ...DAYS,
    },
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
      request: string('--request <request>', 'the v1 request: JSON, its URL, or a curl command'),
      report: MIGRATE_FLAGS.report,
      customReport: MIGRATE_FLAGS.customReport,
      last,
      from,
      to,
    },
    async call({ request, ...given }, { context }) {
      const flags = { ...valuesOf(MIGRATE_FLAGS, [], {}), ...given, file: undefined };
      const { convertedQueries } = await import('../bda/migrate-query/run-migration.ts');
      const queries = await convertedQueries(request, flags, context);
      const [first = null, ...others] = queries.map(({ query }) => queryRecord(query));
      return { data: { result: others.length > 0 ? [first, ...others] : first } };
    },
  }),
];
