import { type AlertEnd, type AlertEvent, followAlert, type WatchedSeries } from '../../analysis/alerts.ts';
import type { JudgedDay } from '../../analysis/metric-health.ts';
import type { Day, DayRange } from '../../apis/bda/days.ts';
import { type Json, type JsonRecord, jsonNumber, textOf } from '../../json/index.ts';
import { changePercentText, unsigned } from '../../output/change-percent.ts';
import { groupThousands, roundDecimals, roundPercentChange } from '../../output/number.ts';
import {
  dateText,
  type FigureStyle,
  figuresFormat,
  headingOf,
  labelInSentence,
  labelled,
  type Presentation,
  withUnit,
} from '../../output/presentation/index.ts';
import type { Column } from '../../output/view.ts';
import type { JudgedSeries } from './watch-metrics.ts';

/** A metric of a site, and its alert. */
export interface WatchedFigure {
  readonly metric: string;
  readonly site: string | null;
  /** The last day of an alert, the day that ended one, or the last settled day. */
  readonly judged: JudgedDay;
  /** The last settled day, which may not be judged. */
  readonly latest: JudgedDay;
  /** The figure of the judged day as the API has it. */
  readonly value: Json;
  readonly event: AlertEvent;
  /** What ended an alert. */
  readonly end?: AlertEnd | undefined;
  /** The first day of the alert; null without one. */
  readonly since: Day | null;
}

/** A metric with the alert that its days lead to, by what an earlier run remembers, and what to remember. */
export function followedFigure({ metric, site, figures, days }: JudgedSeries, before?: WatchedSeries) {
  const { series, event, end, since = null, basis, missed } = followAlert(before, days);
  const figure: WatchedFigure = {
    ...{ metric, site: site?.name ?? null, judged: basis, latest: days.at(-1) ?? basis },
    value: figures.get(basis.day)?.json ?? null,
    ...{ event, end, since },
  };
  return { figure, series, missed };
}

/** How people read a metric, by its name. */
export type ShownMetrics = (metric: string) => Presentation;

/** The columns of rows for people: see `shownRows`. */
export function watchColumns(): readonly Column[] {
  const figure = (key: string, label: string): Column => ({
    key,
    kind: 'text',
    align: 'right',
    presentation: labelled(label),
  });
  const change = (key: string, label: string, figure: 'percent' | 'number'): Column => ({
    key,
    kind: 'number',
    presentation: labelled(label, { figure, isChange: true }),
  });
  return [
    { key: 'site', whenPresent: true, presentation: labelled('Site') },
    { key: 'metric', presentation: labelled('Metric') },
    { key: 'day', presentation: labelled('Day', { time: 'day' }) },
    figure('value', 'Value'),
    figure('expected', 'Expected'),
    figure('expected_low', 'Expected low'),
    figure('expected_high', 'Expected high'),
    change('change_percent', 'Change', 'percent'),
    change('deviations', 'Deviations', 'number'),
    {
      key: 'status',
      presentation: labelled('Status'),
      outcomes: {
        ok: 'good',
        alert: 'bad',
        no_data: 'warning',
        too_few_days: 'warning',
        after_alerts: 'warning',
        low_volume: 'skipped',
        holiday: 'skipped',
      },
    },
    { key: 'reason', whenPresent: true, presentation: labelled('Reason') },
    { key: 'since', whenPresent: true, presentation: labelled('Since', { time: 'day' }) },
  ];
}

/** What a row and a sentence state: of a day, or of the days of a decline. */
interface StatedFigures extends Pick<JudgedDay, 'expected' | 'band' | 'change' | 'deviations' | 'compared'> {
  readonly value: Json;
  /** Days that the value is the mean of. */
  readonly days: number;
}

/** The figures of a day; of a decline, the means of its days and of those before. */
export function statedFigures({ judged, value }: Pick<WatchedFigure, 'judged' | 'value'>): StatedFigures {
  const { expected, band, change, deviations, compared, decline } = judged;
  if (decline === undefined) return { value, expected, band, change, deviations, compared, days: 1 };
  return {
    ...{ value: rounded(decline.value), expected: decline.expected, change: decline.change },
    ...{ band: undefined, deviations: undefined, compared: decline.before, days: decline.days },
  };
}

