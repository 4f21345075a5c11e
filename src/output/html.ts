import { isJsonNumber, type Json, type JsonRecord, textOf } from '../json/index.ts';
import { escapeHtml } from '../text/markup.ts';
import { printable } from '../text/printable.ts';
import { type CellWriter, cellWriter, isRightAligned, shortAddresses } from './cell.ts';
import { type Grid, gridOf, valueIn, withoutAbsent, withUnlisted } from './shape.ts';
import { pageTitleOf as titleOf } from './table-parts.ts';
import type { Column, Exporter, Style, View } from './view.ts';

/** Inline styles, because mail programs remove style sheets. The colors suit dark and light backgrounds. */
const TABLE = 'style="border-collapse:collapse;font-variant-numeric:tabular-nums"';
const CELL = 'border-bottom:1px solid #8888;padding:3px 8px';

/** What only a browser needs: the table scrolls in a narrow window. Paper is white and cannot scroll. */
const PAGE = `body{margin:0 auto;padding:clamp(16px,4vw,32px);max-width:60rem;font-size:16px;line-height:24px}
h1{font-size:28px;line-height:36px;margin:0 0 4px}h2{font-size:18px;line-height:24px;margin:24px 0 8px}p{max-width:47.5rem}
.period{font-size:13px;margin:0 0 16px;opacity:.75}h1,h2,p,td{overflow-wrap:anywhere}th{vertical-align:bottom}
.rows{overflow-x:auto}.rows td{min-width:6.5rem;max-width:30rem}.rows td[style$=right]{min-width:4rem}
@media print{:root{color-scheme:light}body{color:#000;background:#fff;padding:0;max-width:none;font-size:10pt;line-height:14pt}.rows{overflow:visible}tr{break-inside:avoid}.rows td{min-width:0;white-space:normal!important}}`;

/** A page with the data as a table, in plain HTML for mail and browsers. */
export const html: Exporter = (data, view, style) => htmlPage([data], [view], style);

/** A page with the data of some views, the first of which names it. */
export function htmlPage(data: readonly Json[], views: readonly View[], style: Style): string {
  const [{ page, heading, language = 'en' } = {}] = views;
  const body = views.map((view, index) => htmlParts(data[index] ?? null, view, style, scrollingTable));
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(printable(page?.title ?? heading ?? 'gatectl'))}</title>
<style>${PAGE}</style>
</head>
<body style="font-family:system-ui,sans-serif">
${page === undefined ? '' : headerOf(page)}${body.join('')}</body>
</html>
`;
}

function headerOf({ title, period }: NonNullable<View['page']>): string {
  const days = period === undefined ? '' : `<p class="period">${escapeHtml(period)}</p>\n`;
  return `<h1>${escapeHtml(printable(title))}</h1>\n${days}`;
}

/** A table that scrolls, which the keyboard reaches. `table` is HTML. */
export function scrollingTable(table: string, label = 'Rows'): string {
  return `<div class="rows" role="region" tabindex="0" aria-label="${escapeHtml(label)}">
${table}</div>
`;
}

/** The heading and table of the data, without the page; `framed` puts the table in its frame. */
export function htmlParts(
  data: Json,
  view: View,
  style: Style,
  framed: (table: string, label?: string) => string = table => table,
): string {
  const grid = withoutAbsent(gridOf(data, view));
  const title = view.heading === undefined ? '' : `<h2>${escapeHtml(printable(view.heading))}</h2>\n`;
  const heading = title + (view.introduction ?? []).map(text => paragraphOf(printable(text))).join('');
  const write = cellWriter(style, grid.rows, grid.columns);
  if (grid.rows.length > 0)
    return (
      heading +
      (view.prose
        ? proseOf(grid, write)
        : framed(tableOf(grid, write), view.heading && printable(view.heading))) +
      paragraphOf(view.footnote)
    );
  return heading + paragraphOf(view.empty) + paragraphOf(view.footnote);
}

function paragraphOf(text: string | undefined): string {
  return text === undefined ? '' : `<p>${escapeHtml(text)}</p>\n`;
}

function proseOf(grid: Grid, write: CellWriter): string {
  return grid.rows
    .flatMap(row => grid.columns.map(column => write(valueIn(row, column), column)))
    .map(sentence => `<p>${escapeHtml(sentence)}</p>\n`)
    .join('');
}

function tableOf(grid: Grid, write: CellWriter): string {
  const [first] = grid.rows;
  if (grid.kind === 'record' && first !== undefined) return recordTable(first, grid.columns, write);
  const columns = grid.columns.map(column => {
    const values = grid.rows.map(row => valueIn(row, column));
    return { column, shorten: shortAddresses(values), right: isRightAligned(column, values) };
  });
  const head = columns.map(({ column, right }) => cell('th', titleOf(column), right)).join('');
  const rows = grid.rows.map(row => {
    const cells = columns.map(({ column, shorten, right }) => {
      const value = valueIn(row, column);
      const text = write(value, column);
      const short = shorten(text);
      const whole = short === text ? '' : ` title="${escapeHtml(text)}"`;
      const isWhole = right || column.presentation?.time !== undefined;
      return cell('td', short, right, sortValue(value, short, column) + whole, isWhole);
    });
    return `<tr>${cells.join('')}</tr>\n`;
  });
  return `<table ${TABLE}>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('')}</tbody>\n</table>\n`;
}

function recordTable(record: JsonRecord, listed: readonly Column[], write: CellWriter): string {
  const rows = withUnlisted(listed, record).map(
    column =>
      `<tr>${cell('th', titleOf(column), false, ' scope="row"')}${cell('td', write(valueIn(record, column), column), false)}</tr>\n`,
  );
  return `<table ${TABLE}>\n<tbody>\n${rows.join('')}</tbody>\n</table>\n`;
}

/** The value that a page sorts by, where its text is for people: a figure with a unit, a day with its weekday. */
function sortValue(value: Json | undefined, text: string, { presentation }: Column): string {
  if (presentation === undefined || (typeof value !== 'string' && !isJsonNumber(value))) return '';
  // A period that lacks days has a mark.
  const plain = presentation.time === undefined ? textOf(value) : textOf(value).replace(/ \(.*\)$/, '');
  return plain === text ? '' : ` data-value="${escapeHtml(plain)}"`;
}

function cell(
  tag: 'th' | 'td',
  text: string,
  right: boolean,
  attributes = tag === 'th' ? ' scope="col"' : '',
  isWhole = false,
): string {
  const align = `${isWhole ? ';white-space:nowrap' : ''};text-align:${right ? 'right' : 'left'}`;
  return `<${tag}${attributes} style="${CELL}${align}">${escapeHtml(text)}</${tag}>`;
}
