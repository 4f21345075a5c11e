import { followAlert } from '../../../analysis/alerts.ts';
import type { AlertRules, JudgedDay } from '../../../analysis/metric-health.ts';
import type { DayRange } from '../../../apis/bda/days.ts';
import { withQueryFields } from '../../../apis/bda-v2/query.ts';
import {
  FileError,
  GatectlError,
  InterruptedError,
  PartialError,
  UsageError,
} from '../../../errors/index.ts';
import { CHART_FILE_KINDS, chartFileKind } from '../../../export/output-path.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { ExplainedMetric } from '../../../operations/explain/explain-metric.ts';
import type { Site } from '../../../operations/rows/requested-rows.ts';
import { todayOf } from '../../../operations/today.ts';
import {
  type JudgedSeries,
  type SettledDays,
  settledDays,
  watchedDays,
  watchMetrics,
} from '../../../operations/watch/watch-metrics.ts';
import { COLUMNS, inWords, rowOf, type WatchedFigure } from '../../../operations/watch/watched-figure.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand, optional } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { runShellCommand } from '../../framework/shell-command.ts';
import { ALERT_FLAGS, WATCHED_FLAGS, type WatchFlags } from './flags.ts';
import { dayKinds } from './holidays.ts';
import type { WatchMemory } from './state-file.ts';
import type { WatchedQuery } from './watched.ts';

/** The exit code of --exit-code while there is an alert. */
const ALERT_EXIT = 3;

export const watch = defineCommand({
  name: 'watch',
  summary: 'detect unusual drops and rises of metrics',
  description:
    'Compares the last settled day with the same weekday of the eight weeks before, and the last weeks with the quarter before, and reports a metric that is off or whose rows end, once, until it is as expected again. Days whose figures are not final and holidays are not judged. For cron: with --quiet, only a new alert is printed. FILE has flags as YAML, such as metric: [visits, revenue].',
  arguments: {
    file: optional('file', 'flags as YAML, before the flags', { completes: 'file' }),
  },
  options: { ...WATCHED_FLAGS, ...ALERT_FLAGS },
  examples: [
    {
      does: 'check visits and revenue of yesterday and before',
      command: 'gatectl bda watch --data-set pageview -m visits,revenue',
    },
    {
      does: 'in cron: mail a new alert, with an explanation',
      command: "gatectl bda watch watch.yaml --why --on-alert 'mail -s alert ops@example.com' --quiet",
    },
    {
      does: 'in a script, with figures for Prometheus',
      command:
        'gatectl bda watch --query daily --exit-code --metrics-file /var/lib/node_exporter/gatectl.prom',
    },
  ],
  output: object({
    settled_to: ['string', 'the last day whose figures are final'],
    data_set: ['string?', 'the data set'],
    alerts: ['number', 'metrics with an alert'],
    complete: ['boolean', 'whether no row of the figures is missing or wrong'],
    first_look: [
      'string[]',
      'what no earlier run is remembered of, so that each alert counts as new: metrics, with their site',
    ],
    figures: [
      '{site, metric, day, value, expected, expected_low, expected_high, change_percent, deviations, status, reason, event, since, compared_days, summary, why}[]',
      'each metric of each site on that day; status: ok, alert, holiday, no_data, low_volume, too_few_days; reason of an alert: drop, rise, zero, no_rows, decline; event: opened, open, cleared or null; summary and why of what is new',
    ],
  }),
  async run({ file, ...typed }, context) {
    const { watchFrom } = await import('./watch-input.ts');
    const { flags, body, source, atPlace } = await watchFrom(file, typed, context);
    checkChart(flags);
    const { watchedQuery } = await import('./watched.ts');
    const watched = await watchedQuery(flags, body, source, context).catch(error => {
      throw atPlace(error);
    });
    const settled = await settledBy(watched, flags, context);
    const days = watchedDays(settled);
    const kindOf = await dayKinds(flags, days).catch(error => {
      throw atPlace(error);
    });
    const { threshold, minChange, minVolume } = flags;
    const rules: AlertRules = {
      threshold,
      minChange,
      minVolume,
      direction: flags.direction ?? 'drop',
      kindOf,
    };
    if (context.globals.curl) await watched.figures(watched.sites[0], days);
    const { series, isComplete } = await watchMetrics(watched.sites, watched.figures, {
      settled,
      settle: flags.settle,
      rules,
    });
    assertFigures(series, days);
    context.log.note(`days up to ${settled.to} have settled`);

    const { figures, firstLook } = await remember(series, { watched, rules, flags }, context);
    const rows = figures.map(({ figure }) => rowOf(figure));
    const open = figures.filter(({ figure }) => figure.since !== null).length;
    const data = {
      settled_to: settled.to,
      data_set: watched.dataSet ?? null,
      alerts: open,
      complete: isComplete,
      first_look: firstLook,
      figures: figures.map(({ figure, summary, why }) => ({
        ...rowOf(figure),
        ...(summary !== undefined && { summary }),
        ...(why !== undefined && { why }),
      })),
    };
    if (flags.metricsFile !== undefined) {
      const { metricsText, writeMetrics } = await import('../../../operations/watch/metrics-file.ts');
      const now = context.clock.now();
      const all = figures.map(({ figure }) => figure);
      await writeMetrics(flags.metricsFile, metricsText(all, watched.dataSet, now));
    }
    const view = { columns: COLUMNS };
    if (flags.chart !== undefined) {
      const { writeWatchChart } = await import('./watch-chart.ts');
      await writeWatchChart(flags.chart, { series, request: watched.query, rows }, context);
    }
    await context.out.printResult(data, [{ title: headingOf(figures, settled), data: rows, view }], rows);

    const failed = figures.flatMap(({ failure }) => failure ?? []);
    if (open > 0 && flags.exitCode) {
      for (const failure of failed) context.log.warn(failure);
      return ALERT_EXIT;
    }
    if (failed.length > 0) throw new PartialError(failed.join('; '), { code: 'partial_failure' });
    assertJudged(figures, settled, flags);
    if (!isComplete && flags.strict)
      throw new PartialError('the rows are not complete (--strict)', { code: 'rows_incomplete' });
    return undefined;
  },
});

