import type { Chart, Panel } from '../../output/chart/chart.ts';
import { chartHeading } from '../../output/chart/chart.ts';
import { scaleFor } from '../../output/chart/ticks.ts';
import { waterfallOf } from '../../output/chart/waterfall.ts';
import { colourOf, LIGHT } from '../../output/chart-page/theme.ts';
import { escapeHtml, workbookText } from '../../text/markup.ts';
import { columnLetters } from './cell-writer.ts';
import { type CellFigure, scaled, scaleOf } from './sheet-column.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org';
const DOCUMENT = `${OFFICE}/officeDocument/2006/relationships`;
const DRAWING = `${OFFICE}/drawingml/2006`;

/** Rows that a graphic takes at least, so that those of several panels do not overlap. */
const LEAST_ROWS = 16;
/** Columns that a graphic takes. */
const GRAPHIC_COLUMNS = 10;
/** What they take beside a table in characters of its columns, with the column between. */
export const GRAPHIC_CHARACTERS = 110;
/** How far a graphic reaches into its last column, so that its frame is printed. */
const FRAME = 100_000;
const GAP_ROWS = 2;
const AXIS_STEPS = 5;

/** A column of figures of a panel. */
interface Figures {
  readonly name: string;
  /** The digits of each position; undefined for an empty cell. */
  readonly digits: readonly (string | undefined)[];
  readonly look: 'line' | 'before' | 'bar' | 'bar before' | 'invisible';
  /** Without a number sign. */
  readonly colour: string;
}

/** A panel with the place of its cells in the sheet. */
export interface PlacedPanel {
  readonly panel: Panel;
  /** The row of its header, counted from 1. */
  readonly row: number;
  readonly labels: readonly string[];
  readonly figures: readonly Figures[];
  /** Ends of the value axis, where it does not begin at zero. */
  readonly axis: { readonly least: number; readonly most: number } | undefined;
}

/** Places the figures of a chart's panels one below the other, from this row on. */
export function placePanels({ panels }: Chart, firstRow: number): PlacedPanel[] {
  let row = firstRow;
  return panels.map(panel => {
    const labels = panel.positions.map(({ label, part }) =>
      part === undefined ? label : `${label} (${part})`,
    );
    const placed = { panel, row, labels, ...figuresOf(panel) };
    row += labels.length + 1 + GAP_ROWS;
    return placed;
  });
}

/** Rows that the graphics of a sheet take, one below the other. */
export function rowsOfGraphics(panels: readonly PlacedPanel[]): number {
  return panels.reduce((rows, placed) => rows + graphicRows(placed) + GAP_ROWS, 0);
}

function graphicRows({ panel, labels }: Pick<PlacedPanel, 'panel' | 'labels'>): number {
  return isUpright(panel) ? LEAST_ROWS : Math.max(LEAST_ROWS, labels.length + 6);
}

/** How the cells of a panel are read; the steps of a waterfall have signs, which no time of a spreadsheet has. */
export function cellFigure({ figure, unit, shape, series }: Panel): CellFigure {
  const values = series.flatMap(({ points }) => points.flatMap(point => (point ? [point.value] : [])));
  const isShare = values.every(value => Math.abs(value) <= 1);
  const isTime = shape !== 'waterfall' && values.every(value => value >= 0);
  return { figure: figure === 'ratio' && !isShare ? 'number' : figure, unit, isChange: false, isTime };
}

/** From this range on, the marks of an axis are at whole numbers. */
const LEAST_WHOLE = 1000;

/** The format of the labels of an axis of a range, whose title has the unit. */
function axisFormat(panel: Panel, range: number): string {
  const { figure, isTime } = cellFigure(panel);
  if (figure === 'ratio') return `0${decimalsOfAxis(range * 100)} %`;
  if (figure === 'percent') return `#,##0${decimalsOfAxis(range)}" %"`;
  if (figure === 'seconds') return isTime ? '[h]" h "m" m"' : '#,##0" s"';
  // A format with optional decimals has a point without any.
  return range < LEAST_WHOLE ? 'General' : '#,##0';
}

/** Decimals that tell the marks of an axis apart, of which there may be ten. */
function decimalsOfAxis(range: number): string {
  if (range >= 10) return '';
  return range >= 1 ? '.0' : '.00';
}

/** What an axis spans: from zero, or between its ends. */
function rangeOf(figures: readonly Figures[], axis: PlacedPanel['axis']): number {
  if (axis !== undefined) return axis.most - axis.least;
  const values = figures.flatMap(({ digits }) => digits.map(text => Number(text ?? 0)));
  return Math.max(0, ...values) - Math.min(0, ...values);
}

function isUpright({ shape }: Panel): boolean {
  return shape === 'line' || shape === 'sparklines';
}

