import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { NOON, run } from '../../../support/run.ts';
import { type Reply, wireServer } from '../../../support/wire-server.ts';

const json = (body: unknown): Reply => ({ body: JSON.stringify(body) });
const ROWS = [
  { page_url: 'https://www.example.com/', pageviews: 900, visits: 700, revenue: 9.25 },
  { page_url: 'https://www.example.com/news', pageviews: 80, visits: 60, revenue: 0.5000000000000001 },
  { page_url: 'https://www.example.com/caf\u00e9?a=1', pageviews: 20, visits: 20, revenue: 0.25 },
];

/** A gateway with three pages. */
async function gateway(analytics: unknown = { rows: ROWS, total_rows: 3 }) {
  const server = await wireServer(({ target }) => {
    if (target.endsWith('/domains')) return json([{ id: 7, domain: 'example.com' }]);
    if (target.endsWith('/columns')) return json([{ name: 'country' }, { name: 'page_url' }]);
    if (target.endsWith('/query')) return json(analytics);
    return json({ Success: true, Error: '' });
  });
  onTestFinished(() => server.close());
  const home = temporaryFolder();
  return {
    home,
    async purge(...args: readonly string[]) {
      const from = server.received.length;
      const ran = await run(['cdn', 'purge', ...args], {
        now: NOON,
        env: {
          GATECTL_BASE_URL: server.baseUrl,
          GATECTL_API_KEY: 'some-key',
          GATECTL_DOMAIN: 'example.com',
          GATECTL_CONFIG_DIR: home,
          TZ: 'UTC',
        },
      });
      const received = server.received.slice(from);
      return {
        ...ran,
        purged: received.filter(({ target }) => target.includes('cache')).length,
        query: received.find(({ target }) => target.endsWith('/query'))?.body,
      };
    },
  };
}

