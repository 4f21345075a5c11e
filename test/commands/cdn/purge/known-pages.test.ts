import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { NOON, run } from '../../../support/run.ts';
import { type Reply, wireServer } from '../../../support/wire-server.ts';

const json = (body: unknown): Reply => ({ body: JSON.stringify(body) });
const sitemap = (origin: string, pages: Readonly<Record<string, string>>) =>
  `<urlset>${Object.entries(pages)
    .map(([path, date]) => `<url><lastmod>${date}</lastmod><loc>${origin}${path}</loc></url>`)
    .join('')}</urlset>`.replaceAll('<lastmod></lastmod>', '');

/** One server that is gateway and site. */
async function site(
  pages: Readonly<Record<string, string>>,
  robots?: (origin: string) => string,
  analytics: (rows: readonly object[]) => unknown = rows => ({ rows, total_rows: rows.length }),
) {
  let fails = false;
  const server = await wireServer(({ target, headers }) => {
    const origin = `http://${headers.host}`;
    if (target === '/robots.txt') return robots === undefined ? { status: 404 } : { body: robots(origin) };
    if (target === '/sitemap.xml') return { body: sitemap(origin, pages) };
    if (target === '/news.xml') return { body: sitemap(origin, { '/sport/live': '', '/news': '' }) };
    if (target.endsWith('/domains')) return json([]);
    if (target.endsWith('/columns')) return json([{ name: 'page_url' }]);
    if (target.endsWith('/query'))
      return json(
        analytics([
          { page_url: `${origin}/sport/old?p=2`, pageviews: 1, visits: 1, revenue: 0 },
          { page_url: `${origin}/`, pageviews: 9, visits: 1, revenue: 0 },
        ]),
      );
    return json({ Success: !fails, Error: fails ? 'no' : '' });
  });
  onTestFinished(() => server.close());
  const home = temporaryFolder();
  return {
    origin: server.baseUrl,
    fail(next: boolean) {
      fails = next;
    },
    async purge(args: readonly string[], now = NOON) {
      const from = server.received.length;
      const ran = await run(
        ['cdn', 'purge', ...(args.includes('--domain') ? [] : ['--any-domain']), ...args],
        {
          now,
          env: {
            GATECTL_BASE_URL: server.baseUrl,
            GATECTL_API_KEY: 'some-key',
            GATECTL_DOMAIN: 'example.com',
            GATECTL_CONFIG_DIR: home,
            TZ: 'UTC',
          },
        },
      );
      const sent = server.received.slice(from).flatMap(({ target, body }) => {
        if (!target.includes('cache')) return [];
        const { url, urls } = JSON.parse(body);
        return (urls ?? [url]) as string[];
      });
      return { ...ran, sent: sent.map(each => each.replace(server.baseUrl, '')).sort() };
    },
  };
}

describe('cdn purge --sitemap --changed-since', () => {
  const PAGES = { '/old': '2026-03-10', '/new': '2026-03-14T11:00:00Z' };

  test('a day: pages that changed since, and those that do not say', async () => {
    const { origin, purge } = await site({ ...PAGES, '/never': '' });
    const ran = await purge(['--sitemap', `${origin}/sitemap.xml`, '--changed-since', 'yesterday']);
    expect([ran.code, ran.sent]).toEqual([0, ['/never', '/new']]);
    expect(ran.stderr).toContain('note: included 1 page without a valid lastmod\n');
  });

  test('last: pages that changed since the last purge that succeeded', async () => {
    const { origin, purge, fail } = await site(PAGES);
    const args = ['--sitemap', `${origin}/sitemap.xml`, '--changed-since'];
    const first = await purge([...args, 'last']);
    expect([first.code, first.sent]).toEqual([2, []]);
    expect(first.stderr).toContain(
      'is confirmed yet, so what changed since is not known\n  nothing was sent: type a day',
    );
    fail(true);
    expect((await purge([...args, '2026-03-14'])).code).toBe(5);
    expect((await purge([...args, 'last'])).code).toBe(2);
    fail(false);
    expect((await purge([...args, '2026-03-14', '--dry-run'])).code).toBe(0);
    expect((await purge([...args, 'last'])).code).toBe(2);
    expect((await purge([...args, '2026-03-01'], Date.UTC(2026, 2, 14, 10))).sent).toEqual(['/new', '/old']);
    expect((await purge([...args, 'last'])).sent).toEqual(['/new']);
    const none = await purge([...args, 'last']);
    expect([none.code, none.sent]).toEqual([0, []]);
    expect(none.stderr).toContain('note: no page changed\n');
  });

  test('a sitemap without lastmod: nothing is sent', async () => {
    const { origin, purge } = await site({ '/a': '', '/b': 'long ago' });
    const ran = await purge(['--sitemap', `${origin}/sitemap.xml`, '--changed-since', '2026-03-01']);
    expect([ran.code, ran.sent]).toEqual([2, []]);
    expect(ran.stderr).toContain('has no valid lastmod, so it is unknown which pages changed\n');
  });

  test.each([
    [['--changed-since', 'last', 'https://example.com/'], 'URL and --changed-since cannot be combined'],
    [['--sitemap', 'a.xml', '--changed-since', 'whenever'], "--changed-since cannot be 'whenever'"],
  ])('%j is rejected', async (args, message) => {
    const ran = await (await site({})).purge(args);
    expect([ran.code, ran.sent]).toEqual([2, []]);
    expect(ran.stderr).toContain(`error: ${message}`);
  });
});

