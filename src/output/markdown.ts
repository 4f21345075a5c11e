import type { JsonRecord } from '../json/index.ts';
import { displayWidth } from '../terminal/width.ts';
import { printable } from '../text/printable.ts';
import { type CellWriter, cellWriter, isRightAligned } from './cell.ts';
import { PADDING_MAX } from './fit.ts';
import { type Grid, gridOf, valueIn, withoutAbsent, withUnlisted } from './shape.ts';
import { tableLines } from './table-lines.ts';
import { pageTitleOf as titleOf } from './table-parts.ts';
import type { Column, Exporter, View } from './view.ts';

/**
 * A GitHub-flavoured Markdown table; a record is a table of fields and values. Markdown and HTML in the data are escaped.
 */
export const markdown: Exporter = (data, view, style) => {
  const grid = withoutAbsent(gridOf(data, view));
  const heading = view.heading === undefined ? '' : `### ${escapeMarkdown(printable(view.heading))}\n\n`;
  const write = cellWriter(style, grid.rows, grid.columns);
  const lines = grid.rows.length === 0 ? [] : view.prose ? proseOf(grid, write, view) : tableOf(grid, write);
  if (lines.length === 0 && view.empty !== undefined) lines.push(escapeMarkdown(view.empty));
  if (view.footnote !== undefined) lines.push('', escapeMarkdown(view.footnote));
  for (const text of view.introduction?.toReversed() ?? [])
    lines.unshift(escapeMarkdown(printable(text)), '');
  return heading + lines.map(line => `${line}\n`).join('');
};

/** One sentence as a paragraph, several as a list. */
function proseOf(grid: Grid, write: CellWriter, { paragraphs = false }: View): string[] {
  const sentences = grid.rows.flatMap(row =>
    grid.columns.map(column => escapeMarkdown(write(valueIn(row, column), column))),
  );
  if (paragraphs) return sentences.flatMap((sentence, index) => (index === 0 ? [sentence] : ['', sentence]));
  return sentences.length === 1 ? sentences : sentences.map(sentence => `- ${sentence}`);
}

function tableOf(grid: Grid, write: CellWriter): string[] {
  const [first] = grid.rows;
  if (grid.kind === 'record' && first !== undefined) return recordTable(first, grid.columns, write);
  return layOut(
    grid.columns.map(column => ({
      title: titleOf(column),
      right: isRightAligned(
        column,
        grid.rows.map(row => valueIn(row, column)),
      ),
      cells: grid.rows.map(row => write(valueIn(row, column), column)),
    })),
  );
}

function recordTable(record: JsonRecord, listed: readonly Column[], write: CellWriter): string[] {
  const columns = withUnlisted(listed, record);
  return layOut([
    { title: 'Field', right: false, cells: columns.map(titleOf) },
    { title: 'Value', right: false, cells: columns.map(column => write(valueIn(record, column), column)) },
  ]);
}

interface MarkdownColumn {
  readonly title: string;
  readonly right: boolean;
  readonly cells: readonly string[];
}

function layOut(columns: readonly MarkdownColumn[]): string[] {
  const escaped = columns.map(({ title, right, cells }) => {
    const texts = [title, ...cells].map(escapeMarkdown);
    const width = texts.reduce((most, text) => Math.max(most, Math.min(PADDING_MAX, displayWidth(text))), 3);
    return { right, width, texts };
  });
  const [titles = [], ...rows] = (escaped[0]?.texts ?? []).map((_, r) =>
    escaped.map(({ texts }) => texts[r] ?? ''),
  );
  const rule = escaped.map(({ right, width }) => (right ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return tableLines([titles, rule, ...rows], escaped, { left: '| ', middle: ' | ', right: ' |' });
}

/** Characters to escape. An underscore within a word needs no escape. */
const MARKS = '[\\\\`*[\\]|~]|(?<![\\p{L}\\p{N}])_|_(?![\\p{L}\\p{N}])';
let marks: RegExp | undefined;

function escapeMarkdown(text: string): string {
  // Compiled on first use: as a literal it would take half a millisecond when the module is loaded.
  marks ??= new RegExp(MARKS, 'gu');
  return text
    .replace(marks, '\\$&')
    .replace(/&(?=#|\w+;)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
