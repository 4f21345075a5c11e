import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { writeLogFolder } from '../../src/operations/writes/write-log.ts';
import { session } from '../commands/mcp/session.ts';
import { temporaryFolder } from '../support/folder.ts';
import { NOON, run } from '../support/run.ts';
import { positions } from '../support/runs.ts';
import { wireServer } from '../support/wire-server.ts';

const COM = 'example.com';
const ORG = 'example.org';

/** What a request is about, as far as a rule can tell. */
interface Part {
  readonly what: 'URL' | 'key' | 'everything' | 'other';
  /** Undefined where it is not known. */
  readonly host: string | undefined;
  /** Whether it may mean a page of /shop/, and whether it surely means one of /news/. */
  readonly mayBeShop?: boolean;
  readonly isNews?: boolean;
}

interface Before {
  readonly words: readonly string[];
  readonly input?: string;
  /** Whether the gateway refuses the key meanwhile. */
  readonly isRefused?: boolean;
  /** The built site after it, in which a page says this. */
  readonly page?: string;
}

/** A command line that changes something. */
interface Line {
  /** SERVER and FOLDER stand for the gateway and the folder of the site. */
  readonly words: readonly string[];
  /** What is done without restrictions in the same home before. */
  readonly before?: Before;
  readonly input?: string;
  /** Whether it becomes a plan first, which is then applied. */
  readonly isPlanned?: boolean;
  /** The arguments of MCP's purge_plan, whose plan is applied. */
  readonly mcp?: Readonly<Record<string, unknown>>;
  /** Undefined for what is not documented. */
  readonly command: string | undefined;
  readonly isIrreversible?: boolean;
  readonly parts: readonly Part[];
}

const urlPart = (url: string, mayBeShop = false, isNews = false): Part => ({
  ...{ what: 'URL', host: new URL(url).hostname, mayBeShop, isNews },
});
const URLS: readonly (readonly [string, Part])[] = (
  [
    ['https://example.com/a'],
    ['https://example.com/shopping'],
    ['https://example.com/news/1', false, true],
    ['https://example.com/news/2/more', false, true],
    ['https://example.com/NEWS/3'],
    ['https://example.com/%6eews/4'],
    ['https://example.com/shop/1', true],
    ['https://example.com/SHOP/2', true],
    ['https://example.com/%73hop/3', true],
    ['https://example.com/shop/4?news/', true],
    ['http://example.com/shop/5', true],
    ['https://shop.example.com/6'],
  ] as const
).map(([url, mayBeShop, isNews]) => [url, urlPart(url, mayBeShop, isNews)]);
const many = (n: number) => Array.from({ length: n }, (_, i) => `https://example.com/${i}`);
const quoted = (value: unknown) => JSON.stringify(value);
const api = (path: string, body: unknown) => ({
  words: ['api', 'POST', path, '--input', '-'],
  input: quoted(body),
});
const PURGE = ['cdn', 'purge'];

function urlLines(): readonly Line[] {
  const command = 'cdn purge';
  const single = URLS.flatMap(([url, part]): Line[] => {
    const of = { command, parts: [part] };
    return [
      { ...of, words: [...PURGE, url] },
      { ...of, words: [...PURGE, '-', '--concurrency', '1'], input: `${url}\n` },
      { ...of, words: [...PURGE, url], isPlanned: true },
      { ...of, ...api('/cdnservices/clearcache', { url }) },
      { ...of, ...api('/cdnservices/bulkclearcache/', { urls: [url] }) },
      { ...of, ...api('cdnservices/bulkclearcache', { urls: [url] }), isPlanned: true },
    ];
  });
  const counted = [2, 3, 5, 6, 120].flatMap((n): Line[] => {
    const urls = many(n);
    const of = { command, parts: urls.map(url => urlPart(url)) };
    return [
      { ...of, words: [...PURGE, '--file', '-'], input: urls.join('\n') },
      { ...of, words: [...PURGE, '-', '--stage', '50%,100%'], input: urls.join('\n') },
      { ...of, words: [...PURGE, '-'], input: urls.join('\n'), isPlanned: true },
      { ...of, ...api('/cdnservices/bulkclearcache', { urls }) },
      { ...of, words: [], mcp: { urls } },
    ];
  });
  return [...single, ...counted];
}

