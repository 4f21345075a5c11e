import { printable as withoutHidden } from '../../terminal/printable.ts';
import type { Chart, Point } from './chart.ts';

/** Text that may stand in XML and on a screen: what is hidden, or no character, shows as an escape. */
export function printable(text: string): string {
  return withoutHidden(text).replace(/[\ufffe\uffff]/g, char => `\\u${char.charCodeAt(0).toString(16)}`);
}

/** The same picture with every text as it may be shown: what is invisible or no text in XML is escaped visibly. */
export function printableChart(picture: Chart): Chart {
  return {
    title: printable(picture.title),
    remarks: picture.remarks.map(printable),
    panels: picture.panels.map(panel => ({
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
