import { printable } from '../../text/printable.ts';
import { drawChart } from '../chart/draw.ts';
import { markdown as markdownTable } from '../markdown.ts';
import { sentenceText } from '../sentence.ts';
import type { Style } from '../view.ts';
import type { DataSection, DocumentSection, Kpis, ReportDocument } from './document.ts';
import { headlineOf, periodOf, sentencesOf, tilesOf, tileTable } from './kpis.ts';
import { PAGE_WIDTH, tablesOf } from './tables.ts';

/** Columns of a chart that is drawn with characters. */
const CHART_WIDTH = 78;

/** A report as Markdown. Charts are drawn with characters. */
export function markdownDocument(document: ReportDocument, style: Style): string {
  const plain = { ...style, width: undefined };
  const { title, subtitle, kpis } = document;
  const heading = [
    `# ${inLine(title)}`,
    ...(subtitle === undefined ? [] : [inLine(subtitle)]),
    ...(kpis === undefined ? [] : kpiParts(kpis, plain)),
  ];
  const parts = document.sections.flatMap(section => partsOf(section, kpis, plain));
  return `${[...heading, ...parts].map(part => part.trimEnd()).join('\n\n')}\n`;
}

function kpiParts(kpis: Kpis, style: Style): string[] {
  const period = periodOf(kpis, style);
  const { rows, columns } = tileTable(tilesOf(kpis, style));
  return [
    ...(period === undefined ? [] : [`*${period}*`]),
    markdownTable([headlineOf(kpis, style)], { prose: true }, style),
    markdownTable(rows, { columns }, style),
  ];
}

function partsOf(section: DocumentSection, kpis: Kpis | undefined, style: Style): string[] {
  const heading = section.title === undefined ? [] : [`## ${inLine(section.title)}`];
  if (section.kind === 'text') return [...heading, section.markdown];
  return [...heading, ...dataParts(section, kpis, style)];
}

function dataParts(section: DataSection, kpis: Kpis | undefined, style: Style): string[] {
  const { warnings, chart, shown, footnote } = section;
  const period = periodOf(section, style, kpis);
  const sentences = sentencesOf(section, kpis, style);
  return [
    ...(period === undefined ? [] : [`*${period}*`]),
    ...(sentences.length === 0
      ? []
      : [markdownTable([...sentences], { prose: true, paragraphs: true }, style)]),
    ...warnings.map(text => `> **Warning:** ${inLine(sentenceText(text, style))}`),
    ...(chart === undefined
      ? []
      : [fenced(drawChart({ ...chart, subtitle: undefined }, { ...style, width: CHART_WIDTH }))]),
    ...tablesOf(section, PAGE_WIDTH, style).map(view => markdownTable([...shown], view, style)),
    ...(footnote === undefined ? [] : [inLine(footnote)]),
  ];
}

/** The markup of a name that comes with the report file is what its author wrote. */
function inLine(text: string): string {
  return printable(text);
}

/** A code block; its fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}