function keyLines(): readonly Line[] {
  return [COM, ORG].flatMap(domain =>
    [1, 2, 3, 6].flatMap((n): Line[] => {
      const keys = Array.from({ length: n }, (_, i) => `key-${i}`);
      const of = { command: 'cdn purge', parts: keys.map((): Part => ({ what: 'key', host: domain })) };
      const words = [...PURGE, '--key', keys.join(','), '--domain', domain];
      return [
        { ...of, words },
        { ...of, words: [...PURGE, '--key-file', '-', '--domain', domain], input: keys.join('\n') },
        { ...of, words, isPlanned: true },
        { ...of, ...api('/cdnservices/clearbysurrogatekeys', { keys: keys.join(), domain }) },
        { ...of, words: [], mcp: { keys, domain } },
      ];
    }),
  );
}

const SITEMAP = ['https://example.com/news/1', 'https://example.com/shop/1'];
const PAGES_WITH_NEWS = [urlPart('https://example.com/news/1', false, true)];
const PAGES_WITH_SHOP = [...PAGES_WITH_NEWS, urlPart('https://example.com/shop/1', true)];

/** The modes in which the targets are found by gatectl. */
function foundLines(): readonly Line[] {
  const command = 'cdn purge';
  const keys = ['a', 'b', 'c'].map((): Part => ({ what: 'key', host: COM }));
  const cut = { input: many(250).join('\n'), isRefused: true };
  const forms: readonly Omit<Line, 'command'>[] = [
    { words: ['--sitemap', 'FOLDER/sitemap.xml'], parts: PAGES_WITH_SHOP },
    { words: ['--sitemap', 'FOLDER/sitemap.xml', '--changed-since', '2026-03-13'], parts: PAGES_WITH_SHOP },
    { words: ['--prefix', 'https://example.com/news/', '--known-from', 'analytics'], parts: PAGES_WITH_NEWS },
    { words: ['--prefix', 'https://example.com/', '--known-from', 'analytics'], parts: PAGES_WITH_SHOP },
    { words: ['--keys-from-page', 'SERVER/page', '--any-domain'], parts: keys },
    { words: ['--git', 'HEAD~1..HEAD', '--map', 'FOLDER/map.yaml'], parts: PAGES_WITH_SHOP },
    {
      before: { words: [...PURGE, '--changed', 'dist', '--or-all', '--yes'], page: 'other' },
      words: ['--changed', 'dist'],
      parts: [urlPart('https://example.com/news/1', false, true)],
    },
    {
      before: { words: [...PURGE, '--file', '-'], ...cut },
      words: ['--resume'],
      parts: many(250).map(url => urlPart(url)),
    },
  ];
  return forms.flatMap(({ words, ...form }) => {
    const line = { ...form, command, words: [...PURGE, ...words] };
    return [line, { ...line, isPlanned: true }];
  });
}

const REPORT = {
  ReportTitle: 'Mine',
  ReportDateRange: { BaseSelectId: 'BASE_LAST_7' },
  Charts: [
    {
      Name: 'Mine',
      DimensionColumns: [{ Data: 'country', Type: 'string' }],
      MetricColumns: [{ Data: 'visits', Type: 'number' }],
      Segments: [],
      Order: { ColumnNumber: 1, Direction: 'DESC' },
    },
  ],
};
const SEGMENT = { SegmentName: 'Europe', SegmentMultiFilters: { 11: { FilterValues: ['DE'] } } };