/** Throws PartialError if no day has settled. */
async function settledBy(
  { query }: WatchedQuery,
  { settle }: WatchFlags,
  context: Context,
): Promise<SettledDays> {
  const { daysWithData } = await import('../flags/checked-change.ts');
  const data = await daysWithData(query, context);
  const settled = settledDays(data, { today: await todayOf(context), settle });
  if (settled === undefined)
    throw new PartialError(`no day has settled yet: there is data from ${data?.from} to ${data?.to}`, {
      code: 'rows_incomplete',
      hints: [`a day settles after ${pluralize(settle, 'day')}; --settle sets another number`],
    });
  const { to, late, endedOn } = settled;
  if (late > 0) context.log.warn(`data end on ${data?.to}: no day after ${to} can be judged`);
  if (endedOn !== undefined)
    context.log.warn(
      `data end on ${endedOn}, and should have settled up to ${to}: the rows ended, or are late`,
    );
  return settled;
}

/** Throws PartialError if there are no figures at all, because then nothing was judged. */
function assertFigures(series: readonly JudgedSeries[], { from, to }: DayRange): void {
  if (series.some(({ figures }) => figures.size > 0)) return;
  const metrics = [...new Set(series.map(({ metric }) => metric))].join(', ');
  throw new PartialError(`there are no figures of ${metrics} from ${from} to ${to}, so nothing was judged`, {
    code: 'rows_incomplete',
    hints: ['check the filters; gatectl bda date-range shows which days have data'],
  });
}

/** Throws UsageError for a file whose name is of no chart. */
function checkChart({ chart }: WatchFlags): void {
  if (chart !== undefined && chartFileKind(chart) === undefined)
    throw new UsageError(`cannot write a chart to ${chart}`, {
      hints: [`use a file name that ends in ${CHART_FILE_KINDS.map(kind => `.${kind}`).join(', ')}`],
    });
}

