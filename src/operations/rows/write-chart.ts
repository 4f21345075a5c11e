import { chartFileKind } from '../../export/output-path.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { type Json, type JsonRecord, stringifyJson } from '../../json/index.ts';
import type { Chart } from '../../output/chart/chart.ts';
import { printableChart } from '../../output/chart/printable-chart.ts';
import { htmlParts } from '../../output/html.ts';
import { NO_ROWS, someRows } from '../../output/row-scope.ts';
import { sentenceText } from '../../output/sentence.ts';
import type { Column, Style } from '../../output/view.ts';

/** Rows in the table of an HTML page. */
const MAX_TABLE_ROWS = 1_000;

interface ChartFile {
  readonly path: string;
  readonly chart: Chart;
  /** Shown in an HTML page, to repeat the query. */
  readonly request: JsonRecord;
  /** With marks for people. */
  readonly rows: readonly Json[];
  readonly columns: readonly Column[];
  /** How many matching rows come before them. */
  readonly start?: number;
  readonly style: Style;
  /** Receives what the file cannot show. */
  readonly warn: (text: string) => void;
}

/** Writes a chart in the format that the extension of the file names. Throws FileError. */
export async function writeChart(file: ChartFile): Promise<void> {
  const chart = printableChart(file.chart);
  await writeAtomic(file.path, await contentOf(file, chart));
}

/** Each format loads its own part of the charting library. */
async function contentOf(file: ChartFile, chart: Chart): Promise<string | Uint8Array> {
  switch (chartFileKind(file.path)) {
    case 'svg': {
      const { svgChart } = await import('../../output/chart-page/svg.ts');
      return svgChart(chart);
    }
    case 'png': {
      const { pngChart, uncoveredText } = await import('../../output/chart-page/png.ts');
      const text = uncoveredText(chart);
      if (text !== undefined)
        file.warn(`the fonts of PNG charts lack characters of ${text}; use .svg or .html to show them`);
      return await pngChart(chart);
    }
    default: {
      const [{ htmlChart }, assets] = await Promise.all([
        import('../../output/chart-page/html-page.ts'),
        import('virtual:chart-page-assets'),
      ]);
      return htmlChart({ chart, request: stringifyJson(file.request, 2), assets, table: tableOf(file) });
    }
  }
}

function tableOf({ rows, columns, start = 0, style }: ChartFile): string {
  const shown = rows.slice(0, MAX_TABLE_ROWS);
  const view = { ...(columns.length > 0 && { columns }), empty: NO_ROWS };
  const more =
    shown.length < rows.length
      ? `<p>${sentenceText(someRows({ start, count: shown.length, total: start + rows.length }), style)}</p>\n`
      : '';
  return htmlParts(shown, view, style) + more;
}
