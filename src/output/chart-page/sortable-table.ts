import { browser, type PageElement } from './browser.ts';

/** Turns the headings of a table into buttons that sort its rows: descending first for figures, ascending for text. */
export function makeSortable(container: PageElement): void {
  const body = container.querySelector('tbody');
  const headings = [...container.querySelectorAll('thead th')];
  if (body === null) return;
  for (const [at, heading] of headings.entries()) {
    const button = browser.document.createElement('button');
    button.type = 'button';
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener('click', () => {
      const rows = [...body.querySelectorAll('tr')];
      const cells = new Map(rows.map(row => [row, sortedBy(row.children[at])]));
      const order = orderOf([...cells.values()]);
      const previous = heading.getAttribute('aria-sort');
      const isDescending = previous === null ? order === byFigure : previous === 'ascending';
      for (const other of headings) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
      const textOf = (row: PageElement) => cells.get(row) ?? '';
      rows.sort((one, other) => {
        const empty = Number(isEmpty(textOf(one))) - Number(isEmpty(textOf(other)));
        if (empty !== 0) return empty;
        return order(textOf(one), textOf(other)) * (isDescending ? -1 : 1);
      });
      body.append(...rows);
    });
  }
}

/** The value behind the text for people, where a cell has one. */
function sortedBy(cell: PageElement | undefined): string {
  return cell?.getAttribute('data-value') ?? cell?.textContent ?? '';
}

/** Numeric if every cell has a number, otherwise as text. Empty cells are last either way. */
function orderOf(texts: readonly string[]): (one: string, other: string) => number {
  const present = texts.filter(text => !isEmpty(text));
  return present.length > 0 && present.every(text => Number.isFinite(figureIn(text))) ? byFigure : byText;
}

function isEmpty(text: string): boolean {
  return text === '' || text === '–' || text === '-';
}

function byFigure(one: string, other: string): number {
  return figureIn(one) - figureIn(other);
}

function byText(one: string, other: string): number {
  return one.localeCompare(other);
}

/** Thousands are separated, and a change has a sign and a percent sign. */
function figureIn(text: string): number {
  return Number(text.replaceAll(',', '').replace(/ ?%$/, '').replace(/^\+/, ''));
}
