import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fieldsOf,
  parseSavedQuery,
  type SavedFlags,
  savedQueryText,
} from '../../../../src/commands/bda/flags/saved-query.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { type InProcessOptions, NOON, run } from '../../../support/run.ts';
import { analytics, KEY, rowsReply, sent } from '../analytics.ts';

const DAY = 86_400_000;
const TOP = ['--data-set', 'pageview', '-d', 'country', '-m', 'visits'];

/** gatectl with a configuration folder and a working folder of its own. */
function place() {
  const config = temporaryFolder();
  const cwd = temporaryFolder();
  const options = { env: { GATECTL_CONFIG_DIR: config, TZ: 'UTC' }, cwd };
  const gatectl = (args: readonly string[], more: InProcessOptions = {}) =>
    run(['bda', 'query', ...args], { ...options, ...more, env: { ...options.env, ...more.env } });
  const path = (name: string) => join(config, 'queries', `${name}.yaml`);
  const write = (name: string, text: string) => {
    mkdirSync(join(config, 'queries'), { recursive: true });
    writeFileSync(path(name), text, { mode: 0o600 });
    return path(name);
  };
  const printed = async (args: readonly string[], more: InProcessOptions = {}) => {
    const { code, stdout, stderr } = await gatectl(['run', ...args, '--print', '--sandbox'], more);
    expect({ code, stderr: stderr.replace(/^note: .*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  return { config, cwd, gatectl, path, write, printed };
}

describe('a saved query', () => {
  test('is a readable file, and runs with the days of the day on which it runs', async () => {
    const { gatectl, path, printed } = place();
    const filters = ['--filter', 'country=DE,AT', '--filter', 'visits>100'];
    const saved = await gatectl(['save', 'top', ...TOP, ...filters, '--sort', 'visits:desc', '--last', '7d']);
    expect(saved).toEqual({ code: 0, stdout: '', stderr: `saved ${path('top')}\n` });
    expect(readFileSync(path('top'), 'utf8')).toBe(
      [
        '# gatectl bda query run top',
        '',
        'data-set: pageview',
        'dimension: [country]',
        'metric: [visits]',
        'filter: ["country=DE,AT", visits>100]',
        'sort: [visits:desc]',
        'last: 7d',
        '',
      ].join('\n'),
    );
    expect(statSync(path('top')).mode & 0o777).toBe(0o600);
    expect((await printed(['top'])).date_range).toEqual({ start_date: '2026-03-07', end_date: '2026-03-13' });
    expect((await printed(['top'], { now: NOON + DAY })).date_range).toEqual({
      start_date: '2026-03-08',
      end_date: '2026-03-14',
    });
  });

  test('prints and sends the same as the flags it was saved from', async () => {
    const { gatectl: save, config } = place();
    const { server, gatectl } = await analytics(() => rowsReply(['{"country":"DE","visits":2}'], 1));
    const flags = [...TOP, '--filter', 'visits>=1.50', '--last', '2w', '--limit', '5', '--compare', 'year'];
    await save(['save', 'weekly', ...flags]);
    const env = { GATECTL_CONFIG_DIR: config, TZ: 'UTC' };
    for (const more of [[], ['--csv'], ['--curl'], ['--print']]) {
      const named = await gatectl(['bda', 'query', 'run', 'weekly', ...more], { env });
      expect(named.code).toBe(0);
      expect(named).toEqual(await gatectl(['bda', 'query', ...flags, ...more], { env }));
    }
    const bodies = server.received.map(({ body }) => body);
    expect(bodies.slice(0, bodies.length / 2).sort()).toEqual(bodies.slice(bodies.length / 2).sort());
    expect(sent(server)).toMatchObject({ limit: 5, filters: [{ column: 'visits' }] });
  });

  test('is saved from flags before the word, too: a query from the history with two words added', async () => {
    const { gatectl, path } = place();
    expect((await gatectl([...TOP, '--last', '7d', 'save', 'top'])).code).toBe(0);
    expect(readFileSync(path('top'), 'utf8')).toContain('metric: [visits]\nlast: 7d\n');
  });

  test('keeps JSON with its digits, which flags override', async () => {
    const { gatectl, path, printed, cwd } = place();
    const file = join(cwd, 'q.json');
    const body =
      '{"data_set":"pageview","metrics":["revenue"],"filters":[{"column":"revenue","operator":"greater_than","value":0.10000000000000000001}],"note":"1e400: a \\"#\\" and a: b"}';
    writeFileSync(file, body);
    expect((await gatectl(['save', 'json', file, '--last', '7d'])).code).toBe(0);
    expect(readFileSync(path('json'), 'utf8')).toContain('last: 7d\nquery:\n  {\n    "data_set"');
    const { stdout } = await gatectl(['run', 'json', '--print', '--sandbox', '-m', 'visits']);
    expect(stdout).toContain('"value": 0.10000000000000000001');
    expect(await printed(['json', '-m', 'visits'])).toMatchObject({
      metrics: ['visits'],
      note: '1e400: a "#" and a: b',
      date_range: { start_date: '2026-03-07' },
    });
    const shown = JSON.parse((await gatectl(['show', 'json', '--json'])).stdout);
    expect(shown).toMatchObject({ flags: { last: '7d' }, query: { data_set: 'pageview' } });
    expect(shown).not.toHaveProperty('command');
  });

  test('is listed, shown and deleted', async () => {
    const { gatectl, path, write } = place();
    expect(await gatectl(['list'])).toMatchObject({
      code: 0,
      stdout: 'no saved query yet; save one with: gatectl bda query save NAME --data-set …\n',
    });
    expect((await gatectl(['list', '--json'])).stdout).toBe('[]\n');
    await gatectl(['save', 'b', ...TOP, '--filter', "page_title:contains:it's", '--last', '7d']);
    write('a', 'metrics: visits\n');
    const listed = await gatectl(['list', '--json']);
    const command =
      "--data-set pageview --dimension country --metric visits --filter 'page_title:contains:it'\\''s' --last 7d";
    expect(JSON.parse(listed.stdout)).toEqual([
      { name: 'a', place: 'user', flags: null, path: path('a') },
      { name: 'b', place: 'user', flags: command, path: path('b') },
    ]);
    expect(listed.stderr).toBe(`warning: ${path('a')}:1:1: unknown setting "metrics"\n`);
    expect((await gatectl(['show', 'b'])).stdout).toBe(readFileSync(path('b'), 'utf8'));
    expect((await gatectl(['show', 'b', '--jq', '.command'])).stdout).toBe(`gatectl bda query ${command}\n`);
    expect(await gatectl(['delete', 'b'])).toEqual({
      code: 0,
      stdout: '',
      stderr: `deleted ${path('b')}\n`,
    });
    expect(existsSync(path('b'))).toBe(false);
  });

  test('needs no days: they may be given when it runs', async () => {
    const { gatectl, printed } = place();
    expect((await gatectl(['save', 'top', ...TOP])).stderr).toContain(
      'note: top has no days: pass them when you run it, such as --last 7d\n',
    );
    const { code, stderr } = await gatectl(['run', 'top', '--print', '--sandbox']);
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 2,
      first: 'error: date_range is required',
    });
    expect(await printed(['top', '--from', '2026-01-01', '--to', '2026-01-02'])).toMatchObject({
      date_range: { start_date: '2026-01-01', end_date: '2026-01-02' },
    });
  });

  test('is completed by its name', async () => {
    const { gatectl, config, cwd, path } = place();
    await gatectl(['save', 'top-pages', ...TOP, '--last', '7d']);
    const { stdout } = await run(['__complete', 'fish', '.', 'bda', 'query', 'run'], {
      env: { GATECTL_CONFIG_DIR: config },
      cwd,
    });
    expect(stdout).toContain(`\ntop-pages\t${path('top-pages')}\n`);
  });
});

describe('flags of a run replace saved ones', () => {
  const saved = ['data-set: pageview', 'metric: [visits]', 'dimension: [country]', 'limit: 10'];
  test.each<[string, string, readonly string[], object]>([
    ['a list is replaced', 'last: 7d', ['-d', 'device'], { dimensions: ['device'], metrics: ['visits'] }],
    [
      'a span replaces days',
      'from: 2026-01-01\nto: 2026-01-31',
      ['--last', '1d'],
      { date_range: { start_date: '2026-03-13', end_date: '2026-03-13' } },
    ],
    [
      'days replace a span',
      'last: 7d',
      ['--from', '2026-01-01', '--to', '2026-01-02'],
      { date_range: { start_date: '2026-01-01', end_date: '2026-01-02' } },
    ],
    [
      'one end keeps the other',
      'from: 2026-01-01\nto: 2026-01-31',
      ['--to', '2026-02-01'],
      { date_range: { start_date: '2026-01-01', end_date: '2026-02-01' } },
    ],
    [
      'today is added',
      'last: 2d',
      ['--include-today'],
      { date_range: { start_date: '2026-03-13', end_date: '2026-03-14' } },
    ],
    [
      'today is not kept for other days',
      'last: 2d\ninclude-today: true',
      ['--last', '1d'],
      { date_range: { start_date: '2026-03-13', end_date: '2026-03-13' } },
    ],
    ['--all replaces a limit', 'last: 7d', ['--all'], { limit: 100_000 }],
    ['a site replaces sites', 'last: 7d\ndomain: [example.org]', ['--domain-id', '4'], { domain_id: 4 }],
  ])('%s', async (_, days, flags, expected) => {
    const { write, printed } = place();
    write('q', [...saved, days, ''].join('\n'));
    expect(await printed(['q', ...flags])).toMatchObject(expected);
  });
});

describe('a query that cannot be saved', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['a bad name', ['a/b', ...TOP], /^error: "a\/b" is not a valid name for a query\n {2}use letters/],
    ['a device of Windows', ['nul', ...TOP], /^error: "nul" is not a valid name/],
    ['no query', ['x'], /^error: there is no query to save\n {2}type gatectl bda query save x --data-set/],
    ['an invalid day', ['x', ...TOP, '--last', '7x'], /^error: invalid --last '7x'\n/],
    [
      'two ranges',
      ['x', ...TOP, '--last', '7d', '--month', 'Oct'],
      /^error: --last 7d and --month Oct cannot be combined\n/,
    ],
    ['a bad filter', ['x', ...TOP, '--filter', 'visits'], /^error: .*visits/],
    [
      'a column twice',
      ['x', ...TOP, '-m', 'visits'],
      /^error: metrics\[1\] \(--metric visits\) is a duplicate of 'visits'\n/,
    ],
    [
      'a chart, which is for a run',
      ['x', ...TOP, '--chart'],
      /^error: unknown option '--chart'\n {2}pass it when the query runs: gatectl bda query run NAME\n/,
    ],
    [
      'a key',
      ['x', ...TOP, '--filter', `page_url:contains:developerKey=abc`],
      /^error: the query contains an API key/,
    ],
    [
      'the key of the environment',
      ['x', ...TOP, '--filter', `country=${KEY}`],
      /^error: the query contains an API key/,
    ],
    ['a file that is not there', ['x', 'missing.json'], /^error: no such file: missing\.json\n/],
  ])('%s', async (_, args, message) => {
    const { gatectl, config } = place();
    const { code, stdout, stderr } = await gatectl(['save', ...args], { env: { GATECTL_API_KEY: KEY } });
    expect({ code: code === 9 ? 2 : code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(existsSync(join(config, 'queries'))).toBe(false);
  });

  test('an existing one is replaced only with --replace', async () => {
    const { gatectl, path } = place();
    await gatectl(['save', 'x', ...TOP, '--last', '7d']);
    expect(await gatectl(['save', 'x', ...TOP, '--last', '1d'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: the saved query x already exists: ${path('x')}\n  choose another name, or add --replace\n`,
    });
    await gatectl(['save', 'x', ...TOP, '--last', '1d', '--replace']);
    expect(readFileSync(path('x'), 'utf8')).toContain('last: 1d');
  });

  test('an option of the query that a subcommand does not have is not ignored', async () => {
    const { gatectl } = place();
    expect((await gatectl(['--all', ...TOP, 'save', 'x'])).stderr).toContain("unknown option '--all'");
    expect((await gatectl(['-m', 'visits', 'list'])).stderr).toContain("unknown option '--metric'");
    const audit = await run(['access', '--exit-code', 'audit', '--product', 'p', '--from-file', '-']);
    expect(audit).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown option '--exit-code'") });
  });
});

describe('a file edited by hand', () => {
  test.each<[text: string, place: string, problem: string]>([
    ['metrics: visits\n', '1:1', 'unknown setting "metrics"\n  did you mean metric?'],
    ['data_set: pageview\n', '1:1', 'unknown setting "data_set"\n  did you mean data-set?'],
    [
      'out: x.csv\n',
      '1:1',
      'out is not part of a saved query\n  pass it when you run the query: gatectl bda query run NAME --out',
    ],
    ['metric: visits\nlimit: ten\n', '2:8', 'limit must be an integer from 1 to 100000'],
    [
      'metric: visits\ncompare: lastyear\n',
      '2:10',
      "cannot compare with 'lastyear': not a period\n  pass previous or year, a period such as 2026-09 or 2026-Q3, or days as 2026-09-01..2026-09-14",
    ],
    ['metric:\n  - visits\n  - {a: b}\n', '3:5', 'metric must be text'],
    ['metric:\n', '1:8', 'metric has no value'],
    ['limit: [1, 2]\n', '1:8', 'limit must be an integer from 1 to 100000'],
    ['match-weekdays: 1\n', '1:17', 'match-weekdays must be true or false'],
    ['metric: a\nmetric: b\n', '2:1', 'duplicate setting'],
    [
      'metric: [a\n',
      '2:1',
      'not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['- metric\n', '1:1', 'the file must be a map'],
    [
      'api-key: k-123\n',
      '1:1',
      '"api-key": the file must not contain secrets\n  gatectl reads the key from a profile or from GATECTL_API_KEY',
    ],
    ['query: pageview\n', '1:8', 'query must be a query as API JSON'],
    ['query:\n  limit: .inf\n', '2:10', '.inf is not a JSON number'],
    [
      'data-set: pageview\nmetric: visits\nlast: 7x\n',
      '3:7',
      "invalid --last '7x'\n  pass a number of days, weeks, months or years: 7d, 4w, 3m, 1y",
    ],
  ])('%j is rejected at line and column', async (text, at, problem) => {
    const { gatectl, write } = place();
    const path = write('q', text);
    expect(await gatectl(['run', 'q', '--sandbox'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${path}:${at}: ${problem}\n`,
    });
  });

  test('may have single values, numbers, dates and switches', async () => {
    const { write, printed } = place();
    write('q', 'data-set: pageview\nmetric: visits,revenue\nperiod: 2025\nlimit: 7\nmatch-weekdays: false\n');
    expect(await printed(['q'])).toMatchObject({
      metrics: ['visits', 'revenue'],
      date_range: { start_date: '2025-01-01', end_date: '2025-12-31' },
      limit: 7,
    });
  });

  test('one that others can change is not read', async () => {
    const { gatectl, write } = place();
    chmodSync(write('q', 'metric: visits\n'), 0o666);
    const { code, stderr } = await gatectl(['run', 'q', '--sandbox']);
    expect(code).toBe(9);
    expect(stderr).toContain('q.yaml is ignored: other users can change it; run chmod go-w on it');
  });
});

describe('a query that does not exist', () => {
  test('gives a hint with the nearest name, or all', async () => {
    const { gatectl } = place();
    expect((await gatectl(['run', 'x'])).stderr).toBe(
      'error: no saved query x\n  save one with: gatectl bda query save NAME --data-set …\n',
    );
    await gatectl(['save', 'top-pages', ...TOP, '--last', '7d']);
    expect((await gatectl(['run', 'top-page'])).stderr).toBe(
      'error: no saved query top-page\n  did you mean top-pages?\n',
    );
    expect((await gatectl(['show', 'revenue'])).stderr).toBe(
      'error: no saved query revenue\n  saved queries: top-pages\n',
    );
    expect((await gatectl(['top-pages'])).stderr).toBe(
      'error: no such file: top-pages\n  to run the saved query, type gatectl bda query run top-pages\n',
    );
  });
});

describe("a project's queries", () => {
  test('are stored next to the project file, found below it, and precede those of the user', async () => {
    const { gatectl, cwd, path, printed } = place();
    writeFileSync(join(cwd, '.gatectl.yaml'), 'timeout: 9\n');
    const below = join(cwd, 'src', 'pages');
    mkdirSync(below, { recursive: true });
    await gatectl(['save', 'top', ...TOP, '--last', '7d']);
    const own = join(cwd, '.gatectl', 'queries', 'top.yaml');
    expect(await gatectl(['save', 'top', ...TOP, '--last', '1d', '--project'], { cwd: below })).toEqual({
      code: 0,
      stdout: '',
      stderr: `saved ${own}\n`,
    });
    expect((await printed(['top'], { cwd: below })).date_range.start_date).toBe('2026-03-13');
    expect((await printed(['top'], { cwd: temporaryFolder() })).date_range.start_date).toBe('2026-03-07');
    expect(JSON.parse((await gatectl(['list', '--json'])).stdout)).toMatchObject([
      { name: 'top', place: 'project', path: own },
    ]);
    const again = await gatectl(['save', 'top', ...TOP, '--last', '2d', '--replace']);
    expect(again.stderr).toBe(`saved ${path('top')}\nwarning: in this project, top is ${own}\n`);
    await gatectl(['delete', 'top']);
    expect((await gatectl(['delete', 'top'])).stderr).toBe(
      'error: no saved query top of the user\n  the project has one: add --project\n',
    );
    await gatectl(['delete', 'top', '--project']);
    expect(existsSync(own)).toBe(false);
  });

  test('are stored in the root of the repository without a project file', async () => {
    const { gatectl, cwd } = place();
    mkdirSync(join(cwd, '.git'));
    mkdirSync(join(cwd, 'docs'));
    await gatectl(['save', 'top', ...TOP, '--last', '7d', '--project'], { cwd: join(cwd, 'docs') });
    expect(existsSync(join(cwd, '.gatectl', 'queries', 'top.yaml'))).toBe(true);
  });
});

test('a file has the flags that were saved, whatever their values are', () => {
  const text = fc
    .oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('2026-10', '10', 'true', 'null', '~', '1e3', '- a', 'a: b', '#x'),
    )
    .filter(each => each.trim() !== '' && !each.includes('\0'));
  const name = text.filter(each => !each.includes(',') && each === each.trim());
  const flags = fc.record(
    {
      dataSet: text,
      dimension: fc.array(name),
      metric: fc.array(name),
      filter: fc.array(text),
      filterJson: fc.array(text),
      last: text,
      period: text,
      limit: fc.integer({ min: 1, max: 100_000 }),
      domainId: fc.integer({ min: 0, max: 2 ** 40 }),
      matchWeekdays: fc.boolean(),
      compare: fc.constantFrom('previous', 'year'),
      domain: fc.array(name),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(flags, given => {
      const saved = given as Partial<SavedFlags>;
      const read = parseSavedQuery('q.yaml', savedQueryText('q', saved, {}));
      expect(fieldsOf(read.flags)).toEqual(fieldsOf(saved));
    }),
  );
});
