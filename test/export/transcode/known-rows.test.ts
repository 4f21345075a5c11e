import { describe, expect, test } from 'vitest';
import { ByteBuffer } from '../../../src/export/transcode/byte-buffer.ts';
import { Columns, type Layout } from '../../../src/export/transcode/columns.ts';
import type { KernelFormat } from '../../../src/export/transcode/kernel.ts';
import { KnownRows } from '../../../src/export/transcode/known-rows.ts';
import { Row } from '../../../src/export/transcode/row.ts';
import { RowShape } from '../../../src/export/transcode/row-shape.ts';

const COLUMNS = new Columns(['day', 'views']);

function split(text: string): Row {
  const row = new Row();
  const bytes = Buffer.from(text);
  row.split(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length);
  return row;
}

/** Knows rows that are like these. */
function knowing(texts: readonly string[], format?: KernelFormat): KnownRows {
  const rows = new KnownRows(format);
  for (const text of texts) {
    const row = split(text);
    rows.learn(row, COLUMNS.layout(row));
  }
  return rows;
}

/** What is read at `at`: the row's values, or undefined when no row there is known. */
function read(rows: KnownRows, text: string, at = 0, row = new Row()): string[] | undefined {
  let layout: Layout | undefined;
  rows.eachText(Buffer.from(text), ({ byteLength }) => {
    layout = rows.read(at, row);
    return byteLength;
  });
  if (layout === undefined) return undefined;
  expect(row.from).toBe(at);
  return Array.from({ length: row.fieldCount }, (_, field) =>
    text.slice(row.valueFrom[field], row.valueTo[field]),
  );
}

/** What is written from `at` on, how many rows, and where the last of them ends. */
function write(rows: KnownRows, text: string, at = 0) {
  const out = new ByteBuffer(0);
  let end = 0;
  let written = 0;
  rows.eachText(Buffer.from(text), ({ byteLength }) => {
    end = rows.write(at, out);
    rows.countRows((_, count) => {
      written += count;
    });
    return byteLength;
  });
  return { text: Buffer.from(out.take()).toString(), rows: written, end };
}

const known = knowing(['{"day":"mon","views":1}']);

describe('a row of a known shape is read', () => {
  test.each([
    ['other values', '{"day":"a longer one","views":-1.0E+3}', ['"a longer one"', '-1.0E+3']],
    ['values of other types', '{"day":null,"views":"x"}', ['null', '"x"']],
    ['true and false', '{"day":true,"views":false}', ['true', 'false']],
    ['nested values', '{"day":[ 1,{"a":"]"}],"views":{}}', ['[ 1,{"a":"]"}]', '{}']],
    ['escapes', '{"day":"\\"\\u00e9\\\\","views":0}', ['"\\"\\u00e9\\\\"', '0']],
  ])('with %s', (_, text, values) => {
    expect(read(known, text)).toEqual(values);
  });

  test('in the middle of a text, and no further than its own end', () => {
    const row = new Row();
    expect(read(known, '[{"day":1,"views":2},{"day":3,"views":4}]', 21, row)).toEqual(['3', '4']);
    expect([row.from, row.to, row.fieldCount]).toEqual([21, 40, 2]);
  });

  test('whatever the white space of the shape', () => {
    const spaced = knowing(['{ "day" : 1 ,\n"views" : 2\t}']);
    expect(read(spaced, '{ "day" : 34 ,\n"views" : "x"\t}')).toEqual(['34', '"x"']);
    expect(read(spaced, '{ "day" : 34 , "views" : "x"\t}')).toBeUndefined();
  });

  test('as an array, or without fields', () => {
    const others = knowing(['[1,2]', '[]', '{}']);
    expect(read(others, '["a",null]')).toEqual(['"a"', 'null']);
    expect(read(others, '[]')).toEqual([]);
    expect(read(others, '{}')).toEqual([]);
  });

  test('it returns the kind of row, whatever was read before', () => {
    const row = split('{"a": {}}');
    const others = knowing(['[1]', '{"a": 1}', '{"a":1}']);
    read(others, '[2]', 0, row);
    expect(row).toMatchObject({ isArray: true, isCompact: true });
    read(others, '{"a": 2}', 0, row);
    expect(row).toMatchObject({ isArray: false, isCompact: false });
    read(others, '{"a":2}', 0, row);
    expect(row.isCompact).toBe(true);
    read(others, '{"a":[ ]}', 0, row);
    expect(row.isCompact).toBe(false);
  });

  test('with more fields than a row has at first', () => {
    const wide = (value: string) => `[${Array.from({ length: 1000 }, () => value).join(',')}]`;
    expect(read(knowing([wide('0')]), wide('12'))).toEqual(Array.from({ length: 1000 }, () => '12'));
  });

  test('by whom it was learned, while others use the kernel in between', () => {
    const others = knowing(['[1]']);
    for (let turn = 0; turn < 3; turn++) {
      expect(read(known, '{"day":5,"views":6}')).toEqual(['5', '6']);
      expect(read(known, '[7]')).toBeUndefined();
      expect(read(others, '[7]')).toEqual(['7']);
      expect(read(others, '{"day":5,"views":6}')).toBeUndefined();
    }
  });

  test('although others learn in between', () => {
    expect(read(known, '{"day":5,"views":6}')).toEqual(['5', '6']);
    const others = knowing(['[1]']);
    expect(read(known, '{"day":5,"views":6}')).toEqual(['5', '6']);
    expect(read(others, '[7]')).toEqual(['7']);
  });

  test('if its shape is one of the latest eight', () => {
    const names = Array.from({ length: 9 }, (_, index) => `name${index}`);
    const some = knowing(names.map(name => `{"${name}":1}`));
    expect(read(some, '{"name0":2}')).toBeUndefined();
    for (const name of names.slice(1)) expect(read(some, `{"${name}":2}`)).toEqual(['2']);
  });
});

