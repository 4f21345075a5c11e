import { strFromU8, type Unzipped, unzipSync } from 'fflate/browser';
import { SaxesParser } from 'saxes';
import { UsageError } from '../errors/index.ts';
import { type NumberFormat, numberFormat } from './number-format.ts';

/** One row of a sheet, counted from 1; the texts of its cells as a spreadsheet shows them (`numberFormat`). */
export interface SheetRow {
  readonly row: number;
  readonly cells: readonly string[];
}

/** The first sheet of a workbook that is not hidden and has an @ in it, or else the first one. */
interface Sheet {
  readonly name: string;
  /** How many sheets the workbook has besides. */
  readonly others: number;
  readonly rows: readonly SheetRow[];
}

const MEBIBYTE = 1 << 20;
const MAX_PART_BYTES = 256 * MEBIBYTE;
const MAX_COLUMNS = 16_384;
/** Between the calendar of spreadsheets and the one that some workbooks have. */
const DAYS_BEFORE_1904 = 1462;

/** Reads a sheet of an .xlsx workbook. Throws UsageError for anything else, and for one that is too large. */
export function readSheet(bytes: Uint8Array, name: string): Sheet {
  const fail = (problem: string) => new UsageError(`${name} ${problem}`, { code: 'invalid_input' });
  const parts = partsOf(bytes, fail);
  const part = (path: string): string | undefined => {
    const found = parts[path];
    return found === undefined ? undefined : strFromU8(found);
  };
  const workbook = part('xl/workbook.xml');
  if (workbook === undefined) throw fail('is not a workbook of Excel');
  try {
    const sheets: Record<string, string>[] = [];
    let is1904 = false;
    eachElement(workbook, (tag, attributes) => {
      if (tag === 'sheet') sheets.push(attributes);
      if (tag === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes.date1904 ?? '');
    });
    const relations = part('xl/_rels/workbook.xml.rels') ?? '';
    const context = {
      shared: textsIn(part('xl/sharedStrings.xml') ?? '<sst/>'),
      formatOf: formatsOf(part('xl/styles.xml') ?? '<styleSheet/>', is1904 ? DAYS_BEFORE_1904 : 0),
    };
    const visible = sheets.filter(({ state = 'visible' }) => state === 'visible');
    let first: Sheet | undefined;
    for (const sheet of visible) {
      const xml = part(targetOf(relations, sheet['r:id'] ?? '') ?? '');
      if (xml === undefined) continue;
      const read = { name: sheet.name ?? '', others: sheets.length - 1, rows: rowsIn(xml, context) };
      if (read.rows.some(({ cells }) => cells.some(cell => cell.includes('@')))) return read;
      first ??= read;
    }
    if (first === undefined) throw fail('has no sheet');
    return first;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw fail(`is a damaged workbook: ${error instanceof Error ? error.message : error}`);
  }
}

function partsOf(bytes: Uint8Array, fail: (problem: string) => UsageError): Unzipped {
  let size = 0;
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!/^xl\/(?:workbook\.xml|sharedStrings\.xml|styles\.xml|_rels\/.*|worksheets\/[^/]*)$/.test(name))
          return false;
        size += originalSize;
        if (size > MAX_PART_BYTES) throw fail('is larger than 256 MiB when it is unpacked');
        return true;
      },
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw fail('is a damaged workbook or another ZIP file');
  }
}

/** Calls `open` for each element with its local name, `close` with its text. Throws Error for XML that is not well-formed. */
function eachElement(
  xml: string,
  open: (tag: string, attributes: Record<string, string>) => void,
  close: (tag: string, text: string) => void = () => {},
): void {
  const parser = new SaxesParser();
  let text = '';
  const local = (name: string) => name.replace(/^.*:/, '');
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    text = '';
    open(local(name), attributes as Record<string, string>);
  });
  const add = (part: string): void => {
    text += part;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', ({ name }) => {
    close(local(name), text);
    text = '';
  });
  parser.write(xml).close();
}

function targetOf(relations: string, id: string): string | undefined {
  let target: string | undefined;
  eachElement(relations, (_, attributes) => {
    if (attributes.Id === id) target = attributes.Target;
  });
  if (target === undefined) return undefined;
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

/** The texts that cells share; phonetic guides are not part of them. */
function textsIn(xml: string): readonly string[] {
  const texts: string[] = [];
  let current = '';
  let guides = 0;
  eachElement(
    xml,
    tag => {
      if (tag === 'rPh') guides += 1;
      if (tag === 'si') current = '';
    },
    (tag, text) => {
      if (tag === 'rPh') guides -= 1;
      if (tag === 't' && guides === 0) current += unescaped(text);
      if (tag === 'si') texts.push(current);
    },
  );
  return texts;
}

/** `_x000D_` is how a workbook writes what XML cannot. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The formats of numbers by the styles of cells. */
function formatsOf(xml: string, daysBefore: number): (style: number) => NumberFormat {
  const codes = new Map<number, string>();
  const styles: number[] = [];
  let isCell = false;
  eachElement(
    xml,
    (tag, { numFmtId, formatCode }) => {
      if (tag === 'numFmt' && formatCode !== undefined) codes.set(Number(numFmtId), formatCode);
      if (tag === 'cellXfs') isCell = true;
      if (tag === 'xf' && isCell) styles.push(Number(numFmtId));
    },
    tag => {
      if (tag === 'cellXfs') isCell = false;
    },
  );
  const formats = new Map<number, NumberFormat>();
  return style => {
    const id = styles[style] ?? 0;
    const format = formats.get(id) ?? numberFormat(id, codes.get(id), daysBefore);
    formats.set(id, format);
    return format;
  };
}

interface CellContext {
  readonly shared: readonly string[];
  readonly formatOf: (style: number) => NumberFormat;
}

function rowsIn(xml: string, context: CellContext): readonly SheetRow[] {
  const rows: SheetRow[] = [];
  let cells: string[] = [];
  let row = 0;
  let cell: Record<string, string> = {};
  let [value, inline] = ['', ''];
  eachElement(
    xml,
    (tag, attributes) => {
      if (tag === 'row') {
        row = Number(attributes.r ?? row + 1);
        cells = [];
      }
      if (tag === 'c') [cell, value, inline] = [attributes, '', ''];
    },
    (tag, text) => {
      if (tag === 'v') value = text;
      if (tag === 't') inline += unescaped(text);
      if (tag === 'c') {
        const column = cell.r === undefined ? cells.length : columnOf(cell.r);
        if (column < MAX_COLUMNS) {
          while (cells.length < column) cells.push('');
          cells[column] = textOfCell(cell, cell.t === 'inlineStr' ? inline : value, context);
        }
      }
      if (tag === 'row') rows.push({ row, cells });
    },
  );
  return rows;
}

function columnOf(place: string): number {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0] ?? 'A';
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function textOfCell(
  { t: type = 'n', s: style = '0' }: Record<string, string>,
  value: string,
  { shared, formatOf }: CellContext,
): string {
  if (type === 's') return shared[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  const number = Number(value);
  if (type !== 'n' || value === '' || !Number.isFinite(number)) return value;
  return formatOf(Number(style))(number);
}
