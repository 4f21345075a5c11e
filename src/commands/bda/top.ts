import { closeNames, columnsMeant, quoted, singular } from '../../apis/bda/catalogue.ts';
import type { UsageError } from '../../errors/index.ts';
import { invalidValue, unknownName } from '../../errors/usage.ts';
import { columnNamesByRole } from '../../operations/listings/column-catalogue.ts';
import { QUERY_LIMIT_MAX } from '../../wire/bda-v2.ts';
import type { Context } from '../framework/context.ts';
import {
  boolean,
  defineCommand,
  inGroup,
  integer,
  required,
  untypedValues,
  type ValuesOf,
} from '../framework/define-command.ts';
import { listOf } from '../framework/output-schema.ts';
import { DAY_FLAGS } from './flags/day-flags.ts';
import { QUERY_FLAGS, type QueryFlags } from './flags/query-flags.ts';
import { splitNames } from './flags/request-flags.ts';
import { runQuery } from './output/run-query.ts';

const { metric, filter, dataSet, domain, domainId, platform, compare, chart, title, ascii, out } =
  QUERY_FLAGS;

const TOP_FLAGS = {
  ...inGroup('Query', {
    metric: { ...metric, summary: 'columns to measure; the first decides the order (default: visits)' },
    limit: integer('--limit <n>', 'number of values', { min: 1, max: QUERY_LIMIT_MAX, fallback: 10 }),
    filter,
    dataSet,
    print: boolean('--print', 'print the query as JSON and send nothing'),
  }),
  ...DAY_FLAGS,
  ...inGroup('Output', { compare, chart, title, ascii, out }),
  ...inGroup('Pages', { domain, domainId, platform }),
};

/** What the words of the help mean while no columns are known. */
const USUAL_COLUMNS: Readonly<Record<string, string>> = {
  page: 'page_url',
  country: 'country',
  source: 'traffic_source',
  author: 'author',
  device: 'device',
};

type TopFlags = ValuesOf<typeof TOP_FLAGS>;

export const top = defineCommand({
  name: 'top',
  effect: 'read',
  summary: 'rank pages, countries, authors or another dimension',
  description:
    'Lists the values of a dimension with the largest figures of a metric, the largest first. The dimension is a column, or a word for one: pages, countries, sources. Default days: the last 7. For several dimensions, all rows or another order, use gatectl bda query.',
  arguments: {
    dimension: required('dimension', 'what to rank: pages, countries, authors, or a column', {
      completes: 'column',
    }),
  },
  options: TOP_FLAGS,
  examples: {
    'gatectl bda top pages': 'the ten pages with the most visits in the last 7 days',
    'gatectl bda top countries --metric revenue --previous month --compare previous':
      'the countries with the most revenue last month, compared with the month before',
    'gatectl bda top sources --filter country=DE --last 4w --chart':
      'chart the sources of the visits from Germany',
  },
  output: listOf({ '(column)': ['any', 'the dimension and each metric; numbers keep all digits'] }),
  async run({ dimension, ...flags }, context) {
    const column = await dimensionNamed(dimension, flags, context);
    const query = queryOf(column, flags);
    await runQuery(
      {
        flags: query,
        readBody: async () => ({}),
        source: undefined,
        isStdin: false,
        allCommand: allCommand(query, hasDays(flags), context),
      },
      context,
    );
  },
});

const USUAL_DAYS = '7d';

function hasDays(flags: TopFlags): boolean {
  return Object.keys(DAY_FLAGS).some(
    key => key !== 'includeToday' && flags[key as keyof typeof DAY_FLAGS] !== undefined,
  );
}

/** The flags of the query: the values of one dimension, by the first metric, the largest first. */
function queryOf(column: string, flags: TopFlags): QueryFlags & { readonly print: boolean } {
  const metrics = splitNames('--metric', flags.metric) ?? ['visits'];
  return {
    ...untypedValues(QUERY_FLAGS),
    ...flags,
    ...(!hasDays(flags) && { last: USUAL_DAYS }),
    dimension: [column],
    metric: metrics,
    sort: [`${metrics[0]}:desc`],
  };
}

/** The command line that was typed as one of the query with all rows. */
function allCommand({ dimension, metric, sort }: QueryFlags, hasDays: boolean, context: Context): string {
  return context.commandLine({
    command: 'gatectl bda query',
    without: [TOP_FLAGS.metric, TOP_FLAGS.limit],
    withArguments: false,
    add: [
      ...['-d', dimension.join(), '-m', metric.join(), '--sort', sort.join()],
      ...(hasDays ? [] : ['--last', USUAL_DAYS]),
      '--all',
    ],
  });
}

/** The dimension that a word names; the word itself while the columns are not known. Throws UsageError for none and for several. */
async function dimensionNamed(word: string, { print }: TopFlags, context: Context): Promise<string> {
  const maySend = !print && !context.globals.curl;
  const { dimensions, metrics } = await columnNamesByRole(context, { maySend });
  if (dimensions.length === 0) {
    const usual = USUAL_COLUMNS[singular(word).toLowerCase()];
    const sent = usual === undefined || usual === word ? 'typed' : quoted(usual);
    context.log.note(
      `${quoted(word)} is sent as ${sent}, because no columns are known; gatectl bda columns caches them`,
    );
    return usual ?? word;
  }
  const [found, ...others] = columnsMeant(dimensions, word);
  if (found === undefined) throw noDimension(word, dimensions, metrics);
  if (others.length === 0) return found;
  const all = `gatectl bda top ${others.join(' or ')}`;
  if (!found.endsWith('_url'))
    throw invalidValue(
      `${quoted(word)} may be ${[found, ...others].map(quoted).join(' or ')}`,
      `type gatectl bda top ${found}, or ${all}`,
    );
  context.log.note(`ranked by ${found}; for another column, type ${all}`);
  return found;
}

function noDimension(word: string, dimensions: readonly string[], metrics: readonly string[]): UsageError {
  const [measured] = columnsMeant(metrics, word);
  if (measured !== undefined)
    return invalidValue(
      `${quoted(measured)} is a metric, not a dimension`,
      `to rank pages by it, type gatectl bda top pages --metric ${measured}`,
    );
  if (/^\d+$/.test(word))
    return invalidValue(
      `${quoted(word)} is a number, not a dimension`,
      `type gatectl bda top pages --limit ${word}`,
    );
  const close = closeNames(dimensions, singular(word));
  return unknownName(
    `there is no dimension ${quoted(word)}`,
    close.length > 0 ? `did you mean ${close.join(' or ')}?` : `one of: ${dimensions.join(', ')}`,
    'gatectl bda columns lists the columns',
  );
}