describe('cdn purge --prefix', () => {
  const PAGES = { '/sport/a': '', '/sport/': '', '/sports': '', '/news': '' };

  test('purges the pages that sitemap and analytics name, and says what it cannot know', async () => {
    const { origin, purge } = await site(PAGES);
    const ran = await purge(['--prefix', `${origin}/sport/`]);
    expect([ran.code, ran.sent]).toEqual([0, ['/sport/', '/sport/a', '/sport/old?p=2']]);
    expect(ran.stderr).toContain(
      `note: 3 URLs below ${origin}/sport/: 2 from sitemaps, 1 from analytics of 30 days\nwarning: other pages stay cached: the API has no purge by prefix\n`,
    );
  });

  test.each([
    ['fewer rows than the total', (rows: readonly object[]) => ({ rows, total_rows: 9 })],
    ['no URLs', () => ({ rows: [{ pageviews: 1, visits: 1, revenue: 0 }], total_rows: 1 })],
  ])('analytics with %s: nothing is sent', async (_, analytics) => {
    const { origin, purge } = await site(PAGES, undefined, analytics);
    const ran = await purge(['--prefix', `${origin}/sport/`]);
    expect([ran.code, ran.sent]).toEqual([6, []]);
    expect(ran.stderr).toContain('error: the page views are not complete: ');
  });

  test('analytics with a row without a URL: a warning says so', async () => {
    const { origin, purge } = await site(PAGES, undefined, rows => ({
      rows: [...rows, { page_url: null, pageviews: 1, visits: 1, revenue: 0 }],
      total_rows: 3,
    }));
    const ran = await purge(['--prefix', `${origin}/sport/`]);
    expect([ran.code, ran.sent]).toEqual([0, ['/sport/', '/sport/a', '/sport/old?p=2']]);
    expect(ran.stderr).toContain(
      'warning: the page views may not be complete: the column page_url is missing in 1 row\n',
    );
  });

  test('--known-from chooses the sources', async () => {
    const { origin, purge } = await site(PAGES);
    const prefix = ['--prefix', `${origin}/sport/`, '--known-from'];
    expect((await purge([...prefix, 'analytics:7d'])).sent).toEqual(['/sport/old?p=2']);
    expect((await purge([...prefix, `sitemap:${origin}/news.xml`])).sent).toEqual(['/sport/live']);
  });

  test('robots.txt names the sitemaps', async () => {
    const { origin, purge } = await site(PAGES, own => `Sitemap: ${own}/news.xml\n`);
    const ran = await purge(['--prefix', `${origin}/sport/`, '--known-from', 'sitemap']);
    expect(ran.sent).toEqual(['/sport/live']);
  });

  test.each([
    [['--prefix', 'https://www.example.com/nothing', '--known-from', 'tea'], "--known-from cannot be 'tea'"],
    [
      ['--prefix', 'https://www.example.com/nothing', '--known-from', 'analytics'],
      'no URL below https://www.example.com/nothing is known: 0 from analytics of 30 days',
    ],
    [['--prefix', '/sport/'], 'the prefix /sport/ is a path: type the full URL'],
    [['--known-from', 'sitemap', 'https://example.com/'], 'URL and --known-from cannot be combined'],
  ])('%j is rejected, and nothing is sent', async (args, message) => {
    const ran = await (await site({})).purge(args);
    expect([ran.code, ran.sent]).toEqual([2, []]);
    expect(ran.stderr).toContain(`error: ${message}`);
  });
});
