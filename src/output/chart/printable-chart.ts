import { printable } from '../../text/printable.ts';
import type { Chart } from './chart.ts';

/** The same chart with all of its text printable. */
export function printableChart(chart: Chart): Chart {
  return mapTexts(chart, printable);
}

/** The same chart with other texts. */
export function mapTexts(chart: Chart, change: (text: string) => string): Chart {
  return {
    ...chart,
    title: change(chart.title),
    subtitle: chart.subtitle === undefined ? undefined : change(chart.subtitle),
    notes: chart.notes.map(change),
    panels: chart.panels.map(panel => ({
      ...panel,
      title: change(panel.title),
      unit: panel.unit === undefined ? undefined : change(panel.unit),
      axis: change(panel.axis),
      positions: panel.positions.map(position => ({ ...position, label: change(position.label) })),
      series: panel.series.map(series => ({
        ...series,
        name: series.name === undefined ? undefined : change(series.name),
        points: series.points.map(point =>
          point?.label === undefined ? point : { ...point, label: change(point.label) },
        ),
      })),
    })),
  };
}
