import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NOON, run } from '../../../support/run.ts';
import { wireServer } from '../../../support/wire-server.ts';

// Random deploy histories in real git repositories: npm run check:deploys tries a thousand of them.

const HISTORIES = Number(process.env.DEPLOY_HISTORIES ?? 2);
const FIRST_SEED = Number(process.env.DEPLOY_SEED ?? 1);
/** Purged URLs for each that had to be purged, where the chain is proven. */
const MOST = 1.2;

type Files = ReadonlyMap<string, string>;

interface Commit {
  readonly files: Files;
  readonly parents: readonly number[];
}

const OUTCOMES = ['confirmed', 'lost', 'failed', 'half', 'forgotten'] as const;

interface Deploy {
  readonly commit: number;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly isOtherMachine: boolean;
}

interface DeployHistory {
  readonly commits: readonly Commit[];
  readonly deploys: readonly Deploy[];
  readonly isNumbered: boolean;
}

const MAP = `rules:
  - files: content/{section}/{slug}.md
    urls: /{section}/{slug}/
    listings: [/, "/{section}/"]
  - files: layout.html
    affects: /**
redirects: _redirects
`;

/** Mulberry32: the same numbers for the same seed. */
function randomOf(seed: number) {
  let state = seed * 0x9e3779b1;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] ?? expect.unreachable();
  return { below, pick, chance: (probability: number) => next() < probability };
}

type Random = ReturnType<typeof randomOf>;

const SECTIONS = ['news', 'sport', 'food'];

function edited(files: Files, random: Random): Files {
  const next = new Map(files);
  for (let edits = 1 + random.below(3); edits > 0; edits -= 1) {
    const path = `content/${random.pick(SECTIONS)}/${random.pick(['a', 'b', 'c', 'd', 'é e'])}.md`;
    const [from, text] = random.pick([...files].filter(([each]) => each.startsWith('content/')));
    const kind = random.below(20);
    if (kind < 10) next.set(path, `version ${random.below(4)}`);
    else if (kind < 13 && next.size > 4) next.delete(path);
    else if (kind < 15) {
      next.delete(from);
      next.set(path, text);
    } else if (kind < 16) next.set('layout.html', `layout ${random.below(3)}`);
    else if (kind < 18)
      next.set('_redirects', `/old /news/${random.pick(['a', 'b'])}/\n${random.pick(['', '/older /\n'])}`);
    else next.set('README.md', `read ${random.below(9)}`);
  }
  return next;
}

/** What a merge of two versions of a common ancestor contains; the second version wins. */
function merged(base: Files, one: Files, other: Files): Files {
  const files = new Map(one);
  for (const path of new Set([...base.keys(), ...other.keys()])) {
    if (base.get(path) === other.get(path)) continue;
    const text = other.get(path);
    if (text === undefined) files.delete(path);
    else files.set(path, text);
  }
  return files;
}

function randomHistory(seed: number): DeployHistory {
  const random = randomOf(seed);
  const isNumbered = random.chance(0.7);
  const initial = new Map(
    SECTIONS.flatMap(section =>
      ['a', 'b'].map(slug => [`content/${section}/${slug}.md`, `${section} ${slug}`]),
    ),
  )
    .set('layout.html', 'layout')
    .set('_redirects', '/old /news/a/\n')
    .set('README.md', 'read');
  const commits: Commit[] = [{ files: initial, parents: [] }];
  const add = (files: Files, parents: readonly number[]) => commits.push({ files, parents }) - 1;
  const filesOf = (commit: number) => commits[commit]?.files ?? expect.unreachable();
  /** Without a number, a deploy that was lost is only known where the next ones contain it. */
  let mustContain = false;
  let line = [0];
  const deploys: Deploy[] = [{ commit: 0, outcome: 'confirmed', isOtherMachine: false }];
  for (let left = 4 + random.below(6); left > 0; left -= 1) {
    const head = line.at(-1) ?? 0;
    const older = random.pick(line);
    const kind = random.below(20);
    let deployed: number;
    if (kind < 11 || (mustContain && kind >= 15)) {
      for (let count = 1 + random.below(3); count > 0; count -= 1)
        line.push(add(edited(filesOf(line.at(-1) ?? 0), random), [line.at(-1) ?? 0]));
      deployed = line.at(-1) ?? 0;
    } else if (kind < 14) {
      let branch = add(edited(filesOf(older), random), [older]);
      if (random.chance(0.5)) branch = add(edited(filesOf(branch), random), [branch]);
      const files = merged(filesOf(older), filesOf(head), filesOf(branch));
      deployed = add(files, random.chance(0.8) ? [head, branch] : [branch, head]);
      line.push(deployed);
    } else if (kind < 15) {
      deployed = add(filesOf(older), [head]);
      line.push(deployed);
    } else if (kind < 18) {
      line = line.slice(0, line.indexOf(older) + 1);
      deployed = older;
    } else {
      line = line.slice(0, line.indexOf(older) + 1);
      deployed = add(edited(filesOf(older), random), [older]);
      line.push(deployed);
    }
    const isForward: boolean = kind < 15 || mustContain;
    const possible: readonly Deploy['outcome'][] = isNumbered
      ? OUTCOMES
      : (['confirmed', 'failed', 'half', ...(isForward ? ['lost' as const] : [])] as const);
    const outcome: Deploy['outcome'] = random.chance(0.55) ? 'confirmed' : random.pick(possible);
    if (!isNumbered) mustContain = outcome === 'lost' || (mustContain && outcome !== 'confirmed');
    deploys.push({ commit: deployed, outcome, isOtherMachine: isNumbered && random.chance(0.3) });
  }
  deploys.push({ commit: line.at(-1) ?? 0, outcome: 'confirmed', isOtherMachine: false });
  return { commits, deploys, isNumbered };
}

