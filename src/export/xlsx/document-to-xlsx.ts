import type { WritableFile } from '../../files/writable-file.ts';
import { isJsonNumber, type Json, type JsonRecord, jsonNumber, textOf } from '../../json/index.ts';
import type { DataSection, Kpis, ReportDocument } from '../../output/document/document.ts';
import { headlineOf, periodOf, sentencesOf, tilesOf } from '../../output/document/kpis.ts';
import { proseLines } from '../../output/document/prose.ts';
import { decimalsIn, roundDecimals, roundsTo } from '../../output/number.ts';
import {
  agreeingStyle,
  areShares,
  changeOf,
  headingOf,
  presentationOf,
} from '../../output/presentation/index.ts';
import { sentenceText } from '../../output/sentence.ts';
import { valueName } from '../../output/value-name.ts';
import type { Column, Style } from '../../output/view.ts';
import { decimalOf, isDoubleExact, wholeDigits } from '../parquet/decimal.ts';
import { jsonOf } from '../row-source.ts';
import { columnLetters, STYLES } from './cell-writer.ts';
import { writeTable, writeWorkbook } from './rows-to-xlsx.ts';
import {
  type CellFigure,
  datesFormatCode,
  MAX_CELL_TEXT,
  numberFormat,
  scaled,
  scaleOf,
} from './sheet-column.ts';
import { headerCell } from './workbook-parts.ts';
import { rowOf, type TextSheet } from './workbook-writer.ts';

interface DocumentXlsxOptions {
  readonly createdBy: string;
  readonly decimals: number | undefined;
  /** Of the texts of the summary. */
  readonly style: Style;
  readonly signal: AbortSignal;
  /** A column of numbers of a section that is written as text, because a spreadsheet would change `example`. */
  readonly onDigits: (section: string, column: string, example: string) => void;
}

/**
 * Writes a report as a workbook: a sheet with its texts and explanations, then for each other section a sheet with all rows and its
 * chart. Throws
 * UnrepresentableValueError, FileError, and the signal's reason.
 */
export async function documentToXlsx(
  document: ReportDocument,
  file: Pick<WritableFile, 'path' | 'write'>,
  { createdBy, decimals, style, signal, onDigits }: DocumentXlsxOptions,
): Promise<void> {
  const all = document.sections.filter((section): section is DataSection => section.kind === 'data');
  const explanations = all.filter(isExplanation);
  const sections = all.filter(section => !isExplanation(section));
  const chartsOf = (some: readonly DataSection[]) => some.flatMap(({ chart }) => chart ?? []);
  const charts = [...chartsOf(explanations), ...chartsOf(sections)];
  const drawings = chartsOf(sections).length + Math.min(1, explanations.length);
  await writeWorkbook(file, { createdBy, charts, drawings }, async writer => {
    const summary = summaryOf(document, {
      styleOf: format => writer.styleOf(format),
      decimals,
      style,
      onDigits,
    });
    await writer.sheet('Summary', { ...summary, charts: chartsOf(explanations) });
    for (const section of sections) {
      const { title, rows, columns, chart, partOf, days, before, empty } = section;
      const readable = rows.map(row => readableRow(row, columns, style));
      const named = new Map(columns.map(column => [column.key, column]));
      const shownOf = (key: string) => named.get(key)?.presentation ?? presentationOf(key);
      const years = new Set(
        [days, before].flatMap(range => (range ? [range.from, range.to] : [])).map(yearOf),
      );
      const datesOf = (key: string) => {
        const { time } = shownOf(key);
        if (time === undefined) return undefined;
        const format = datesFormatCode(time, { locale: style.locale, years: years.size || 2 });
        return { format, areMonths: time === 'month' };
      };
      await writeTable(writer, {
        rowsPath: () => jsonOf(readable),
        signal,
        columns: columns.map(({ key }) => key),
        // The header has the unit of money.
        figureOf: key =>
          figureFor(
            { ...shownOf(key), unit: undefined },
            rows.map(row => row[key] ?? null),
            decimals,
          ),
        datesOf,
        dash: dashOf(style),
        empty,
        partOf,
        sheetName: title,
        headingOf: key => headingOf(shownOf(key)),
        chart,
        footer: periodOf({ days, before }, style),
        decimals,
        onRows: () => {},
        onDigits: (column, example) => onDigits(title, column, example),
      });
    }
  });
}

