import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { wrap } from '../../terminal/width.ts';
import type { Chart } from '../chart/chart.ts';
import { summaryOf } from '../chart/summary.ts';
import { escapeHtml } from '../html.ts';
import { chartDocument } from './options.ts';
import { LIGHT } from './theme.ts';

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

const WIDTH = 960;
const SIDE = 16;
const TOP = 64;
const LINE = 17;
/** Characters that fit on a line of the text below. */
const CAPTION_COLUMNS = 140;
const CAPTION_LINES = 12;

/** A picture as SVG on its own: title, panels, what else to know, and the question below, as `caption`. Its texts are printable. */
export function svgChart(picture: Chart, caption: string): string {
  const drawing = chartDocument(picture, LIGHT, TOP);
  const remarks = picture.remarks.flatMap(remark => wrap(remark, CAPTION_COLUMNS));
  const asked = wrap(caption, CAPTION_COLUMNS);
  const shown = asked.length > CAPTION_LINES ? [...asked.slice(0, CAPTION_LINES), '…'] : asked;
  const lines = [...remarks, ...shown];
  const height = drawing.height + lines.length * LINE + SIDE;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  try {
    chart.setOption(drawing.option);
    const svg = withoutCounters(chart.renderToSVGString());
    return `${withTexts(svg, picture, lines, drawing.height)}\n`;
  } finally {
    chart.dispose();
  }
}

/** The library numbers its charts and styles as it goes: the same picture is to be the same text. Styles are for pointing alone. */
function withoutCounters(svg: string): string {
  return svg
    .replace(/<style[\s\S]*?<\/style>\n?/g, '')
    .replace(/ class="zr\d+-cls-\d+"/g, '')
    .replace(/(id="|="url\(#)zr\d+-/g, '$1zr-');
}

/** Adds the texts that the library does not draw, and a title and a description for those who don't see it. */
function withTexts(svg: string, picture: Chart, lines: readonly string[], below: number): string {
  const words = picture.panels.flatMap(summaryOf).join('\n');
  const begin = svg.indexOf('>') + 1;
  const open = svg.slice(0, begin - 1);
  const named = `${open} role="img"><title>${escapeHtml(picture.title)}</title><desc>${escapeHtml(words)}</desc>`;
  const heading = text(picture.title, SIDE, 36, `font-size="20" font-weight="bold" fill="${LIGHT.text}"`);
  const under = lines.map((line, i) =>
    text(line, SIDE, below + i * LINE, `font-size="12" fill="${LIGHT.faint}"`),
  );
  const end = svg.lastIndexOf('</svg>');
  return `${named}${svg.slice(begin, end)}${heading}${under.join('')}</svg>`;
}

function text(content: string, x: number, y: number, style: string): string {
  return `<text x="${x}" y="${y}" font-family="system-ui, sans-serif" xml:space="preserve" ${style}>${escapeHtml(content)}</text>`;
}
