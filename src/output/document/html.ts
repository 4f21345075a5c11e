import { stringifyJson } from '../../json/index.ts';
import { escapeHtml } from '../../text/markup.ts';
import { printable } from '../../text/printable.ts';
import { chartFigure, pageShell, queryDetails, scrollingTable } from '../chart-page/page-shell.ts';
import type { Style } from '../view.ts';
import type { DocumentSection, ReportDocument } from './document.ts';
import { proseHtml } from './prose.ts';
import { headingHtml, sectionHtml } from './section-html.ts';

/** A report as a web page in one file. Text from the data is escaped. */
export function htmlDocument(
  { title, subtitle, sections }: ReportDocument,
  { style, script }: { readonly style: Style; readonly script: string },
): string {
  const period = subtitle === undefined ? '' : `<p class="period">${escapeHtml(printable(subtitle))}</p>\n`;
  return pageShell({
    title: printable(title),
    script,
    body: `<main class="report">
<header>
${headingHtml(1, title)}${period}</header>
${sections.map(section => sectionOf(section, style)).join('')}</main>
`,
  });
}

function sectionOf(section: DocumentSection, style: Style): string {
  const heading = section.title === undefined ? '' : headingHtml(2, section.title);
  if (section.kind === 'text')
    return `<section>\n${heading}<div class="prose">\n${proseHtml(section.markdown, section.title === undefined ? 2 : 3)}</div>\n</section>\n`;
  const { introduction, table, footnote } = sectionHtml(section, style);
  const request = stringifyJson(section.request, 2);
  const figure = section.chart === undefined ? '' : chartFigure(section.chart, request);
  const rows = table === '' ? '' : scrollingTable(table, `Rows of ${section.title}`);
  const query = section.chart === undefined ? queryDetails(request) : '';
  return `<section>\n${heading}${introduction}${figure}${rows}${footnote}${query}</section>\n`;
}
