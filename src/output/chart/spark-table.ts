import { displayWidth, padEnd, truncate } from '../../terminal/width.ts';
import { printable } from '../../text/printable.ts';
import { compareDigits } from '../number.ts';
import { shortNames } from '../short-names.ts';
import { tableLines } from '../table-lines.ts';
import { GAP } from '../table-parts.ts';
import { type ChartStyle, type Panel, pointsOf, type Series } from './chart.ts';
import { panelFormat } from './figures.ts';

const LEVELS = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.-:=+*#' };
const LEAST_SPARK = 8;
const LEAST_NAME = 8;

/** A sparkline for each series, between its name and its figures. Each has its own scale, which includes zero. */
export function sparkTable(panel: Panel, style: ChartStyle): string[] {
  const format = panelFormat(panel, style);
  const rows = panel.series.map(series => rowOf(series, panel, format));
  const sparkLeast = Math.min(LEAST_SPARK, panel.positions.length);
  const columns = columnsThatFit(rows, style.width - LEAST_NAME - GAP.length - sparkLeast);
  const taken = columns.reduce((sum, { width }) => sum + GAP.length + width, 0);
  const heading = printable(panel.axis);
  // The heading extends over the sparklines.
  const namedBy = displayWidth(heading) - GAP.length - panel.positions.length;
  const longest = Math.max(LEAST_NAME, namedBy, ...rows.map(({ name }) => displayWidth(name)));
  // A long name leaves a third of the width to its sparkline.
  const sparkWanted = Math.max(sparkLeast, Math.min(panel.positions.length, Math.floor(style.width / 3)));
  const nameWidth = Math.min(longest, Math.max(LEAST_NAME, style.width - taken - GAP.length - sparkWanted));
  const room = Math.max(1, style.width - taken - nameWidth - GAP.length);
  const sparkWidth = Math.min(room, panel.positions.length);
  const fitted = (text: string, width: number) => truncate(text, width, style.unicode ? '…' : '...');
  const nameOf = shortNames(
    rows.map(({ name }) => name),
    nameWidth,
    style.unicode ? '…' : '...',
  );
  const levels = style.unicode ? LEVELS.unicode : LEVELS.ascii;
  const begin = nameWidth + GAP.length + sparkWidth;
  const [header = '', ...lines] = tableLines(
    [
      [fitted(heading, begin), ...columns.map(({ title }) => title)],
      ...rows.map(({ name, values, figures }) => [
        padEnd(nameOf(name), nameWidth) + GAP + sparkline(values, sparkWidth, levels),
        ...columns.map(({ title }) => figures[title]),
      ]),
    ],
    [{ width: begin }, ...columns.map(({ width }) => ({ width, right: true }))],
  );
  return [style.paint.bold(header), ...lines];
}

const TITLES = ['total', 'lowest', 'highest'] as const;
type Title = (typeof TITLES)[number];
/** The order in which columns are dropped on a narrow terminal. */
const DROP_ORDER: readonly Title[] = ['lowest', 'highest', 'total'];

interface SparkRow {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
  readonly figures: Readonly<Record<Title, string>>;
}

function rowOf(series: Series, { positions }: Panel, format: (digits: string) => string): SparkRow {
  const digits = pointsOf(series, positions).map(({ point }) => point.digits);
  const sorted = digits.sort(compareDigits);
  const shown = (value: string | undefined) => (value === undefined ? '' : format(value));
  return {
    name: printable(series.name ?? ''),
    values: series.points.map(point => point?.value),
    figures: {
      total: sorted.length === 0 ? '' : shown(series.total),
      lowest: shown(sorted[0]),
      highest: shown(sorted.at(-1)),
    },
  };
}

function columnsThatFit(rows: readonly SparkRow[], room: number): { title: Title; width: number }[] {
  // Without a total, a figure does not add up.
  let columns = TITLES.filter(title => rows.some(({ figures }) => figures[title] !== '')).map(title => ({
    title,
    width: Math.max(title.length, ...rows.map(({ figures }) => displayWidth(figures[title]))),
  }));
  for (const title of DROP_ORDER) {
    const taken = columns.reduce((sum, { width }) => sum + GAP.length + width, 0);
    if (taken <= room) break;
    columns = columns.filter(column => column.title !== title);
  }
  return columns;
}

/** One character for each column: blank without a value, the greatest of several values. */
function sparkline(values: readonly (number | undefined)[], width: number, levels: string): string {
  const columns = Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / width));
    const present = values.slice(from, to).filter(value => value !== undefined);
    return present.length === 0 ? undefined : Math.max(...present);
  });
  const present = columns.filter(value => value !== undefined);
  const least = Math.min(0, ...present);
  const most = Math.max(0, ...present);
  return columns
    .map(value => {
      if (value === undefined) return ' ';
      const share = most === least ? 0 : (value - least) / (most - least);
      return levels[Math.round(share * (levels.length - 1))] ?? ' ';
    })
    .join('');
}