/** A row as people read it: values of dimensions that look alike are named, and figures have the digits of a cell. */
function readableRow(row: JsonRecord, columns: readonly Column[], { decimals }: Style): JsonRecord {
  const cells = columns.map(({ key, kind }): [string, Json] => {
    const value = row[key] ?? null;
    if (kind === 'name' && (value === null || typeof value === 'string')) return [key, valueName(value)];
    const digits = isJsonNumber(value) && decimals !== 'all' ? keptDigits(textOf(value)) : undefined;
    return [key, digits === undefined ? value : jsonNumber(digits)];
  });
  return { ...row, ...Object.fromEntries(cells) };
}

function dashOf({ unicode }: Style): string {
  return unicode ? '–' : '-';
}

function yearOf(day: string): string {
  return day.slice(0, 4);
}

/** How the numbers of a column are read: one of ratios beyond 1 is no share, as in a table. */
function figureFor(shown: CellFigure, values: readonly Json[], decimals: number | undefined): CellFigure {
  const isShare = values.every(value => !isJsonNumber(value) || Math.abs(Number(textOf(value))) <= 1);
  const figure = shown.figure === 'ratio' && !isShare ? 'number' : shown.figure;
  const isTime =
    decimals === undefined && values.every(value => !isJsonNumber(value) || !textOf(value).startsWith('-'));
  return { ...shown, figure, isTime };
}

/** Rows that are shown below the sentences that they explain. */
const MAX_EXPLANATION_ROWS = 20;

/** An explanation is part of the summary: its rows and its picture are what its sentences state. */
function isExplanation({ chart, rows }: DataSection): boolean {
  const isWaterfall = chart?.panels.some(({ shape }) => shape === 'waterfall') === true;
  return isWaterfall && rows.length <= MAX_EXPLANATION_ROWS;
}

/** Of the summary: headings, then columns that a text takes together. */
const HEADING_WIDTH = 30;
const TEXT_WIDTHS = Array.from({ length: 7 }, () => 14);
/** Of a line, in points. */
const LINE_HEIGHT = 15;
const TITLE_HEIGHT = 24;
/** Characters of the texts in a line of a common font. */
const LINE_CHARACTERS = 90;

/** Spreadsheets do not fit the height of a row to its text when they open a file. */
function heightOf(style: number, heading: string, text: string): number {
  if (style === STYLES.title) return TITLE_HEIGHT;
  if (style === STYLES.plain) return LINE_HEIGHT;
  const lines = Math.max(heading.length / 26, text.length / LINE_CHARACTERS, 1);
  // More are cut by the limit of spreadsheets.
  return Math.min(400, Math.ceil(lines) * LINE_HEIGHT);
}

interface SummaryStyle extends Pick<DocumentXlsxOptions, 'decimals' | 'style' | 'onDigits'> {
  /** The style of numbers in a format. */
  readonly styleOf: (format: string) => number;
}

