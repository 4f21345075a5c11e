import type { DayRange } from '../../../apis/bda/days.ts';
import { problemsOf, REQUIRED } from '../../../apis/bda-v2/check-query.ts';
import { namesOf } from '../../../apis/bda-v2/query.ts';
import { ApiError, PartialError } from '../../../errors/index.ts';
import { missingArgument } from '../../../errors/usage.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { columnNames } from '../../../operations/listings/column-catalogue.ts';
import type { Site } from '../../../operations/rows/requested-rows.ts';
import { todayOf } from '../../../operations/today.ts';
import { fetchFigures } from '../../../operations/watch/fetch-figures.ts';
import {
  type JudgedSeries,
  type SettledDays,
  settledDays,
  type WatchedFigures,
} from '../../../operations/watch/watch-metrics.ts';
import { daysInSentence, type WatchWording } from '../../../operations/watch/watched-figure.ts';
import { labelInSentence } from '../../../output/presentation/index.ts';
import { oneDay, sentence, sentenceText } from '../../../output/sentence.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { daysWithData, figureWork } from './checked-change.ts';
import { requireListed } from './listed-columns.ts';
import { throwProblems, withOrigins } from './origins.ts';
import { queryFromFlags, type RequestFlags } from './query-flags.ts';

/** A checked query of daily figures. */
export interface WatchedQuery {
  readonly dataSet: string | undefined;
  /** The named sites; undefined for those that the query selects. */
  readonly sites: readonly (Site | undefined)[];
  /** The query without days, dimensions and site, which identifies what is watched. */
  readonly query: JsonRecord;
  /** The figures of all metrics by day, as the API has them. */
  figures(site: Site | undefined, days: DayRange): Promise<WatchedFigures>;
}

/** Checks what is to be watched. `body`: the query of a saved query, as API JSON; `source`: where it is from. Throws UsageError. */
export async function watchedQuery(
  flags: RequestFlags,
  body: JsonRecord,
  source: string | undefined,
  context: Context,
): Promise<WatchedQuery> {
  const maySend = !context.globals.curl;
  const { query: full, origins, sites } = await queryFromFlags(flags, body, context, { maySend });
  const {
    date_range: _days,
    dimensions: _names,
    sort: _sort,
    limit: _limit,
    offset: _offset,
    ...query
  } = full;
  const metrics = namesOf(query.metrics);
  if (metrics.length === 0)
    throw missingArgument(
      '--metric is missing',
      'type -m visits,revenue; gatectl bda columns lists the metrics',
    );
  throwProblems(
    problemsOf(query).filter(({ field, message }) => field !== 'date_range' || message !== REQUIRED),
    origins,
    source,
  );
  return {
    dataSet: typeof query.data_set === 'string' ? query.data_set : undefined,
    sites: sites.length === 0 ? [undefined] : sites,
    query,
    async figures(site, days) {
      try {
        return await fetchFigures({ query, metrics }, site, days, await figureWork(context));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        throw await withOrigins(error, origins, source, options => columnNames(context, options));
      }
    },
  };
}

/** Throws PartialError if no day has settled. */
export async function settledBy(
  query: JsonRecord,
  { settle }: { readonly settle: number },
  context: Context,
): Promise<SettledDays> {
  const data = await daysWithData(query, context);
  const settled = settledDays(data, { today: await todayOf(context), settle });
  if (settled === undefined)
    throw new PartialError(
      sentenceText(
        sentence`no day has settled yet: there is data for ${data ?? ''}`,
        await context.out.style(),
      ),
      {
        code: 'rows_incomplete',
        hints: [`a day settles after ${pluralize(settle, 'day')}; --settle sets another number`],
      },
    );
  const { to, late, endedOn } = settled;
  if (late > 0)
    context.log.warn(
      sentence`data end on ${oneDay(data?.to ?? to)}: no day after ${oneDay(to)} can be judged`,
    );
  if (endedOn !== undefined)
    context.log.warn(
      sentence`data end on ${oneDay(endedOn)}, and should have settled up to ${oneDay(to)}: the rows have stopped, or are late`,
    );
  return settled;
}

/**
 * Throws PartialError if there are no figures at all, because then nothing was judged, and UsageError for a metric without any figure
 * that is nearly named as a listed column.
 */
export async function assertFigures(
  series: readonly JudgedSeries[],
  days: DayRange,
  wording: () => Promise<WatchWording>,
  context: Context,
): Promise<void> {
  const found = new Set(series.flatMap(({ metric, figures }) => (figures.size > 0 ? [metric] : [])));
  const absent = series.map(({ metric }) => metric).filter(metric => !found.has(metric));
  if (absent.length > 0) await requireListed(absent, context, { onlyMistyped: true });
  if (found.size > 0) return;
  const words = await wording();
  const metrics = [...new Set(series.map(({ metric }) => labelInSentence(words.metric(metric))))].join(', ');
  throw new PartialError(
    `there are no figures of ${metrics} ${daysInSentence(days, words)}, so nothing was judged`,
    {
      code: 'rows_incomplete',
      hints: ['check the filters; gatectl bda date-range shows which days have data'],
    },
  );
}