describe('cdn purge --impact', () => {
  test('prints what the pages mean to readers before the purge, and adds it to the result', async () => {
    const { purge } = await gateway();
    const ran = await purge(
      'https://www.example.com/news#top',
      'https://www.example.com/caf%C3%A9?a=1',
      '--impact',
      '-o',
      'json',
    );
    expect([ran.code, ran.purged]).toEqual([0, 1]);
    expect(ran.stderr).toContain(
      'note: impact of 2 URLs from 7 to 13 March 2026: 100 page views (10.0 % of example.com), 80 visits, revenue 0.75\n',
    );
    expect(ran.stdout).toContain('"revenue": 0.7500000000000001');
    expect(JSON.parse(ran.stdout).impact).toMatchObject({
      completeness: 'complete',
      urls: 2,
      urls_without_figures: 0,
      pageviews: 100,
      pageviews_percent: 10,
      visits: 80,
    });
  });

  test('asks for the page views of the site as a CDN counts pages: with queries, without fragments', async () => {
    const { purge } = await gateway();
    const { query = '' } = await purge('https://www.example.com/', '--impact');
    expect(JSON.parse(query)).toMatchObject({
      data_set: 'pageview',
      date_range: { start_date: '2026-03-07', end_date: '2026-03-13' },
      dimensions: ['page_url'],
      metrics: ['pageviews', 'visits', 'revenue'],
      domain_id: 7,
      limit: 100_000,
      offset: 0,
      url_options: { query_params: 'include', fragments: 'exclude' },
    });
  });

  test('above --max-impact nothing is sent and nothing is stored', async () => {
    const { purge } = await gateway();
    const urls = ['https://www.example.com/', 'https://www.example.com/'];
    const ran = await purge(...urls, '--max-impact', '5%');
    expect([ran.code, ran.purged, ran.stdout]).toEqual([2, 0, '']);
    expect(ran.stderr).toContain(
      'error: these pages have 90% of the page views, more than --max-impact 5%\n  nothing was sent\n',
    );
    expect(await purge('--resume')).toMatchObject({ code: 2 });
    expect(await purge(...urls, '--max-impact', '90%')).toMatchObject({ code: 0, purged: 1 });
  });

  test('the whole domain has all page views', async () => {
    const { purge } = await gateway();
    expect(await purge('--all', '--yes', '--max-impact', '99.9%')).toMatchObject({ code: 2, purged: 0 });
    expect((await purge('--all', '--yes', '--impact')).stderr).toContain(
      '1,000 page views (100.0 % of example.com)',
    );
  });

  test('a purge of changes is guarded too', async () => {
    const { purge, home } = await gateway();
    writeFileSync(join(home, 'map.yaml'), 'site: https://www.example.com\n');
    const site = temporaryFolder();
    writeFileSync(join(site, 'index.html'), 'one');
    const args = ['--changed', site, '--map', join(home, 'map.yaml')];
    expect((await purge(...args, '--or-all', '--yes')).code).toBe(0);
    writeFileSync(join(site, 'index.html'), 'two');
    expect(await purge(...args, '--max-impact', '50%')).toMatchObject({ code: 2, purged: 0 });
    expect(await purge(...args)).toMatchObject({ code: 0, purged: 1 });
  });

  test('a URL without figures: --max-impact sends nothing, and names what it could not measure', async () => {
    const { purge } = await gateway();
    const missing = ['a', 'b', 'c', 'd'].map(path => `https://www.example.com/${path}`);
    const ran = await purge('https://www.example.com/news', ...missing, '--max-impact', '100%');
    expect([ran.code, ran.purged, ran.stdout]).toEqual([2, 0, '']);
    expect(ran.stderr).toContain(
      'error: --max-impact 100% cannot be checked: 4 of 5 URLs are not in the page views from 7 to 13 March 2026: https://www.example.com/a, https://www.example.com/b, https://www.example.com/c and 1 more\n' +
        '  nothing was sent: to purge pages without figures, omit --max-impact\n',
    );
    const { stderr } = await purge(...missing, '--max-impact', '100%', '-o', 'json');
    expect(JSON.parse(stderr.slice(stderr.indexOf('{'))).error).toMatchObject({
      code: 'impact_unknown',
      exit: 2,
    });
  });

  test('--impact of a URL without figures is a lower bound, and never zero', async () => {
    const { purge } = await gateway();
    const [known, unknown] = ['https://www.example.com/news', 'https://www.example.com/a'];
    const ran = await purge(known, unknown, '--impact', '-o', 'json');
    expect([ran.code, ran.purged]).toEqual([0, 1]);
    expect(ran.stderr).toBe(
      'warning: impact of 2 URLs from 7 to 13 March 2026: at least 80 page views (8.0 % of example.com), 60 visits, revenue 0.50; 1 of 2 URLs is not in the page views from 7 to 13 March 2026: https://www.example.com/a\n',
    );
    expect(JSON.parse(ran.stdout).impact).toMatchObject({
      completeness: 'incomplete',
      urls: 2,
      urls_without_figures: 1,
      without_figures: [unknown],
      pageviews: 80,
    });
    const none = await purge(unknown, '--impact');
    expect(none.stderr).toContain(
      'warning: impact of 1 URL from 7 to 13 March 2026 is not known: the URL is not in the page views',
    );
    expect(none.stdout).not.toContain('PAGE VIEWS');
    const { impact } = JSON.parse((await purge(unknown, '--impact', '-o', 'json')).stdout);
    expect(impact).toMatchObject({ completeness: 'unmeasured', pageviews: null, pageviews_percent: null });
  });

  test.each([
    'https://example.com/news',
    'http://www.example.com/news',
    'https://www.example.com:443/news',
    'http://example.com:80/news#top',
    'https://example.com/news/',
  ])('%s is the page that the analytics have as https://www.example.com/news', async url => {
    const { purge } = await gateway();
    const ran = await purge(url, '--max-impact', '7.99%');
    expect([ran.code, ran.purged]).toEqual([2, 0]);
    expect(ran.stderr).toContain(
      'error: these pages have 8% of the page views, more than --max-impact 7.99%',
    );
    expect(await purge(url, '--max-impact', '8%')).toMatchObject({ code: 0, purged: 1 });
  });

  test.each([
    'https://m.example.com/news',
    'https://example.com:8443/news',
    'https://example.com/news?a=1',
    'https://example.com/NEWS',
    'https://other.example.com/x',
  ])('%s is a page of its own, and without figures', async url => {
    const { purge } = await gateway();
    const ran = await purge(url, '--max-impact', '100%', '--any-domain');
    expect([ran.code, ran.purged]).toEqual([2, 0]);
    expect(ran.stderr).toContain(
      'error: --max-impact 100% cannot be checked: the URL is not in the page views',
    );
  });

  test('a share that rounds to the limit is above it, and the error shows by how much', async () => {
    const rows = [
      { page_url: 'https://example.com/a', pageviews: 500_001, visits: 1, revenue: 0 },
      { page_url: 'https://example.com/', pageviews: 9_499_999, visits: 1, revenue: 0 },
    ];
    const { purge } = await gateway({ rows, total_rows: 2 });
    const ran = await purge('https://example.com/a', '--max-impact', '5%');
    expect([ran.code, ran.purged]).toEqual([2, 0]);
    expect(ran.stderr).toContain(
      'error: these pages have 5.00001% of the page views, more than --max-impact 5%',
    );
  });

  test('a sitemap of pages without figures is refused, and nothing is sent', async () => {
    const { purge, home } = await gateway();
    const file = join(home, 'sitemap.xml');
    writeFileSync(file, '<urlset><url><loc>https://www.example.com/no-views</loc></url></urlset>');
    expect(await purge('--sitemap', file, '--max-impact', '100%')).toMatchObject({ code: 2, purged: 0 });
  });

  const without = (name: string) => ROWS.map(row => ({ ...row, [name]: undefined }));
  test.each<[string, unknown, number, string]>([
    ['no page views', { rows: [], total_rows: 0 }, 2, 'there are no page views from 7 to 13 March 2026'],
    ['no row of those that match', { rows: [], total_rows: 3 }, 6, 'received 0 rows, expected 3'],
    ['fewer rows than match', { rows: ROWS, total_rows: 4 }, 6, 'received 3 rows, expected 4'],
    ['no total', { rows: ROWS }, 6, 'the response has no total'],
    [
      'no URLs',
      { rows: without('page_url'), total_rows: 3 },
      6,
      'the column page_url is missing in every row',
    ],
    ['no counts', { rows: without('pageviews'), total_rows: 3 }, 6, 'the column pageviews is missing'],
    [
      'a page without a count',
      { rows: [...ROWS, { ...ROWS[0], pageviews: null }], total_rows: 4 },
      6,
      'the column pageviews is missing in 1 row',
    ],
  ])('with %s in the analytics, --max-impact sends nothing', async (_, analytics, code, message) => {
    const { purge } = await gateway(analytics);
    const ran = await purge('https://www.example.com/', '--max-impact', '100%');
    expect([ran.code, ran.purged, ran.stdout]).toEqual([code, 0, '']);
    expect(ran.stderr).toContain(message);
  });

  test('counts in quotes are counts', async () => {
    const rows = ROWS.map(row => ({ ...row, pageviews: String(row.pageviews) }));
    const { purge } = await gateway({ rows, total_rows: 3 });
    const ran = await purge('https://www.example.com/', '--max-impact', '89%');
    expect([ran.code, ran.purged]).toEqual([2, 0]);
    expect(ran.stderr).toContain('error: these pages have 90% of the page views');
  });

  test('changes that lead to surrogate keys are rejected with --max-impact', async () => {
    const { purge, home } = await gateway();
    const map = join(home, 'map.yaml');
    writeFileSync(map, 'rules:\n  - files: index.html\n    urls: /\n    keys: front\n');
    const site = temporaryFolder();
    writeFileSync(join(site, 'index.html'), 'one');
    const args = ['--changed', site, '--map', map];
    expect((await purge(...args, '--or-all', '--yes')).code).toBe(0);
    writeFileSync(join(site, 'index.html'), 'two');
    const ran = await purge(...args, '--max-impact', '100%');
    expect([ran.code, ran.purged]).toEqual([2, 0]);
    expect(ran.stderr).toContain(
      'error: --max-impact 100% cannot be checked: the pages of 1 surrogate key are not known\n',
    );
    expect((await purge(...args)).code).toBe(0);
  });

  test.each([
    [['--key', 'k', '--impact'], '--key and --impact cannot be combined'],
    [['https://www.example.com/', '--impact', '--curl'], '--impact and --curl cannot be combined'],
    [['https://www.example.com/', '--max-impact', '5'], "--max-impact cannot be '5'"],
    [['https://www.example.com/', '--max-impact', '101%'], "--max-impact cannot be '101%'"],
  ])('%j is rejected, and nothing is sent', async (args, message) => {
    const { purge } = await gateway();
    const ran = await purge(...args);
    expect([ran.code, ran.purged]).toEqual([2, 0]);
    expect(ran.stderr).toContain(`error: ${message}`);
  });
});

