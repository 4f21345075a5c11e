import { escapeHtml, workbookText } from '../../text/markup.ts';
import { DAY_FORMAT, isDayFormat } from './sheet-column.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument';

/**
 * The kinds of the parts. Every part that is not named here is a sheet, so that this part can come first, before the sheets are counted.
 * `drawings` sheets have graphics, `charts` in all.
 */
export function contentTypes(drawings: number, charts: number): string {
  const override = (name: string, type: string) =>
    `<Override PartName="/${name}" ContentType="${TYPES}.${type}+xml"/>`;
  const numbered = (count: number, part: (place: number) => string, type: string) =>
    Array.from({ length: count }, (_, at) => override(part(at), type)).join('');
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="${TYPES}.spreadsheetml.worksheet+xml"/>${override('xl/workbook.xml', 'spreadsheetml.sheet.main')}${override('xl/styles.xml', 'spreadsheetml.styles')}${override('docProps/app.xml', 'extended-properties')}${numbered(drawings, drawingPart, 'drawing')}${numbered(charts, chartPart, 'drawingml.chart')}</Types>`;
}

/** The part with the graphics of a sheet by its place among those that have some. */
export function drawingPart(place: number): string {
  return `xl/drawings/drawing${place + 1}.xml`;
}

export function chartPart(place: number): string {
  return `xl/charts/chart${place + 1}.xml`;
}

/** The part with the relations of another. */
export function relationsPart(part: string): string {
  return part.replace(/([^/]+)$/, '_rels/$1.rels');
}

export const PACKAGE_RELATIONS = `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/relationships/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="${DOCUMENT}/relationships/extended-properties" Target="docProps/app.xml"/></Relationships>`;

/** No time of writing, so that the same rows give the same file. */
export function properties(createdBy: string): string {
  return `${HEAD}<Properties xmlns="${DOCUMENT}/extended-properties"><Application>${escapeHtml(createdBy)}</Application></Properties>`;
}

/** Number formats from here on are those of the file itself. */
const FIRST_FORMAT = 164;
const LEFT = 'horizontal="left"';
/** The format of a cell without one. */
export const GENERAL = 'General';
/** The built-in format of text: a number that is typed into such a cell remains text. */
const TEXT_FORMAT = 49;

/** The cell formats in the order of STYLES, then one for each number format. */
export function styles(numberFormats: readonly string[]): string {
  const formats = [DAY_FORMAT, ...numberFormats];
  const declared = formats.map(
    (code, at) => `<numFmt numFmtId="${FIRST_FORMAT + at}" formatCode="${escapeHtml(code)}"/>`,
  );
  const cell = (format: number, font = 0, alignment = '') => {
    const head = `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0"${format === 0 ? '' : ' applyNumberFormat="1"'}${font === 0 ? '' : ' applyFont="1"'}`;
    return alignment === '' ? `${head}/>` : `${head} applyAlignment="1"><alignment ${alignment}/></xf>`;
  };
  const cells = [
    cell(0),
    cell(TEXT_FORMAT, 1),
    cell(TEXT_FORMAT),
    cell(TEXT_FORMAT, 1, 'horizontal="right"'),
    cell(0, 0, 'vertical="top" wrapText="1"'),
    cell(TEXT_FORMAT, 1, 'vertical="top" wrapText="1"'),
    cell(TEXT_FORMAT, 2),
    cell(FIRST_FORMAT, 0, LEFT),
    cell(0, 0, 'horizontal="right"'),
    ...numberFormats.map((code, at) =>
      cell(code === GENERAL ? 0 : FIRST_FORMAT + 1 + at, 0, isDayFormat(code) ? LEFT : ''),
    ),
  ];
  const font = (marks: string, size = 11) =>
    `<font>${marks}<sz val="${size}"/><name val="Calibri"/><family val="2"/></font>`;
  return `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="${declared.length}">${declared.join('')}</numFmts><fonts count="3">${font('')}${font('<b/>')}${font('<b/>', 16)}</fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cells.length}">${cells.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
}

/** A sheet that is written. */
export interface WrittenSheet {
  readonly name: string;
  /** The cells of its filter, `$A$1:$D$9`, if it has columns. Their header is repeated on each printed page. */
  readonly filter: string | undefined;
  /** The last of the columns that are repeated on each printed page, `B`. */
  readonly repeatedTo?: string | undefined;
  /** Whether it only holds the figures of charts. */
  readonly isHidden?: boolean;
}

export function workbook(sheets: readonly WrittenSheet[]): string {
  const list = sheets.map(
    ({ name, isHidden }, at) =>
      `<sheet name="${escapeHtml(name)}" sheetId="${at + 1}"${isHidden ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`,
  );
  const names = rangeNames(sheets);
  const filters = sheets.flatMap(({ name, filter, repeatedTo }, at) => {
    if (filter === undefined) return [];
    const sheet = `'${escapeHtml(name)}'`;
    const columns = repeatedTo === undefined ? '' : `${sheet}!$A:$${repeatedTo},`;
    return [
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">${sheet}!${filter}</definedName>`,
      `<definedName name="_xlnm.Print_Titles" localSheetId="${at}">${columns}${sheet}!$1:$1</definedName>`,
      `<definedName name="${names[at]}">${sheet}!${filter}</definedName>`,
    ];
  });
  const defined = filters.length === 0 ? '' : `<definedNames>${filters.join('')}</definedNames>`;
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}/relationships"><sheets>${list.join('')}</sheets>${defined}</workbook>`;
}

