import { describe, expect, test } from 'vitest';
import { AHEAD } from '../../../src/export/transcode/json-values.ts';
import { Row } from '../../../src/export/transcode/row.ts';
import { RowShape } from '../../../src/export/transcode/row-shape.ts';

function view(text: string): DataView {
  const bytes = Uint8Array.from(Buffer.from(text));
  return new DataView(bytes.buffer);
}

function shapeOf(text: string): RowShape {
  const row = new Row();
  row.split(view(text), 0, text.length);
  return new RowShape(row);
}

/** What a shape reads at `at`: the row's values, or undefined when the row is not of the shape. */
function read(shape: RowShape, text: string, at = 0): string[] | undefined {
  const row = new Row();
  const bytes = view(text);
  if (!shape.read(bytes, at, row)) return undefined;
  expect(row.from).toBe(at);
  return Array.from({ length: row.fieldCount }, (_, field) =>
    text.slice(row.valueFrom[field], row.valueTo[field]),
  );
}

const behind = ' '.repeat(AHEAD);
const shape = shapeOf('{"day":"mon","views":1}');

describe('a row of the same shape is read', () => {
  test.each([
    ['other values', '{"day":"a longer one","views":-1.0E+3}', ['"a longer one"', '-1.0E+3']],
    ['values of other types', '{"day":null,"views":"x"}', ['null', '"x"']],
    ['true and false', '{"day":true,"views":false}', ['true', 'false']],
    ['nested values', '{"day":[ 1,{"a":"]"}],"views":{}}', ['[ 1,{"a":"]"}]', '{}']],
    ['escapes', '{"day":"\\"\\u00e9\\\\","views":0}', ['"\\"\\u00e9\\\\"', '0']],
  ])('with %s', (_, text, values) => {
    expect(read(shape, text + behind)).toEqual(values);
  });

  test('in the middle of a text, and no further than its own end', () => {
    const row = new Row();
    const text = view(`[{"day":1,"views":2},{"day":3,"views":4}]${behind}`);
    expect(shape.read(text, 21, row)).toBe(true);
    expect([row.from, row.to, row.fieldCount]).toEqual([21, 40, 2]);
  });

  test('whatever the white space of the shape', () => {
    const spaced = shapeOf('{ "day" : 1 ,\n"views" : 2\t}');
    expect(read(spaced, `{ "day" : 34 ,\n"views" : "x"\t}${behind}`)).toEqual(['34', '"x"']);
    expect(read(spaced, `{ "day" : 34 , "views" : "x"\t}${behind}`)).toBeUndefined();
  });

  test('as an array, or without fields', () => {
    expect(read(shapeOf('[1,2]'), `["a",null]${behind}`)).toEqual(['"a"', 'null']);
    expect(read(shapeOf('[]'), `[]${behind}`)).toEqual([]);
    expect(read(shapeOf('{}'), `{}${behind}`)).toEqual([]);
  });

  test('it says what kind of row it is, whatever was read before', () => {
    const row = new Row();
    row.split(view('{"a": {}}'), 0, 9);
    expect(shapeOf('[1]').read(view(`[2]${behind}`), 0, row)).toBe(true);
    expect(row).toMatchObject({ isArray: true, isCompact: true });
    expect(shapeOf('{"a": 1}').read(view(`{"a": 2}${behind}`), 0, row)).toBe(true);
    expect(row).toMatchObject({ isArray: false, isCompact: false });
    expect(shapeOf('{"a":1}').read(view(`{"a":[ ]}${behind}`), 0, row)).toBe(true);
    expect(row.isCompact).toBe(false);
  });
});

describe('a row is left to the general path', () => {
  test.each([
    ['with another name', '{"day":1,"viewz":1}'],
    ['with a field less', '{"day":1}'],
    ['with a field more', '{"day":1,"views":1,"x":1}'],
    ['with white space', '{"day":1, "views":1}'],
    ['with a broken number', '{"day":01,"views":1}'],
    ['with a missing value', '{"day":,"views":1}'],
    ['that closes with another bracket', '{"day":1,"views":1]'],
    ['that is an array', '[1,2]'],
  ])('%s', (_, text) => {
    expect(read(shape, text + behind)).toBeUndefined();
  });

  test('near the end of the text', () => {
    const text = `{"day":"mon","views":1}${behind}`;
    for (let size = 0; size < text.length; size++) expect(read(shape, text.slice(0, size))).toBeUndefined();
  });
});

test('shapes are equal when the text around the values is', () => {
  expect(shape.equals(shapeOf('{"day":null,"views":12345}'))).toBe(true);
  expect(shape.equals(shapeOf('{"day":null,"views":12345 }'))).toBe(false);
  expect(shape.equals(shapeOf('{"views":null,"day":12345}'))).toBe(false);
  expect(shape.equals(shapeOf('{"day":1}'))).toBe(false);
});
