import type { AlertEvent } from '../../analysis/alerts.ts';
import type { JudgedDay } from '../../analysis/metric-health.ts';
import type { Day } from '../../apis/bda/days.ts';
import { type Json, type JsonRecord, jsonNumber, textOf } from '../../json/index.ts';
import { groupThousands, roundDecimals } from '../../output/number.ts';
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

/** A metric of a site, as judged on the last settled day. */
export interface WatchedFigure {
  readonly metric: string;
  readonly site: string | null;
  readonly judged: JudgedDay;
  /** The figure as the API has it. */
  readonly value: Json;
  readonly event: AlertEvent;
  /** The first day of the alert; null without one. */
  readonly since: Day | null;
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
        low_volume: 'skipped',
        holiday: 'skipped',
      },
    },
    { key: 'reason', whenPresent: true, presentation: labelled('Reason') },
    { key: 'since', whenPresent: true, presentation: labelled('Since', { time: 'day' }) },
  ];
}

/** A figure as a row of the output, and as the JSON of an alert. */
export function rowOf({ metric, site, judged, value, event, since }: WatchedFigure): JsonRecord {
  const { day, expected, band, change, deviations, status, reason, compared } = judged;
  return {
    site,
    metric,
    day,
    value,
    expected: rounded(expected),
    expected_low: rounded(band?.low),
    expected_high: rounded(band?.high),
    change_percent: change === undefined ? null : rounded(change * 100, 1),
    deviations: rounded(deviations, 1),
    status,
    reason: reason ?? null,
    event: event === 'none' ? null : event,
    since,
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
  /** A part in percent. */
  readonly percent: (percent: number) => string;
  readonly day: (day: Day) => string;
}

/** For programs: names as the API has them. */
export const PLAIN_WORDING: WatchWording = {
  metric: metric => metric,
  figures: (_, figures) => figures.map(figure => groupThousands(textOf(figure))),
  percent: percent => `${percent.toFixed(1)} %`,
  day: day => day,
};

/** For people: labels, and figures and dates as tables have them. */
export function watchWording(shownOf: ShownMetrics, style: FigureStyle): WatchWording {
  const percent = figuresFormat({ figure: 'percent', isChange: false }, [], style);
  return {
    metric: metric => shownOf(metric).label,
    figures: (metric, figures) => {
      const format = figureTexts(figures, shownOf(metric), style);
      return figures.map(figure => withUnit(format(figure) ?? '', shownOf(metric)));
    },
    percent: part => percent(part.toFixed(1)),
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
  const { value, expected, change, reason, decline } = judged;
  const name = seriesName(watched, wording);
  const day = wording.day(judged.day);
  const figures = [rounded(value), rounded(expected)];
  const texts = wording.figures(
    metric,
    figures.filter(figure => figure !== null),
  );
  const textAt = (at: number) =>
    figures[at] === null ? 'no figure' : texts[figures.slice(0, at).filter(one => one !== null).length];
  if (event === 'cleared') return `${name} is as expected again on ${day}: ${textAt(0)}`;
  const lasting = since === null || since === judged.day ? '' : `; off since ${wording.day(since)}`;
  const usual = expected === undefined ? 'where there was traffic' : `where ${textAt(1)} was expected`;
  if (reason === 'no_rows') return `${name} has no figure on ${day}, ${usual}${lasting}`;
  if (reason === 'zero') return `${name} fell to 0 on ${day}, ${usual}${lasting}`;
  if (change === undefined)
    return `${name} has an alert since ${since === null ? since : wording.day(since)}`;
  const percent = wording.percent(Math.abs(change * 100));
  if (decline !== undefined)
    return `${name} fell by ${percent} in the ${decline.days} days to ${day}, against the ${decline.before} days before${lasting}`;
  const [verb, side] = change < 0 ? ['fell', 'below'] : ['rose', 'above'];
  return `${name} ${verb} to ${textAt(0)} on ${day}, ${percent} ${side} the expected ${textAt(1)}${lasting}`;
}

/** With four significant digits, or as an integer. */
function rounded(value: number | undefined, decimals?: number): Json {
  if (value === undefined || !Number.isFinite(value)) return null;
  const digits = decimals ?? (value === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value)))));
  return jsonNumber(String(Number(value.toFixed(Math.min(digits, 20)))));
}
