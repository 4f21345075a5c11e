import type { JudgedDay } from '../../analysis/metric-health.ts';
import { weekday } from '../../apis/bda/days.ts';
import { stringifyJson } from '../../json/index.ts';
import type { Chart, Panel, Series } from '../../output/chart/chart.ts';
import { datesFormat, type Locale, presentationOf } from '../../output/presentation/index.ts';
import { type JudgedSeries, nameOf } from './watch-metrics.ts';

/** Days of a chart, and the most panels. */
const SHOWN_DAYS = 56;
const MOST_PANELS = 6;

/** The last eight weeks of each metric of each site, with the band of figures that are as expected. */
export function watchChart(series: readonly JudgedSeries[], locale?: Locale): Chart {
  const shown = series.slice(0, MOST_PANELS);
  const omitted = series.slice(MOST_PANELS).map(nameOf);
  return {
    title: `${[...new Set(series.map(({ metric }) => metric))].join(', ')} by day, with the expected range`,
    panels: shown.map(one => panelOf(one, locale)),
    notes: omitted.length === 0 ? [] : [`not drawn: ${omitted.join(', ')}`],
  };
}

function panelOf(series: JudgedSeries, locale: Locale | undefined): Panel {
  const days = series.days.slice(-SHOWN_DAYS);
  const format = datesFormat(
    days.map(({ day }) => day),
    { locale },
  );
  const line = (name: string, figureOf: (day: JudgedDay) => number | undefined): Series => ({
    name,
    isBefore: name !== series.metric,
    points: days.map(day => {
      const value = figureOf(day);
      return value === undefined ? undefined : { value, digits: String(Number(value.toPrecision(4))) };
    }),
  });
  const figures: Series = {
    name: series.metric,
    points: days.map(({ day }) => {
      const figure = series.figures.get(day);
      return figure && { value: figure.value, digits: stringifyJson(figure.json) };
    }),
  };
  return {
    title: nameOf(series),
    unit: undefined,
    figure: presentationOf(series.metric).figure,
    ...(locale && { locale }),
    shape: 'line',
    time: 'day',
    axis: '',
    positions: days.map(({ day }) => ({ label: format(day), ...(weekday(day) > 4 && { isWeekend: true }) })),
    series: [
      figures,
      line('expected', ({ expected }) => expected),
      line('expected_low', ({ band }) => band?.low),
      line('expected_high', ({ band }) => band?.high),
    ],
  };
}
