import { describe, expect, onTestFinished, test } from 'vitest';
import { version } from '../../../../package.json';
import { OriginHealth } from '../../../../src/apis/cdn/origin-health.ts';
import { stageSizes } from '../../../../src/operations/purge/url-stages.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { NOON, run } from '../../../support/run.ts';
import { type Reply, wireServer } from '../../../support/wire-server.ts';

const json = (body: unknown): Reply => ({ body: JSON.stringify(body) });

interface SiteOptions {
  /** Page views by path. */
  readonly views?: Readonly<Record<string, number>>;
  readonly robots?: string;
  /** The response to a fetched page. */
  readonly page?: (path: string) => Reply;
}

/** One server that is gateway, CDN and site. */
async function site({ views = {}, robots = '', page = () => ({ body: 'page' }) }: SiteOptions = {}) {
  const events: string[] = [];
  const methods = new Set<string>();
  const server = await wireServer(({ method, target, headers, body }) => {
    const origin = `http://${headers.host}`;
    if (target === '/robots.txt') return { body: robots };
    if (target.endsWith('/domains')) return json([]);
    if (target.endsWith('/columns')) return json([{ name: 'page_url' }]);
    if (target.endsWith('/query')) {
      const pages = Object.entries(views).sort(([, one], [, other]) => other - one);
      return json({ rows: pages.map(([path, pageviews]) => ({ page_url: origin + path, pageviews })) });
    }
    if (!target.startsWith('/cdnservices')) {
      methods.add(`${method} ${headers['user-agent']}`);
      events.push(target);
      return page(target);
    }
    const { domain, url = domain, urls = [url] } = JSON.parse(body);
    events.push(`purge ${urls.map((each: string) => each.replace(origin, '')).join(' ')}`);
    return urls.some((each: string) => each.endsWith('/poisoned'))
      ? json({ Success: false, Error: 'no' })
      : json({ Success: true, Error: '' });
  });
  onTestFinished(() => server.close());
  const home = temporaryFolder();
  return {
    events,
    methods,
    async purge(paths: readonly string[], ...args: readonly string[]) {
      return await run(['cdn', 'purge', '--any-domain', ...args, ...(paths.length > 0 ? ['-'] : [])], {
        now: NOON,
        input: paths.map(path => server.baseUrl + path).join('\n'),
        env: {
          GATECTL_BASE_URL: server.baseUrl,
          GATECTL_API_KEY: 'some-key',
          GATECTL_DOMAIN: 'example.com',
          GATECTL_CONFIG_DIR: home,
          TZ: 'UTC',
        },
      });
    },
  };
}

const paths = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

