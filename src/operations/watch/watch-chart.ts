import type { JudgedDay } from '../../analysis/metric-health.ts';
import { isMean } from '../../analysis/metric-kinds.ts';
import { weekday } from '../../apis/bda/days.ts';
import { stringifyJson } from '../../json/index.ts';
import { type Chart, overAxis, type Panel, type Series } from '../../output/chart/chart.ts';
import { datesFormat, type Locale, labelInSentence } from '../../output/presentation/index.ts';
import type { JudgedSeries } from './watch-metrics.ts';
import type { ShownMetrics } from './watched-figure.ts';

/** Days of a chart, and the most panels. */
const SHOWN_DAYS = 56;
const MOST_PANELS = 6;

/** The last eight weeks of each metric of each site, with the band of figures that are as expected. */
export function watchChart(series: readonly JudgedSeries[], shownOf: ShownMetrics, locale?: Locale): Chart {
  const shown = series.slice(0, MOST_PANELS);
  const omitted = series.slice(MOST_PANELS).map(one => titleOf(one, shownOf));
  const [first = '', ...others] = new Set(series.map(({ metric }) => shownOf(metric).label));
  return {
    title: `${[first, ...others.map(labelInSentence)].join(', ')}${overAxis({ time: 'day', axis: '', isMean: shown.some(({ metric }) => isMean(metric, shownOf(metric))) })}, with the expected range`,
    panels: shown.map(one => panelOf(one, shownOf, locale)),
    notes: omitted.length === 0 ? [] : [`not drawn: ${omitted.join(', ')}`],
  };
}

/** `Visits`, `example.com: visits`. */
function titleOf({ metric, site }: JudgedSeries, shownOf: ShownMetrics): string {
  const { label } = shownOf(metric);
  return site === undefined ? label : `${site.name}: ${labelInSentence(label)}`;
}

function panelOf(series: JudgedSeries, shownOf: ShownMetrics, locale: Locale | undefined): Panel {
  const days = series.days.slice(-SHOWN_DAYS);
  const format = datesFormat(
    days.map(({ day }) => day),
    { locale },
  );
  const line = (name: string, figureOf: (day: JudgedDay) => number | undefined) => ({
    name,
    isBefore: true,
    points: days.map(day => {
      const value = figureOf(day);
      return value === undefined ? undefined : { value, digits: String(Number(value.toPrecision(4))) };
    }),
  });
  const figures: Series = {
    name: 'actual',
    points: days.map(({ day }) => {
      const figure = series.figures.get(day);
      return figure && { value: figure.value, digits: stringifyJson(figure.json) };
    }),
  };
  return {
    title: titleOf(series, shownOf),
    unit: shownOf(series.metric).unit,
    figure: shownOf(series.metric).figure,
    ...(isMean(series.metric, shownOf(series.metric)) && { isMean: true }),
    ...(locale && { locale }),
    shape: 'line',
    time: 'day',
    axis: '',
    positions: days.map(({ day }) => ({ label: format(day), ...(weekday(day) > 4 && { isWeekend: true }) })),
    series: [
      figures,
      line('expected', ({ expected }) => expected),
      { ...line('lowest expected', ({ band }) => band?.low), bound: 'lowest' },
      { ...line('highest expected', ({ band }) => band?.high), bound: 'highest' },
    ],
  };
}
