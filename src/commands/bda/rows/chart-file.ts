import { writeAtomic } from '../../../files/atomic-file.ts';
import { type JsonRecord, stringifyJson } from '../../../json/index.ts';
import type { Chart } from '../../../output/chart/chart.ts';
import { printable, printableChart } from '../../../output/chart/printable-chart.ts';
import { htmlParts } from '../../../output/html.ts';
import type { Column, Style } from '../../../output/view.ts';
import { grouped } from '../../../terminal/grouped.ts';
import { chartFileKind } from './chart-flags.ts';

/** More rows than this are not read beside a picture. */
const TABLE_ROWS_MAX = 1_000;

export interface ChartFile {
  readonly path: string;
  readonly picture: Chart;
  /** The question, which stands under the picture. */
  readonly request: JsonRecord;
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  readonly style: Style;
}

/** Writes a picture in the format that its file's name tells. The charting library is loaded for it. Throws FileError. */
export async function writeChart(file: ChartFile): Promise<void> {
  const picture = printableChart(file.picture);
  await writeAtomic(file.path, await contentOf(file, picture));
}

async function contentOf(file: ChartFile, picture: Chart): Promise<string> {
  if (chartFileKind(file.path) === 'svg') {
    const { svgChart } = await import('../../../output/chart-page/svg.ts');
    // With blanks, where a line may end.
    return svgChart(picture, printable(stringifyJson(file.request, 1).replaceAll(/\n */g, ' ')));
  }
  const [{ htmlChart }, { default: script }] = await Promise.all([
    import('../../../output/chart-page/html-page.ts'),
    import('virtual:chart-page'),
  ]);
  return htmlChart({ picture, caption: stringifyJson(file.request, 2), script, table: tableOf(file) });
}

function tableOf({ rows, columns, style }: ChartFile): string {
  const shown = rows.slice(0, TABLE_ROWS_MAX);
  const view = { ...(columns.length > 0 && { columns }), empty: 'no rows match' };
  const more =
    shown.length < rows.length
      ? `<p>the first ${grouped(shown.length)} of ${grouped(rows.length)} rows</p>\n`
      : '';
  return htmlParts(shown, view, style) + more;
}