/** Writes all commits into a new repository and returns their hashes. */
function repositoryOf(folder: string, commits: readonly Commit[]): string[] {
  execFileSync('git', ['init', '-q', '--bare', folder]);
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const stream = commits.map(({ files, parents }, index) =>
    [
      `commit refs/heads/c${index}\nmark :${index + 1}\ncommitter Ada <ada@example.com> ${1_700_000_000 + index} +0000\n${data('change')}`,
      ...parents.map((parent, at) => `${at === 0 ? 'from' : 'merge'} :${parent + 1}\n`),
      'deleteall\n',
      ...[...files].map(([path, text]) => `M 100644 inline ${JSON.stringify(path)}\n${data(text)}`),
    ].join(''),
  );
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], { input: stream.join('') });
  const refs = execFileSync(
    'git',
    ['-C', folder, 'for-each-ref', '--format=%(refname:lstrip=2) %(objectname)'],
    {
      encoding: 'utf8',
    },
  );
  const hashes = new Map(
    refs
      .trim()
      .split('\n')
      .map(line => line.split(' ') as [string, string]),
  );
  return commits.map((_, index) => hashes.get(`c${index}`) ?? expect.unreachable());
}

/** The pages that the site serves, made without gatectl's map. */
function pagesOf(files: Files): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  const layout = files.get('layout.html') ?? '';
  const articles = [...files].filter(([path]) => path.startsWith('content/')).sort();
  const listing = (part: readonly [string, string][]) => JSON.stringify([layout, part]);
  for (const [path, text] of articles) {
    const [, section = '', slug = ''] = /^content\/(.*)\/(.*)\.md$/.exec(path) ?? [];
    pages.set(`/${section}/${encodeURI(slug)}/`, JSON.stringify([layout, text]));
    pages.set(`/${section}/`, listing(articles.filter(([other]) => other.startsWith(`content/${section}/`))));
  }
  if (articles.length > 0) pages.set('/', listing(articles));
  for (const line of (files.get('_redirects') ?? '').split('\n')) {
    const [from, to] = line.split(' ');
    if (from && to) pages.set(from, JSON.stringify([layout, to]));
  }
  return pages;
}

/** What may be cached at each URL: every version that was served since it was purged. */
class Cache {
  readonly #versions = new Map<string, Set<string | undefined>>();

