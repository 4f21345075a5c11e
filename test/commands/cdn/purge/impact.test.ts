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
      'note: impact of 2 pages from 2026-03-07 to 2026-03-13: 100 page views (10%), 80 visits, revenue 0.75; 2 had views\n',
    );
    expect(ran.stdout).toContain('"revenue": 0.7500000000000001');
    expect(JSON.parse(ran.stdout).impact).toMatchObject({
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
    const urls = ['https://www.example.com/', 'https://www.example.com/a'];
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
    expect((await purge('--all', '--yes', '--impact')).stderr).toContain('1,000 page views (100%)');
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

  const without = (name: string) => ROWS.map(row => ({ ...row, [name]: undefined }));
  test.each<[string, unknown, number, string]>([
    [
      'no page views',
      { rows: [], total_rows: 0 },
      2,
      'there are no page views from 2026-03-07 to 2026-03-13',
    ],
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
    expect(ran.stderr).toContain('error: the impact of surrogate keys is not known: analytics count URLs\n');
    expect((await purge(...args)).code).toBe(0);
  });

  test.each([
    [['--key', 'k', '--impact'], 'the impact of surrogate keys is not known: analytics count URLs'],
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
    { now: NOON, env: { TZ: 'UTC' } },
  );
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(
    /impact of 1 page from 2026-03-07 to 2026-03-13: [\d,]+ page views \([\d.]+%\).*; 1 had views/,
  );
});
