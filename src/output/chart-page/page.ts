// Runs in a browser, inside the page that html-page.ts writes: draws the chart, toggles its series, sorts the table, saves images.
import type { Chart, Panel, Series } from '../chart/chart.ts';
import { MARKS } from '../chart/marks.ts';
import { groupThousands } from '../number.ts';
import { regrouped } from '../presentation/locale.ts';
import { browser, type PageElement } from './browser.ts';
import { init } from './charts.ts';
import { addDownloads } from './downloads.ts';
import { chartDocument, piecesOf } from './options.ts';
import { makeSortable } from './sortable-table.ts';
import { BOUND_STYLES, colourIndex, colourOf, DARK, LIGHT, type Theme } from './theme.ts';

interface HoveredPoint {
  readonly seriesIndex: number;
  readonly dataIndex: number;
}

/** The width of the chart on A4 and Letter paper, in CSS pixels: the window's does not fit. */
const PAPER_WIDTH = 672;

const dark = browser.matchMedia('(prefers-color-scheme: dark)');
let isPrinting = false;

/** JSON has null for a missing point. */
function readChart(json: string): Chart {
  const read: Chart = JSON.parse(json);
  const withGaps = (one: Series) => ({ ...one, points: one.points.map(point => point ?? undefined) });
  const panels = read.panels.map(panel => ({ ...panel, series: panel.series.map(withGaps) }));
  return { ...read, panels };
}

/** Draws the chart of a figure. Returns what draws it again. */
function setUp(figure: PageElement): () => void {
  const place = partOf(figure, '.chart');
  const legend = partOf(figure, '.legend');
  const chart = readChart(partOf(figure, '.chart-data').textContent);
  const hidden = new Set<string>();
  let drawn: { dispose(): void }[] = [];
  draw();
  addDownloads(partOf(figure, '.tools'), chart, hidden);
  return draw;

  /** Paper is white, even with a dark browser theme. */
  function draw(): void {
    const isDark = dark.matches && !isPrinting;
    const theme = isDark ? DARK : LIGHT;
    const width = isPrinting ? PAPER_WIDTH : place.clientWidth;
    const before = drawn;
    const pieces: PageElement[] = [];
    drawn = piecesOf(chart, isPrinting).map(({ panel, rows }) => {
      const { option, height } = chartDocument(
        { ...chart, panels: [panel] },
        {
          ...{ theme, width, hidden, rows, isPaper: isPrinting, isStandalone: false },
          fontFamily: 'Inter, system-ui, sans-serif',
        },
      );
      const piece = browser.document.createElement('div');
      piece.style.height = `${height}px`;
      pieces.push(piece);
      const instance = init(piece as never, null, { renderer: 'svg', width, height });
      const tooltip = {
        trigger: 'axis',
        confine: true,
        backgroundColor: isDark ? '#242b33' : '#ffffff',
        borderColor: theme.line,
        textStyle: { color: theme.text },
        formatter: (points: readonly HoveredPoint[]) => tooltipOf(panel, points),
      };
      instance.setOption({ ...option, tooltip });
      // A page is printed before its next frame.
      instance.getZr().flush();
      return instance;
    });
    // At once, so that the page does not move.
    place.replaceChildren(...pieces);
    for (const instance of before) instance.dispose();
    drawLegend(theme);
  }

  /** A button for each series name, with the mark and the colour of its lines. */
  function drawLegend(theme: Theme): void {
    const entries = new Map<string, { readonly mark: string; readonly colour: string }>();
    for (const panel of chart.panels)
      for (const [at, { name, isBefore, bound }] of panel.series.entries())
        if (name !== undefined && !entries.has(name)) {
          const own = MARKS.unicode[colourIndex(panel, at) % MARKS.unicode.length] ?? '';
          const mark = bound === undefined ? (isBefore ? '┄' : own) : BOUND_STYLES[bound].mark;
          entries.set(name, { mark, colour: colourOf(panel, at, theme) });
        }
    legend.replaceChildren(
      ...[...entries].map(([name, { mark: sign, colour }]) => {
        const button = browser.document.createElement('button');
        button.type = 'button';
        button.setAttribute('aria-pressed', String(!hidden.has(name)));
        const mark = browser.document.createElement('span');
        mark.textContent = `${sign} `;
        mark.style.color = colour;
        const text = browser.document.createElement('span');
        text.textContent = name;
        button.append(mark, text);
        button.addEventListener('click', () => {
          if (!hidden.delete(name)) hidden.add(name);
          draw();
          // The legend was drawn again: keyboard focus returns to the same button.
          legend.children[[...entries.keys()].indexOf(name)]?.focus();
        });
        return button;
      }),
    );
  }

  /** All digits, as elements: text from the data must not become markup. */
  function tooltipOf(panel: Panel, points: readonly HoveredPoint[]): PageElement {
    const box = browser.document.createElement('div');
    for (const { seriesIndex, dataIndex } of points) {
      const series = panel.series[seriesIndex];
      const point = series?.points[dataIndex];
      if (point === undefined || series?.isBase) continue;
      const position = panel.positions[dataIndex];
      const line = browser.document.createElement('div');
      const { part: lacking } = series?.isBefore ? point : (position ?? {});
      const part = lacking === undefined ? '' : ` (${lacking})`;
      const name = series?.name === undefined ? '' : `${series.name}, `;
      const unit = panel.unit === undefined ? '' : ` ${panel.unit}`;
      line.textContent = `${name}${point.label ?? position?.label ?? ''}${part}: ${regrouped(groupThousands(point.digits), panel.locale)}${unit}`;
      box.append(line);
    }
    return box;
  }
}

function partOf(figure: PageElement, selector: string): PageElement {
  const part = figure.querySelector(selector);
  if (part === null) throw new Error(`the figure has no ${selector}`);
  return part;
}

const redraws = [...browser.document.querySelectorAll('figure')].map(setUp);
const redraw = (): void => {
  for (const draw of redraws) draw();
};
for (const table of browser.document.querySelectorAll('.rows')) makeSortable(table);
dark.addEventListener('change', redraw);
browser.addEventListener('resize', redraw);
for (const event of ['beforeprint', 'afterprint'] as const)
  browser.addEventListener(event, () => {
    isPrinting = event === 'beforeprint';
    redraw();
  });
