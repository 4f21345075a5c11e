import { describe, expect, test } from 'vitest';
import { columnsMeant } from '../../../src/apis/bda/catalogue.ts';
import { run } from '../../support/run.ts';
import { analytics, rowsReply } from './analytics.ts';

const gatectl = (...args: string[]) => run(['bda', 'top', ...args, '--sandbox']);

/** The query that a command line prints. */
async function printed(...args: string[]): Promise<unknown> {
  return JSON.parse((await run(['bda', 'query', ...args, '--sandbox', '--print'])).stdout);
}

describe('bda top', () => {
  test('ranks the addresses of pages by visits in the last 7 days, and names the other column of pages', async () => {
    const { code, stdout, stderr } = await gatectl('pages', '--limit', '2');
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'Page URL                  Visits',
        'https://www.example.com/   1,863',
        'https://www.example.org/   1,098',
        '',
      ].join('\n'),
      stderr: [
        'note: ranked by page_url; for another column, type gatectl bda top page_title',
        'note: 7 to 13 March 2026, 7 days (UTC)',
        'note: data set pageview; --data-set NAME selects another',
        'note: 2 of 96 rows; gatectl bda query --sandbox -d page_url -m visits --sort visits:desc --last 7d --all shows all',
        '',
      ].join('\n'),
    });
  });

  test.each([
    ['countries'],
    ['countries', '-m', 'revenue,visits', '--compare', 'previous', '--limit', '3'],
    ['devices', '--filter', 'country=DE', '--month', '2026-02', '--limit', '1'],
  ])('the command of its note shows all rows, of which it lists the first: %s', async (...args) => {
    const { stdout, stderr } = await gatectl(...args);
    const [, line = ''] = /; gatectl (.*) (?:shows|compares) all/.exec(stderr) ?? [];
    const words = line.split(' ').map(word => word.replace(/^'(.*)'$/, '$1'));
    const all = await run(words);
    const rowsOf = (text: string) => text.split('\n').map(row => row.trim().split(/ {2,}/).join('|'));
    expect(all.code).toBe(0);
    // Beside some of the rows, a total says that it is of all.
    const [listed, every] = [rowsOf(stdout.replaceAll(' in all rows: ', ': ')), rowsOf(all.stdout)];
    expect(every.slice(0, listed.length - 1)).toEqual(listed.slice(0, -1));
    expect(every.length).toBeGreaterThan(listed.length);
    expect(all.stderr).not.toMatch(/ of \d+ rows/);
  });

  test('lists ten values, as the same query with all its flags does', async () => {
    const { stdout } = await gatectl('countries', '-m', 'revenue,visits', '--last', '4w', '--json');
    const query = ['-d', 'country', '-m', 'revenue,visits', '--last', '4w', '--limit', '10'];
    const same = await run(['bda', 'query', ...query, '--sort', 'revenue:desc', '--sandbox', '--json']);
    expect(stdout).toBe(same.stdout);
    expect(JSON.parse(stdout)).toHaveLength(10);
  });

  test('prints the same query with --print, without asking for the columns', async () => {
    const { server, gatectl: online } = await analytics(() => rowsReply([], 0));
    const { stdout, stderr } = await online([
      ...['bda', 'top', 'country', '--data-set', 'pageview', '--month', '2026-02', '--print'],
    ]);
    const query = ['-d', 'country', '-m', 'visits', '--sort', 'visits:desc', '--limit', '10'];
    expect(JSON.parse(stdout)).toEqual(
      await printed('--data-set', 'pageview', ...query, '--month', '2026-02'),
    );
    expect(stderr).toContain('note: "country" is sent as typed, because no columns are known');
    expect(server.received).toEqual([]);
  });

  test.each([
    ['pages', 'page_url'],
    ['countries', 'country'],
    ['sources', 'traffic_source'],
  ])('%s is %s while no columns are known, and a note says so', async (word, column) => {
    const { stdout, stderr } = await gatectl(word, '--data-set', 'pageview', '--last', '7d', '--print');
    expect(JSON.parse(stdout).dimensions).toEqual([column]);
    expect(stderr).toContain(`note: "${word}" is sent as "${column}", because no columns are known`);
  });

  test('compares, filters and charts as a query does', async () => {
    const { stdout } = await gatectl('countries', '--filter', 'country=DE', '--compare', '2026-02');
    expect(stdout).toMatch(/^Visits: .*\(before: .*\nCountry {2}Visits {2}Before/);
    expect((await gatectl('devices', '--chart')).stdout).toContain('desktop █');
  });

  test('--vs is another name of --compare, for any two periods', async () => {
    const february = ['countries', '--from', '2026-02', '--to', '2026-02'];
    const both = await Promise.all([
      gatectl(...february, '--vs', '2026-01'),
      gatectl(...february, '--compare', '2026-01'),
    ]);
    expect(both[0]).toEqual(both[1]);
    expect(both[0]?.stdout).toMatch(
      /^Visits in all rows: 99,469 \(before: 117,388\), .*28 days, before 31\n/,
    );
  });

  test.each([
    ['contries', 'there is no dimension "contries"', 'did you mean country?'],
    ['autor', 'there is no dimension "autor"', 'did you mean author?'],
    ['visits', '"visits" is a metric, not a dimension', 'type gatectl bda top pages --metric visits'],
    ['report', '"report" may be "report_day" or "report_week" or "report_month"', 'type gatectl bda top'],
    ['zzz', 'there is no dimension "zzz"', 'one of: report_day, report_week'],
  ])('%s is refused, and what can be ranked is named', async (word, message, hint) => {
    const { code, stdout, stderr } = await gatectl(word);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: ${message}\n`);
    expect(stderr).toContain(hint);
  });
});

test.each([
  ['pages', ['page_url', 'page_title']],
  ['Page URL', ['page_url']],
  ['urls', ['page_url']],
  ['countries', ['country']],
  ['sources', ['traffic_source']],
  ['days', ['report_day']],
  ['status', ['status']],
  ['nothing', []],
])('%s means %j', (word, meant) => {
  const names = ['report_day', 'country', 'traffic_source', 'page_title', 'page_url', 'status'];
  expect(columnsMeant(names, word)).toEqual(meant);
});

test('bda query -d page offers the columns of pages, and no others', async () => {
  const { code, stderr } = await run([
    'bda',
    'query',
    '-d',
    'page',
    '-m',
    'visits',
    '--last',
    '7d',
    '--sandbox',
  ]);
  expect(code).toBe(5);
  expect(stderr).toContain("unknown column 'page' (the columns listing has page_title, page_url)\n");
});

describe('--filter country=de', () => {
  const filtered = (value: string) =>
    run(['bda', 'query', '-d', 'country', '-m', 'visits', '--last', '7d', '--filter', value, '--sandbox']);

  test('finds no rows, and names DE', async () => {
    const { stdout, stderr } = await filtered('country=de,US,at');
    expect(stdout).toBe('Country  Visits\nUS        5,336\n');
    expect(stderr).toContain(
      "warning: the codes of countries are two letters in upper case, and 'country=de,at' is sent as typed\n  pass --filter country=DE,AT\n",
    );
  });

  test('names the code of a country', async () => {
    const { stderr } = await filtered('country=Germany,france');
    expect(stderr).toContain("'country=Germany,france' is sent as typed\n  pass --filter country=DE,FR\n");
    expect((await filtered('country=Atlantis')).stderr).toContain(
      "'country=Atlantis' is sent as typed\nnote:",
    );
  });

  test.each(['country=DE', 'country="de"', 'country="Germany"', 'device=de'])(
    '%s is not questioned',
    async value => {
      expect((await filtered(value)).stderr).not.toContain('upper case');
    },
  );
});

describe('filters that match nothing', () => {
  const warningsOf = async (...filters: readonly string[]) => {
    const flags = filters.flatMap(filter => ['--filter', filter]);
    const words = ['bda', 'query', '-d', 'country', '-m', 'visits', '--last', '7d', ...flags, '--sandbox'];
    const { code, stderr } = await run(words);
    expect(code).toBe(0);
    return stderr.split('\nnote:')[0];
  };

  test('of one column without a common value are named, with the list to type', async () => {
    expect(await warningsOf('country=DE', 'visits>3', 'country=FR')).toBe(
      "warning: all filters must match, and country=DE and country=FR have no value in common\n  for any of them, pass --filter 'country=DE,FR'",
    );
    expect(await warningsOf('country=DE,AT', 'country=AT,CH')).not.toContain('warning');
    expect(await warningsOf('country=DE', 'device=mobile')).not.toContain('warning');
  });

  test.each([
    ['page_url=*news*', 'page_url:contains:news'],
    ['page_url=%news%', 'page_url:contains:news'],
    ['page_title=News*', 'page_title:contains:News'],
  ])('of a pattern are named: %s', async (filter, instead) => {
    expect(await warningsOf(filter)).toBe(
      `warning: '${filter}' compares complete values, and is sent as typed\n  if your gateway supports it, pass --filter '${instead}'`,
    );
  });

  test.each(['page_url="*news*"', 'page_title=5 % off', 'page_url:contains:*'])(
    '%s is as it is meant',
    async filter => {
      expect(await warningsOf(filter)).not.toContain('warning');
    },
  );
});

test.each([
  [['-d', 'week', '-m', 'visits'], "unknown column 'week'; did you mean 'report_week'?\n"],
  [['-d', 'date', '-m', 'visits'], "unknown column 'date'; did you mean 'report_day'?\n"],
  [[], 'at least one dimension or metric is required\n  pass -m visits, or -d country\n'],
])('bda query %j names the column to type', async (words, message) => {
  const { code, stderr } = await run(['bda', 'query', ...words, '--last', '7d', '--sandbox']);
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(message) });
});

test('a format is accepted in any letter case', async () => {
  const words = ['bda', 'top', 'countries', '--limit', '1', '--sandbox', '-o'];
  expect((await run([...words, 'JSON'])).stdout).toBe((await run([...words, 'json'])).stdout);
  expect((await run(['bda', 'tip', '-o', 'Json'])).stderr).toMatch(/^\{"error"/);
});

test('bda report run names the command for a report file', async () => {
  const { code, stderr } = await run(['bda', 'report', 'run', 'weekly.yaml', '--last', '7d', '--sandbox']);
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringContaining('for a report file, type gatectl bda report build weekly.yaml\n'),
  });
});