/** A figure as a row of the output, and as the JSON of an alert. */
export function rowOf(watched: WatchedFigure): JsonRecord {
  const { metric, site, judged, event, since, end } = watched;
  const { value, expected, band, change, deviations, compared, days } = statedFigures(watched);
  return {
    site,
    metric,
    day: judged.day,
    days,
    value,
    expected: rounded(expected),
    expected_low: rounded(band?.low),
    expected_high: rounded(band?.high),
    change_percent: percentOf(change),
    deviations: rounded(deviations, 1),
    status: judged.status,
    reason: judged.reason ?? null,
    event: event === 'none' ? null : event,
    since,
    ended: end ?? null,
    compared_days: compared,
  };
}

const FIGURES = ['value', 'expected', 'expected_low', 'expected_high'] as const;

/** The rows with labels of metrics, and figures in the form of their metric, as texts: those of a metric are read together. */
export function shownRows(
  rows: readonly JsonRecord[],
  shownOf: ShownMetrics,
  style: FigureStyle,
): readonly JsonRecord[] {
  const texts = rows.map(({ metric }) => {
    const alike = rows.filter(row => row.metric === metric);
    const figures = alike.flatMap(row => FIGURES.map(key => row[key] ?? null));
    return figureTexts(figures, shownOf(textOf(metric ?? null)), style);
  });
  return rows.map((row, at) => ({
    ...row,
    metric: headingOf(shownOf(textOf(row.metric ?? null))),
    ...(row.reason === 'decline' && {
      reason: `decline: daily mean of ${row.days} days, expected: of the ${row.compared_days} before`,
    }),
    ...Object.fromEntries(FIGURES.map(key => [key, texts[at]?.(row[key] ?? null) ?? null])),
  }));
}

/** From here on, the expected figure of a count is a whole number. */
const WHOLE_FROM = 10;

/** Formats figures that are read together; null for none. */
function figureTexts(
  figures: readonly Json[],
  { figure, isChange }: Presentation,
  style: FigureStyle,
): (figure: Json) => string | null {
  const isCounted = figure === 'count' || figure === undefined;
  const digitsOf = (value: Json) => {
    const digits = textOf(value);
    return isCounted && Math.abs(Number(digits)) >= WHOLE_FROM ? roundDecimals(digits, 0) : digits;
  };
  const format = figuresFormat(
    { figure, isChange },
    figures.filter(value => value !== null).map(digitsOf),
    style,
  );
  return value => (value === null ? null : format(digitsOf(value)));
}

/** How sentences write metrics, figures and days. */
export interface WatchWording {
  readonly metric: (metric: string) => string;
  /** Figures of a metric that are read together. */
  readonly figures: (metric: string, figures: readonly Json[]) => readonly string[];
  /** A change in percent, without its sign. */
  readonly percent: (percent: string) => string;
  readonly day: (day: Day) => string;
}

/** `on 11 March 2026`, `from 11 March 2026 to 14 March 2026`. */
export function daysInSentence({ from, to }: DayRange, { day }: Pick<WatchWording, 'day'>): string {
  return from === to ? `on ${day(from)}` : `from ${day(from)} to ${day(to)}`;
}

/** For programs: names as the API has them. */
export const PLAIN_WORDING: WatchWording = {
  metric: metric => metric,
  figures: (_, figures) => figures.map(figure => groupThousands(textOf(figure))),
  percent: percent => unsigned(changePercentText(percent, 1)),
  day: day => day,
};

/** For people: labels, and figures and dates as tables have them. */
export function watchWording(shownOf: ShownMetrics, style: FigureStyle): WatchWording {
  return {
    metric: metric => shownOf(metric).label,
    figures: (metric, figures) => {
      const format = figureTexts(figures, shownOf(metric), style);
      return figures.map(figure => withUnit(format(figure) ?? '', shownOf(metric)));
    },
    percent: percent => unsigned(changePercentText(percent, 1, style)),
    day: day => dateText(day, style),
  };
}

