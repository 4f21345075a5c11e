import type { JudgedDay } from '../../../analysis/metric-health.ts';
import { namesOf, withQueryFields } from '../../../apis/bda-v2/query.ts';
import { FileError, GatectlError, InterruptedError, PartialError } from '../../../errors/index.ts';
import { invalidUsage } from '../../../errors/usage.ts';
import { CHART_FILE_KINDS, chartFileKind } from '../../../export/output-path.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { type JsonRecord, textOf } from '../../../json/index.ts';
import type { ExplainedMetric } from '../../../operations/explain/explain-metric.ts';
import { factsOf } from '../../../operations/listings/column-catalogue.ts';
import type { AlertWork, Unjudged } from '../../../operations/watch/follow-alerts.ts';
import { watchHead } from '../../../operations/watch/watch-head.ts';
import { type JudgedSeries, watchedDays, watchMetrics } from '../../../operations/watch/watch-metrics.ts';
import {
  nameInSentence,
  PLAIN_WORDING,
  rowOf,
  type ShownMetrics,
  seriesName,
  shownRows,
  type WatchedFigure,
  watchColumns,
  watchWording,
} from '../../../operations/watch/watched-figure.ts';
import { presentationOf } from '../../../output/presentation/index.ts';
import { oneDay, type Sentence, sentence, sentenceText } from '../../../output/sentence.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand, optional } from '../../framework/define-command.ts';
import { gatewayName, lockMachine } from '../../framework/lock-machine.ts';
import { object } from '../../framework/output-schema.ts';
import { runShellCommand } from '../../framework/shell-command.ts';
import { isPrintedForPeople } from '../flags/row-flags.ts';
import { ALERT_FLAGS, WATCHED_FLAGS, type WatchFlags } from './flags.ts';

/** The exit code of --exit-code while there is an alert. */
const ALERT_EXIT = 3;

export const watch = defineCommand({
  name: 'watch',
  effect: 'read',
  summary: 'detect unusual drops and rises of metrics',
  description:
    'Compares the last settled day with the same weekday of the eight weeks before, and the last weeks with the quarter before, and alerts once per incident about a metric that is unusual or has no rows. Days whose figures are not final and holidays are not judged. For cron: with --quiet, only a new alert is printed. FILE has flags as YAML, such as metric: [visits, revenue].',
  arguments: {
    file: optional('file', 'flags as YAML, before the flags'),
  },
  options: { ...WATCHED_FLAGS, ...ALERT_FLAGS },
  examples: {
    'gatectl bda watch --data-set pageview -m visits,revenue':
      'check visits and revenue of yesterday and before',
    "gatectl bda watch watch.yaml --why --on-alert 'mail -s alert ops@example.com' --quiet":
      'in cron: mail a new alert, with an explanation',
    'gatectl bda watch --query daily --exit-code --metrics-file /var/lib/node_exporter/gatectl.prom':
      'in a script, with figures for Prometheus',
  },
  output: object({
    settled_to: ['string', 'the last day whose figures are final'],
    data_set: ['string?', 'the data set'],
    alerts: ['number', 'metrics with an alert'],
    complete: ['boolean', 'whether no row of the figures is missing or wrong'],
    first_look: [
      'string[]',
      'metrics that no earlier run judged, with their site: each of their alerts counts as new',
    ],
    figures: [
      '{site, metric, day, days, value, expected, expected_low, expected_high, change_percent, deviations, status, reason, event, since, ended, compared_days, summary, why}[]',
      'each metric of each site on that day, or on the last day of its alert; status: ok, alert, holiday, no_data, low_volume, too_few_days, after_alerts; reason of an alert: drop, rise, zero, negative, no_rows, decline, whose value and expected are the daily means of days and of compared_days before; event: opened, open, cleared or null; ended: later_day, no_decline, restated or rejudged; summary and why of what is new',
    ],
  }),
  async run({ file, ...typed }, context) {
    checkChart(typed);
    const [{ watchFrom }, { assertFigures, settledBy }] = await Promise.all([
      import('./watch-input.ts'),
      import('../flags/watched-query.ts'),
    ]);
    const watched = await watchFrom(file, typed, context);
    const { flags, sites, dataSet, query } = watched;
    const settled = await settledBy(query, flags, context);
    const days = watchedDays(settled);
    const kindOf = await watched.kindOfDays(days);
    const { threshold, minChange, minVolume, direction = 'drop', settle } = flags;
    const rules = { threshold, minChange, minVolume, direction };
    if (context.globals.curl) await watched.figures(sites[0], days);
    const { series, isComplete } = await watchMetrics(sites, watched.figures, {
      settled,
      settle,
      rules: { ...rules, kindOf },
    });
    context.log.note(sentence`days up to ${oneDay(settled.to)} have settled`);

    const [alerts, state] = await Promise.all([
      import('../../../operations/watch/follow-alerts.ts'),
      import('../../../operations/watch/state-file.ts'),
    ]);
    const { metrics: _, domain_id: __, ...scope } = query;
    const identity = { gateway: (await gatewayName(context)) || null, ...scope };
    const machine = lockMachine(context);
    let known: Promise<ShownMetrics> | undefined;
    const shown = () => {
      known ??= shownMetrics(namesOf(query.metrics), context);
      return known;
    };
    const wording = async () => watchWording(await shown(), await context.out.style());
    await assertFigures(series, days, wording, context);
    const work = alertWork({ dataSet, query, flags, shown, wording }, context);
    const path =
      flags.state ?? state.defaultStatePath({ query: identity, rules: { ...rules, settle } }, machine);
    const isDefault = flags.state === undefined;
    const found = await state
      .withMemory(
        { path, isDefault, query: identity },
        machine,
        memory => alerts.followAlerts(series, memory, work),
        reason =>
          context.log.warn(`alerts are not stored: ${reason}`, [
            'pass --state FILE, or set GATECTL_CONFIG_DIR',
          ]),
      )
      .catch(error => {
        throw withStateHint(error, isDefault);
      });
    const figures = found.figures.map(({ figure }) => figure);
    if (flags.metricsFile !== undefined)
      await writeMetrics(flags.metricsFile, figures, dataSet, context.clock.now());
    const rows = figures.map(rowOf);
    if (flags.chart !== undefined)
      await drawChart(flags.chart, series, query, { rows, shownOf: await shown() }, context);
    const style = await context.out.style();
    const data = alerts.alertsJson(found, { to: settled.to, dataSet, isComplete });
    const isForPeople = await isPrintedForPeople({ out: undefined, chart: undefined }, context);
    const named = isForPeople ? await wording() : PLAIN_WORDING;
    const head = watchHead(figures, { to: settled.to, minVolume, wording: named });
    const table = isForPeople ? shownRows(rows, await shown(), style) : rows;
    await context.out.printResult(
      data,
      [{ title: sentenceText(head, style), data: [...table], view: { columns: watchColumns() } }],
      rows,
    );

    const failures = found.figures.flatMap(({ failure }) => failure ?? []);
    if (found.open > 0 && flags.exitCode) {
      for (const failure of failures) context.log.warn(failure);
      return ALERT_EXIT;
    }
    const lacking = await alerts.unjudged(found, settled, wording);
    assertComplete({ failures, lacking, isComplete }, flags);
    return undefined;
  },
});

