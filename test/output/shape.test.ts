import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/json/index.ts';
import { gridOf, shapeOf } from '../../src/output/shape.ts';

describe('the shape of a response', () => {
  test.each([
    ['[{"a":1},{"b":2}]', 'rows'],
    ['["a","b"]', 'strings'],
    ['[1,null,"a",[2]]', 'strings'],
    ['[{"a":1},null,"x"]', 'rows'],
    ['{"a":1,"b":{"c":2}}', 'record'],
    ['{"rows":[{"a":1}],"total_rows":1}', 'rows'],
    ['{"domains":["a.example.com"]}', 'strings'],
    ['{"a":["x"],"b":["y"]}', 'record'],
    ['{"rows":[]}', 'nothing'],
    ['[]', 'nothing'],
    ['{}', 'nothing'],
    ['null', 'nothing'],
    ['"text"', 'scalar'],
    ['12', 'scalar'],
    ['false', 'scalar'],
    ['""', 'scalar'],
  ])('%s is %s', (text, kind) => {
    expect(shapeOf(parseJson(text)).kind).toBe(kind);
  });

  test('an object with a requested field is a record, even with one array in it', () => {
    const report = parseJson('{"name":"daily","columns":["a","b"]}');
    expect(shapeOf(report).kind).toBe('strings');
    expect(shapeOf(report, [{ key: 'name' }]).kind).toBe('record');
  });
});

describe('columns', () => {
  const keys = (text: string, columns?: string[]) =>
    gridOf(parseJson(text), { columns: columns?.map(key => ({ key })) }).columns.map(column => column.key);

  test('are the requested ones, in that order, even if no row has some', () => {
    expect(keys('[{"b":1,"a":2,"c":3}]', ['a', 'b', 'missing'])).toEqual(['a', 'b', 'missing']);
  });

  test('are the fields of all rows in order of first appearance, if none is requested', () => {
    expect(keys('[{"b":1},{"a":2,"b":3}]')).toEqual(['b', 'a']);
  });

  test('are the fields of the rows, if none of the requested ones is present', () => {
    expect(keys('[{"x":1}]', ['a', 'b'])).toEqual(['x']);
  });

  test('of things without fields is one column, and never a guessed one', () => {
    expect(keys('["a"]', ['domain'])).toEqual(['domain']);
    expect(keys('["a"]', ['name', 'id'])).toEqual(['value']);
    expect(keys('"a"')).toEqual(['value']);
    expect(keys('[{"a":1},"x"]')).toEqual(['a', 'value']);
  });

  test('an inherited property is not a field of a row', () => {
    expect(keys('[{"a":1}]', ['constructor'])).toEqual(['a']);
  });

  test('objects without fields are empty output', () => {
    expect(gridOf(parseJson('[{},{}]'), {}).kind).toBe('nothing');
  });
});
