import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DayStatus, JudgedDay } from '../../../src/analysis/metric-health.ts';
import { watchHead } from '../../../src/operations/watch/watch-head.ts';
import { PLAIN_WORDING, type WatchedFigure } from '../../../src/operations/watch/watched-figure.ts';
import { sentenceText } from '../../../src/output/sentence.ts';

const TO = '2026-11-26';
const UNJUDGED: readonly DayStatus[] = ['holiday', 'no_data', 'low_volume', 'too_few_days', 'after_alerts'];

function dayOf(day: string, status: DayStatus): JudgedDay {
  const reason = status === 'alert' ? ('drop' as const) : undefined;
  const none = { value: undefined, expected: undefined, band: undefined, change: undefined };
  return { day, status, reason, ...none, deviations: undefined, compared: 8 };
}

/** A metric whose last day has a status, and whose alert is of a day, if it has one. */
function figure(metric: string, status: DayStatus, alertDay?: string): WatchedFigure {
  const latest = dayOf(TO, status);
  const judged = alertDay === undefined || alertDay === TO ? latest : dayOf(alertDay, 'alert');
  const since = alertDay ?? null;
  return { metric, site: null, judged, latest, value: null, event: 'none', since };
}

function headOf(...figures: WatchedFigure[]): string {
  return sentenceText(watchHead(figures, { to: TO, minVolume: 100, wording: PLAIN_WORDING }));
}

test('a head states the day of each alert, and what was not judged and why', () => {
  expect([
    headOf(figure('visits', 'ok')),
    headOf(figure('visits', 'alert', TO), figure('revenue', 'ok')),
    headOf(figure('visits', 'ok'), figure('epmv', 'low_volume'), figure('revenue', 'low_volume')),
    headOf(figure('visits', 'holiday')),
    headOf(figure('visits', 'after_alerts', '2026-10-30')),
    headOf(figure('visits', 'no_data', '2026-10-30'), figure('revenue', 'alert', TO)),
    headOf(...['a', 'b', 'c', 'd', 'e'].map(metric => figure(metric, 'low_volume'))),
  ]).toEqual([
    'No alerts on 2026-11-26',
    '1 alert on 2026-11-26',
    'No alerts on 2026-11-26; not judged: epmv (usual visits below 100), revenue (usual visits below 100, or zero for weeks)',
    'Not judged on 2026-11-26: visits (holiday)',
    '1 alert on 2026-10-30; not judged on 2026-11-26: visits (too many days before were alerts)',
    '2 alerts: 1 on 2026-11-26, 1 on 2026-10-30; not judged on 2026-11-26: visits (no figure)',
    'Not judged on 2026-11-26: a, b, c and 2 others (usually below 100)',
  ]);
});

test('a head never says that there are no alerts where nothing was judged, nor omits what was not', () => {
  const one = fc.record({
    metric: fc.constantFrom('visits', 'revenue', 'epmv', 'other'),
    status: fc.constantFrom<DayStatus>('ok', 'alert', ...UNJUDGED),
    earlier: fc.option(fc.constantFrom('2026-11-01', '2026-11-02'), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 3 }), given => {
      const figures = given.map(({ metric, status, earlier }) => {
        if (status === 'alert') return figure(metric, status, TO);
        return figure(metric, status, status === 'ok' ? undefined : earlier);
      });
      const head = headOf(...figures);
      const open = figures.filter(({ since }) => since !== null);
      const unjudged = figures.filter(({ latest }) => UNJUDGED.includes(latest.status));
      expect(head.startsWith('Not judged')).toBe(open.length === 0 && unjudged.length === figures.length);
      expect(head.startsWith('No alerts')).toBe(open.length === 0 && unjudged.length < figures.length);
      for (const { judged } of open) expect(head.split(';')[0]).toContain(judged.day);
      const [, omitted = ''] = /not judged(.*)/i.exec(head) ?? [];
      for (const { metric } of unjudged) expect(omitted).toContain(metric);
      expect(omitted === '').toBe(unjudged.length === 0);
    }),
  );
});
