import {
  type AlertRules,
  DAYS_BEFORE,
  followAlert,
  type JudgedDay,
  judgeDays,
} from '../../../analysis/alerts.ts';
import { addDays, type Day, type DayRange, dayCount } from '../../../apis/bda/days.ts';
import { withQueryFields } from '../../../apis/bda-v2/query.ts';
import { FileError, GatectlError, InterruptedError, PartialError } from '../../../errors/index.ts';
import type { Json, JsonRecord } from '../../../json/index.ts';
import type { ExplainedMetric } from '../../../operations/explain/explain-metric.ts';
import type { Site } from '../../../operations/rows/requested-rows.ts';
import { todayOf } from '../../../operations/today.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand, optional } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { runShellCommand } from '../../framework/shell-command.ts';
import { ALERT_FLAGS, WATCHED_FLAGS, type WatchFlags } from './flags.ts';
import { holidaysIn } from './holidays.ts';
import { COLUMNS, inWords, rowOf, type WatchedFigure } from './result.ts';
import type { WatchMemory } from './state-file.ts';
import type { WatchedQuery } from './watched.ts';

/** The exit code of --exit-code while there is an alert. */
const ALERT_EXIT = 3;
/** Days that a run catches up on, at most. */
const CATCH_UP_DAYS = 28;

export const watch = defineCommand({
  name: 'watch',
  summary: 'detect unusual drops and rises of metrics',
  description:
    'Compares the last settled day with the same weekday of the eight weeks before and reports a metric that is off, once, until it is as expected again. Days whose figures are not final, holidays and days without data are not judged. For cron: with --quiet, only a new alert is printed. FILE has flags as YAML, such as metric: [visits, revenue].',
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
      '{site, metric, day, value, expected, change_percent, deviations, status, event, since, compared_days, summary, why}[]',
      'each metric of each site on that day; status: ok, alert, holiday, no_data, low_volume, too_few_days; event: opened, open, cleared or null; summary and why of what is new',
    ],
  }),
  async run({ file, ...typed }, context) {
    const { watchFrom } = await import('./watch-input.ts');
    const { flags, body, source, atPlace } = await watchFrom(file, typed, context);
    const { watchedQuery } = await import('./watched.ts');
    const rules: AlertRules = {
      threshold: flags.threshold,
      minChange: flags.minChange,
      minVolume: flags.minVolume,
      direction: flags.direction ?? 'drop',
      isHoliday: holidaysIn(flags.holiday),
    };
    const watched = await watchedQuery(flags, body, source, context).catch(error => {
      throw atPlace(error);
    });
    const settled = await settledDays(watched, flags, context);
    if (context.globals.curl) await watched.figures(watched.sites[0], rangeFor(settled));
    const { series, isComplete } = await judgeAll(watched, settled, rules, context);

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
      const { watchMetrics, writeMetrics } = await import('./metrics-file.ts');
      const now = context.clock.now();
      const all = figures.map(({ figure }) => figure);
      await writeMetrics(flags.metricsFile, watchMetrics(all, watched.dataSet, now));
    }
    const view = { columns: COLUMNS };
    await context.out.printResult(data, [{ title: headingOf(figures, settled), data: rows, view }], rows);

    if (open > 0 && flags.exitCode) return ALERT_EXIT;
    const failed = figures.flatMap(({ failure }) => failure ?? []);
    if (failed.length > 0) throw new PartialError(failed.join('; '), { code: 'partial_failure' });
    assertJudged(figures, settled, flags);
    if (!isComplete && flags.strict)
      throw new PartialError('the rows are not complete (--strict)', { code: 'rows_incomplete' });
    return undefined;
  },
});

/** The days that can be judged. */
interface SettledDays {
  readonly to: Day;
  /** The days with data; undefined if the API does not report them. */
  readonly data: DayRange | undefined;
  /** Days that should have settled, and have too little data after them. */
  readonly late: number;
}

/**
 * A day has settled once so many complete days with data follow it: the last day with data may still be incomplete. Throws PartialError
 * if no day has settled.
 */
async function settledDays(
  { query }: WatchedQuery,
  { settle }: WatchFlags,
  context: Context,
): Promise<SettledDays> {
  const { daysWithData } = await import('../flags/checked-change.ts');
  const byCalendar = addDays(await todayOf(context), -1 - settle);
  const data = await daysWithData(query, context);
  const byData = data === undefined ? byCalendar : addDays(data.to, -settle);
  const to = byData < byCalendar ? byData : byCalendar;
  if (data !== undefined && to < data.from)
    throw new PartialError(`no day has settled yet: there is data from ${data.from} to ${data.to}`, {
      code: 'rows_incomplete',
      hints: [`a day settles after ${pluralize(settle, 'day')}; --settle sets another number`],
    });
  const late = dayCount({ from: addDays(to, 1), to: byCalendar });
  if (late > 0) context.log.warn(`data end on ${data?.to}: no day after ${to} can be judged`);
  return { to, data, late };
}

/** The days to request: enough before the last one to judge it, and those since a run some weeks ago. */
function rangeFor({ to, data }: SettledDays): DayRange {
  const from = addDays(to, 1 - DAYS_BEFORE - CATCH_UP_DAYS);
  return { from: data !== undefined && data.from > from ? data.from : from, to };
}

interface JudgedSeries {
  readonly metric: string;
  readonly site: Site | undefined;
  readonly days: readonly JudgedDay[];
  /** The figure of the last day as the API has it. */
  readonly value: Json;
}

interface Judged {
  readonly series: readonly JudgedSeries[];
  /** Whether no row of the figures is missing. */
  readonly isComplete: boolean;
}

/** Throws PartialError if there are no figures at all, because then nothing was judged. */
async function judgeAll(
  watched: WatchedQuery,
  settled: SettledDays,
  rules: AlertRules,
  context: Context,
): Promise<Judged> {
  const range = rangeFor(settled);
  const found: JudgedSeries[] = [];
  let isEmpty = true;
  let areComplete = true;
  for (const site of watched.sites) {
    const { byMetric, isComplete } = await watched.figures(site, range);
    areComplete &&= isComplete;
    for (const [metric, byDay] of byMetric) {
      if (byDay.size > 0) isEmpty = false;
      const days = judgeDays(byDay, range, rules);
      found.push({ metric, site, days, value: byDay.get(settled.to)?.json ?? null });
    }
  }
  if (isEmpty)
    throw new PartialError(
      `there are no figures of ${watched.metrics.join(', ')} from ${range.from} to ${range.to}, so nothing was judged`,
      {
        code: 'rows_incomplete',
        hints: ['check the filters; gatectl bda date-range shows which days have data'],
      },
    );
  context.log.note(`days up to ${settled.to} have settled`);
  return { series: found, isComplete: areComplete };
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
        value: series.value,
        status: last.status,
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
  const { isHoliday: _, ...numbers } = rules;
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
  const [{ explainWith, unexplainedText }, { kindOf }, { MAX_REQUESTS, TOP }] = await Promise.all([
    import('../flags/checked-change.ts'),
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
        ...{ maxRequests: MAX_REQUESTS, depth: 1, top: TOP },
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
function assertJudged(figures: readonly Followed[], { late }: SettledDays, { strict }: WatchFlags): void {
  const lacking = figures.filter(
    ({ figure: { status } }) => status === 'no_data' || status === 'too_few_days',
  );
  const [first] = lacking;
  if (first === undefined) {
    if (strict && late > 0) throw new PartialError('data are late (--strict)', { code: 'rows_incomplete' });
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
