import { escapeHtml } from '../../text/markup.ts';
import { printable } from '../../text/printable.ts';
import { htmlParts } from '../html.ts';
import { sentenceText } from '../sentence.ts';
import type { Style } from '../view.ts';
import { type DataSection, NO_ROWS, type ReportDocument } from './document.ts';
import { headlineOf, periodOf, sentencesOf } from './kpis.ts';

/** The parts of a section that web pages and e-mails have in common, between which its chart is placed. */
interface SectionHtml {
  readonly introduction: string;
  /** Empty for a section without one. */
  readonly table: string;
  readonly footnote: string;
}

function paragraph(text: string | undefined, name?: string): string {
  if (text === undefined) return '';
  return `<p${name === undefined ? '' : ` class="${name}"`}>${escapeHtml(printable(text))}</p>\n`;
}

/** What a document says below its title: the subtitle, the days, and the headline. */
export function introductionHtml({ subtitle, kpis }: ReportDocument, style: Style): string {
  return [
    paragraph(subtitle, 'period'),
    ...(kpis === undefined
      ? []
      : [paragraph(periodOf(kpis, style), 'period'), paragraph(headlineOf(kpis, style), 'headline')]),
  ].join('');
}

export function sectionHtml(
  section: DataSection,
  { kpis }: Pick<ReportDocument, 'kpis'>,
  style: Style,
): SectionHtml {
  const { warnings, shown, hasTable, columns, footnote } = section;
  const view = { ...(columns.length > 0 && { columns }), empty: NO_ROWS };
  return {
    introduction: [
      paragraph(periodOf(section, style, kpis), 'period'),
      ...sentencesOf(section, kpis, style).map(text => paragraph(text)),
      ...warnings.map(text => paragraph(`Warning: ${sentenceText(text, style)}`, 'warning')),
    ].join(''),
    table: hasTable ? htmlParts([...shown], view, style) : '',
    footnote: paragraph(footnote, 'footnote'),
  };
}

/** A heading with text from a report file. */
export function headingHtml(level: number, text: string): string {
  return `<h${level}>${escapeHtml(printable(text))}</h${level}>\n`;
}