test('the sandbox has page views of its pages', async () => {
  const ran = await run(
    ['cdn', 'purge', 'https://www.example.com/weather', '--impact', '--sandbox', '--dry-run', '-o', 'json'],
    { now: NOON, env: { TZ: 'UTC', GATECTL_CONFIG_DIR: temporaryFolder() } },
  );
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(
    /impact of 1 URL from 7 to 13 March 2026: [\d,]+ page views \([\d.]+ % of example.com\), [\d,]+ visits, revenue [\d.]+ USD\n/,
  );
});

test.each(['https://example.com/sitemap.xml', 'https://www.example.com/sitemap.xml'])(
  'the sandbox has page views of every page of %s',
  async sitemap => {
    const args = ['--sitemap', sitemap, '--max-impact', '60%', '--sandbox', '--dry-run'];
    const ran = await run(['cdn', 'purge', ...args, '-o', 'json'], {
      now: NOON,
      env: { TZ: 'UTC', GATECTL_CONFIG_DIR: temporaryFolder() },
    });
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('impact of 7 URLs')]);
    expect(
      await run(['cdn', 'purge', ...args.with(3, '10%')], {
        now: NOON,
        env: { TZ: 'UTC', GATECTL_CONFIG_DIR: temporaryFolder() },
      }),
    ).toMatchObject({ code: 2 });
  },
);

test('--max-impact refuses the front page of the sandbox without www.', async () => {
  const front = await run(['cdn', 'purge', 'https://example.com/', '--max-impact', '0.1%', '--sandbox'], {
    now: NOON,
    env: { TZ: 'UTC', GATECTL_CONFIG_DIR: temporaryFolder() },
  });
  expect([front.code, front.stdout]).toEqual([2, '']);
  expect(front.stderr).toContain(
    'error: these pages have 15.91% of the page views, more than --max-impact 0.1%',
  );
});
