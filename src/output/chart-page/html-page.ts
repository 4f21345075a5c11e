import { escapeHtml } from '../../text/markup.ts';
import type { Chart } from '../chart/chart.ts';
import { scrollingTable } from '../html.ts';
import { chartFigure, type PageAssets, pageShell } from './page-shell.ts';

interface PageParts {
  readonly chart: Chart;
  /** The request, so that it can be repeated. */
  readonly request: string;
  readonly assets: PageAssets;
  /** The rows, as HTML. */
  readonly table: string;
}

/**
 * One file that needs nothing else: the chart, drawn by the library inside it, the same in words, and the rows as a table. Text from
 * the data is escaped.
 */
export function htmlChart({ chart, request, assets, table }: PageParts): string {
  const period = chart.subtitle === undefined ? '' : `<p class="period">${escapeHtml(chart.subtitle)}</p>\n`;
  return pageShell({
    title: chart.title,
    assets,
    body: `<main>
<header>
<h1>${escapeHtml(chart.title)}</h1>
${period}</header>
<div class="beside">
${chartFigure(chart, request)}${scrollingTable(table)}</div>
</main>
`,
  });
}
