// Runs in a browser, inside the page that html-page.ts writes: draws the picture, anew when colours or width change.
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Chart, Series } from '../chart/chart.ts';
import { groupThousands } from '../number.ts';
import { chartDocument } from './options.ts';
import { DARK, LIGHT } from './theme.ts';

/** As much of a browser as this needs. */
interface Browser {
  readonly document: {
    getElementById(id: string): PageElement;
    createElement(tag: string): PageElement;
  };
  matchMedia(query: string): {
    readonly matches: boolean;
    addEventListener(type: 'change', then: () => void): void;
  };
  addEventListener(type: 'resize' | 'beforeprint' | 'afterprint', then: () => void): void;
}

interface PageElement {
  textContent: string;
  readonly style: { height: string };
  append(child: PageElement): void;
}

interface Pointed {
  readonly seriesIndex: number;
  readonly dataIndex: number;
}

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, TooltipComponent, SVGRenderer]);

/** Room for what the first title has above its line. */
const TOP = 8;

const browser = globalThis as unknown as Browser;
const place = browser.document.getElementById('picture');
const picture = readPicture(browser.document.getElementById('picture-data').textContent);
const dark = browser.matchMedia('(prefers-color-scheme: dark)');
const chart = init(place as never, null, { renderer: 'svg' });

/** JSON has null for a point that is not there. */
function readPicture(json: string): Chart {
  const read: Chart = JSON.parse(json);
  const withGaps = (one: Series) => ({ ...one, points: one.points.map(point => point ?? undefined) });
  const panels = read.panels.map(panel => ({ ...panel, series: panel.series.map(withGaps) }));
  return { ...read, panels };
}

/** The width of the drawing on A4 and Letter paper, in CSS pixels: the window's does not fit. */
const PAPER_WIDTH = 680;
let isPrinting = false;

/** Paper is white, whatever the browser's colours. */
function draw(): void {
  const isDark = dark.matches && !isPrinting;
  const look = { ...(isDark ? DARK : LIGHT), background: undefined };
  const { option, height } = chartDocument(picture, look, TOP);
  place.style.height = `${height}px`;
  const tooltip = {
    trigger: 'axis',
    confine: true,
    backgroundColor: isDark ? '#242b33' : '#ffffff',
    borderColor: look.line,
    textStyle: { color: look.text },
    formatter: tooltipOf,
  };
  const animation = isPrinting ? { animation: false } : {};
  chart.setOption({ ...option, ...animation, tooltip }, { notMerge: true });
  chart.resize({ width: isPrinting ? PAPER_WIDTH : 'auto' });
}

/** All digits, as elements: text from the data must not become markup. */
function tooltipOf(pointed: readonly Pointed[]): PageElement {
  const box = browser.document.createElement('div');
  for (const { seriesIndex, dataIndex } of pointed) {
    const { panel, series } = seriesAt(seriesIndex);
    const point = series?.points[dataIndex];
    if (panel === undefined || series === undefined || point === undefined) continue;
    const position = panel.positions[dataIndex];
    const line = browser.document.createElement('div');
    const part = position?.part === undefined ? '' : ` (${position.part})`;
    const name = series.name === undefined ? '' : `${series.name}, `;
    const unit = panel.unit === undefined ? '' : ` ${panel.unit}`;
    line.textContent = `${name}${point.label ?? position?.label ?? ''}${part}: ${groupThousands(point.digits)}${unit}`;
    box.append(line);
  }
  return box;
}

/** The library numbers the series of all panels in one row. */
function seriesAt(index: number): { panel?: Chart['panels'][number]; series?: Series | undefined } {
  let left = index;
  for (const panel of picture.panels) {
    if (left < panel.series.length) return { panel, series: panel.series[left] };
    left -= panel.series.length;
  }
  return {};
}

draw();
dark.addEventListener('change', draw);
browser.addEventListener('resize', () => chart.resize());
for (const event of ['beforeprint', 'afterprint'] as const)
  browser.addEventListener(event, () => {
    isPrinting = event === 'beforeprint';
    draw();
  });
