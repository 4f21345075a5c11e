import { stringifyJson } from '../../json/index.ts';
import { displayWidth } from '../../terminal/width.ts';
import { escapeHtml } from '../../text/markup.ts';
import { printable } from '../../text/printable.ts';
import { chartFigure, type PageAssets, pageShell, queryDetails } from '../chart-page/page-shell.ts';
import { scrollingTable } from '../html.ts';
import type { Style } from '../view.ts';
import type { DocumentSection, FigureLine, ReportDocument } from './document.ts';
import { type Tile, tilesOf } from './kpis.ts';
import { proseHtml } from './prose.ts';
import { headingHtml, introductionHtml, sectionHtml } from './section-html.ts';
import { PAGE_WIDTH } from './tables.ts';

/** A report as a web page in one file. Text from the data is escaped. */
export function htmlDocument(
  document: ReportDocument,
  { style, assets }: { readonly style: Style; readonly assets: PageAssets },
): string {
  const { title, kpis, sections } = document;
  const tiles = kpis === undefined ? '' : tilesHtml(tilesOf(kpis, style));
  return pageShell({
    title: printable(title),
    assets,
    body: `<main class="report">
<header>
${headingHtml(1, title)}${introductionHtml(document, style)}${tiles}</header>
${sections.map(section => sectionOf(section, document, style)).join('')}</main>
`,
  });
}

function sectionOf(section: DocumentSection, document: ReportDocument, style: Style): string {
  const heading = section.title === undefined ? '' : headingHtml(2, section.title);
  if (section.kind === 'text')
    return `<section>\n${heading}<div class="prose">\n${proseHtml(section.markdown, section.title === undefined ? 2 : 3)}</div>\n</section>\n`;
  const { kpis } = document;
  const { introduction, tables, footnote } = sectionHtml(section, { kpis, width: PAGE_WIDTH }, style);
  const figure = section.chart === undefined ? '' : chartFigure(section.chart);
  const rows = tables.map(table => scrollingTable(table, `Rows of ${section.title}`)).join('');
  const query = queryDetails(stringifyJson(section.request, 2));
  return `<section>\n${heading}${introduction}${figure}${rows}${footnote}${query}</section>\n`;
}

function tilesHtml(tiles: readonly Tile[]): string {
  return `<dl class="tiles">\n${tiles.map(tileHtml).join('')}</dl>\n`;
}

function tileHtml({ label, value, before, change, outcome, reservations, line }: Tile): string {
  const item = (name: string, text: string | undefined) =>
    text === undefined ? '' : `<dd class="${name}">${escapeHtml(printable(text))}</dd>`;
  return `<div><dt>${escapeHtml(printable(label))}</dt>${[
    `<dd class="value" style="--length:${displayWidth(value)}">${escapeHtml(printable(value))}</dd>`,
    item(outcome === undefined ? 'change' : `change ${outcome}`, change),
    item('note', before === undefined ? undefined : `before: ${before}`),
    ...reservations.map(text => item('note', text)),
  ].join('')}${line === undefined ? '' : lineHtml(line)}</div>\n`;
}

const LINE = { width: 160, height: 32, margin: 2 } as const;

/** The period in the colour of figures, the one before in grey, both from zero. The figures are in the text beside it. */
function lineHtml({ now, before }: FigureLine): string {
  const numbers = [...now, ...before].flatMap(digits => (digits === undefined ? [] : [Number(digits)]));
  const [lowest, highest] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  if (now.length < 2 || lowest === highest) return '';
  const { width, height, margin } = LINE;
  const place = (part: number, size: number) => (margin + part * (size - 2 * margin)).toFixed(1);
  const path = (figures: readonly (string | undefined)[]) => {
    const points = figures.map((digits, at) => {
      if (digits === undefined) return '';
      const isFirst = figures[at - 1] === undefined;
      const up = (Number(digits) - lowest) / (highest - lowest);
      return `${isFirst ? 'M' : 'L'}${place(at / (figures.length - 1), width)} ${place(1 - up, height)}`;
    });
    return points.join('');
  };
  const lines = [
    ...(before.length < 2 ? [] : [`<path class="before" d="${path(before)}"/>`]),
    `<path d="${path(now)}"/>`,
  ];
  return `<dd class="line"><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">${lines.join('')}</svg></dd>`;
}
