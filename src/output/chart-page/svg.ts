import { escapeHtml } from '../../text/markup.ts';
import type { Chart } from '../chart/chart.ts';
import { summaryOf } from '../chart/summary.ts';
import { init } from './charts.ts';
import { chartDocument } from './options.ts';
import { LIGHT } from './theme.ts';

export const SVG_WIDTH = 960;

/** A chart as a standalone SVG document: title, period, panels with legends, notes. Its texts must be printable. */
export function svgChart(
  chart: Chart,
  {
    hidden = new Set(),
    fontFamily,
    width = SVG_WIDTH,
  }: { readonly hidden?: ReadonlySet<string>; readonly fontFamily?: string; readonly width?: number } = {},
): string {
  const document = chartDocument(chart, {
    theme: LIGHT,
    width,
    isStandalone: true,
    hidden,
    ...(fontFamily !== undefined && { fontFamily }),
  });
  const instance = init(null, null, {
    renderer: 'svg',
    ssr: true,
    width,
    height: document.height,
  });
  try {
    instance.setOption(document.option);
    return `${withDescription(withoutCounters(instance.renderToSVGString()), chart)}\n`;
  } finally {
    instance.dispose();
  }
}

/** The library numbers charts and styles across calls. Without the numbers a chart always gives the same text. */
function withoutCounters(svg: string): string {
  return svg
    .replace(/<style[\s\S]*?<\/style>\n?/g, '')
    .replace(/ class="zr\d+-cls-\d+"/g, '')
    .replace(/(id="|="url\(#)zr\d+-/g, '$1zr-');
}

/** Adds a title and a description for screen readers. */
function withDescription(svg: string, chart: Chart): string {
  const description = chart.panels.flatMap(summaryOf).join('\n');
  const end = svg.indexOf('>');
  return `${svg.slice(0, end)} role="img"><title>${escapeHtml(chart.title)}</title><desc>${escapeHtml(description)}</desc>${svg.slice(end + 1)}`;
}
