import { escapeHtml } from '../../text/markup.ts';
import { printable } from '../../text/printable.ts';
import { htmlParts } from '../html.ts';
import type { Style } from '../view.ts';
import type { DataSection } from './document.ts';

/** The parts of a section that web pages and e-mails have in common, between which its chart is placed. */
interface SectionHtml {
  readonly introduction: string;
  /** Empty for a section without one. */
  readonly table: string;
  readonly footnote: string;
}

export function sectionHtml(section: DataSection, style: Style): SectionHtml {
  const { period, sentences, warnings, shown, hasTable, columns, footnote } = section;
  const view = { ...(columns.length > 0 && { columns }), empty: 'no rows match' };
  const paragraph = (text: string, name?: string) =>
    `<p${name === undefined ? '' : ` class="${name}"`}>${escapeHtml(printable(text))}</p>\n`;
  return {
    introduction: [
      ...(period === undefined ? [] : [paragraph(period, 'period')]),
      ...sentences.map(text => paragraph(text)),
      ...warnings.map(text => paragraph(`Warning: ${text}`, 'warning')),
    ].join(''),
    table: hasTable ? htmlParts([...shown], view, style) : '',
    footnote: footnote === undefined ? '' : paragraph(footnote, 'footnote'),
  };
}

/** A heading with text from a report file. */
export function headingHtml(level: number, text: string): string {
  return `<h${level}>${escapeHtml(printable(text))}</h${level}>\n`;
}