/** What the report says: the headline and its figures, then headings in the first column, texts and explanations beside them. */
function summaryOf(
  { title, subtitle, kpis, sections }: ReportDocument,
  summary: SummaryStyle,
): Omit<TextSheet, 'charts'> {
  const { style } = summary;
  const rows: string[] = [];
  const merged: string[] = [];
  const cut = (text: string) => text.slice(0, MAX_CELL_TEXT);
  const add = (style: number, heading: string, text = '') => {
    const row = rows.length + 1;
    const cells = [
      [style, cut(heading)],
      [STYLES.paragraph, cut(text)],
    ] as const;
    rows.push(rowOf(row, cells, heightOf(style, heading, text)));
    if (text !== '') merged.push(`B${row}:${columnLetters(TEXT_WIDTHS.length)}${row}`);
  };
  add(STYLES.title, title);
  if (subtitle !== undefined) add(STYLES.plain, subtitle);
  if (kpis !== undefined) {
    add(STYLES.plain, periodOf(kpis, style) ?? '');
    add(STYLES.plain, '');
    add(STYLES.heading, 'In short', headlineOf(kpis, style));
    rows.push(...kpiRows(kpis, rows.length + 1, summary));
  }
  for (const section of sections) {
    const lines =
      section.kind === 'text'
        ? proseLines(section.markdown)
        : [
            ...[periodOf(section, style, kpis)].filter(text => text !== undefined),
            ...sentencesOf(section, kpis, style),
            ...(section.rows.length === 0 ? [section.empty] : []),
            ...(section.remainder === undefined ? [] : [section.remainder]),
            ...section.warnings.map(text => `Warning: ${sentenceText(text, style)}`),
          ];
    // The sheet of the section says the rest.
    const [first, ...others] = lines;
    if (first === undefined) continue;
    add(STYLES.plain, '');
    add(STYLES.heading, section.title ?? '', first);
    for (const text of others) add(STYLES.heading, '', text);
    if (section.kind === 'data' && isExplanation(section))
      rows.push(...explanationRows(section, rows.length + 1, summary));
  }
  return { widths: [HEADING_WIDTH, ...TEXT_WIDTHS], rows, merged };
}

/** Decimals of figures that have more, and are not money, unless the file sets some. */
const DECIMALS = 2;
const MOST_PERCENT_DECIMALS = 6;
const PERCENT_CHANGE = { figure: 'percent', isChange: true } as const;
const NO_CHANGE = { before: undefined, difference: undefined, percent: undefined };

/** The figures of a document, a row for each. */
function kpiRows(kpis: Kpis, first: number, { styleOf, decimals, style }: SummaryStyle): string[] {
  const isCompared = kpis.figures.some(({ conclusion }) => conclusion.kind === 'change');
  const headings = ['Now', ...(isCompared ? ['Before', 'Change', 'Change %'] : [])];
  const header = headings.map((text, at) =>
    headerCell(`${columnLetters(at + 1)}${first}`, STYLES.rightHeader, text),
  );
  const tiles = tilesOf(kpis, style);
  const lines = kpis.figures.map(({ conclusion, presentation }, at) => {
    const row = first + 1 + at;
    const { label = '', reservations = [] } = tiles[at] ?? {};
    const { value, before, difference, percent } = { ...NO_CHANGE, ...conclusion };
    const figures = isCompared ? [value, before] : [value];
    const present = figures.filter(digits => digits !== undefined);
    const places = Math.min(decimals ?? DECIMALS, Math.max(0, ...present.map(decimalsIn)));
    const [shown, change] = [false, true].map(isChange =>
      figureFor(
        isChange ? changeOf({ ...presentation, unit: undefined }) : { figure: presentation.figure, isChange },
        present.map(jsonNumber),
        decimals,
      ),
    );
    const compared =
      value === undefined || before === undefined || difference === undefined
        ? []
        : [{ now: value, before, difference }];
    const agreeing = agreeingStyle(presentation, compared, { decimals }).decimals;
    const agreed = areShares(presentation, present) && typeof agreeing === 'number' ? agreeing : decimals;
    const relative = areShares(presentation, present) ? undefined : percent;
    const cell = (digits: string | undefined, column: number, figure: CellFigure = PERCENT_CHANGE) => {
      const place = `${columnLetters(column)}${row}`;
      if (digits === undefined) return headerCell(place, STYLES.dash, dashOf(style));
      const kept = keptDigits(digits);
      if (kept === undefined) return headerCell(place, STYLES.text, digits);
      // Decimals are those of the metric.
      const requested = figure === PERCENT_CHANGE ? undefined : agreed;
      const format = numberFormat(conclusion.metric, figure, places, requested);
      return `<c r="${place}" s="${styleOf(format)}"><v>${scaled(kept, scaleOf(figure))}</v></c>`;
    };
    const isPerDay = conclusion.kind === 'change' && conclusion.perDay !== undefined;
    const note = [...(isPerDay ? ['change per day'] : []), ...reservations].join('; ');
    return [
      headerCell(`A${row}`, STYLES.text, label),
      ...figures.map((digits, column) => cell(digits, column + 1, shown)),
      ...(isCompared ? [cell(difference, 3, change), cell(relative && roundDecimals(relative, 1), 4)] : []),
      note === '' ? '' : headerCell(`F${row}`, STYLES.text, note),
    ].join('');
  });
  return [header.join(''), ...lines].map((cells, at) => `<row r="${first + at}">${cells}</row>`);
}

