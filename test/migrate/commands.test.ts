import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterJson, parseFilter } from '../../src/apis/bda/filter-expression.ts';
import { parseJson, stringifyJson } from '../../src/json/index.ts';
import { asCurl, asGatectl } from '../../src/migrate/index.ts';
import type { FilterV2, Query } from '../../src/wire/bda-v2.ts';
import { runs } from '../support/runs.ts';
import { migrateRequest, onlyQuery } from './fixtures.ts';

const QUERY: Query = {
  data_set: 'pageview',
  date_range: { start_date: '2026-01-01', end_date: '2026-01-31' },
};

/** The words that a shell hands to a command. */
function shellArguments(command: string, env: Record<string, string> = {}): string[] {
  const name = command.split(' ', 1)[0];
  const script = `${name}() { printf '%s\\0' "$@"; }\n${command}`;
  const printed = execFileSync('sh', ['-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  return printed.split('\0').slice(0, -1);
}

describe('the gatectl command of a query', () => {
  const filterFlags = (...filters: NonNullable<Query['filters']>) => {
    const words = shellArguments(asGatectl({ ...QUERY, filters }, 'service'));
    return words.slice(words.indexOf('pageview') + 1, words.indexOf('--from'));
  };
  const any = (column: string, operator: string, value: FilterV2['value']) => ({ column, operator, value });

  test('expresses the complete query', () => {
    const query: Query = {
      ...QUERY,
      dimensions: ['report_day', 'country'],
      metrics: ['visits', 'revenue'],
      filters: [
        { column: 'visits', operator: 'greater_than', value: 3 },
        { column: 'country', operator: 'in', values: ['US', 'CA'] },
      ],
      sort: [
        { column: 'revenue', direction: 'desc' },
        { column: 'country', direction: 'asc' },
      ],
      limit: 50,
      offset: 0,
      domain_id: 12,
      platform: 'original',
      url_options: { query_params: 'include', fragments: 'exclude', case_normalization: 'lower' },
    };
    expect(asGatectl(query, 'service')).toBe(
      "gatectl bda query --data-set pageview -d report_day -d country -m visits -m revenue --filter 'visits>3' --filter country=US,CA --sort revenue:desc --sort country:asc --from 2026-01-01 --to 2026-01-31 --limit 50 --offset 0 --domain-id 12 --platform original --query-params include --fragments exclude --case-normalization lower",
    );
  });

  test("the brand's own platform is the word that gatectl uses for every brand", () => {
    expect(asGatectl({ ...QUERY, platform: 'acme' }, 'Acme')).toMatch(/ --platform service$/);
  });

  test.each<[string, NonNullable<Query['filters']>, string[]]>([
    ['a number', [any('visits', 'greater_than_or_equal', 2.5)], ['--filter', 'visits>=2.5']],
    [
      'one of a few texts',
      [{ column: 'page', operator: 'in', values: ["it's", '$x'] }],
      ['--filter', "page=it's,$x"],
    ],
    ['one text alone', [{ column: 'country', operator: 'in', values: ['US'] }], ['--filter', 'country=US']],
    [
      'text with a comma',
      [{ column: 'page', operator: 'in', values: ['a,b', 'c'] }],
      ['--filter', 'page="a,b",c'],
    ],
    [
      'text with a double quote',
      [any('page', 'contains', '"a\\"')],
      ['--filter', 'page:contains:"\\"a\\\\\\""'],
    ],
    ['text that looks like a number', [any('page', 'greater_than', '3')], ['--filter', 'page>"3"']],
    ['text that looks like true', [any('page', 'equals', 'true')], ['--filter', 'page:equals:"true"']],
    ['empty text', [any('page', 'equals', '')], ['--filter', 'page:equals:""']],
    [
      'text with a line break',
      [any('page', 'equals', 'a\nb')],
      ['--filter-json', '{"column":"page","operator":"equals","value":"a\\nb"}'],
    ],
    [
      'true',
      [any('on', 'equals', true)],
      ['--filter-json', '{"column":"on","operator":"equals","value":true}'],
    ],
    [
      'null',
      [any('on', 'equals', null)],
      ['--filter-json', '{"column":"on","operator":"equals","value":null}'],
    ],
    [
      'a column of odd letters',
      [any('a>b', 'greater_than', 1)],
      ['--filter-json', '{"column":"a>b","operator":"greater_than","value":1}'],
    ],
    [
      'an operator of odd letters',
      [any('a', '<', 1)],
      ['--filter-json', '{"column":"a","operator":"<","value":1}'],
    ],
    [
      'a list without items',
      [{ column: 'a', operator: 'in', values: [] }],
      ['--filter-json', '{"column":"a","operator":"in","values":[]}'],
    ],
    [
      'a group',
      [
        {
          any_of: [any('visits', 'greater_than', 1), { column: 'page', operator: 'in', values: ['a', 'b'] }],
        },
      ],
      ['--any-of', 'visits>1', '--any-of', 'page=a,b'],
    ],
    [
      'a second group',
      [{ any_of: [any('visits', 'greater_than', 1)] }, { any_of: [any('visits', 'greater_than', 2)] }],
      [
        '--any-of',
        'visits>1',
        '--filter-json',
        '{"any_of":[{"column":"visits","operator":"greater_than","value":2}]}',
      ],
    ],
    [
      'a group that has no short form',
      [{ any_of: [any('on', 'equals', true)] }],
      ['--filter-json', '{"any_of":[{"column":"on","operator":"equals","value":true}]}'],
    ],
  ])('filters on %s', (_, filters, flags) => {
    expect(filterFlags(...filters)).toEqual(flags);
  });

  test('a filter in the expression language is read as the filter it was', () => {
    const kinds = { number: 'number', text: 'text' } as const;
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }).map(text => ({ text, kind: kinds.text })),
      fc
        .constantFrom('3', 'true', ' x ', '"', '\\', '=a', 'a,b', '>1')
        .map(text => ({ text, kind: kinds.text })),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map(number => ({ text: number, kind: kinds.number })),
    );
    fc.assert(
      fc.property(
        value,
        fc.constantFrom('greater_than', 'greater_than_or_equal', 'in', 'contains'),
        ({ text, kind }, operator) => {
          const filter: FilterV2 =
            operator === 'in'
              ? { column: 'c', operator, values: [text] }
              : { column: 'c', operator, value: text };
          const [flag, typed = ''] = filterFlags(filter);
          if (flag === '--filter-json') {
            expect(JSON.parse(typed)).toEqual(filter);
            return;
          }
          for (const known of [kind, undefined])
            expect(JSON.parse(stringifyJson(filterJson(parseFilter(typed), () => known)))).toEqual(
              JSON.parse(JSON.stringify(filter)),
            );
        },
      ),
      { numRuns: runs(60) },
    );
  });

  test('a number keeps its digits in either form', () => {
    const Filters = ['GREATER', 'GREATER_OR_EQUAL'].map(OperationId => ({
      Type: 'INCLUDE',
      FilterKey: 'visits',
      OperationId,
      FilterValue: '12345678901234567890.10',
    }));
    const command = asGatectl(onlyQuery(migrateRequest({ Filters })), 'service');
    expect(command).toContain(
      "--filter 'visits>12345678901234567890.10' --filter 'visits>=12345678901234567890.10'",
    );
  });
});

