import { describe, expect, test } from 'vitest';
import { MalformedResponseError } from '../../../src/export/transcode/json-scanner.ts';
import { type Position, RowTranscoder } from '../../../src/export/transcode/transcoder.ts';
import { inChunks, transcode } from './transcode.ts';

const columns = ['day', 'views'];

describe('columns', () => {
  test('csv has the columns in the requested order, whatever the order in the rows', () => {
    const body = '{"rows":[{"views":1,"day":"mon"},{"day":"tue","views":2}]}';
    expect(transcode(body, { columns }).text).toBe('day,views\nmon,1\ntue,2\n');
  });

  test('a missing field is an empty cell, an unknown one is omitted, and both are counted', () => {
    const body = '{"rows":[{"day":"mon"},{"views":2,"new":1,"more":0},{"day":"wed","views":3,"new":1},{}]}';
    const { text, pages } = transcode(body, { columns });
    expect(text).toBe('day,views\nmon,\n,2\nwed,3\n,\n');
    expect(pages[0]).toMatchObject({
      rows: 4,
      missing: new Map([
        ['views', 2],
        ['day', 2],
      ]),
      extra: new Map([
        ['new', 2],
        ['more', 1],
      ]),
    });
  });

  test('a name written with escapes is the same name', () => {
    const body = '{"rows":[{"d\\u0061y":"mon","caf\\u00e9":1}]}';
    expect(transcode(body, { columns: ['day', 'café'] }).text).toBe('day,café\nmon,1\n');
  });

  test('without columns the first row has them', () => {
    const { text, pages } = transcode('[{"a":3,"b":2},{"b":4,"c":5}]');
    expect(text).toBe('a,b\n3,2\n,4\n');
    expect(pages[0]).toMatchObject({ missing: new Map([['a', 1]]), extra: new Map([['c', 1]]) });
  });

  test('array rows are aligned to the columns', () => {
    const { text, pages } = transcode('{"Rows":[["mon",1],["tue"],["wed",3,true]]}', { columns });
    expect(text).toBe('day,views\nmon,1\ntue,\nwed,3\n');
    expect(pages[0]).toMatchObject({ missing: new Map([['views', 1]]), extra: new Map([['3', 1]]) });
  });

  test('array rows without columns are numbered', () => {
    expect(transcode('[["mon",1],["tue",2]]').text).toBe('1,2\nmon,1\ntue,2\n');
  });

  test('at most a hundred unknown names are recorded', () => {
    const fields = Array.from({ length: 150 }, (_, index) => `"x${index}":0`);
    const { pages } = transcode(`{"rows":[{${fields.join()}}]}`, { columns });
    expect(pages[0]?.found && pages[0].extra.size).toBe(100);
  });

  test('a column cannot be requested twice', () => {
    expect(() => transcode('[]', { columns: ['a', 'a'] })).toThrow('a column is named twice');
  });

  test('a row may have more fields than any before it', () => {
    const names = Array.from({ length: 200 }, (_, index) => `c${index}`);
    const body = `[{"c0":1},{${names.map((name, index) => `"${name}":${index}`).join()}}]`;
    const lines = transcode(body, { columns: names }).text.split('\n');
    expect(lines[2]).toBe(names.map((_, index) => index).join());
  });
});

describe('ndjson', () => {
  test('each row is its own text on one line: digits, key order, unknown fields, escapes', () => {
    const body = '{"rows":[ { "b" : 1.0E+3 , "a" : "x y\\u00e9\\ud83d" , "c" : [ 1 , { } ] } ,\n{"a":-0}]}';
    expect(transcode(body, { format: 'ndjson', columns: ['a'] }).text).toBe(
      '{"b":1.0E+3,"a":"x y\\u00e9\\ud83d","c":[1,{}]}\n{"a":-0}\n',
    );
  });

  test('array rows become objects named by the columns, a further value by its position', () => {
    const body = '[["mon", 1],["tue"],["wed",[ 2 ],3],[]]';
    expect(transcode(body, { format: 'ndjson', columns: ['da"y', 'views'] }).text).toBe(
      '{"da\\"y":"mon","views":1}\n{"da\\"y":"tue"}\n{"da\\"y":"wed","views":[2],"3":3}\n{}\n',
    );
  });

  test('array rows stay arrays where no columns are known', () => {
    expect(transcode('[[1, 2],[3,4]]', { format: 'ndjson' }).text).toBe('[1,2]\n[3,4]\n');
  });

  test('missing columns are counted here too; without columns nothing is', () => {
    const body = '{"rows":[{"a":1}]}';
    const counted = transcode(body, { format: 'ndjson', columns }).pages[0];
    expect(counted?.found && [...counted.missing.keys()]).toEqual(columns);
    const uncounted = transcode(body, { format: 'ndjson' }).pages[0];
    expect(uncounted?.found && uncounted.extra.size).toBe(0);
  });
});