function irreversibleLines(): readonly Line[] {
  const isIrreversible = true;
  const everything = [COM, ORG].flatMap((domain): Line[] => {
    const of = {
      ...{ command: 'cdn purge', isIrreversible },
      parts: [{ what: 'everything', host: domain } as const],
    };
    const words = [...PURGE, '--all', '--yes', '--domain', domain];
    return [
      { ...of, words },
      { ...of, words, isPlanned: true },
      { ...of, ...api('/cdnservices/purgecache', { domain }) },
      { ...of, ...api('cdnservices/purgecache/', { domain }), isPlanned: true },
    ];
  });
  const create = (command: string, path: string, body: unknown): Line[] => {
    const of = { command, isIrreversible, parts: [{ what: 'other', host: undefined } as const] };
    return [
      { ...of, words: [...command.split(' '), '-'], input: quoted(body) },
      { ...of, words: [...command.split(' '), '-'], input: quoted(body), isPlanned: true },
      { ...of, ...api(path, body) },
      { ...of, ...api(path, body), isPlanned: true },
    ];
  };
  const token = { command: 'token', isIrreversible, parts: [{ what: 'other', host: undefined } as const] };
  return [
    ...everything,
    ...create('bda report create', '/bdaservices/createcustomreport/', REPORT),
    ...create('bda segment create', '/bdaservices/createsegment/', SEGMENT),
    { ...token, parts: [{ what: 'other', host: COM }], words: ['token', 'vera@example.com'] },
    {
      ...token,
      parts: [{ what: 'other', host: COM }],
      words: [
        'api',
        'POST',
        `/subscriptions/v1/identity-token?domain=${COM}`,
        '-f',
        'email=vera@example.com',
      ],
    },
  ];
}

