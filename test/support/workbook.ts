import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import { SaxesParser } from 'saxes';

/** A cell as a spreadsheet shows it: text, number with its digits, flag, or day. */
export interface ReadCell {
  readonly kind: 'text' | 'number' | 'flag' | 'day';
  readonly value: string;
  readonly format: string;
}

export interface ReadSheet {
  readonly name: string;
  readonly rows: readonly (readonly (ReadCell | undefined)[])[];
  readonly filter: string | undefined;
  readonly frozenRows: number;
  readonly widths: readonly number[];
}

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Reads a workbook with a ZIP reader and an XML reader that have nothing to do with the writer. Throws if either finds an error. */
export function readWorkbook(path: string): readonly ReadSheet[] {
  const files = unzipSync(readFileSync(path));
  const part = (name: string): Element => {
    const bytes = files[name];
    if (bytes === undefined) throw new Error(`${path} has no ${name}`);
    return parse(strFromU8(bytes));
  };
  const formats = formatsOf(part('xl/styles.xml'));
  const targets = new Map(
    all(part('xl/_rels/workbook.xml.rels'), 'Relationship').map(({ attributes }) => [
      attributes.Id,
      attributes.Target,
    ]),
  );
  return all(part('xl/workbook.xml'), 'sheet').map(({ attributes }) =>
    sheetOf(attributes.name ?? '', part(`xl/${targets.get(attributes['r:id'])}`), formats),
  );
}

function sheetOf(name: string, sheet: Element, formats: readonly string[]): ReadSheet {
  const rows: (ReadCell | undefined)[][] = [];
  for (const row of all(sheet, 'row')) {
    const cells: (ReadCell | undefined)[] = [];
    for (const cell of all(row, 'c')) {
      const [, letters = '', number] = /^([A-Z]+)(\d+)$/.exec(cell.attributes.r ?? '') ?? [];
      if (number !== row.attributes.r) throw new Error(`${cell.attributes.r} is in row ${row.attributes.r}`);
      cells[placeOf(letters)] = cellOf(cell, formats);
    }
    rows[Number(row.attributes.r) - 1] = cells;
  }
  return {
    name,
    rows,
    filter: all(sheet, 'autoFilter')[0]?.attributes.ref,
    frozenRows: Number(all(sheet, 'pane')[0]?.attributes.ySplit ?? 0),
    widths: all(sheet, 'col').map(({ attributes }) => Number(attributes.width)),
  };
}

function cellOf(cell: Element, formats: readonly string[]): ReadCell {
  const format = formats[Number(cell.attributes.s ?? 0)] ?? '';
  if (cell.attributes.t === 'inlineStr') {
    const text = all(cell, 't').map(child => child.text);
    return { kind: 'text', value: unescaped(text.join('')), format };
  }
  const value = all(cell, 'v')[0]?.text ?? '';
  if (cell.attributes.t === 'b') return { kind: 'flag', value: value === '1' ? 'true' : 'false', format };
  if (!/^(?:\[\$-409\]|yyyy)/.test(format)) return { kind: 'number', value, format };
  const day = new Date((Number(value) - 25_569) * 86_400_000).toISOString().slice(0, 10);
  return { kind: 'day', value: day, format };
}

/** The texts of a workbook by the Open XML standard, part 1, 22.9.2.19. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function formatsOf(styles: Element): readonly string[] {
  const own = new Map(
    all(styles, 'numFmt').map(({ attributes }) => [attributes.numFmtId, attributes.formatCode ?? '']),
  );
  const [cellFormats] = all(styles, 'cellXfs');
  return (cellFormats?.children ?? []).map(({ attributes }) => {
    const id = attributes.numFmtId ?? '0';
    return own.get(id) ?? { '0': 'General', '49': '@' }[id] ?? `built-in ${id}`;
  });
}

function placeOf(letters: string): number {
  return [...letters].reduce((place, letter) => place * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function all(element: Element, name: string): Element[] {
  return element.children.flatMap(child => [...(child.name === name ? [child] : []), ...all(child, name)]);
}

function parse(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const stack = [root];
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    stack.at(-1)?.children.push(element);
    stack.push(element);
  });
  parser.on('text', text => {
    const element = stack.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => stack.pop());
  parser.write(xml).close();
  return root;
}
