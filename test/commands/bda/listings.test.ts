import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';
import { analytics, BASE, KEY, paging, sent } from './analytics.ts';

const LISTING = {
  columns: [
    {
      name: 'page_title',
      type: 'string',
      unit: null,
      description: 'Title of the page',
      data_sets: ['pageview'],
    },
    {
      name: 'visits',
      type: 'number',
      unit: 'count',
      description: 'Visits',
      data_sets: ['pageview', 'visit'],
    },
    {
      name: 'epmv',
      type: 'number',
      unit: 'USD',
      description: 'Revenue per thousand visits',
      data_sets: ['visit'],
    },
  ],
};
const json = (value: unknown) => ({ body: JSON.stringify(value) });

describe('a listing', () => {
  test.each([
    ['domains', '/gateway/bdaservices/v2/domains'],
    ['columns', '/gateway/bdaservices/v2/columns'],
    ['data-sets', '/gateway/bdaservices/v2/data-sets'],
    ['date-range', '/gateway/bdaservices/v2/date-range'],
  ])('bda %s sends the key only in the header', async (command, target) => {
    const { server, gatectl } = await analytics(() => json([]));
    expect((await gatectl(['bda', command, '--json'])).stdout).toBe('[]\n');
    expect(server.received.map(({ method, target }) => ({ method, target }))).toEqual([
      { method: 'GET', target },
    ]);
    expect(server.received[0]?.headers['x-api-key']).toBe(KEY);
  });

  test.each([
    ['objects in an object', { domains: [{ id: 1, name: 'example.com' }] }, 'id  name\n 1  example.com\n'],
    ['strings', ['pageview', 'visit'], 'pageview\nvisit\n'],
    ['fields', { first: '2025-01-01', last: '2026-01-01' }, 'first  2025-01-01\nlast   2026-01-01\n'],
    ['one word', 'pageview', 'pageview\n'],
    ['two lists', { a: [1], b: ['x'] }, 'a  [1]\nb  ["x"]\n'],
  ])('of %s is shown', async (_, body, shown) => {
    const { gatectl } = await analytics(() => json(body));
    expect(await gatectl(['bda', 'domains'])).toEqual({ code: 0, stdout: shown, stderr: '' });
  });

  test('passes through unchanged as json, with all digits', async () => {
    const { gatectl } = await analytics(() => ({
      body: '{"list":[{"id":12345678901234567890}],"x":1.0E+3}',
    }));
    const { stdout } = await gatectl(['bda', 'data-sets', '--json']);
    expect(stdout).toContain('12345678901234567890');
    expect(stdout).toContain('1.0E+3');
  });

  test('rejected by a code word under 200 is a refusal', async () => {
    const { gatectl } = await analytics(() => json({ error: { code: 'unauthorized', message: 'bad key' } }));
    const { code, stdout, stderr } = await gatectl(['bda', 'domains']);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('error: bad key');
  });
});

describe('the columns on a terminal', () => {
  const WIDE = {
    columns: [
      {
        name: 'engaged_pageviews_per_visit',
        type: 'number',
        unit: 'count per visit',
        description: 'Engaged page views divided by visits',
        role: 'metric',
        data_sets: ['pageview', 'visit'],
      },
      { name: 'site', type: 'string', unit: null, description: 'Domain of the site', role: 'dimension' },
    ],
  };

  test.each([
    [
      80,
      `name                         type    unit             description
engaged_pageviews_per_visit  number  count per visit  Engaged page views divided
                                                      by visits
site                         string  –                Domain of the site

omitted in this width: role, data_sets; -o json includes them
`,
    ],
    [
      101,
      `name                         type    unit             description                           role
engaged_pageviews_per_visit  number  count per visit  Engaged page views divided by visits  metric
site                         string  –                Domain of the site                    dimension

omitted in this width: data_sets; -o json includes them
`,
    ],
    [
      140,
      `name                         type    unit             description                           role       data_sets
engaged_pageviews_per_visit  number  count per visit  Engaged page views divided by visits  metric     ["pageview","visit"]
site                         string  –                Domain of the site                    dimension  –
`,
    ],
  ])('%i wide keep names and meanings readable', async (columns, shown) => {
    const { gatectl } = await analytics(() => json(WIDE));
    const printed = await gatectl(['bda', 'columns', '--no-color'], { columns, env: { LANG: 'C.UTF-8' } });
    expect(printed).toEqual({ code: 0, stdout: shown, stderr: '' });
  });

  test('are all in a pipe', async () => {
    const { gatectl } = await analytics(() => json(WIDE));
    expect((await gatectl(['bda', 'columns'])).stdout).toContain('data_sets\n');
  });
});