describe('cdn purge --stage', () => {
  test('purges ever larger parts of the list, each URL once', async () => {
    const { events, purge } = await site();
    const ran = await purge(paths(10), '--stage', '10%,50%,100%');
    expect(ran.code).toBe(0);
    expect(events).toEqual(['purge /0', 'purge /1 /2 /3 /4', 'purge /5 /6 /7 /8 /9']);
    expect(ran.stderr).toContain('note: stage 1 of 3: purged 1 of 10\nnote: stage 2 of 3: purged 5 of 10\n');
  });

  test('stops at a stale page; --resume purges the rest', async () => {
    let isStale = true;
    const { events, purge } = await site({
      page: () => ({ headers: { age: isStale ? '900' : '0' }, body: 'x' }),
    });
    const ran = await purge(paths(4), '--stage', '25%,100%', '--verify');
    expect([ran.code, events]).toEqual([7, ['/0', 'purge /0', '/0']]);
    expect(ran.stdout).toContain('cleared    1\n');
    expect(ran.stderr).toContain('note: to purge the rest, run: ');
    expect(ran.stderr).toContain('error: stopped after stage 1 of 2: 1 page was stale after the purge\n');
    isStale = false;
    const rest = await purge([], '--resume');
    expect([rest.code, events.at(-1)]).toEqual([0, 'purge /1 /2 /3']);
  });

  test('stops where a URL cannot be cleared', async () => {
    const { events, purge } = await site();
    const ran = await purge(['/poisoned', '/1', '/2', '/3'], '--stage', '50%,100%', '--no-split');
    expect([ran.code, events]).toEqual([5, ['purge /poisoned /1']]);
  });

  test.each([
    [['--stage', '50%'], "--stage cannot be '50%'"],
    [['--stage', '50%,20%,100%'], "--stage cannot be '50%,20%,100%'"],
    [['--pause', '5s'], '--pause requires --stage'],
    [['--warm-rate', '5/s'], '--warm-rate requires --warm'],
    [['--warm', '500'], "--warm cannot be '500'"],
    [['--warm', 'top:5', '--warm-rate', 'fast'], "--warm-rate cannot be 'fast'"],
  ])('%j is rejected, and nothing is sent', async (args, message) => {
    const { events, purge } = await site();
    const ran = await purge(paths(2), ...args);
    expect([ran.code, events]).toEqual([2, []]);
    expect(ran.stderr).toContain(`error: ${message}`);
  });

  test.each([
    [['--key', 'k', '--stage', '2%,100%'], '--key and --stage cannot be combined'],
    [['--all', '--yes', '--stage', '2%,100%'], '--all and --stage cannot be combined'],
    [['--key', 'k', '--warm', 'top:5'], '--key and --warm cannot be combined'],
  ])('%j is rejected', async (args, message) => {
    const { events, purge } = await site();
    const ran = await purge([], ...args);
    expect([ran.code, events]).toEqual([2, []]);
    expect(ran.stderr).toContain(`error: ${message}`);
  });

  test.each([
    [100, [0.02, 0.2, 1], [2, 18, 80]],
    [3, [0.02, 0.2, 1], [1, 0, 2]],
    [0, [0.5, 1], [0, 0]],
  ])('%i URLs in stages of %j', (total, shares, sizes) => expect(stageSizes(total, shares)).toEqual(sizes));
});