describe('one document', () => {
  const pages = ['{"rows":[{"day":"mon","views":1}]}', '{"rows":[]}', '{"rows":[{"day":"tue","views":2}]}'];

  test('csv of several pages has one header', () => {
    expect(transcode(pages, { columns }).text).toBe('day,views\nmon,1\ntue,2\n');
  });

  test('json of several pages is one array, a row a line', () => {
    const { text } = transcode(pages, { format: 'json', columns });
    expect(text).toBe('[\n{"day":"mon","views":1},\n{"day":"tue","views":2}\n]\n');
  });

  test.each([
    ['csv', 'day,views\n'],
    ['tsv', 'day\tviews\n'],
    ['ndjson', ''],
    ['json', '[]\n'],
  ] as const)('%s of no rows', (format, expected) => {
    expect(transcode('{"rows":[]}', { format, columns }).text).toBe(expected);
  });

  test('csv of no rows and no columns is empty', () => {
    expect(transcode('{"rows":[]}').text).toBe('');
  });
});

describe('the response around the rows', () => {
  test('is returned as JSON text, digit for digit, before or after the rows', () => {
    const body =
      '{ "total_rows" : 12345678901234567890, "rows":[ {"a":1} ] ,"note":{ "rows": [1] }, "n\\u006f":null}';
    expect(transcode(body, { rowsName: 'rows' }).pages[0]).toMatchObject({
      found: true,
      rows: 1,
      metadata: new Map([
        ['total_rows', '12345678901234567890'],
        ['note', '{ "rows": [1] }'],
        ['no', 'null'],
      ]),
    });
  });

  test('a root array has none', () => {
    expect(transcode('\ufeff [ {"a":1} ] ').pages[0]).toMatchObject({ rows: 1, metadata: new Map() });
  });

  test.each([
    ['an error envelope', '{"error":{"code":"forbidden","details":[{"field":"x"}]}}'],
    ['rows that are null', '{"rows":null}'],
    ['rows in another place', '{"data":{"rows":[{"a":1}]}}'],
    ['rows under another name', '{"items":[{"a":1}]}'],
    ['a root array', '[{"a":1}]'],
    ['a lone value', '"rows"'],
  ])('%s: no rows of that name, and the body is returned', (_, body) => {
    expect(transcode(body, { rowsName: 'rows', columns }).pages).toEqual([{ found: false, body }]);
  });

  test.each([
    ['an object without arrays', '{"Success":false,"Error":"no"}'],
    ['a list of words', '{"Names":["a","b"]}'],
    ['a root array of words', '["a","b",{"c":1}]'],
    ['a list of objects further down', '{"a":{"b":[{"c":1}]}}'],
  ])('%s: no rows of any name', (_, body) => {
    expect(transcode(`\ufeff${body}`, { columns }).pages).toEqual([{ found: false, body }]);
  });

  test('without a name, the one array that holds objects or arrays is taken', () => {
    const body = '{"Columns":["day","views"],"None":[],"Data":[["mon",1]],"Total":1}';
    const { text, pages } = transcode(body, { columns });
    expect(text).toBe('day,views\nmon,1\n');
    expect(pages[0]).toMatchObject({
      metadata: new Map([
        ['Columns', '["day","views"]'],
        ['None', '[]'],
        ['Total', '1'],
      ]),
    });
  });

  test('a page without rows does not disturb those around it', () => {
    const { text, pages } = transcode(['[{"day":"mon"}]', '{"error":1}', '[{"day":"tue"}]'], {
      columns: ['day'],
    });
    expect(text).toBe('day\nmon\ntue\n');
    expect(pages.map(page => page.found)).toEqual([true, false, true]);
  });

  test('without a name, an empty array is a page without rows', () => {
    expect(transcode('{"Data":[ ],"Total":0}', { columns }).pages[0]).toMatchObject({ found: true, rows: 0 });
    expect(transcode('[]', { columns }).pages[0]).toMatchObject({ found: true, rows: 0 });
  });

  test('the name of the rows may be written with escapes', () => {
    expect(transcode('{"r\\u006fws":[{"a":1}]}', { rowsName: 'rows' }).text).toBe('a\n1\n');
  });
});

