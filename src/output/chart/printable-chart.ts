import { printable } from '../../text/printable.ts';
import type { Chart, Point } from './chart.ts';

/** The same chart with all of its text printable. */
export function printableChart(chart: Chart): Chart {
  return {
    title: printable(chart.title),
    subtitle: chart.subtitle === undefined ? undefined : printable(chart.subtitle),
    notes: chart.notes.map(printable),
    panels: chart.panels.map(panel => ({
      ...panel,
      title: printable(panel.title),
      unit: panel.unit === undefined ? undefined : printable(panel.unit),
      axis: printable(panel.axis),
      positions: panel.positions.map(({ label, part }) => ({ label: printable(label), part })),
      series: panel.series.map(series => ({
        ...series,
        name: series.name === undefined ? undefined : printable(series.name),
        points: series.points.map(printablePoint),
      })),
    })),
  };
}

function printablePoint(point: Point | undefined): Point | undefined {
  return point?.label === undefined ? point : { ...point, label: printable(point.label) };
}