/** A metric, of a site where there is one: `visits of example.com`. */
export function seriesName(
  { metric, site }: Pick<WatchedFigure, 'metric' | 'site'>,
  wording: Pick<WatchWording, 'metric'> = PLAIN_WORDING,
): string {
  const name = wording.metric(metric);
  return site === null ? name : `${name} of ${site}`;
}

/** The same within a sentence: `page views of example.com`. */
export function nameInSentence(
  watched: Pick<WatchedFigure, 'metric' | 'site'>,
  wording: Pick<WatchWording, 'metric'>,
): string {
  return labelInSentence(seriesName(watched, wording));
}

/** One sentence for people and pagers: `Visits of example.com fell to 803 on 20 November 2026, 21.3 % below the expected 1,020`. */
export function inWords(watched: WatchedFigure, wording: WatchWording = PLAIN_WORDING): string {
  const { metric, judged, event, since } = watched;
  const { reason, decline } = judged;
  const { value, expected, change } = statedFigures(watched);
  const name = seriesName(watched, wording);
  const day = wording.day(judged.day);
  const figures = [value, rounded(expected)].filter(figure => figure !== null);
  const texts = wording.figures(metric, figures);
  const [figure, usualFigure] = [value === null ? 'no figure' : texts[0], texts.at(-1)];
  if (event === 'cleared') return `${name} ${endInWords(watched, day, figure ?? '')}`;
  const lasting = since === null || since === judged.day ? '' : `; off since ${wording.day(since)}`;
  const usual = `where ${usualFigure} was expected`;
  if (reason === 'no_rows') return `${name} has no figure on ${day}, ${usual}${lasting}`;
  const percent = wording.percent(percentDigits(change ?? 0));
  if (decline !== undefined)
    return `${name} fell to a daily mean of ${figure} in the ${decline.days} days to ${day}, ${percent} below the ${usualFigure} of the ${decline.before} days before${lasting}`;
  const [verb, side] = reason === 'rise' ? ['rose', 'above'] : ['fell', 'below'];
  const isCompared = change !== undefined && reason !== 'zero' && reason !== 'negative';
  const against = isCompared ? `${percent} ${side} the expected ${usualFigure}` : usual;
  return `${name} ${verb} to ${figure} on ${day}, ${against}${lasting}`;
}

/** Why there is no alert any more. */
function endInWords({ judged, end }: WatchedFigure, day: string, figure: string): string {
  if (end === 'no_decline')
    return `shows no decline any more on ${day}: ${figure} is within the range expected of that day`;
  if (end === 'later_day')
    return judged.status === 'ok'
      ? `is as expected again on ${day}: ${figure}`
      : `is above zero again on ${day}: ${figure}`;
  const verdict = judged.status === 'ok' ? `${figure} is as expected` : `not judged (${statusText(judged)})`;
  return `on ${day} was ${end === 'restated' ? 'restated' : 'judged again'}: ${verdict}`;
}

/** A status in words: `low volume`. */
export function statusText({ status }: JudgedDay): string {
  return status.replaceAll('_', ' ');
}

/** A share in percent, without what is lost in its arithmetic. */
function percentDigits(share: number): string {
  return textOf(jsonNumber(roundDecimals(String(share * 100), 9)));
}

/** Rounded as sentences do: -99.97 % is not -100. */
function percentOf(share: number | undefined): Json {
  if (share === undefined || !Number.isFinite(share)) return null;
  return jsonNumber(String(Number(roundPercentChange(percentDigits(share), 1))));
}

/** With four significant digits, or as an integer. */
function rounded(value: number | undefined, decimals?: number): Json {
  if (value === undefined || !Number.isFinite(value)) return null;
  const digits = decimals ?? (value === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value)))));
  return jsonNumber(String(Number(value.toFixed(Math.min(digits, 20)))));
}