describe('an invalid response', () => {
  function fault(body: string | Uint8Array, options: Parameters<typeof transcode>[1] = {}): unknown {
    try {
      return transcode(body, { rowsName: 'rows', columns, ...options }).text;
    } catch (error) {
      if (error instanceof MalformedResponseError) return [error.problem, error.offset, error.near];
      throw error;
    }
  }

  test.each([
    [
      'a duplicate key in a row',
      '{"rows":[{"day":"mon"},{"day":"mon","d\\u0061y":"tue"}]}',
      ['a row has the key "day" twice', 23, '{"day":"mon","d\\u0061y":"tue"}]}'],
    ],
    ['HTML', '<!DOCTYPE html><p>', ['a value was expected', 0, '<!DOCTYPE html><p>']],
    ['nothing', '', ['it is empty', 0, '']],
    ['a cut row', '{"rows":[{"a":1},{"b"', ['it is cut before its end', 21, '']],
    ['a cut list', '{"rows":[{"a":1}', ['it is cut before its end', 16, '']],
    ['a cut envelope', '{"rows":[{"a":1}]', ['it is cut before its end', 17, '']],
    ['NaN', '{"rows":[{"a":NaN}]}', ['a value was expected', 14, 'NaN}]}']],
    ['a trailing comma', '{"rows":[{"a":1},]}', ['a value was expected', 17, ']}']],
    ['a number as a row', '{"rows":[{"a":1},2]}', ['a row has to be an object or an array', 17, '2]}']],
    ['null as a row', '{"rows":[null]}', ['a row has to be an object or an array', 9, 'null]}']],
    ['rows without a comma', '{"rows":[{"a":1}{"a":2}]}', ['a comma or ] was expected', 16, '{"a":2}]}']],
    ['rows twice', '{"rows":[{"a":1}],"rows":[]}', ['a second array of rows', 26, ']}']],
    [
      'two bodies',
      '{"rows":[]}{"rows":[]}',
      ['unexpected data after the end of the response', 11, '{"rows":[]}'],
    ],
  ])('%s', (_, body, expected) => {
    expect(fault(body)).toEqual(expected);
  });

  test('two lists of objects are not guessed between', () => {
    const body = '{"Columns":[{"Data":"day"}],"Rows":[{"day":1}]}';
    expect(fault(body, { rowsName: undefined })).toEqual(['a second array of rows', 36, '{"day":1}]}']);
  });

  test('a megabyte around the rows is too much', () => {
    const body = `{"note":"${'x'.repeat(1024 * 1024)}","rows":[]}`;
    expect(fault(body)).toEqual(['more than 1048576 bytes outside of the rows', 1048577, expect.any(String)]);
  });

  test('an endless row is rejected, not buffered', () => {
    const transcoder = new RowTranscoder({ format: 'csv', columns, sink: () => {} });
    transcoder.write(Buffer.from('{"rows":[{"day":"'));
    const part = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let megabytes = 0; megabytes < 5; megabytes++) transcoder.write(part);
    }).toThrow('a row of more than 4194304 bytes');
  });

  test('the excerpt is cut to sixty bytes and taken from the chunk at fault', () => {
    const body = `{"rows":[{"a":1},${'? '.repeat(100)}`;
    expect(fault(body)).toEqual(['a row has to be an object or an array', 17, '? '.repeat(30)]);
  });

  test('the excerpt ends before a word that may be cut: half of a secret would not be known as one', () => {
    const body = `{"rows":[{"a":1},"${'x'.repeat(40)} ${'secret'.repeat(20)}"`;
    expect(fault(body)).toEqual(['a row has to be an object or an array', 17, `"${'x'.repeat(40)} `]);
  });

  test('the message names the reason and the byte', () => {
    expect(() => transcode('{"rows":[{"a":01}]}')).toThrow(
      'the response cannot be read as JSON rows: a number with a leading zero (byte 15)',
    );
  });
});