function figuresOf(panel: Panel): Pick<PlacedPanel, 'figures' | 'axis'> {
  if (panel.shape === 'waterfall') return waterfallFigures(panel);
  const figures = panel.series.map(
    ({ name, points, isBefore }, at): Figures => ({
      name: name ?? panel.title,
      digits: points.map(point => point && scaled(point.digits, scaleOf(cellFigure(panel)))),
      look: isUpright(panel) ? (isBefore ? 'before' : 'line') : isBefore ? 'bar before' : 'bar',
      colour: colourOf(panel, at, LIGHT).slice(1),
    }),
  );
  return { figures, axis: undefined };
}

/** Stacked bars, of which the lowest is invisible; the steps alone where a level is negative, which no stack shows. */
function waterfallFigures(panel: Panel): Pick<PlacedPanel, 'figures' | 'axis'> {
  const { steps, least, most } = waterfallOf(panel);
  const unsigned = (digits: string) => digits.replace(/^-/, '');
  const column = (
    name: string,
    index: number,
    holds: (step: (typeof steps)[number]) => boolean,
  ): Figures => ({
    name,
    digits: steps.map(step => (holds(step) ? unsigned(step.point.digits) : undefined)),
    look: 'bar',
    colour: colour(index),
  });
  if (steps.some(({ from, to }) => Math.min(from, to) < 0)) {
    const figures = {
      name: 'change',
      digits: steps.map(({ point }) => point.digits),
      look: 'bar',
      colour: colour(0),
    } as const;
    return { figures: [figures], axis: undefined };
  }
  const base: Figures = {
    name: 'from',
    digits: steps.map(({ from, to, isTotal }) => (isTotal ? undefined : String(Math.min(from, to)))),
    look: 'invisible',
    colour: colour(0),
  };
  return {
    figures: [
      base,
      column('total', 0, ({ isTotal }) => isTotal),
      column('increase', 2, ({ isTotal, point }) => !isTotal && point.value >= 0),
      column('decrease', 1, ({ isTotal, point }) => !isTotal && point.value < 0),
    ],
    axis: least > 0 ? endsOf(least, most) : undefined,
  };
}

/** Round ends of an axis. */
function endsOf(least: number, most: number): { readonly least: number; readonly most: number } {
  const { ticks } = scaleFor([least, most], AXIS_STEPS);
  return { least: Math.min(least, ticks[0] ?? least), most: Math.max(most, ticks.at(-1) ?? most) };
}

function colour(index: number): string {
  return (LIGHT.series[index % LIGHT.series.length] ?? '#000000').slice(1);
}

/** The graphics of a sheet, one below the other, from this column and row on, counted from 0. */
export function drawing(panels: readonly PlacedPanel[], column: number, row = 0): string {
  const anchors = panels.map((placed, at) => {
    const from = row + rowsOfGraphics(panels.slice(0, at));
    const corner = (name: string, column: number, row: number, offset = 0) =>
      `<xdr:${name}><xdr:col>${column}</xdr:col><xdr:colOff>${offset}</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:${name}>`;
    const name = workbookText(titleOf(placed.panel));
    return `<xdr:twoCellAnchor>${corner('from', column, from)}${corner('to', column + GRAPHIC_COLUMNS, from + graphicRows(placed), FRAME)}<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="${at + 2}" name="Chart ${at + 1}" descr="${name}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="${DRAWING}/chart"><c:chart xmlns:c="${DRAWING}/chart" r:id="rId${at + 1}"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor>`;
  });
  return `${HEAD}<xdr:wsDr xmlns:xdr="${DRAWING}/spreadsheetDrawing" xmlns:a="${DRAWING}/main" xmlns:r="${DOCUMENT}">${anchors.join('')}</xdr:wsDr>`;
}