describe('cdn purge --warm', () => {
  const VIEWS = { '/0': 5, '/1': 50, '/2': 500, '/other': 900 };

  test('fetches the most viewed of the purged pages, most viewed first, with GET and its own name', async () => {
    const { events, methods, purge } = await site({ views: VIEWS });
    const ran = await purge(
      paths(4),
      '--warm',
      'top:2',
      '--warm-rate',
      '1000/s',
      '--concurrency',
      '1',
      '-o',
      'json',
    );
    expect([ran.code, events]).toEqual([0, ['purge /0 /1 /2 /3', '/2', '/1']]);
    expect([...methods]).toEqual([`GET gatectl/${version}`]);
    expect(JSON.parse(ran.stdout).warm).toEqual({ warmed: 2, failed: 0, disallowed: 0 });
    expect(ran.stderr).toContain('note: warmed 2 pages of the 2 most viewed\n');
  });

  test('what robots.txt disallows is not fetched', async () => {
    const { events, purge } = await site({ views: VIEWS, robots: 'User-agent: gatectl\nDisallow: /2\n' });
    const ran = await purge(paths(4), '--warm', 'top:3', '--warm-rate', '1000/s', '--concurrency', '1');
    expect(events.slice(1)).toEqual(['/1', '/0']);
    expect(ran.stderr).toContain('note: warmed 2 pages of the 3 most viewed; robots.txt disallows 1\n');
  });

  test('each stage is warmed before the next one is purged', async () => {
    const { events, purge } = await site({ views: VIEWS });
    await purge(
      paths(3),
      '--stage',
      '50%,100%',
      '--warm',
      'top:9',
      '--warm-rate',
      '1000/s',
      '--concurrency',
      '1',
    );
    expect(events).toEqual(['purge /0 /1', '/1', '/0', 'purge /2', '/2']);
  });

  test('an origin that fails is left alone, and no further stage is purged', async () => {
    const views = Object.fromEntries(paths(40).map((path, index) => [path, 100 - index]));
    const { events, purge } = await site({ views, page: () => ({ status: 503, body: 'busy' }) });
    const ran = await purge(
      paths(40),
      '--stage',
      '50%,100%',
      '--warm',
      'top:40',
      '--warm-rate',
      '1000/s',
      '--concurrency',
      '1',
    );
    expect(ran.code).toBe(7);
    expect(events.filter(event => event.startsWith('purge'))).toHaveLength(1);
    expect(events.length).toBeLessThan(15);
    expect(ran.stderr).toMatch(
      /warning: warming stopped early: \d+ of the last \d+ requests failed \(status 503\)\n/,
    );
  });

  test('a purge of the domain warms its most viewed pages', async () => {
    const { events, purge } = await site({ views: VIEWS });
    const ran = await purge([], '--all', '--yes', '--warm', 'top:1');
    expect([ran.code, events.slice(1)]).toEqual([0, ['/other']]);
  });

  test('with the sandbox, the cache serves warmed pages', async () => {
    const ran = await run(
      [
        'cdn',
        'purge',
        'https://www.example.com/weather',
        '--warm',
        'top:5',
        '--verify',
        '--sandbox',
        '-o',
        'json',
      ],
      { now: NOON, env: { TZ: 'UTC' } },
    );
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout).warm).toEqual({ warmed: 1, failed: 0, disallowed: 0 });
    expect(ran.stderr).toContain('fresh: https://www.example.com/weather (the cache status is MISS)\n');
  });

  test('serves 95 % of simulated visits from the cache after a tenth of the requests', async () => {
    // 2,000 pages whose views follow a power law, as those of news sites do; the visits after the purge differ from those before.
    const all = paths(2000);
    const random = (() => {
      let state = 1;
      return () => {
        state = (state * 48_271) % 2_147_483_647;
        return state / 2_147_483_647;
      };
    })();
    const popularity = all.map((_, rank) => (1 / (rank + 1) ** 1.6) * (0.5 + random()));
    const shuffled = all.map(path => ({ path, at: random() })).sort((a, b) => a.at - b.at);
    const views = Object.fromEntries(
      all.map((path, rank) => [path, Math.round((popularity[rank] ?? 0) * 1e6 * (0.7 + 0.6 * random()))]),
    );
    const { events, purge } = await site({ views });
    await purge(
      shuffled.map(({ path }) => path),
      '--warm',
      'top:200',
      '--warm-rate',
      '9999/s',
    );
    const cached = new Set(events.filter(event => event.startsWith('/')));
    expect(cached.size).toBe(200);
    const total = popularity.reduce((sum, each) => sum + each, 0);
    let hits = 0;
    for (let visit = 0; visit < 20_000; visit += 1) {
      let left = random() * total;
      const rank = popularity.findIndex(each => {
        left -= each;
        return left <= 0;
      });
      if (cached.has(all[rank] ?? '')) hits += 1;
    }
    expect(hits / 20_000).toBeGreaterThanOrEqual(0.95);
  });
});

describe('an origin suffers', () => {
  const after = (outcomes: readonly { status?: number; ms?: number }[]) => {
    const health = new OriginHealth();
    return outcomes.map(({ status, ms = 50 }) => health.add({ status, ms })).find(each => each !== undefined);
  };
  const times = (count: number, outcome: { status?: number; ms?: number }) =>
    Array.from({ length: count }, () => outcome);

  test.each([
    ['if it always responds', times(99, { status: 200 }), undefined],
    ['not from pages that are gone', times(99, { status: 404 }), undefined],
    [
      'not from few failures',
      [...times(20, { status: 200 }), ...times(3, { status: 500 }), ...times(30, { status: 200 })],
      undefined,
    ],
    [
      'from failures',
      [...times(20, { status: 200 }), ...times(4, { status: 429 })],
      '4 of the last 20 requests failed (status 429)',
    ],
    ['from silence', times(4, {}), '4 of the last 4 requests failed (no response)'],
    [
      'from slowness',
      [...times(20, { status: 200 }), ...times(20, { status: 200, ms: 900 })],
      'pages take 900 ms, after 50 ms at first',
    ],
    [
      'not from a little of it',
      [...times(20, { status: 200 }), ...times(20, { status: 200, ms: 400 })],
      undefined,
    ],
  ])('%s', (_, outcomes, reason) => expect(after(outcomes)).toBe(reason));
});
