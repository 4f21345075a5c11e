import type { AlertEvent } from '../../analysis/alerts.ts';
import type { JudgedDay } from '../../analysis/metric-health.ts';
import type { Day } from '../../apis/bda/days.ts';
import { type Json, type JsonRecord, jsonNumber } from '../../json/index.ts';
import { groupThousands } from '../../output/number.ts';
import { labelled, presentationOf } from '../../output/presentation/index.ts';
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

/** The columns of rows of some metrics; the figures of one metric are written as everywhere, those of several as numbers. */
export function watchColumns(metrics: readonly string[]): readonly Column[] {
  const [metric, ...others] = [...new Set(metrics)];
  const shown = metric === undefined || others.length > 0 ? labelled('') : presentationOf(metric);
  const figure = (key: string, label: string): Column => ({
    key,
    kind: 'number',
    presentation: { ...shown, label },
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

/** One sentence for people and pagers: `visits of example.com fell to 803 on 2026-11-20, 21.3 % below the expected 1,020`. */
export function inWords({ metric, site, judged, event, since }: WatchedFigure): string {
  const { day, value, expected, change, reason, decline } = judged;
  const name = site === null ? metric : `${metric} of ${site}`;
  if (event === 'cleared') return `${name} is as expected again on ${day}: ${shown(value)}`;
  const lasting = since === null || since === day ? '' : `; off since ${since}`;
  const usual = expected === undefined ? 'where there was traffic' : `where ${shown(expected)} was expected`;
  if (reason === 'no_rows') return `${name} has no figure on ${day}, ${usual}${lasting}`;
  if (reason === 'zero') return `${name} fell to 0 on ${day}, ${usual}${lasting}`;
  if (change === undefined) return `${name} has an alert since ${since}`;
  const percent = `${Math.abs(change * 100).toFixed(1)} %`;
  if (decline !== undefined)
    return `${name} fell by ${percent} in the ${decline.days} days to ${day}, against the ${decline.before} days before${lasting}`;
  const [verb, side] = change < 0 ? ['fell', 'below'] : ['rose', 'above'];
  return `${name} ${verb} to ${shown(value)} on ${day}, ${percent} ${side} the expected ${shown(expected)}${lasting}`;
}

function shown(value: number | undefined): string {
  const figure = rounded(value);
  return figure === null ? 'no figure' : groupThousands(String(figure));
}

/** With four significant digits, or as an integer. */
function rounded(value: number | undefined, decimals?: number): Json {
  if (value === undefined || !Number.isFinite(value)) return null;
  const digits = decimals ?? (value === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value)))));
  return jsonNumber(String(Number(value.toFixed(Math.min(digits, 20)))));
}