describe('names for completion', () => {
  const kept = (folder: string) =>
    readdirSync(join(folder, 'cache')).map(file => ({
      kind: file.replace(/-[0-9a-f]{16}\.json$/, ''),
      names: JSON.parse(readFileSync(join(folder, 'cache', file), 'utf8')).names,
    }));

  test.each([
    ['domains', { domains: [{ domain_id: 7, domain: 'example.com' }] }, [{ name: 'example.com', id: '7' }]],
    [
      'data-sets',
      [{ name: 'visit', description: 'Visits' }, 'pageview'],
      [{ name: 'visit', about: 'Visits' }, { name: 'pageview' }],
    ],
  ])('are cached from bda %s', async (command, body, names) => {
    const { gatectl } = await analytics(() => json(body));
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    await gatectl(['bda', command], { env });
    expect(kept(env.GATECTL_CONFIG_DIR)).toEqual([{ kind: command, names }]);
  });

  test('are cached whenever segments or custom reports are requested', async () => {
    const { gatectl } = await analytics(({ target }) =>
      json(
        target.includes('getsegments')
          ? [{ Id: 4, SegmentName: 'Phones' }]
          : target.includes('getcustomreports')
            ? [{ CustomReportId: 9, ReportName: 'Mine' }]
            : ['Pages'],
      ),
    );
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    await gatectl(['bda', 'segment', 'list'], { env });
    await gatectl(['bda', 'report', 'list'], { env });
    expect(kept(env.GATECTL_CONFIG_DIR).sort((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { kind: 'custom-reports', names: [{ id: '9', name: 'Mine' }] },
      { kind: 'reports', names: [{ name: 'Pages' }] },
      { kind: 'segments', names: [{ id: '4', name: 'Phones' }] },
    ]);
  });

  test.each([
    ['domains', ['example.com']],
    ['data-sets', ['pageview']],
    ['columns', LISTING],
    ['report list', ['Pages']],
    ['segment list', [{ Id: 4, SegmentName: 'Phones' }]],
  ])('are not cached from a bda %s response marked no-store', async (command, body) => {
    const headers = { 'cache-control': 'private, No-Store' };
    const { gatectl } = await analytics(() => ({ ...json(body), headers }));
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const { code, stderr } = await gatectl(['bda', ...command.split(' ')], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(existsSync(join(env.GATECTL_CONFIG_DIR, 'cache'))).toBe(false);
  });

  test('stay when a later listing names nothing, and a folder that cannot be written is not an error', async () => {
    const bodies = [['example.com'], { a: { b: 1 } }, ['example.com']];
    const { gatectl } = await analytics((_, index) => json(bodies[index]));
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    await gatectl(['bda', 'domains'], { env });
    await gatectl(['bda', 'domains'], { env });
    expect(kept(env.GATECTL_CONFIG_DIR)).toEqual([{ kind: 'domains', names: [{ name: 'example.com' }] }]);
    const file = join(temporaryFolder(), 'a-file');
    writeFileSync(file, '');
    const blocked = await gatectl(['bda', 'domains', '--json'], {
      env: { XDG_CACHE_HOME: join(file, 'below') },
    });
    expect({ code: blocked.code, stderr: blocked.stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('bda columns', () => {
  test('--search looks in names, descriptions and units, and not in data sets', async () => {
    const { gatectl } = await analytics(() => json(LISTING));
    const names = async (word: string) => {
      const { stdout } = await gatectl(['bda', 'columns', '--search', word, '--jq', '.columns[].name']);
      return stdout.split('\n').filter(line => line !== '');
    };
    expect(await names('VISITS')).toEqual(['visits', 'epmv']);
    expect(await names('usd')).toEqual(['epmv']);
    expect(await names('pageview')).toEqual([]);
  });

  test('--data-set keeps the columns of one data set', async () => {
    const { gatectl } = await analytics(() => json(LISTING));
    const { stdout } = await gatectl(['bda', 'columns', '--data-set', 'visit', '-o', 'csv']);
    expect(stdout.split('\n').map(line => line.split(',')[0])).toEqual(['name', 'visits', 'epmv', '']);
  });

  test('warns when it cannot filter the response', async () => {
    const { gatectl } = await analytics(() => json({ a: 1 }));
    const { code, stdout, stderr } = await gatectl(['bda', 'columns', '--search', 'x']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'a  1\n' });
    expect(stderr).toContain('warning: the response is not a list of columns, so it is not filtered');
  });

  test('stores the list for this user, per gateway and profile, and never prints from it', async () => {
    const { server, gatectl } = await analytics(() => json(LISTING));
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const cache = join(env.GATECTL_CONFIG_DIR, 'cache');
    await gatectl(['bda', 'columns'], { env });
    const [file = ''] = readdirSync(cache);
    expect(file).toMatch(/^columns-[0-9a-f]{16}\.json$/);
    expect(statSync(join(cache, file)).mode & 0o777).toBe(0o600);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(cache, file), 'utf8')).toContain('"epmv"');
    await gatectl(['bda', 'columns'], { env });
    expect(server.received.length).toBe(2);
    await gatectl(['bda', 'columns', '--base-url', `${server.baseUrl}/below`], { env });
    expect(readdirSync(cache).length).toBe(2);
  });

  test('lists even if nothing can be cached; --refresh then fails', async () => {
    const { gatectl } = await analytics(() => json(LISTING));
    const file = join(temporaryFolder(), 'a-file');
    writeFileSync(file, '');
    const env = { XDG_CACHE_HOME: join(file, 'below') };
    expect((await gatectl(['bda', 'columns', '--json'], { env })).code).toBe(0);
    expect(await gatectl(['bda', 'columns', '--refresh'], { env })).toMatchObject({ code: 9, stdout: '' });
  });

  test('--refresh fails where the server marks the columns no-store', async () => {
    const { gatectl } = await analytics(() => ({
      ...json(LISTING),
      headers: { 'cache-control': 'no-store' },
    }));
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const { code, stderr } = await gatectl(['bda', 'columns', '--refresh'], { env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: the columns cannot be cached\n  the server marked the listing Cache-Control: no-store\n',
    });
  });

  test('--refresh prints how many columns are cached', async () => {
    const { gatectl } = await analytics(() => json(LISTING));
    const { code, stderr } = await gatectl(['bda', 'columns', '--refresh'], {
      env: { GATECTL_CONFIG_DIR: temporaryFolder() },
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'note: cached 3 columns for completion, suggestions and filter values\n',
    });
  });
});

describe('what is known of columns', () => {
  const answers = (request: { target: string; body: string }) =>
    request.target.endsWith('/columns') ? json(LISTING) : paging(['{"visits":1}'])(request as never);

  test('distinguishes a text that looks like a number from a number, with at most one request, and only if necessary', async () => {
    const { server, gatectl } = await analytics(answers);
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const filter = ['--filter', 'page_title=1984', '--filter', 'visits=3'];
    await gatectl([...BASE, '-m', 'visits', ...filter, '--csv'], { env });
    expect(server.received.map(({ target }) => target.split('/').pop())).toEqual(['columns', 'query']);
    expect(sent(server, 1).filters).toEqual([
      { column: 'page_title', operator: 'in', values: ['1984'] },
      { column: 'visits', operator: 'in', values: [3] },
    ]);
    await gatectl([...BASE, '-m', 'visits', ...filter, '--csv'], { env });
    expect(server.received.length).toBe(3);
  });

  test('is not requested if the expression is unambiguous', async () => {
    const { server, gatectl } = await analytics(answers);
    await gatectl([
      ...[...BASE, '-m', 'visits', '--filter', 'visits>3', '--filter', 'page_title="1984"'],
      ...['-o', 'csv'],
    ]);
    expect(server.received.length).toBe(1);
  });

  test('is not requested by --print and --curl, which send nothing', async () => {
    const { server, gatectl } = await analytics(answers);
    for (const flag of ['--print', '--curl']) {
      expect((await gatectl([...BASE, '-m', 'visits', '--filter', 'visits=3', flag])).code).toBe(0);
    }
    expect(server.received.length).toBe(0);
  });

  test('may be missing: the query is sent nevertheless', async () => {
    const { server, gatectl } = await analytics(request =>
      request.target.endsWith('/columns') ? { status: 404, body: '{}' } : paging([])(request),
    );
    expect((await gatectl([...BASE, '-m', 'visits', '--filter', 'visits=3'])).code).toBe(0);
    expect(sent(server, 1).filters).toEqual([{ column: 'visits', operator: 'in', values: [3] }]);
  });

  test('suggests a name where the API does not', async () => {
    const refusal = {
      error: {
        code: 'validation_error',
        message: 'no',
        details: [{ field: 'metrics[0]', message: 'unknown' }],
      },
    };
    const { gatectl } = await analytics(({ target }) =>
      json(target.endsWith('/columns') ? LISTING : refusal),
    );
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    await gatectl(['bda', 'columns'], { env });
    const { stderr } = await gatectl([...BASE, '-m', 'vists'], { env });
    expect(stderr).toContain("  metrics[0] (--metric vists): unknown; did you mean 'visits'?\n");
  });
});

test('the days with data are words for people, and ISO days for programs', async () => {
  const { stdout } = await run(['bda', 'date-range', '--sandbox', '--locale', 'en']);
  expect(stdout).toBe('Earliest date  Sat 8 Feb 2025\nLatest date    Sat 14 Mar 2026\n');
  const csv = await run(['bda', 'date-range', '--sandbox', '--csv']);
  expect(csv.stdout).toBe('earliest_date,latest_date\n2025-02-08,2026-03-14\n');
});
