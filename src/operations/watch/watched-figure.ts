import type { AlertEvent } from '../../analysis/alerts.ts';
import type { JudgedDay } from '../../analysis/metric-health.ts';
import type { Day } from '../../apis/bda/days.ts';
import { type Json, type JsonRecord, jsonNumber } from '../../json/index.ts';
import { groupThousands } from '../../output/number.ts';
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

export const COLUMNS: readonly Column[] = [
  { key: 'site', whenPresent: true },
  { key: 'metric' },
  { key: 'day' },
  { key: 'value', kind: 'number' },
  { key: 'expected', kind: 'number' },
  { key: 'expected_low', kind: 'number' },
  { key: 'expected_high', kind: 'number' },
  { key: 'change_percent', kind: 'number' },
  { key: 'deviations', kind: 'number' },
  {
    key: 'status',
    outcomes: {
      ok: 'good',
      alert: 'bad',
      no_data: 'warning',
      too_few_days: 'warning',
      low_volume: 'skipped',
      holiday: 'skipped',
    },
  },
  { key: 'reason', whenPresent: true },
  { key: 'since', whenPresent: true },
];

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