/** Throws PartialError for commands that failed, and for figures that could not be judged or are not complete. */
function assertComplete(
  {
    failures,
    lacking,
    isComplete,
  }: {
    readonly failures: readonly string[];
    readonly lacking: Unjudged | undefined;
    readonly isComplete: boolean;
  },
  { strict }: WatchFlags,
): void {
  if (failures.length > 0) throw new PartialError(failures.join('; '), { code: 'partial_failure' });
  if (lacking?.isAll || (lacking !== undefined && strict))
    throw new PartialError(`${lacking.text}${lacking.isAll ? '' : ' (--strict)'}`, {
      code: 'rows_incomplete',
    });
  if (!isComplete && strict)
    throw new PartialError('the rows are not complete (--strict)', { code: 'rows_incomplete' });
}

/** Writes the figures for Prometheus, at once, because the collector may read at any time. Throws FileError. */
async function writeMetrics(
  path: string,
  figures: readonly WatchedFigure[],
  dataSet: string | undefined,
  now: number,
): Promise<void> {
  const { metricsText } = await import('../../../operations/watch/metrics-file.ts');
  await writeAtomic(path, metricsText(figures, dataSet, now), { mode: 0o644 });
}

/** What to do about a state file that cannot be read. */
function withStateHint(error: unknown, isDefault: boolean): unknown {
  if (!(error instanceof FileError) || error.code !== 'invalid_file') return error;
  const { message, path, code } = error;
  const remove = 'remove it: open alerts then count as new';
  const hints = [isDefault ? remove : `pass another --state FILE, or ${remove}`];
  return new FileError(message, { path, code, hints, cause: error });
}

/** Throws UsageError for a file whose name is of no chart. */
function checkChart({ chart }: WatchFlags): void {
  if (chart !== undefined && chartFileKind(chart) === undefined)
    throw invalidUsage(
      `cannot write a chart to ${chart}`,
      `use a file name that ends in ${CHART_FILE_KINDS.map(kind => `.${kind}`).join(', ')}`,
    );
}

