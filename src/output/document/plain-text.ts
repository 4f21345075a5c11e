import { isRecord, type Json } from '../../json/index.ts';
import { displayWidth } from '../../terminal/width.ts';
import { printable } from '../../text/printable.ts';
import { shortAddresses } from '../cell.ts';
import { summaryOf } from '../chart/summary.ts';
import { sentenceText } from '../sentence.ts';
import { table } from '../table.ts';
import type { Style } from '../view.ts';
import type { DataSection, DocumentSection, Kpis, ReportDocument } from './document.ts';
import { headlineOf, periodOf, sentencesOf, tilesOf, tileTable } from './kpis.ts';
import { proseLines } from './prose.ts';
import { MAIL_WIDTH, tablesOf } from './tables.ts';

/** A report as sentences and aligned figures, as mail is read as text. Charts are in words. */
export function plainText(document: ReportDocument, style: Style): string {
  const { title, subtitle, kpis, sections } = document;
  const parts = [
    underlined(title, '='),
    ...(subtitle === undefined ? [] : [printable(subtitle)]),
    ...(kpis === undefined ? [] : kpiParts(kpis, style)),
    ...sections.flatMap(section => partsOf(section, kpis, style)),
  ];
  return `${parts.map(part => part.trimEnd()).join('\n\n')}\n`;
}

function kpiParts(kpis: Kpis, style: Style): string[] {
  const { rows, columns } = tileTable(tilesOf(kpis, style));
  const period = periodOf(kpis, style);
  return [
    ...(period === undefined ? [] : [period]),
    headlineOf(kpis, style),
    table(rows, { columns }, style),
  ];
}

function partsOf(section: DocumentSection, kpis: Kpis | undefined, style: Style): string[] {
  const heading = section.title === undefined ? [] : [underlined(section.title, '-')];
  if (section.kind === 'text')
    return [
      ...heading,
      proseLines(section.markdown)
        .map(line => printable(line))
        .join('\n'),
    ];
  return [...heading, ...dataParts(section, kpis, style)];
}

function dataParts(section: DataSection, kpis: Kpis | undefined, style: Style): string[] {
  const { warnings, chart, shown, footnote } = section;
  const period = periodOf(section, style, kpis);
  const lines = (texts: readonly string[]) =>
    texts.length === 0 ? [] : [texts.map(text => printable(text)).join('\n')];
  return [
    ...lines(period === undefined ? [] : [period]),
    ...sentencesOf(section, kpis, style).map(text => printable(text)),
    ...lines(warnings.map(text => `Warning: ${sentenceText(text, style)}`)),
    ...lines(chart === undefined ? [] : [...chart.panels.flatMap(summaryOf), ...chart.notes]),
    ...tablesOf(section, MAIL_WIDTH, style).map(view => table(shortRows(shown), view, style)),
    ...lines(footnote === undefined ? [] : [footnote]),
  ];
}

/** A column is as wide as its longest text. */
function shortRows(rows: readonly Json[]): Json[] {
  const shorten = shortAddresses(rows.flatMap(row => (isRecord(row) ? Object.values(row) : [])));
  const short = (value: Json | undefined) => (typeof value === 'string' ? shorten(value) : value);
  return rows.map(row =>
    isRecord(row) ? Object.fromEntries(Object.entries(row).map(([key, value]) => [key, short(value)])) : row,
  );
}

function underlined(text: string, mark: string): string {
  const line = printable(text);
  return `${line}\n${mark.repeat(Math.max(3, displayWidth(line)))}`;
}
