import { displayWidth } from '../../terminal/width.ts';
import { cellWriter } from '../cell.ts';
import { figureColumnOf } from '../presentation/index.ts';
import { gridOf, valueIn } from '../shape.ts';
import { pageTitleOf } from '../table-parts.ts';
import type { Column, Style, View } from '../view.ts';
import type { DataSection } from './document.ts';

/** Characters side by side in a table that fits on a page and on a sheet of paper. */
export const PAGE_WIDTH = 100;
/** The same of the column of an e-mail. */
export const MAIL_WIDTH = 76;
/** Characters after which text is in several lines. */
const TEXT_WIDTH = 30;
/** Characters of the narrowest columns of a page. */
const [LEAST_TEXT, LEAST_FIGURE] = [11, 6];
/** Characters of the space beside a column. */
const SPACE = 3;

/**
 * The tables of a section, none wider than so many characters where that is possible: each has the columns that are no figures, and some
 * of the figures, of which none is parted from those it is compared with. None for a section without a table; one for an explanation,
 * whose figures are read together.
 */
export function tablesOf(section: DataSection, width: number, style: Style): readonly View[] {
  const { hasTable, columns, explanation, empty } = section;
  if (!hasTable) return [];
  if (columns.length === 0) return [{ empty }];
  const parts = explanation.length > 0 ? [columns] : partsOf(section, width, style);
  return parts.map(part => ({ columns: part, empty }));
}

function partsOf({ columns, shown }: DataSection, width: number, style: Style): (readonly Column[])[] {
  const { rows } = gridOf([...shown], { columns });
  const write = cellWriter(style, rows, columns);
  const widthOf = (column: Column) => {
    const cells = rows.map(row => displayWidth(write(valueIn(row, column), column)));
    const words = pageTitleOf(column)
      .split(' ')
      .map(word => displayWidth(word));
    const widest = Math.max(
      isFigure(column) ? LEAST_FIGURE : LEAST_TEXT,
      ...words,
      ...cells.map(cell => (isFigure(column) ? cell : Math.min(cell, TEXT_WIDTH))),
    );
    return SPACE + widest;
  };
  const total = (some: readonly Column[]) => some.reduce((sum, column) => sum + widthOf(column), 0);
  const figures = columns.filter(isFigure);
  const names = new Set(figures.map(({ key }) => key));
  const figureOf = ({ key }: Column) => figureColumnOf(key, names);
  const others = total(columns.filter(column => !isFigure(column)));
  const parts: { figures: Column[]; width: number }[] = [];
  for (const figure of new Set(figures.map(figureOf))) {
    const group = figures.filter(column => figureOf(column) === figure);
    const own = total(group);
    const last = parts.at(-1);
    if (last === undefined || others + last.width + own > width) parts.push({ figures: group, width: own });
    else {
      last.figures.push(...group);
      last.width += own;
    }
  }
  if (parts.length < 2) return [columns];
  return parts.map(part => columns.filter(column => part.figures.includes(column) || !isFigure(column)));
}

function isFigure({ kind, presentation }: Column): boolean {
  return kind === 'number' || presentation?.figure !== undefined;
}