interface Followed {
  readonly figure: WatchedFigure;
  /** What is reported of it, in words. */
  readonly summary?: string | undefined;
  readonly why?: JsonRecord | undefined;
  /** What failed when the alert was reported. */
  readonly failure?: string | undefined;
}

interface Watching {
  readonly watched: WatchedQuery;
  readonly rules: AlertRules;
  readonly flags: WatchFlags;
}

interface Remembered {
  readonly figures: readonly Followed[];
  /** The series that no earlier run is remembered of: of them it is unknown what is new. */
  readonly firstLook: readonly string[];
}

/** Follows the alerts of earlier runs and reports what is new. */
async function remember(
  judged: readonly JudgedSeries[],
  { watched, rules, flags }: Watching,
  context: Context,
): Promise<Remembered> {
  const { defaultStatePath, seriesKey, withMemory } = await import('./state-file.ts');
  const follow = async (memory: WatchMemory): Promise<Remembered> => {
    const firstLook = noteFirstLook(
      judged,
      series => memory.has(seriesKey(series.metric, series.site?.name)),
      context,
    );
    const all: Followed[] = [];
    for (const series of judged) {
      const key = seriesKey(series.metric, series.site?.name);
      const { series: after, event, missed } = followAlert(memory.get(key), series.days);
      const name = nameOf(series);
      for (const { since, last } of missed)
        context.log.warn(`${name} was off from ${since} to ${last}, between two runs, and no longer is`);
      const last = series.days.at(-1) as JudgedDay;
      const figure: WatchedFigure = {
        metric: series.metric,
        site: series.site?.name ?? null,
        judged: last,
        value: series.figures.get(last.day)?.json ?? null,
        event,
        since: after.open?.since ?? null,
      };
      const reported = await report(figure, series, { watched, rules, flags }, context);
      // An alert that could not be reported is new in the next run, too.
      if (reported.failure === undefined) memory.set(key, after);
      all.push({ figure, ...reported });
    }
    return { figures: all, firstLook };
  };
  const { baseUrl } = await context.settings();
  const gateway = context.globals.sandbox ? 'sandbox' : (baseUrl.value ?? null);
  const query = { gateway, ...withoutMetrics(watched.query) };
  const { kindOf: _, ...numbers } = rules;
  const path =
    flags.state ?? defaultStatePath({ query, rules: { ...numbers, settle: flags.settle } }, context);
  let followed: Remembered | undefined;
  const once = async (memory: WatchMemory) => {
    followed = await follow(memory);
  };
  try {
    if (path === undefined)
      throw new FileError('there is no folder for state', { path: '', code: 'file_not_found' });
    await withMemory(path, { isDefault: flags.state === undefined, query }, context, once);
  } catch (error) {
    if (flags.state !== undefined || !(error instanceof FileError) || error.code === 'invalid_file')
      throw error;
    context.log.warn(`alerts are not remembered: ${error.message}`, [
      'pass --state FILE, or set GATECTL_CONFIG_DIR',
    ]);
  }
  return followed ?? (await follow(new Map()));
}

function nameOf({ metric, site }: JudgedSeries): string {
  return site === undefined ? metric : `${site.name}: ${metric}`;
}

/** Says of which series there is nothing to compare with, and returns their names. */
function noteFirstLook(
  judged: readonly JudgedSeries[],
  isSeen: (series: JudgedSeries) => boolean,
  { log }: Context,
): readonly string[] {
  const unseen = judged.filter(series => !isSeen(series)).map(nameOf);
  const what = unseen.length === judged.length ? '' : ` at ${unseen.join(', ')}`;
  if (unseen.length > 0)
    log.note(`first look${what}: no earlier run is remembered, so an alert counts as new`);
  return unseen;
}

function withoutMetrics({ metrics: _, domain_id: __, ...query }: JsonRecord): JsonRecord {
  return query;
}