/** What a formula calls the table of a sheet: `Table_Top_countries`. */
function rangeNames(sheets: readonly WrittenSheet[]): string[] {
  const taken = new Set<string>();
  return sheets.map(({ name }, at) => {
    const words = name.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '');
    const wanted = `Table_${words || at + 1}`;
    const found = taken.has(wanted.toLowerCase()) ? `${wanted}_${at + 1}` : wanted;
    taken.add(found.toLowerCase());
    return found;
  });
}

export function workbookRelations(sheets: number): string {
  const list = Array.from(
    { length: sheets },
    (_, at) =>
      `<Relationship Id="rId${at + 1}" Type="${DOCUMENT}/relationships/worksheet" Target="${sheetPart(at).slice('xl/'.length)}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list.join('')}<Relationship Id="rId${sheets + 1}" Type="${DOCUMENT}/relationships/styles" Target="styles.xml"/></Relationships>`;
}

/** The part of a sheet by its place, counted from 0. */
export function sheetPart(place: number): string {
  return `xl/worksheets/sheet${place + 1}.xml`;
}

interface SheetStart {
  readonly isFirst: boolean;
  /** Whether the first row stays in view. */
  readonly hasHeader: boolean;
  /** How it is printed on pages beside each other; undefined for one page wide. */
  readonly split?: PrintSplit | undefined;
}

/** A sheet up to its first row. */
export function sheetStart(widths: readonly number[], { isFirst, hasHeader, split }: SheetStart): string {
  const columns = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  );
  const pane = !hasHeader
    ? ''
    : '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/>';
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetPr><pageSetUpPr fitToPage="${split === undefined ? 1 : 0}"/></sheetPr><sheetViews><sheetView${isFirst ? ' tabSelected="1"' : ''} workbookViewId="0">${pane}</sheetView></sheetViews>${columns.length === 0 ? '' : `<cols>${columns.join('')}</cols>`}<sheetData>`;
}

export function headerCell(place: string, style: number, name: string): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${workbookText(name)}</t></is></c>`;
}

/** Rows with graphics on one landscape page of A4 that stay readable. */
const ROWS_OF_ONE_PAGE = 64;

/** Smaller print than this, in percent, is hard to read. */
const LEAST_SCALE = 60;
/** The characters of columns that fit beside each other on a landscape page of A4 at that scale. */
const PAGE_CHARACTERS = 235;