describe('a row is left to the general path', () => {
  test.each([
    ['with another name', '{"day":1,"viewz":1}'],
    ['with a name that differs far behind', `{"day":1,"views":1,"${'x'.repeat(40)}":1}`],
    ['with a field less', '{"day":1}'],
    ['with a field more', '{"day":1,"views":1,"x":1}'],
    ['with white space', '{"day":1, "views":1}'],
    ['with a broken number', '{"day":01,"views":1}'],
    ['with a missing value', '{"day":,"views":1}'],
    ['that closes with another bracket', '{"day":1,"views":1]'],
    ['that is an array', '[1,2]'],
  ])('%s', (_, text) => {
    const more = knowing(['{"day":"mon","views":1}', `{"day":1,"views":1,"${'x'.repeat(39)}y":1}`]);
    expect(read(more, text)).toBeUndefined();
  });

  test.each([
    ['more fields', `[${Array.from({ length: 1025 }, () => '1').join(',')}]`],
    ['more text around its values', `{"${'x'.repeat(48 * 1024)}":1}`],
  ])('with %s than the kernel has room for', (_, text) => {
    expect(read(knowing([text]), text)).toBeUndefined();
  });

  test('that is cut by the end of the text', () => {
    const text = '{"day":"mon","views":1}';
    expect(read(known, text)).toBeDefined();
    for (let size = 1; size < text.length; size++) expect(read(known, text.slice(0, size))).toBeUndefined();
  });
});

describe('known rows are written', () => {
  const csv: KernelFormat = { kind: 'csv', delimiter: 0x3b, before: '', behind: '\r\n' };
  const shapes = ['{"day":"mon","views":1}', '{"views":1}', '{"views": 1}'];

  test('as many as follow with a comma between', () => {
    const text = '[{"day":"a","views":1},{"views":2} ,\n{"day":null,"views":3}]';
    expect(write(knowing(shapes, csv), text, 1)).toEqual({
      text: 'a;1\r\n;2\r\n;3\r\n',
      rows: 3,
      end: text.length - 1,
    });
  });

  test.each([
    ['that is not known', '{"day":"a","views":1},{"x":1}'],
    ['that may be a formula', '{"day":"a","views":1},{"day":"=1","views":1}'],
    ['that is cut', '{"day":"a","views":1},{"day":"b","views":1'],
    ['that is none', '{"day":"a","views":1},]'],
  ])('up to one %s', (_, text) => {
    const excel: KernelFormat = { ...csv, kind: 'csv-disarmed' };
    expect(write(knowing(shapes, excel), text)).toEqual({ text: 'a;1\r\n', rows: 1, end: 21 });
    expect(write(knowing(shapes, excel), text, 22)).toEqual({ text: '', rows: 0, end: -1 });
  });

  test('as JSON, without insignificant white space', () => {
    const ndjson: KernelFormat = { kind: 'json', before: '--', behind: '\n' };
    const rows = knowing(shapes, ndjson);
    expect(write(rows, '{"day":"\\n","views":1},{"views": 2},{"views":[ "[ 2" ]}').text).toBe(
      '--{"day":"\\n","views":1}\n--{"views":2}\n--{"views":["[ 2"]}\n',
    );
  });

  test('until there is no room for more', () => {
    const row = `{"views":"${'x'.repeat(100)}"}`;
    const narrow = Array.from({ length: 2000 }, () => row).join(',');
    expect(write(knowing(shapes, csv), narrow).rows).toBe(2000);
    const empty = new KnownRows(csv);
    const none = split('{}');
    const fieldOf = new Int32Array(1024).fill(-1);
    empty.learn(none, { fieldOf, missing: [], extra: [] });
    const text = Array.from({ length: 5000 }, () => '{}').join(',');
    const { rows, end, text: lines } = write(empty, text);
    expect(rows).toBeGreaterThan(100);
    expect(rows).toBeLessThan(5000);
    expect(end).toBe(3 * rows - 1);
    expect(lines).toBe(`${';'.repeat(1023)}\r\n`.repeat(rows));
  });
});

test('shapes are equal when the text around the values is', () => {
  const shapeOf = (text: string) => {
    const row = split(text);
    return new RowShape(row, COLUMNS.layout(row));
  };
  const shape = shapeOf('{"day":"mon","views":1}');
  expect(shape.equals(shapeOf('{"day":null,"views":12345}'))).toBe(true);
  expect(shape.equals(shapeOf('{"day":null,"views":12345 }'))).toBe(false);
  expect(shape.equals(shapeOf('{"views":null,"day":12345}'))).toBe(false);
  expect(shape.equals(shapeOf('{"day":1}'))).toBe(false);
});
