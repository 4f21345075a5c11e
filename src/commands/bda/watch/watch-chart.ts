import type { JsonRecord } from '../../../json/index.ts';
import { writeChart } from '../../../operations/rows/write-chart.ts';
import { watchChart } from '../../../operations/watch/watch-chart.ts';
import type { JudgedSeries } from '../../../operations/watch/watch-metrics.ts';
import { COLUMNS } from '../../../operations/watch/watched-figure.ts';
import type { Context } from '../../framework/context.ts';

/** Writes the figures with their expected bands to a file. Throws FileError. */
export async function writeWatchChart(
  path: string,
  {
    series,
    request,
    rows,
  }: {
    readonly series: readonly JudgedSeries[];
    readonly request: JsonRecord;
    readonly rows: readonly JsonRecord[];
  },
  context: Context,
): Promise<void> {
  const style = await context.out.style();
  const warn = (text: string) => context.log.warn(text);
  await writeChart({ path, chart: watchChart(series), request, rows, columns: COLUMNS, style, warn });
  context.log.note(`wrote the chart to ${path}`);
}
