import type { Json } from '../json/index.ts';
import { csv, csvEncoder } from './csv.ts';
import { html, htmlPage } from './html.ts';
import { json, jsonEncoder, ndjson, ndjsonEncoder } from './json.ts';
import { markdown } from './markdown.ts';
import { table } from './table.ts';
import { tsv, tsvEncoder } from './tsv.ts';
import type {
  Column,
  Exporter,
  Format,
  PeopleFormat,
  RowEncoder,
  StreamFormat,
  Style,
  View,
} from './view.ts';

const EXPORTERS: Readonly<Record<Format, Exporter>> = {
  table,
  json,
  ndjson,
  csv,
  tsv,
  md: markdown,
  html,
};

/**
 * Formats data as a complete document, which ends with a line break unless it is empty. Throws RangeError for an invalid time zone.
 */
export function render(data: Json, view: View, format: Format, style: Style): string {
  return EXPORTERS[format](data, view, style);
}

/** One part of a document for people. */
interface Section {
  readonly title: string;
  readonly data: Json;
  readonly view: View;
}

/** Several titled sections, separated by blank lines. */
export function renderSections(sections: readonly Section[], format: PeopleFormat, style: Style): string {
  const titled = sections.map(({ title, data, view }) => ({ data, view: { ...view, heading: title } }));
  if (format === 'html')
    return htmlPage(
      titled.map(({ data }) => data),
      titled.map(({ view }) => view),
      style,
    );
  return titled.map(({ data, view }) => render(data, view, format, style)).join('\n');
}

/**
 * The encoder of a streaming format. For csv and tsv the caller passes the columns and their order, because the first row may lack
 * some. An encoder serves one document.
 */
export function rowEncoder(
  format: StreamFormat,
  columns: readonly Column[],
  style: Pick<Style, 'csvDialect' | 'width'>,
): RowEncoder {
  switch (format) {
    case 'csv':
      return csvEncoder(columns, style);
    case 'tsv':
      return tsvEncoder(columns, style);
    case 'json':
      return jsonEncoder();
    case 'ndjson':
      return ndjsonEncoder();
  }
}
