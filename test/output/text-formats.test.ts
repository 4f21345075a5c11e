import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '../../src/json/index.ts';
import { render, rowEncoder } from '../../src/output/render.ts';
import type { Format, StreamFormat, Style, View } from '../../src/output/view.ts';
import { PIPE, terminal } from './styles.ts';

const EXCEL: Style = { ...PIPE, csvDialect: 'excel' };
const COLUMNS = [{ key: 'a' }, { key: 'b' }];

const as = (format: Format, json: string, view: View = {}, style: Style = PIPE) =>
  render(parseJson(json), view, format, style);

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ' ', '\t', '=', "'", '\\', 'a', '\ufeff') }),
);

describe('csv', () => {
  test('any text is read back unchanged by a CSV reader', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, anyText), { minLength: 1 }), rows => {
        const data = rows.map(([a, b]) => ({ a, b }));
        const text = render(data, { columns: COLUMNS }, 'csv', PIPE);
        expect(parse(text, { record_delimiter: '\n' })).toEqual([['a', 'b'], ...rows]);
      }),
    );
  });

  test('any single column is read back too, even with empty cells', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1 }), values => {
        const text = render(values, {}, 'csv', PIPE);
        expect(parse(text, { record_delimiter: '\n' })).toEqual([['value'], ...values.map(value => [value])]);
      }),
    );
  });

  test('digits, nested values and the requested columns are unchanged; null and absent are empty', () => {
    const json =
      '[{"c":[1.0,"x"],"a":12345678901234567890,"b":null},{"a":1.10,"b":false},{"a":1e400,"c":{"d":2}}]';
    expect(as('csv', json, { columns: [{ key: 'a' }, { key: 'b' }, { key: 'c' }] })).toBe(
      'a,b,c\n12345678901234567890,,"[1.0,""x""]"\n1.10,false,\n1e400,,"{""d"":2}"\n',
    );
  });

  test('one record is a header and a row; no rows are only the header', () => {
    expect(as('csv', '{"a":1,"b":"x"}')).toBe('a,b\n1,x\n');
    expect(as('csv', '{"z":0,"b":"x","a":1}', { columns: COLUMNS })).toBe('a,b\n1,x\n');
    expect(as('csv', '[]', { columns: COLUMNS })).toBe('a,b\n');
    expect(as('csv', '[]')).toBe('');
  });

  test('a row that is not an object gets a column of its own', () => {
    expect(as('csv', '[{"a":1},"x",[2]]')).toBe('a,value\n1,\n,x\n,[2]\n');
  });

  test('for Excel starts with a mark, ends lines with CRLF, and keeps line breaks in cells', () => {
    expect(as('csv', '[{"a":"x\\ny","b":1}]', {}, EXCEL)).toBe('\ufeffa,b\r\n"x\ny",1\r\n');
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+cmd|x', "'+cmd|x"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['  =1+1', "'  =1+1"],
    ['\t=1', "'\t=1"],
    ['＝1+1', "'＝1+1"],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    ['-5.25', '-5.25'],
    ['plain - text', 'plain - text'],
  ])('for Excel %j is written as %s', (text, written) => {
    expect(render([{ a: text, b: 1 }], {}, 'csv', EXCEL)).toBe(`\ufeffa,b\r\n${written},1\r\n`);
  });

  test('numbers are not formulas, and without the Excel dialect nothing is changed', () => {
    expect(as('csv', '[{"a":-5e3,"b":"=1"}]', {}, EXCEL)).toBe("\ufeffa,b\r\n-5e3,'=1\r\n");
    expect(as('csv', '[{"a":-5e3,"b":"=1"}]')).toBe('a,b\n-5e3,=1\n');
  });

  test('a file gets the data unchanged, a terminal no escape sequence', () => {
    const data = [{ a: '\u001b[2J', b: 'x\ny' }];
    expect(render(data, {}, 'csv', PIPE)).toBe('a,b\n"\u001b[2J","x\ny"\n');
    expect(render(data, {}, 'csv', terminal(20))).toBe('a,b\n\\x1b[2J,"x\ny"\n');
  });
});