/** How people read metrics, with the units that the gateway lists, which may take a request. */
async function shownMetrics(metrics: readonly string[], context: Context): Promise<ShownMetrics> {
  const facts = await factsOf(metrics, 'v2', context);
  return metric => presentationOf(metric, name => facts.get(name));
}

/** How alerts are reported: as warnings, with an explanation and by a command where the flags say so. */
function alertWork(
  {
    dataSet,
    query,
    flags,
    shown,
    wording,
  }: Pick<AlertWork, 'dataSet' | 'wording'> & {
    readonly query: JsonRecord;
    readonly flags: WatchFlags;
    readonly shown: () => Promise<ShownMetrics>;
  },
  context: Context,
): AlertWork {
  const commands = {
    opened: { flag: '--on-alert', command: flags.onAlert },
    cleared: { flag: '--on-clear', command: flags.onClear },
  };
  return {
    dataSet,
    wording,
    note: text => context.log.note(text),
    warn: (text, details) => context.log.warn(text, details),
    ...(flags.why && {
      explain: async (figure, series) => {
        const found = await explained({ figure, series, query, wording }, flags, context);
        const read = { shown: (await shown())(figure.metric) };
        return found && { data: found.data, texts: found.inWords(read, await context.out.style()) };
      },
    }),
    async handOn(event, input) {
      const { flag, command } = commands[event];
      return command === undefined ? undefined : await runShellCommand({ flag, command, input }, context);
    },
  };
}

/** Why the figure is an alert; undefined, with a warning, if that cannot be explained. */
async function explained(
  {
    figure,
    series: { site, days },
    query,
    wording,
  }: Pick<AlertWork, 'wording'> & {
    readonly figure: WatchedFigure;
    readonly series: JudgedSeries;
    readonly query: JsonRecord;
  },
  { additive }: WatchFlags,
  context: Context,
): Promise<ExplainedMetric | undefined> {
  const [{ explainWith }, { unexplainedText }, { kindOf }, { MAX_REQUESTS, TOP }, { explainedDays }] =
    await Promise.all([
      import('../flags/checked-change.ts'),
      import('../../../operations/explain/explain-metric.ts'),
      import('../flags/why-flags.ts'),
      import('../../../operations/explain/defaults.ts'),
      import('../../../operations/watch/explained-days.ts'),
    ]);
  const { metric, judged, since } = figure;
  const { day } = judged;
  const warn = async (why: Sentence) => {
    const name = seriesName(figure, await wording());
    context.log.warn(sentence`${name} on ${oneDay(day)} is not explained: ${why}`);
  };
  const compared = explainedDays(judged, since ?? day, days);
  if (compared === undefined) {
    await warn('no figure of the same weekday in the eight weeks before the alert can be compared with it');
    return undefined;
  }
  try {
    const found = await explainWith(
      {
        metric,
        kind: kindOf(metric, { additive, ratio: [] }),
        query: site === undefined ? query : withQueryFields(query, new Map([['domain_id', site.id]])),
        days: compared.days,
        period: undefined,
        compare: compared.before,
        matchWeekdays: true,
        dimensions: undefined,
        ...{ maxRequests: MAX_REQUESTS, depth: 1, top: TOP, isJudged: true },
      },
      context,
    );
    const isExplained = found.status === 'explained';
    // Its parts may be a ratio over several days, and those of a day may not add up to its figure.
    if (isExplained && isSameMove(found, judged)) return found;
    if (isExplained)
      await warn(`by ${found.dimension}, it did not ${judged.reason === 'rise' ? 'rise' : 'fall'}`);
    else await warn(unexplainedText(found, nameInSentence(figure, await wording())));
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    await warn(error.message);
  }
  return undefined;
}

function isSameMove({ data }: ExplainedMetric, { reason }: JudgedDay): boolean {
  const change = Number(textOf(data.change ?? null));
  return reason === 'rise' ? change > 0 : change < 0;
}

/** Writes the figures with their expected bands to a file. Throws FileError. */
async function drawChart(
  path: string,
  series: readonly JudgedSeries[],
  request: JsonRecord,
  { rows, shownOf }: { readonly rows: readonly JsonRecord[]; readonly shownOf: ShownMetrics },
  context: Context,
): Promise<void> {
  const [{ writeChart }, { watchChart }] = await Promise.all([
    import('../../../operations/rows/write-chart.ts'),
    import('../../../operations/watch/watch-chart.ts'),
  ]);
  const style = await context.out.style();
  const warn = (text: string) => context.log.warn(text);
  await writeChart({
    path,
    chart: watchChart(series, shownOf, style.locale),
    request,
    rows: shownRows(rows, shownOf, style),
    columns: watchColumns(),
    style,
    warn,
  });
  context.log.note(`wrote the chart to ${path}`);
}
