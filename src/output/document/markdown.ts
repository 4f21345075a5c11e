import { printable } from '../../text/printable.ts';
import { drawChart } from '../chart/draw.ts';
import { markdown as markdownTable } from '../markdown.ts';
import type { Style } from '../view.ts';
import type { DataSection, DocumentSection, ReportDocument } from './document.ts';

/** Columns of a chart that is drawn with characters. */
const CHART_WIDTH = 78;

/** A report as Markdown. Charts are drawn with characters. */
export function markdownDocument(document: ReportDocument, style: Style): string {
  const plain = { ...style, width: undefined };
  const heading = [
    `# ${inLine(document.title)}`,
    ...(document.subtitle === undefined ? [] : [inLine(document.subtitle)]),
  ];
  const parts = document.sections.flatMap(section => partsOf(section, plain));
  return `${[...heading, ...parts].map(part => part.trimEnd()).join('\n\n')}\n`;
}

function partsOf(section: DocumentSection, style: Style): string[] {
  const heading = section.title === undefined ? [] : [`## ${inLine(section.title)}`];
  if (section.kind === 'text') return [...heading, section.markdown];
  return [...heading, ...dataParts(section, style)];
}

function dataParts(section: DataSection, style: Style): string[] {
  const { period, sentences, warnings, chart, shown, hasTable, columns, footnote } = section;
  const table = { ...(columns.length > 0 && { columns }), empty: 'no rows match' };
  return [
    ...(period === undefined ? [] : [`*${period}*`]),
    ...(sentences.length === 0
      ? []
      : [markdownTable([...sentences], { prose: true, paragraphs: true }, style)]),
    ...warnings.map(text => `> **Warning:** ${inLine(text)}`),
    ...(chart === undefined
      ? []
      : [fenced(drawChart({ ...chart, subtitle: undefined }, { ...style, width: CHART_WIDTH }))]),
    ...(hasTable ? [markdownTable([...shown], table, style)] : []),
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