/** One decimal, or more, so that only all of something reads 100 %, and only nothing 0 %. */
function percentPlaces(digits: readonly (string | undefined)[]): number {
  const isMisread = (places: number) =>
    digits.some(text =>
      ['0', '100'].some(limit => text !== undefined && roundsTo(limit, text, roundDecimals(text, places))),
    );
  return [1, 2, 3, 4, 5].find(places => !isMisread(places)) ?? MOST_PERCENT_DECIMALS;
}

/** The header and the rows of an explanation, from the second column of a row on. */
function explanationRows(
  { title, columns, rows }: DataSection,
  first: number,
  { styleOf, decimals, style, onDigits }: SummaryStyle,
): string[] {
  const shown = columns.filter(({ key }) => rows.some(row => (row[key] ?? null) !== null));
  const written = shown.map((column, index) => {
    const letters = columnLetters(index + 1);
    const { key, kind, presentation = presentationOf(key) } = column;
    // The header has the unit of money.
    const figure = figureFor(
      { ...presentation, unit: undefined },
      rows.map(row => row[key] ?? null),
      decimals,
    );
    const isShare = figure.figure === 'ratio';
    const digits = rows.map(row => digitsIn(row[key] ?? null, decimals && decimals + (isShare ? 2 : 0)));
    const lost = digits.find(text => text !== undefined && keptDigits(text) === undefined);
    if (lost !== undefined) onDigits(title, key, lost);
    const most = presentation.figure === 'percent' ? percentPlaces(digits) : Number.POSITIVE_INFINITY;
    const places = Math.min(most, Math.max(0, ...digits.map(text => decimalsIn(text ?? ''))));
    const cellStyle = styleOf(
      numberFormat(key, figure, places, figure.figure === 'percent' ? undefined : decimals),
    );
    const cells = rows.map((row, at) => {
      const place = `${letters}${first + 1 + at}`;
      const text = digits[at];
      const number = lost === undefined && text !== undefined ? keptDigits(text) : undefined;
      if (number !== undefined)
        return `<c r="${place}" s="${cellStyle}"><v>${scaled(number, scaleOf(figure))}</v></c>`;
      const other = textOf(row[key] ?? null).slice(0, MAX_CELL_TEXT);
      if (other !== '') return headerCell(place, STYLES.text, other);
      return headerCell(place, kind === 'number' ? STYLES.dash : STYLES.plain, dashOf(style));
    });
    const headerStyle = kind === 'number' ? STYLES.rightHeader : STYLES.header;
    return [headerCell(`${letters}${first}`, headerStyle, headingOf(presentation)), ...cells];
  });
  return Array.from({ length: rows.length + 1 }, (_, at) => {
    const cells = written.map(column => column[at]);
    return `<row r="${first + at}">${cells.join('')}</row>`;
  });
}

/** The digits of a number, rounded to so many decimals; undefined for other values. */
function digitsIn(value: Json, decimals: number | undefined): string | undefined {
  if (!isJsonNumber(value)) return undefined;
  const digits = textOf(value);
  return decimals === undefined || decimalsIn(digits) === 0 ? digits : roundDecimals(digits, decimals);
}

/** Significant digits that a spreadsheet has. */
const CELL_DIGITS = 15;

/** The digits of a figure as a cell for people has them, some decimals fewer where it cannot have all; undefined if others were lost. */
function keptDigits(digits: string): string | undefined {
  const number = Number(digits);
  if (String(number) === digits || isDoubleExact(digits)) return digits;
  const isReadable = Number.isFinite(number) && wholeDigits(decimalOf(digits)) <= CELL_DIGITS;
  return isReadable ? String(Number(number.toPrecision(CELL_DIGITS))) : undefined;
}