/** Paths that a server may take for the documented one; those of the first list are sent as it. */
const odd = (prefix: string, name: string) => ({
  same: [
    `/${prefix}/./${name}`,
    `/${prefix}/ping/../${name}`,
    `/${prefix}/x/%2e%2e/${name}`,
    `/${prefix}\\${name}`,
  ],
  unclear: [
    `//${prefix}/${name}`,
    `/${prefix}//${name}`,
    `/${prefix}/%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    `/${prefix}/${name.toUpperCase()}`,
    `/${prefix}/${name};x=1`,
    `/${prefix}/${name}%2F`,
    `/${prefix}/${name}.`,
    `/${prefix}/${name}/x`,
  ],
});

function oddLines(): readonly Line[] {
  const [url = ''] = many(1);
  const other: Part = { what: 'other', host: undefined };
  const everything = {
    command: 'cdn purge',
    isIrreversible: true,
    parts: [{ what: 'everything', host: COM } as const],
  };
  const segment = { command: 'bda segment create', isIrreversible: true, parts: [other] };
  const spelled = (prefix: string, name: string, body: unknown, known: Omit<Line, 'words'>): Line[] => {
    const { same, unclear } = odd(prefix, name);
    return [
      ...same.map(path => ({ ...known, ...api(path, body) })),
      ...unclear.map(path => ({ command: undefined, parts: [other], ...api(path, body) })),
    ];
  };
  const bulk = ['api', 'POST', '/cdnservices/bulkclearcache', '--input', '-'];
  const of = { command: undefined, parts: [other] };
  return [
    ...spelled('cdnservices', 'purgecache', { domain: COM }, everything),
    ...spelled('cdnservices', 'clearcache', { url }, { command: 'cdn purge', parts: [urlPart(url)] }),
    ...spelled('bdaservices', 'createsegment', SEGMENT, segment),
    // Some servers take what a request is about from its headers.
    {
      ...of,
      words: [
        'api',
        'POST',
        '/subscriptions/v1/identity-token',
        '-H',
        'X-Service-Reader-Email: vera@example.com',
      ],
    },
    { ...of, words: ['api', 'POST', '/cdnservices/ping/', '-H', 'X-Original-URL: /cdnservices/purgecache'] },
    { ...of, words: ['api', 'GET', '/cdnservices/purgecache'] },
    { ...of, words: ['api', 'DELETE', '/cdnservices/purgecache'] },
    { ...of, ...api('/cdnservices/purgecache?x=1', { domain: COM }) },
    { ...of, ...api('/cdnservices/clearcache?x=1', { url }) },
    { ...of, ...api('/bdaservices/createsegment?x=1', SEGMENT) },
    { ...of, ...api('/somewhere/else', {}) },
    { ...of, ...api('/cdnservices/clearcache', { url, urls: many(3) }) },
    { ...of, words: bulk, input: '{"urls":["a"],"urls":["b"]}' },
  ];
}

const LINES = [...urlLines(), ...keyLines(), ...foundLines(), ...irreversibleLines(), ...oddLines()];
const READS = [
  ['products', '--email', 'vera@example.com'],
  ['cdn', 'ping'],
  ['bda', 'segment', 'list'],
  ['api', '/bdaservices/getsegments/'],
  ['api', 'POST', '/cdnservices/ping'],
];

const isWrite = ({ method, target }: { method: string; target: string }) =>
  method === 'DELETE' || /purge|clear|create|identity|somewhere/i.test(decodeURIComponent(target));

/** A page of a built site. */
function writePage(folder: string, text: string): void {
  mkdirSync(join(folder, 'dist/news'), { recursive: true });
  writeFileSync(join(folder, 'dist/news/1.html'), text);
}

/** A sitemap, and a repository of which the last commit changed two pages. */
function writeSite(folder: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Vera', '-c', 'user.email=vera@example.com', ...args], {
      cwd: folder,
      stdio: 'pipe',
    });
  const commit = (text: string) => {
    for (const page of ['news', 'shop']) writeFileSync(join(folder, `${page}-1.md`), text);
    git('add', 'news-1.md', 'shop-1.md');
    git('commit', '--message', text);
  };
  writeFileSync(
    join(folder, 'sitemap.xml'),
    `<urlset>${SITEMAP.map(url => `<url><loc>${url}</loc><lastmod>2026-03-14</lastmod></url>`).join('')}</urlset>`,
  );
  writeFileSync(
    join(folder, 'map.yaml'),
    'site: https://example.com/\nrules:\n  - {files: "{section}-{page}.md", urls: "/{section}/{page}"}\n',
  );
  git('init', '--quiet', '--template=');
  commit('first');
  commit('second');
}

const site = mkdtempSync(join(tmpdir(), 'gatectl-test-'));
beforeAll(() => writeSite(site));
afterAll(() => rmSync(site, { recursive: true }));

const KNOWN = SITEMAP.map(page_url => ({ page_url, pageviews: 1, visits: 1, revenue: 0 }));

const answers = ({ target }: { target: string }) => {
  if (target.includes('getcolumns'))
    return [
      { Data: 'country', Type: 'string' },
      { Data: 'visits', Type: 'number' },
    ];
  if (target.endsWith('/columns')) return [{ name: 'page_url' }];
  if (target.endsWith('/query')) return { rows: KNOWN, total_rows: KNOWN.length };
  if (/\/(?:bdaservices|domains)/.test(target) && !target.includes('create')) return [];
  if (target.includes('create')) return 105;
  return { success: true, Success: true, data: target.includes('token') ? { token: 'a.b.c' } : [] };
};

interface Restricted {
  readonly yaml?: string;
  readonly profile?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly mode?: number;
}

/** A gateway that confirms everything, and how to run command lines against it, each in a home of its own. */
async function governed({ yaml, profile = {}, env = {}, mode = 0o600 }: Restricted = {}) {
  let refusesKey = false;
  const server = await wireServer(request => {
    if (request.target === '/page') return { headers: { 'surrogate-key': 'a b c' } };
    return refusesKey ? { status: 401 } : { body: JSON.stringify(answers(request)) };
  });
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  cpSync(site, folder, { recursive: true });
  const policy = join(folder, 'policy.yaml');
  if (yaml !== undefined) writeFileSync(policy, yaml);
  if (yaml !== undefined) chmodSync(policy, mode);
  const p = { 'base-url': server.baseUrl, domain: COM, ...profile };
  const profiles = { version: 1, current: 'p', profiles: { p } };
  const open = { GATECTL_BASE_URL: server.baseUrl, GATECTL_DOMAIN: COM, GATECTL_API_KEY: 'k' };
  const all = {
    PATH: process.env.PATH ?? '',
    GATECTL_API_KEY: 'k',
    ...(yaml !== undefined && { GATECTL_POLICY: policy }),
    ...env,
  };
  const writes = () => server.received.filter(isWrite).length;
  let homes = 0;
  const newHome = () => {
    homes += 1;
    const home = join(folder, String(homes));
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'config.json'), JSON.stringify(profiles), { mode: 0o600 });
    return home;
  };
  const envIn = (home: string) => ({ ...all, GATECTL_CONFIG_DIR: home });
  const gatectl = (args: readonly string[], home = newHome(), input?: string) =>
    run(args, { env: envIn(home), cwd: folder, homedir: home, ...(input !== undefined && { input }) });
  /** Whoever does this is not restricted. */
  const freely = async (words: readonly string[], homedir: string, input: string | undefined) =>
    await run(words, {
      ...{ env: { ...open, GATECTL_CONFIG_DIR: homedir }, homedir, cwd: folder },
      ...(input !== undefined && { input }),
    });
  const prepare = async ({ words, input, isRefused = false, page }: Before, homedir: string) => {
    writePage(folder, 'first');
    refusesKey = isRefused;
    const { code, stderr } = await freely(words, homedir, input);
    refusesKey = false;
    expect(code, stderr).toBe(isRefused ? 4 : 0);
    if (page !== undefined) writePage(folder, page);
  };
  const apply = async ({ words: given, before, ...line }: Line) => {
    const homedir = newHome();
    const words = given.map(word => word.replace('SERVER', server.baseUrl).replace('FOLDER', folder));
    if (before !== undefined) await prepare(before, homedir);
    const from = writes();
    return { ...(await send({ ...line, words }, homedir)), sent: writes() - from };
  };
  const send = async (
    { words, input, isPlanned, mcp }: Omit<Line, 'before' | 'command' | 'parts'>,
    homedir: string,
  ) => {
    if (mcp !== undefined) {
      const { call, close } = await session(['--allow', 'cdn-purge'], { env: envIn(homedir), homedir });
      const { data } = await call('purge_plan', mcp);
      const { isError } = await call('purge_apply', { plan: data.plan }).catch(() => ({ isError: true }));
      await close();
      return { code: isError ? 2 : 0, stderr: '' };
    }
    if (isPlanned !== true) return await gatectl(words, homedir, input);
    const plan = join(homedir, 'plan.json');
    const made = await freely([...words, '--plan-out', plan], homedir, input);
    expect(made.code, made.stderr).toBe(0);
    return await gatectl(['plan', 'apply', plan], homedir);
  };
  return { folder, server, gatectl, newHome, apply, writes, policy };
}

const rule = (text: string, otherwise = 'allow') => `otherwise: ${otherwise}\nrules:\n  - {${text}}\n`;
const some = (test: (part: Part) => boolean) => (line: Line) => line.parts.some(test);
const count = ({ parts }: Line) => parts.length;

const RULES: readonly (readonly [string, Restricted, (line: Line) => boolean])[] = [
  ['nothing', {}, () => false],
  ['read-only', { env: { GATECTL_READ_ONLY: '1' } }, () => true],
  ['otherwise: allow', { yaml: 'otherwise: allow\n' }, () => false],
  ['otherwise: deny', { yaml: 'otherwise: deny\n' }, () => true],
  [
    'a command',
    { yaml: rule('command: cdn purge, deny: true') },
    ({ command }) => command === 'cdn purge' || command === undefined,
  ],
  [
    'an effect',
    { yaml: rule('effect: irreversible, deny: true') },
    ({ command, isIrreversible }) => isIrreversible === true || command === undefined,
  ],
  [
    'a domain',
    { yaml: rule('domain: shop.example.com, deny: true') },
    some(
      ({ what, host }) =>
        host === undefined || host === 'shop.example.com' || (what !== 'URL' && host === COM),
    ),
  ],
  [
    'URLs',
    { yaml: rule('url: https://example.com/shop/**, deny: true') },
    some(({ what, host, mayBeShop }) => (what === 'URL' ? mayBeShop === true : host !== ORG)),
  ],
  [
    'URLs that alone are allowed',
    { yaml: rule('command: cdn purge, url: https://example.com/news/**', 'deny') },
    some(({ isNews }) => isNews !== true),
  ],
  ['max_targets', { yaml: rule('max_targets: 2') }, line => count(line) > 2],
  ['per_day', { yaml: rule('per_day: 5') }, line => count(line) > 5],
  ['max_share', { yaml: rule('max_share: 5%') }, () => true],
  ['hours', { yaml: rule('hours: {from: "08:00", until: "10:00"}') }, () => true],
  ['approvals', { yaml: rule('approvals: 1') }, () => true],
];

test('the table has 200 command lines', () => {
  expect(LINES.length + READS.length).toBeGreaterThanOrEqual(200);
  expect(new Date(NOON).getUTCHours()).toBe(12);
});

describe('of what a rule refuses, nothing is sent; reads, and what it allows, are', () => {
  test.each(RULES)('%s', async (name, restricted, refuses) => {
    const offset = RULES.findIndex(([each]) => each === name);
    const { apply, gatectl, server } = await governed(restricted);
    const wrong: string[] = [];
    // Each rule has another part of the table, and a full run all of it.
    for (const at of positions(LINES.length)) {
      const line = LINES[(at + offset) % LINES.length] as (typeof LINES)[number];
      const { code, stderr, sent } = await apply(line);
      const isRefused = refuses(line);
      // Some odd paths are refused as such.
      const isOdd = line.command === undefined;
      if (isRefused ? sent > 0 || code !== 2 : !isOdd && (sent === 0 || code !== 0))
        wrong.push(quoted({ words: line.words, of: line.mcp ?? line.input, isRefused, sent, code, stderr }));
    }
    expect(wrong.map(each => each.slice(0, 500))).toEqual([]);
    for (const words of READS) {
      const before = server.received.length;
      const { code, stderr } = await gatectl(words);
      expect(code, `${words.join(' ')}: ${stderr}`).toBe(0);
      expect(server.received.length).toBeGreaterThan(before);
    }
  });
});

const NEWS = ['cdn', 'purge', 'https://example.com/news/1'];
const SHOP = ['cdn', 'purge', 'https://example.com/shop/1'];
const READ = ['products', '--email', 'vera@example.com'];

test('all policies must allow it: of the profile, of the environment, or both', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'profile.yaml');
  writeFileSync(path, rule('url: https://example.com/shop/**, deny: true'), { mode: 0o600 });
  const ofProfile = { profile: { policy: path } };
  const yaml = rule('url: https://example.com/news/**, deny: true');
  for (const [restricted, codes] of [
    [ofProfile, [0, 2]],
    [{ yaml }, [2, 0]],
    [{ yaml, ...ofProfile }, [2, 2]],
    [{ yaml: 'otherwise: allow\n', ...ofProfile }, [0, 2]],
  ] as const) {
    const { gatectl, writes } = await governed(restricted);
    expect([(await gatectl(NEWS)).code, (await gatectl(SHOP)).code]).toEqual(codes);
    expect(writes()).toBe(codes.filter(code => code === 0).length);
  }
});

test.each([[['profile', 'set', 'policy', 'other.yaml']], [['profile', 'unset', 'policy']]])(
  'gatectl %j does not take back the policy of a profile',
  async args => {
    const path = join(temporaryFolder(), 'profile.yaml');
    writeFileSync(path, 'otherwise: deny\n', { mode: 0o600 });
    const { gatectl, newHome, writes } = await governed({ profile: { policy: path } });
    const home = newHome();
    const { code, stderr } = await gatectl(args, home);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: policy of the profile p is not taken back by a command\n',
    });
    expect((await gatectl(NEWS, home)).code).toBe(2);
    expect(writes()).toBe(0);
  },
);

test.skipIf(process.getuid === undefined)(
  'with a policy that others can change, only reads are sent',
  async () => {
    for (const mode of [0o620, 0o602, 0o666]) {
      const { gatectl, writes, server } = await governed({ yaml: 'otherwise: allow\n', mode });
      const { code, stderr } = await gatectl(NEWS);
      expect(code).not.toBe(0);
      expect(stderr).toContain('other users can change');
      expect(writes()).toBe(0);
      expect((await gatectl(READ)).code).toBe(0);
      expect(server.received).toHaveLength(1);
    }
  },
);

test('what cannot be logged is not sent where there is a policy; without one, it is with a warning', async () => {
  const none = await governed();
  const some = await governed({ yaml: 'otherwise: allow\n' });
  const lines = [
    NEWS,
    ['token', 'vera@example.com'],
    ['api', 'POST', '/cdnservices/purgecache', '-f', 'domain=example.com'],
  ];
  for (const words of lines) {
    for (const { newHome, gatectl } of [none, some]) {
      const home = newHome();
      // A file where the folder of the log would be.
      const log =
        writeLogFolder({ env: { GATECTL_CONFIG_DIR: home }, homedir: home, platform: 'linux' }) ?? '';
      mkdirSync(dirname(log), { recursive: true });
      writeFileSync(log, '');
      const { code, stderr } = await gatectl(words, home);
      expect(code === 0, stderr).toBe(gatectl === none.gatectl);
      if (code === 0) expect(stderr).toContain('writes are not in the log');
    }
  }
  expect([none.writes(), some.writes()]).toEqual([lines.length, 0]);
});

test('without a folder for the log, nothing is sent where there is a policy', async () => {
  const server = await wireServer(() => ({ body: '{"Success":true,"Error":""}' }));
  onTestFinished(() => server.close());
  const path = join(temporaryFolder(), 'policy.yaml');
  writeFileSync(path, 'otherwise: allow\n', { mode: 0o600 });
  const env = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'k', GATECTL_DOMAIN: 'example.com' };
  const purge = (more: Readonly<Record<string, string>>) => run(NEWS, { env: { ...env, ...more } });
  const { code, stderr } = await purge({ GATECTL_POLICY: path });
  expect([code, server.received.length]).toEqual([2, 0]);
  expect(stderr).toContain('there is no folder for the log');
  expect((await purge({})).code).toBe(0);
});

test('a plan that cleared nothing can be applied again, and one that did cannot', async () => {
  let status = 503;
  const server = await wireServer(() => ({ status, body: '{"Success":true,"Error":""}' }));
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  const env = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'k', GATECTL_DOMAIN: 'example.com' };
  const gatectl = (...words: readonly string[]) =>
    run([...words, '--retries', '0'], { env: { ...env, GATECTL_CONFIG_DIR: folder }, homedir: folder });
  const plan = join(folder, 'plan.json');
  expect((await gatectl(...NEWS, '--plan-out', plan)).code).toBe(0);
  const plain = await gatectl(...NEWS);
  const { code, stderr } = await gatectl('plan', 'apply', plan);
  expect([code, stderr]).toEqual([6, plain.stderr]);
  expect(server.received).toHaveLength(2);
  status = 200;
  expect([(await gatectl('plan', 'apply', plan)).code, (await gatectl('plan', 'apply', plan)).code]).toEqual([
    0, 2,
  ]);
  expect(server.received).toHaveLength(3);
});

test('a read is not planned, and --curl prints no plan', async () => {
  const { server, gatectl, folder } = await governed();
  const plan = join(folder, 'plan.json');
  for (const words of [
    ['api', '/bdaservices/getsegments/', '--plan-out', plan],
    [...NEWS, '--plan-out', plan, '--curl'],
  ]) {
    const { code, stdout } = await gatectl(words);
    expect([code, stdout, existsSync(plan), server.received]).toEqual([2, '', false, []]);
  }
});