/** Pages beside each other. */
export interface PrintSplit {
  /** How many columns each page begins with. */
  readonly repeated: number;
  /** The columns, counted from 0, that begin a page. */
  readonly breaks: readonly number[];
}

/**
 * Where a sheet that is too wide for one page is split: the columns of names before the first numbers are repeated, where they leave room,
 * and graphics, of so many characters, are not cut. Undefined for one that fits.
 */
export function printSplit(
  columns: readonly { readonly width: number; readonly hasNumbers: boolean }[],
  graphics: number,
): PrintSplit | undefined {
  const widths = columns.map(({ width }) => width);
  const sum = (some: readonly number[]) => some.reduce((total, width) => total + width, 0);
  if (sum(widths) + graphics <= PAGE_CHARACTERS) return undefined;
  const names = columns.findIndex(({ hasNumbers }) => hasNumbers);
  const own = sum(widths.slice(0, Math.max(names, 0)));
  const repeated = own <= PAGE_CHARACTERS / 3 ? Math.max(names, 0) : 0;
  const breaks: number[] = [];
  const parts = graphics === 0 ? widths : [...widths, graphics];
  let used = 0;
  for (const [at, width] of parts.entries()) {
    if (used > 0 && used + width > PAGE_CHARACTERS) {
      breaks.push(at);
      used = sum(widths.slice(0, repeated));
    }
    used += width;
  }
  return { repeated, breaks };
}

interface SheetEnd {
  readonly split?: PrintSplit | undefined;
  /** The cells of the filter, `A1:D9`. */
  readonly filter?: string | undefined;
  /** How many there are, with those below graphics. */
  readonly rows: number;
  /** Whether the sheet has a relation to them. */
  readonly hasGraphics?: boolean;
  /** Cells, each as `A1:D9`. */
  readonly merged?: readonly string[];
  /** What is printed below each page, after the name of the sheet. */
  readonly footer?: string | undefined;
}

/**
 * What follows the last row. Printed, a sheet is one page wide where that stays readable, and one page in all where its rows fit on it, so
 * that no graphic is cut.
 */
export function sheetEnd({
  split,
  filter,
  rows,
  hasGraphics = false,
  merged = [],
  footer,
}: SheetEnd): string {
  const graphics = hasGraphics ? `<drawing xmlns:r="${DOCUMENT}/relationships" r:id="rId1"/>` : '';
  const cells = merged.map(ref => `<mergeCell ref="${ref}"/>`);
  const merges =
    cells.length === 0 ? '' : `<mergeCells count="${cells.length}">${cells.join('')}</mergeCells>`;
  const height = rows <= ROWS_OF_ONE_PAGE ? 1 : 0;
  const setup =
    split === undefined
      ? `<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="${height}"/>`
      : `<pageSetup paperSize="9" scale="${LEAST_SCALE}" orientation="landscape"/>`;
  const breaks = split?.breaks ?? [];
  const marks = breaks.map(column => `<brk id="${column}" max="1048575" man="1"/>`);
  const columnBreaks =
    marks.length === 0
      ? ''
      : `<colBreaks count="${marks.length}" manualBreakCount="${marks.length}">${marks.join('')}</colBreaks>`;
  const page = `<pageMargins left="0.5" right="0.5" top="0.5" bottom="0.7" header="0.3" footer="0.3"/>${setup}<headerFooter><oddFooter>&amp;L&amp;A${footerText(footer)}&amp;R&amp;P / &amp;N</oddFooter></headerFooter>${columnBreaks}`;
  return `</sheetData>${filter === undefined ? '' : `<autoFilter ref="${filter}"/>`}${merges}${page}${graphics}</worksheet>`;
}

/** An ampersand begins a code. */
function footerText(text: string | undefined): string {
  return text === undefined ? '' : `: ${workbookText(text.replaceAll('&', '&&'))}`;
}