/** One graphic; its figures are cells of the sheet. */
export function graphic({ panel, row, labels, figures, axis }: PlacedPanel, sheet: string): string {
  const reference = (column: number, from: number, to = from) => {
    const letters = columnLetters(column);
    return `'${escapeHtml(sheet)}'!$${letters}$${from}${to === from ? '' : `:$${letters}$${to}`}`;
  };
  const [first, last] = [row + 1, row + labels.length];
  const categories = `<c:cat><c:strRef><c:f>${reference(0, first, last)}</c:f>${stringCache(labels)}</c:strRef></c:cat>`;
  const series = figures.map(({ name, digits, look, colour }, at) => {
    const title = `<c:tx><c:strRef><c:f>${reference(at + 1, row)}</c:f>${stringCache([name])}</c:strRef></c:tx>`;
    const values = `<c:val><c:numRef><c:f>${reference(at + 1, first, last)}</c:f>${numberCache(digits)}</c:numRef></c:val>`;
    const fill = `<a:solidFill><a:srgbClr val="${colour}"/></a:solidFill>`;
    const head = `<c:ser><c:idx val="${at}"/><c:order val="${at}"/>${title}`;
    if (look !== 'line' && look !== 'before') {
      const outline = `<a:ln w="12700">${fill}<a:prstDash val="sysDash"/></a:ln>`;
      const area = look === 'bar' ? fill : `<a:noFill/>${look === 'bar before' ? outline : ''}`;
      return `${head}<c:spPr>${area}</c:spPr><c:invertIfNegative val="0"/>${categories}${values}</c:ser>`;
    }
    const [dash, symbol] = look === 'before' ? ['<a:prstDash val="sysDash"/>', 'none'] : ['', 'circle'];
    return `${head}<c:spPr><a:ln w="22225">${fill}${dash}</a:ln></c:spPr><c:marker><c:symbol val="${symbol}"/><c:size val="5"/></c:marker>${categories}${values}<c:smooth val="0"/></c:ser>`;
  });
  const isStacked = panel.shape === 'waterfall' && figures.length > 1;
  const plot = isUpright(panel)
    ? `<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>${series.join('')}<c:marker val="1"/><c:axId val="1"/><c:axId val="2"/></c:lineChart>`
    : `<c:barChart><c:barDir val="bar"/><c:grouping val="${isStacked ? 'stacked' : 'clustered'}"/><c:varyColors val="0"/>${series.join('')}<c:gapWidth val="50"/>${isStacked ? '<c:overlap val="100"/>' : ''}<c:axId val="1"/><c:axId val="2"/></c:barChart>`;
  const hasLegend = !isStacked && figures.length > 1;
  return `${HEAD}<c:chartSpace xmlns:c="${DRAWING}/chart" xmlns:a="${DRAWING}/main" xmlns:r="${DOCUMENT}"><c:roundedCorners val="0"/><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr><a:defRPr sz="1200" b="0"/></a:pPr><a:r><a:rPr lang="en-US" sz="1200" b="0"/><a:t>${workbookText(titleOf(panel))}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>${plot}${axes({ panel, axis, figures })}</c:plotArea>${hasLegend ? '<c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend>' : ''}<c:plotVisOnly val="0"/><c:dispBlanksAs val="gap"/></c:chart></c:chartSpace>`;
}

/** A graphic has no other text, so its title has the rows too. */
function titleOf(panel: Panel): string {
  return chartHeading(panel) + (panel.limitedTo === undefined ? '' : `: ${panel.limitedTo}`);
}

/** The first bar is the highest one. */
function axes({ panel, axis, figures }: Pick<PlacedPanel, 'panel' | 'axis' | 'figures'>): string {
  const upright = isUpright(panel);
  const ends = axis === undefined ? '' : `<c:max val="${axis.most}"/><c:min val="${axis.least}"/>`;
  const common = (format: string, labels: string) =>
    `<c:numFmt formatCode="${escapeHtml(format)}" sourceLinked="0"/><c:majorTickMark val="out"/><c:minorTickMark val="none"/><c:tickLblPos val="${labels}"/>`;
  return `<c:catAx><c:axId val="1"/><c:scaling><c:orientation val="${upright ? 'minMax' : 'maxMin'}"/></c:scaling><c:delete val="0"/><c:axPos val="${upright ? 'b' : 'l'}"/>${common('General', 'low')}<c:crossAx val="2"/><c:crosses val="autoZero"/>${upright ? '' : '<c:tickLblSkip val="1"/>'}</c:catAx><c:valAx><c:axId val="2"/><c:scaling><c:orientation val="minMax"/>${ends}</c:scaling><c:delete val="0"/><c:axPos val="${upright ? 'l' : 'b'}"/><c:majorGridlines><c:spPr><a:ln w="6350"><a:solidFill><a:srgbClr val="D8DDE3"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>${common(axisFormat(panel, rangeOf(figures, axis)), 'nextTo')}<c:crossAx val="1"/><c:crosses val="${upright ? 'autoZero' : 'max'}"/></c:valAx>`;
}

function stringCache(texts: readonly string[]): string {
  const points = texts.map((text, at) => `<c:pt idx="${at}"><c:v>${workbookText(text)}</c:v></c:pt>`);
  return `<c:strCache><c:ptCount val="${texts.length}"/>${points.join('')}</c:strCache>`;
}

function numberCache(digits: readonly (string | undefined)[]): string {
  const points = digits.map((text, at) =>
    text === undefined ? '' : `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>`,
  );
  return `<c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="${digits.length}"/>${points.join('')}</c:numCache>`;
}

/** The relations of a sheet to its graphics, or of these to their charts: targets of one kind. */
export function relations(kind: 'drawing' | 'chart', targets: readonly string[]): string {
  const list = targets.map(
    (target, at) => `<Relationship Id="rId${at + 1}" Type="${DOCUMENT}/${kind}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${OFFICE}/package/2006/relationships">${list.join('')}</Relationships>`;
}