/** Reports a new alert, or the end of one. */
async function report(
  figure: WatchedFigure,
  { site }: JudgedSeries,
  { watched, flags }: Watching,
  context: Context,
): Promise<Omit<Followed, 'figure'>> {
  const { event } = figure;
  if (event !== 'opened' && event !== 'cleared') return {};
  const isNew = event === 'opened';
  const summary = inWords(figure);
  const explanation =
    isNew && flags.why ? await explained(figure, site, { watched, flags }, context) : undefined;
  if (isNew) context.log.warn(summary, explanation?.sentences);
  else context.log.note(summary);
  const why = explanation?.data;
  const [flag, command] = isNew ? ['--on-alert', flags.onAlert] : ['--on-clear', flags.onClear];
  if (command === undefined) return { summary, why };
  const input = {
    summary,
    data_set: watched.dataSet ?? null,
    ...rowOf(figure),
    ...(isNew && flags.why && { why: why ?? null }),
  };
  const failure = await runShellCommand({ flag: flag as string, command, input }, context);
  return { summary, why, failure };
}

/** Why the figure changed against the same weekday a week before; undefined, with a warning, if that cannot be explained. */
async function explained(
  { metric, judged: { day } }: WatchedFigure,
  site: Site | undefined,
  { watched: { query }, flags }: Pick<Watching, 'watched' | 'flags'>,
  context: Context,
): Promise<Pick<ExplainedMetric, 'data' | 'sentences'> | undefined> {
  const [{ explainWith }, { unexplainedText }, { kindOf }, { MAX_REQUESTS, TOP }] = await Promise.all([
    import('../flags/checked-change.ts'),
    import('../../../operations/explain/explain-metric.ts'),
    import('../flags/why-flags.ts'),
    import('../../../operations/explain/defaults.ts'),
  ]);
  try {
    const found = await explainWith(
      {
        metric,
        kind: kindOf(metric, { additive: flags.additive, ratio: [] }),
        query: site === undefined ? query : withQueryFields(query, new Map([['domain_id', site.id]])),
        days: { from: day, to: day },
        period: undefined,
        compare: 'previous',
        matchWeekdays: true,
        dimensions: undefined,
        ...{ maxRequests: MAX_REQUESTS, depth: 1, top: TOP, isJudged: true },
      },
      context,
    );
    if (found.status === 'explained') return found;
    context.log.warn(`${metric} on ${day} is not explained: ${unexplainedText(found, metric)}`);
    return undefined;
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    context.log.warn(`${metric} on ${day} is not explained: ${error.message}`);
    return undefined;
  }
}

function headingOf(figures: readonly Followed[], { to }: SettledDays): string {
  const open = figures.filter(({ figure }) => figure.since !== null).length;
  return open === 0 ? `No alerts on ${to}` : `${pluralize(open, 'alert')} on ${to}`;
}

/** Throws PartialError if nothing could be judged for lack of data; with --strict, if something could not. */
function assertJudged(
  figures: readonly Followed[],
  { late, endedOn }: SettledDays,
  { strict }: WatchFlags,
): void {
  const lacking = figures.filter(
    ({
      figure: {
        judged: { status },
      },
    }) => status === 'no_data' || status === 'too_few_days',
  );
  const [first] = lacking;
  if (first === undefined) {
    if (strict && (late > 0 || endedOn !== undefined))
      throw new PartialError('data are late (--strict)', { code: 'rows_incomplete' });
    return;
  }
  const { metric, judged } = first.figure;
  const reason =
    judged.status === 'no_data'
      ? `there is no figure of ${metric} for ${judged.day}`
      : `${metric} has too few days to compare ${judged.day} with: at least four of the same weekday are required`;
  const others =
    lacking.length === 1 ? '' : `, and ${pluralize(lacking.length - 1, 'other metric')} lack days`;
  if (lacking.length === figures.length || strict)
    throw new PartialError(`${reason}${others}`, { code: 'rows_incomplete' });
}
