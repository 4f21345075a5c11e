import { escapeHtml } from '../../text/markup.ts';
import { printable } from '../../text/printable.ts';
import { htmlParts } from '../html.ts';
import { sentenceText } from '../sentence.ts';
import type { Style } from '../view.ts';
import type { DataSection, ReportDocument } from './document.ts';
import { headlineOf, periodOf, sentencesOf } from './kpis.ts';
import { tablesOf } from './tables.ts';

/** The parts of a section that web pages and e-mails have in common, between which its chart is placed. */
interface SectionHtml {
  readonly introduction: string;
  readonly tables: readonly string[];
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

/** A section whose tables are at most `width` characters wide, where that is possible. */
export function sectionHtml(
  section: DataSection,
  { kpis, width }: Pick<ReportDocument, 'kpis'> & { readonly width: number },
  style: Style,
): SectionHtml {
  const { warnings, shown, footnote } = section;
  return {
    introduction: [
      paragraph(periodOf(section, style, kpis), 'period'),
      ...sentencesOf(section, kpis, style).map(text => paragraph(text)),
      ...warnings.map(text => paragraph(`Warning: ${sentenceText(text, style)}`, 'warning')),
    ].join(''),
    tables: tablesOf(section, width, style).map(view => htmlParts([...shown], view, style)),
    footnote: paragraph(footnote, 'footnote'),
  };
}

/** A heading with text from a report file. */
export function headingHtml(level: number, text: string): string {
  return `<h${level}>${escapeHtml(printable(text))}</h${level}>\n`;
}