  view(pages: ReadonlyMap<string, string>): void {
    for (const url of new Set([...pages.keys(), ...this.#versions.keys()]))
      this.#versions.set(url, (this.#versions.get(url) ?? new Set()).add(pages.get(url)));
  }

  clear(url: string): void {
    this.#versions.set(url, new Set());
  }

  clearAll(): void {
    for (const url of this.#versions.keys()) this.clear(url);
  }

  stale(pages: ReadonlyMap<string, string>): string[] {
    return [...this.#versions].flatMap(([url, versions]) =>
      [...versions].some(version => version !== pages.get(url)) ? [url] : [],
    );
  }
}

interface Tally {
  runs: number;
  provenUrls: number;
  provenLeast: number;
  widenedUrls: number;
  widenedLeast: number;
  everything: number;
}

async function deployAll(seed: number, tally: Tally): Promise<void> {
  const { commits, deploys, isNumbered } = randomHistory(seed);
  const folder = mkdtempSync(join(tmpdir(), 'gatectl-deploys-'));
  const [repository, home, map] = ['repository', 'home', 'map.yaml'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(map, MAP);
  const cache = new Cache();
  let isFailing: (url: string) => boolean = () => false;
  let sent: string[] = [];
  const server = await wireServer(({ target, body }) => {
    const { url, urls, domain } = JSON.parse(body);
    const targets: string[] = target.endsWith('purgecache') ? [`all of ${domain}`] : (urls ?? [url]);
    const paths = targets.map(each => each.replace('https://example.com', ''));
    if (paths.some(isFailing)) return { body: '{"Success":false,"Error":"no"}' };
    sent.push(...paths);
    for (const path of paths) path === 'all of example.com' ? cache.clearAll() : cache.clear(path);
    return { body: '{"Success":true,"Error":""}' };
  });
  try {
    const hashes = repositoryOf(repository, commits);
    const stored = join(home, 'state/confirmed');
    const backup = join(folder, 'backup');
    for (const [index, { commit, outcome, isOtherMachine }] of deploys.entries()) {
      const pages = pagesOf(commits[commit]?.files ?? expect.unreachable());
      cache.view(pages);
      if (outcome === 'lost') continue;
      if (isOtherMachine) rmSync(join(home, 'state/machine'), { force: true });
      rmSync(backup, { recursive: true, force: true });
      if (existsSync(stored)) cpSync(stored, backup, { recursive: true });
      const least = cache.stale(pages).length;
      sent = [];
      isFailing = path => outcome === 'failed' || (outcome === 'half' && path.length % 2 === 0);
      const args = [
        'cdn',
        'purge',
        '--git',
        hashes[commit] ?? '',
        '--map',
        map,
        '--or-all',
        '--yes',
        '-o',
        'json',
      ];
      const { code, stdout, stderr } = await run(isNumbered ? [...args, '--deploy', `${index + 1}`] : args, {
        cwd: repository,
        now: NOON,
        env: {
          PATH: process.env.PATH ?? '',
          GATECTL_BASE_URL: server.baseUrl,
          GATECTL_API_KEY: 'some-key',
          GATECTL_DOMAIN: 'example.com',
          GATECTL_CONFIG_DIR: home,
        },
      });
      const where = `history ${seed}, deploy ${index + 1}: ${stderr}`;
      if (outcome === 'confirmed' || outcome === 'forgotten') {
        expect(code, where).toBe(0);
        expect(cache.stale(pages), where).toEqual([]);
        const { scope } = JSON.parse(stdout);
        tally.runs += 1;
        if (scope === 'everything') tally.everything += 1;
        else if (scope === 'changes') {
          tally.provenUrls += sent.length;
          tally.provenLeast += least;
        } else {
          tally.widenedUrls += sent.length;
          tally.widenedLeast += least;
        }
      }
      if (outcome === 'forgotten') {
        rmSync(stored, { recursive: true, force: true });
        if (existsSync(backup)) cpSync(backup, stored, { recursive: true });
      }
      cache.view(pages);
    }
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('whatever is merged, rolled back, forced, lost and fails: no page is stale, and a proven chain purges little more than it must', async () => {
  const tally: Tally = {
    runs: 0,
    provenUrls: 0,
    provenLeast: 0,
    widenedUrls: 0,
    widenedLeast: 0,
    everything: 0,
  };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) await deployAll(seed, tally);
  const ratio = (one: number, other: number) => (one / Math.max(1, other)).toFixed(3);
  if (process.env.DEPLOY_HISTORIES !== undefined)
    process.stdout.write(
      `${HISTORIES} histories, ${tally.runs} confirmed purges, no stale page; URLs per necessary one: ` +
        `${ratio(tally.provenUrls, tally.provenLeast)} proven (${tally.provenUrls}), ` +
        `${ratio(tally.widenedUrls, tally.widenedLeast)} widened (${tally.widenedUrls}), ${tally.everything} of the domain\n`,
    );
  expect(tally.provenLeast).toBeGreaterThan(0);
  expect(tally.provenUrls).toBeLessThanOrEqual(tally.provenLeast * MOST);
}, 1_200_000);