describe('the curl command of a query', () => {
  test('names the key by its variable', () => {
    expect(asCurl({ ...QUERY, metrics: ['visits'] }, 'https://gw.example.com/root/')).toBe(
      [
        'curl -sS -X POST https://gw.example.com/root/gateway/bdaservices/v2/query \\',
        '  -H "X-API-Key: $GATECTL_API_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        `  --data-raw '{"data_set":"pageview","date_range":{"start_date":"2026-01-01","end_date":"2026-01-31"},"metrics":["visits"]}'`,
      ].join('\n'),
    );
  });

  test('goes to the path that the profile gives', () => {
    expect(asCurl(QUERY, 'https://gw.example.com', '/bda/v2/')).toContain(
      'https://gw.example.com/bda/v2/query ',
    );
  });

  test('passes the exact query and key to the shell', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), values => {
        const query: Query = { ...QUERY, filters: [{ column: 'page', operator: 'in', values }] };
        const words = shellArguments(asCurl(query, 'https://gw.example.com'), { GATECTL_API_KEY: 'k$"\'1' });
        expect(JSON.parse(words.at(-1) ?? '')).toEqual(query);
        expect(words).toContain('X-API-Key: k$"\'1');
      }),
      { numRuns: runs(40) },
    );
  });

  test('writes a number with all its digits', () => {
    const Filters = [
      { Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '0.1234567890123456789' },
    ];
    const words = shellArguments(asCurl(onlyQuery(migrateRequest({ Filters })), 'https://gw.example.com'));
    expect(words.at(-1)).toContain('"value":0.1234567890123456789');
    expect(() => parseJson(words.at(-1) ?? '')).not.toThrow();
  });
});