describe('tsv', () => {
  const meanings: Readonly<Record<string, string>> = { '\\t': '\t', '\\n': '\n', '\\r': '\r', '\\\\': '\\' };

  test('any text is read back, one row per line', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, anyText)), rows => {
        const data = rows.map(([a, b]) => ({ a, b }));
        const text = render(data, { columns: COLUMNS }, 'tsv', PIPE);
        const read = text
          .split('\n')
          .slice(1, -1)
          .map(line => line.split('\t').map(cell => cell.replace(/\\./g, found => meanings[found] ?? found)));
        expect(read).toEqual(rows);
      }),
    );
  });

  test('digits are unchanged and null is empty', () => {
    expect(as('tsv', '[{"a":1.10,"b":null},{"a":"x\\ty","b":[1.0]}]')).toBe('a\tb\n1.10\t\nx\\ty\t[1.0]\n');
    expect(as('tsv', '[]', { columns: COLUMNS })).toBe('a\tb\n');
  });

  test('on a terminal an escape sequence is visible', () => {
    expect(render([{ a: '\u001b' }], {}, 'tsv', terminal(20))).toBe('a\n\\x1b\n');
  });
});

describe('json', () => {
  test('is unchanged, whatever the columns', () => {
    expect(as('json', '{"rows":[{"a":1.10}],"new":null}', { columns: COLUMNS })).toBe(
      '{\n  "rows": [\n    {\n      "a": 1.10\n    }\n  ],\n  "new": null\n}\n',
    );
  });

  test('of nothing is an empty array, so that jq can count it', () => {
    expect(as('json', '[]')).toBe('[]\n');
  });
});

describe('ndjson', () => {
  test('is a line for each row, of an array inside of an object too', () => {
    expect(as('ndjson', '[{"a":1.10},{"b":[1, 2]}]')).toBe('{"a":1.10}\n{"b":[1,2]}\n');
    expect(as('ndjson', '{"rows":[{"a":1}],"total_rows":1}')).toBe('{"a":1}\n');
    expect(as('ndjson', '[{"a":1},"x"]')).toBe('{"a":1}\n"x"\n');
    expect(as('ndjson', '["a\\nb"]')).toBe('"a\\nb"\n');
  });

  test('of a record or a value is one line, of nothing no byte', () => {
    expect(as('ndjson', '{"a":{"b":1}}')).toBe('{"a":{"b":1}}\n');
    expect(as('ndjson', '5')).toBe('5\n');
    expect(as('ndjson', '[]')).toBe('');
    expect(as('ndjson', 'null')).toBe('');
  });
});

describe('rows that are written one by one', () => {
  test.each<StreamFormat>(['json', 'ndjson', 'csv', 'tsv'])(
    'as %s give the same bytes as all at once',
    format => {
      fc.assert(
        fc.property(fc.array(fc.record({ a: anyText, b: fc.jsonValue() as fc.Arbitrary<Json> })), rows => {
          const encoder = rowEncoder(format, COLUMNS, PIPE);
          const streamed = [encoder.header(), ...rows.map(row => encoder.row(row)), encoder.footer()].join(
            '',
          );
          expect(streamed).toBe(render(rows, { columns: COLUMNS }, format, PIPE));
        }),
      );
    },
  );

  test('without a row are a valid document', () => {
    const empty = (format: StreamFormat) => {
      const encoder = rowEncoder(format, COLUMNS, PIPE);
      return encoder.header() + encoder.footer();
    };
    expect([empty('json'), empty('ndjson'), empty('csv'), empty('tsv')]).toEqual([
      '[]\n',
      '',
      'a,b\n',
      'a\tb\n',
    ]);
  });
});