describe('handing on', () => {
  const row = (index: number) => `{"day":"d${index}","views":${index},"text":"${'x'.repeat(300)}"}`;
  const page = (from: number, to: number) => {
    const rows = Array.from({ length: to - from }, (_, index) => row(from + index));
    return `{"rows":[${rows.join()}],"total_rows":9}`;
  };

  test('the sink receives about a megabyte at a time, complete rows only, and owns what it received', () => {
    const chunks: Uint8Array[] = [];
    const transcoder = new RowTranscoder({
      format: 'ndjson',
      columns: [],
      sink: chunk => chunks.push(chunk),
    });
    for (const chunk of inChunks(page(0, 10_000), 65_536)) transcoder.write(chunk);
    transcoder.endPage();
    transcoder.end();
    expect(chunks.map(chunk => Math.round(chunk.length / 1024 / 1024))).toEqual([1, 1, 1, 0]);
    expect(chunks.every(chunk => chunk.at(-1) === 0x0a)).toBe(true);
    expect(Buffer.concat(chunks).toString()).toBe(
      Array.from({ length: 10_000 }, (_, index) => `${row(index)}\n`).join(''),
    );
  });

  test('a row larger than the buffer goes through', () => {
    const value = 'y,'.repeat(1024 * 1024);
    const { text } = transcode(`[{"a":"${value}"},{"a":1}]`);
    expect(text).toBe(`a\n"${value}"\n1\n`);
  });

  test('flush passes on the complete rows so far', () => {
    const chunks: string[] = [];
    const transcoder = new RowTranscoder({
      format: 'csv',
      columns,
      sink: chunk => chunks.push(Buffer.from(chunk).toString()),
    });
    transcoder.write(Buffer.from('{"rows":[{"day":"mon","views":1},{"day":"tu'));
    transcoder.flush();
    expect(chunks).toEqual(['day,views\nmon,1\n']);
    expect(transcoder.position).toEqual({ bytes: 16, rows: 1, columns });
  });

  describe.each(['csv', 'tsv', 'ndjson', 'json'] as const)('after a broken page, %s', format => {
    const pages = [page(0, 50), page(50, 100), page(100, 150)];
    const options = { format, columns: ['views', 'day'] };
    const undisturbed = transcode(pages, options).text;

    test.each([0, 1, 2])(
      'truncated to the last complete page and resumed equals an uninterrupted one (page %i)',
      broken => {
        let output = Buffer.alloc(0);
        const sink = (chunk: Uint8Array) => {
          output = Buffer.concat([output, chunk]);
        };
        const first = new RowTranscoder({ ...options, sink });
        let position: Position = first.position;
        for (const body of pages.slice(0, broken)) {
          first.write(Buffer.from(body));
          const end = first.endPage();
          if (end.found) position = end.position;
          expect(position.bytes).toBe(output.length);
        }
        first.write(Buffer.from(pages[broken] as string).subarray(0, 9000));
        expect(() => first.endPage()).toThrow(MalformedResponseError);
        first.flush();

        output = output.subarray(0, position.bytes);
        const resume = JSON.parse(JSON.stringify(position));
        const second = new RowTranscoder({ ...options, sink, resume });
        for (const body of pages.slice(broken)) {
          second.write(Buffer.from(body));
          second.endPage();
        }
        second.end();
        expect(output.toString()).toBe(undisturbed);
      },
    );

    test('continues after the last complete row where output cannot be truncated', () => {
      const chunks: Uint8Array[] = [];
      const sink = (chunk: Uint8Array) => chunks.push(chunk);
      const first = new RowTranscoder({ ...options, sink });
      first.write(Buffer.from(pages[0] as string).subarray(0, 9000));
      expect(() => first.endPage()).toThrow(MalformedResponseError);
      first.flush();
      const resume = first.position;
      expect(resume.rows).toBeGreaterThan(10);
      const second = new RowTranscoder({ ...options, sink, resume, skipRows: resume.rows });
      for (const body of pages) {
        second.write(Buffer.from(body));
        second.endPage();
      }
      second.end();
      expect(second.position.rows).toBe(150);
      expect(Buffer.concat(chunks).toString()).toBe(undisturbed);
    });
  });

  test('columns taken from the first row last over a resumption', () => {
    const first = new RowTranscoder({ format: 'csv', columns: [], sink: () => {} });
    first.write(Buffer.from('[{"b":1,"a":2}]'));
    const end = first.endPage();
    expect(end.found && end.position).toEqual({ bytes: 8, rows: 1, columns: ['b', 'a'] });
    const { text } = transcode('[{"a":3,"b":4}]', { resume: end.found ? end.position : undefined });
    expect(text).toBe('4,3\n');
  });
});
