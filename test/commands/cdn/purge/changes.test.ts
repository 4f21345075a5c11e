import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { NOON, run } from '../../../support/run.ts';
import { type Received, type Reply, wireServer } from '../../../support/wire-server.ts';

const done: Reply = { body: '{"Success":true,"Error":""}' };
const refusal: Reply = { body: '{"Success":false,"Error":"no"}' };

/** A site in a folder, a gateway and what they remember. */
async function site(files: Readonly<Record<string, string>> = {}) {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  let reply: (request: Received) => Reply = () => done;
  const server = await wireServer(request => reply(request));
  onTestFinished(() => server.close());
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {
    cwd,
    home,
    baseUrl: server.baseUrl,
    received: () => server.received.map(({ body }) => body),
    write,
    remove: (path: string) => rmSync(join(cwd, path)),
    answer(next: (request: Received) => Reply) {
      reply = next;
    },
    /** Runs `cdn` and returns what it printed, and which targets it sent. */
    async cdn(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
      const from = server.received.length;
      const ran = await run(['cdn', ...args], {
        cwd,
        now: NOON,
        env: {
          PATH: process.env.PATH ?? '',
          GATECTL_BASE_URL: server.baseUrl,
          GATECTL_API_KEY: 'some-key',
          GATECTL_DOMAIN: 'example.com',
          GATECTL_CONFIG_DIR: home,
          ...env,
        },
      });
      const sent = server.received.slice(from).flatMap(({ target, body }) => {
        const { url, urls, keys, domain } = JSON.parse(body);
        if (target.endsWith('purgecache')) return [`all of ${domain}`];
        return keys === undefined
          ? (urls ?? [url])
          : keys.split(',').map((key: string) => `${key} (${domain})`);
      });
      return { ...ran, sent: sent.map(each => each.replace('https://example.com', '')).sort() };
    },
  };
}

const BUILT = { 'dist/index.html': 'front', 'dist/a.html': 'a', 'dist/news/index.html': 'news' };
const PURGE = ['purge', '--changed', 'dist'];
const CONFIRM = [...PURGE, '--or-all', '--yes'];

async function confirmed(files: Readonly<Record<string, string>> = BUILT, args = CONFIRM) {
  const made = await site(files);
  const { code, sent } = await made.cdn(args);
  expect([code, sent]).toEqual([0, ['all of example.com']]);
  return made;
}

/** The contents of all files of a folder, but for the key of the machine, whose bytes are chosen at random. */
function storedIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile() && entry.name !== 'machine');
  expect(files.length).toBeGreaterThan(1);
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
}

describe('cdn purge --changed', () => {
  test('without a confirmed purge, nothing is sent', async () => {
    const { cdn } = await site(BUILT);
    const ran = await cdn(PURGE);
    expect([ran.code, ran.stdout, ran.sent]).toEqual([2, '', []]);
    expect(ran.stderr).toBe(`note: files are pages below https://example.com/; a map can name another site
error: no purge of example.com is confirmed yet, so what changed is not known; nothing was sent
  to purge the whole domain once and confirm this state, add --or-all --yes
`);
  });

  test('--or-all requires a confirmation', async () => {
    const { cdn } = await site(BUILT);
    const ran = await cdn([...PURGE, '--or-all']);
    expect([ran.code, ran.sent]).toEqual([2, []]);
    expect(ran.stderr).toContain('error: purging all of example.com requires confirmation\n  add --yes\n');
  });

  test('changed, added, removed and renamed pages are purged, once', async () => {
    const { cdn, write, remove } = await confirmed();
    write('dist/news/index.html', 'more news');
    write('dist/b.html', 'a');
    remove('dist/a.html');
    const ran = await cdn(PURGE);
    expect([ran.code, ran.sent]).toEqual([0, ['/a.html', '/b.html', '/news/']]);
    expect(ran.stdout).toContain('Changes\n1 changed URL, 1 added, 1 removed, 1 of them renamed\n');
    const again = await cdn(PURGE);
    expect([again.code, again.sent]).toEqual([0, []]);
    expect(again.stderr).toContain(
      'note: nothing changed since the confirmed purge of 2026-03-14T12:00:00.000Z\n',
    );
  });

  test('json says what changed', async () => {
    const { cdn, write } = await confirmed();
    write('dist/a.html', 'other');
    const { stdout } = await cdn([...PURGE, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      domain: 'example.com',
      cleared: 1,
      scope: 'changes',
      reasons: [],
      changes: { changed: 1, added: 0, removed: 0, renamed: 0 },
    });
  });

  test('--dry-run and --curl confirm nothing', async () => {
    const { cdn, write } = await confirmed();
    write('dist/a.html', 'other');
    for (const flag of ['--dry-run', '--curl']) {
      const { code, stdout, sent } = await cdn([...PURGE, flag]);
      expect([code, sent]).toEqual([0, []]);
      expect(stdout).toContain('https://example.com/a.html');
    }
    expect((await cdn(PURGE)).sent).toEqual(['/a.html']);
  });

  test('a map adds listing pages and surrogate keys', async () => {
    const map = `rules:
  - files: "{slug}.html"
    urls: /{slug}
    keys: page-{slug}
    listings: /
  - files: "**"
    ignore: true
`;
    const { cdn, write } = await confirmed({ ...BUILT, 'map.yaml': map }, [...CONFIRM, '--map', 'map.yaml']);
    write('dist/a.html', 'other');
    const ran = await cdn([...PURGE, '--map', 'map.yaml']);
    expect([ran.code, ran.sent]).toEqual([0, ['/', '/a', 'page-a (example.com)']]);
    expect(ran.stdout).toContain('Purge of 3 targets on example.com\n');
  });

  test('redirects: lines without a single URL are a warning, other lines an error', async () => {
    const { cdn, write } = await site({
      ...BUILT,
      'dist/_redirects': '# moved\n/old /a.html\n/w/* /b.html 301\nhttps://example.org/x /a.html\n',
      'map.yaml': 'redirects: _redirects\n',
    });
    const args = [...CONFIRM, '--map', 'map.yaml'];
    const ran = await cdn(args);
    expect(ran.code).toBe(0);
    expect(
      ran.stderr,
    ).toContain(`warning: _redirects:3: names no single URL of the site, so changes are not purged: /w/* /b.html 301
warning: _redirects:4: names no single URL of the site, so changes are not purged: https://example.org/x /a.html
`);
    for (const line of ['/lonely', 'old /a.html', '/old /a.html soon']) {
      write('dist/_redirects', `\n${line}\n`);
      const { code, stderr, sent } = await cdn(args);
      expect([code, sent]).toEqual([2, []]);
      expect(stderr).toContain(`error: _redirects:2: not a redirect: ${line}\n`);
    }
  });

  test('after a purge that fails, the next one repeats what failed and not what was cleared', async () => {
    const { cdn, write, answer } = await confirmed();
    write('dist/a.html', 'other');
    write('dist/index.html', 'other front');
    answer(({ body }) => (body.includes('a.html') ? refusal : done));
    expect(await cdn(PURGE)).toMatchObject({ code: 7 });
    answer(() => done);
    write('dist/a.html', 'a');
    const ran = await cdn(PURGE);
    expect([ran.code, ran.sent]).toEqual([0, ['/a.html']]);
    expect(ran.stderr).toContain(
      'warning: purging more than what changed: the purge of 2026-03-14T12:00:00.000Z was not confirmed\n',
    );
    expect((await cdn(PURGE)).sent).toEqual([]);
  });

  test('a missing deploy widens the purge to all known pages, or to the domain', async () => {
    const { cdn } = await confirmed(BUILT, [...CONFIRM, '--deploy', '4']);
    const ran = await cdn([...PURGE, '--deploy', '6']);
    expect([ran.code, ran.sent]).toEqual([0, ['/', '/a.html', '/news/']]);
    expect(ran.stderr).toContain(`warning: purging all known pages: deploy 5 was not confirmed here
  pages that only a missing deploy had stay cached; --or-all purges the whole domain instead
`);
    expect((await cdn([...CONFIRM, '--deploy', '7'])).sent).toEqual([]);
    expect((await cdn([...CONFIRM, '--deploy', '9'])).sent).toEqual(['all of example.com']);
  });

  test('another machine widens the purge, unless the number of the deploy follows', async () => {
    const { cdn, home } = await confirmed(BUILT, [...CONFIRM, '--deploy', '4']);
    rmSync(join(home, 'state/machine'));
    expect((await cdn([...PURGE, '--deploy', '5'])).sent).toEqual([]);
    rmSync(join(home, 'state/machine'));
    const ran = await cdn(PURGE);
    expect([ran.code, ran.sent]).toEqual([0, ['/', '/a.html', '/news/']]);
    expect(ran.stderr).toContain('was confirmed on another machine');
  });

  test('a page that is stale after the purge is not confirmed', async () => {
    const { cdn, write } = await confirmed();
    write('dist/a.html', 'other');
    const pages = await wireServer(() => ({ headers: { age: '900' }, body: 'old' }));
    onTestFinished(() => pages.close());
    const map = `site: ${pages.baseUrl}\n`;
    write('map.yaml', map);
    const args = [...PURGE, '--map', 'map.yaml', '--verify', '--any-domain'];
    const ran = await cdn(args);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain('pages were stale after the purge, so it is not confirmed\n');
    const { stdout } = await cdn(['history', '-o', 'json']);
    expect(JSON.parse(stdout)[0].confirmed).toBe(false);
    const again = await cdn([...PURGE, '--map', 'map.yaml', '--any-domain']);
    expect([again.code, again.sent.length]).toEqual([0, 6]);
  });

  test.each<[string, readonly string[], string]>([
    ['a folder without files', ['--changed', 'empty'], 'contains no file'],
    ['no folder', ['--changed', 'nowhere'], 'nowhere'],
    ['a file', ['--changed', 'dist/a.html'], 'is not a folder'],
    ['a link to a folder', ['--changed', 'linked'], '"inside" is a link to a folder'],
    ['no map', ['--changed', 'dist', '--map', 'no.yaml'], 'no such file: no.yaml'],
    [
      'rules that match nothing',
      ['--changed', 'dist', '--map', 'map.yaml'],
      'rule 1 of map.yaml (files: posts/**) matches no file',
    ],
    ['--deploy alone', ['https://example.com/', '--deploy', '1'], 'URL and --deploy cannot be combined'],
    ['--map alone', ['https://example.com/', '--map', 'map.yaml'], 'URL and --map cannot be combined'],
    ['--or-all alone', ['https://example.com/', '--or-all'], 'URL and --or-all cannot be combined'],
    ['two kinds', ['--changed', 'dist', '--git', 'HEAD'], '--changed and --git cannot be combined'],
  ])('%s: nothing is sent', async (_, args, message) => {
    const { cdn, cwd } = await confirmed({
      ...BUILT,
      'linked/a': 'a',
      'map.yaml': 'rules:\n  - files: posts/**\n    urls: /\n',
    });
    mkdirSync(join(cwd, 'empty'));
    symlinkSync(join(cwd, 'dist'), join(cwd, 'linked/inside'));
    const ran = await cdn(['purge', ...args]);
    expect(ran.sent).toEqual([]);
    expect([2, 9]).toContain(ran.code);
    expect(ran.stderr).toContain(message);
  });

  test('a damaged state is an error, and no state with --or-all', async () => {
    const { cdn, home } = await confirmed();
    const folder = join(home, 'state/confirmed');
    const [name = ''] = readdirSync(folder).filter(each => each.endsWith('.state'));
    writeFileSync(join(folder, name), readFileSync(join(folder, name), 'utf8').replace('a.html', 'b.html'));
    const ran = await cdn(PURGE);
    expect([ran.code, ran.sent]).toEqual([9, []]);
    expect(ran.stderr).toContain(`${name} is damaged`);
    expect((await cdn(CONFIRM)).sent).toEqual(['all of example.com']);
  });

  test('what is stored holds no key', async () => {
    const { home } = await confirmed();
    expect(storedIn(join(home, 'state')).join('\n')).not.toContain('some-key');
  });
});

describe('cdn purge --explain', () => {
  const MAP = `site: https://www.example.com
rules:
  - files: "{slug}.md"
    urls: /{slug}/
    listings: /
    keys: page-{slug}
    affects: /archive/**
  - files: drafts/**
    ignore: true
unmatched: ignore
`;

  test('prints what a file leads to, and sends nothing', async () => {
    const { cdn } = await site({ 'map.yaml': MAP });
    const ran = await cdn(['purge', '--explain', 'gone.md', '--map', 'map.yaml', '-o', 'csv']);
    expect(ran).toMatchObject({ code: 0, sent: [], stderr: 'note: 4 targets; nothing was sent\n' });
    expect(ran.stdout).toBe(`kind,target,rule
URL,https://www.example.com/gone/,1: {slug}.md
listing,https://www.example.com/,1: {slug}.md
key,page-gone,1: {slug}.md
affected,/archive/**,1: {slug}.md
`);
  });

  test.each([
    ['drafts/a.md', 'rule 2 ignores drafts/a.md\n'],
    ['a.txt', 'a.txt matches no rule\n'],
  ])('%s leads to nothing', async (file, stdout) => {
    const { cdn } = await site({ 'map.yaml': MAP });
    expect((await cdn(['purge', '--explain', file, '--map', 'map.yaml'])).stdout).toBe(stdout);
  });

  test('the file may be named with the folder of --changed', async () => {
    const { cdn } = await site(BUILT);
    const ran = await cdn([
      'purge',
      '--explain',
      'dist/news/index.html',
      '--changed',
      'dist',
      '-o',
      'ndjson',
    ]);
    expect(ran.stdout).toBe('{"kind":"URL","target":"https://example.com/news/"}\n');
  });
});

describe('cdn history', () => {
  test('lists what was purged, by which command, the latest first', async () => {
    const { cdn } = await site(BUILT);
    expect((await cdn(['history'])).stdout).toBe('no purges yet\n');
    await cdn(['purge', 'https://example.com/a', 'https://example.com/b']);
    await cdn(['purge', '--key', 'k']);
    await cdn(CONFIRM);
    const { stdout } = await cdn(['history', '-o', 'csv']);
    expect(stdout).toBe(`id,started_at,domain,what,confirmed,command
20260314-3,2026-03-14T12:00:00.000Z,example.com,everything,true,gatectl cdn purge --changed dist --or-all --yes
20260314-2,2026-03-14T12:00:00.000Z,example.com,1 key,true,gatectl cdn purge --key k
20260314-1,2026-03-14T12:00:00.000Z,example.com,2 URLs,true,gatectl cdn purge https://example.com/a https://example.com/b
`);
    expect((await cdn(['history', '--limit', '1'])).stderr).toBe(
      'note: 2 earlier purges; --limit shows more\n',
    );
    expect((await cdn(['history', '--domain', 'example.org'])).stdout).toBe('no purges yet\n');
  });

  test('a failed purge is listed as not confirmed, and one of another gateway is not listed', async () => {
    const { cdn, answer } = await site();
    answer(() => refusal);
    await cdn(['purge', 'https://example.com/a']);
    const [record] = JSON.parse((await cdn(['history', '-o', 'json'])).stdout);
    expect(record).toMatchObject({ requested: 1, cleared: 0, failed: 1, confirmed: false });
    const elsewhere = { GATECTL_BASE_URL: 'https://gateway.example.org' };
    expect((await cdn(['history'], elsewhere)).stdout).toBe('no purges yet\n');
  });
});

describe('cdn purge --repeat-plan', () => {
  test('prints and stores no key that a purged URL contained', async () => {
    const { cdn, home } = await site();
    const urls = ['https://example.com/a?k=some-key', 'https://example.com/b'];
    expect((await cdn(['purge', ...urls])).sent).toEqual(['/a?k=some-key', '/b']);
    await cdn(['purge', '--key', 'some-key']);
    expect((await cdn(['purge', '--repeat-plan', '20260314-1', '-o', 'csv'])).stdout).toBe(
      'kind,target,purged_again\nURL,https://example.com/a?k=***,\nURL,https://example.com/b,\n',
    );
    expect(readdirSync(join(home, 'state/purged-targets'))).toHaveLength(2);
    expect(storedIn(join(home, 'state')).join('\n')).not.toContain('some-key');
  });

  test('prints what a second purge would repeat, and which purges cleared it since', async () => {
    const { cdn } = await site();
    await cdn(['purge', 'https://example.com/a', 'https://example.com/b']);
    await cdn(['purge', 'https://example.com/b']);
    const ran = await cdn(['purge', '--repeat-plan', '20260314-1', '-o', 'csv']);
    expect(ran).toMatchObject({ code: 0, sent: [] });
    expect(ran.stdout).toBe(`kind,target,purged_again
URL,https://example.com/a,
URL,https://example.com/b,20260314-2
`);
    expect(ran.stderr).toBe(`note: 2 targets of the purge 20260314-1, 1 was purged since; nothing was sent
note: a purge cannot be undone: after a rollback, purge these targets again
`);
  });

  test('counts no later purge that did not clear a target', async () => {
    const { cdn, answer } = await site();
    const urls = ['https://example.com/a', 'https://example.com/b'];
    await cdn(['purge', ...urls]);
    answer(({ body }) => (body.includes('/b') ? refusal : done));
    expect((await cdn(['purge', ...urls, '--retries', '0'])).code).not.toBe(0);
    await cdn(['purge', 'https://example.com/b', '--retries', '0']);
    expect((await cdn(['purge', '--repeat-plan', '20260314-1', '-o', 'csv'])).stdout).toBe(
      'kind,target,purged_again\nURL,https://example.com/a,20260314-2\nURL,https://example.com/b,\n',
    );
  });

  test.each([
    ['--repeat-plan', 'x', '--dry-run'],
    ['--repeat-plan', 'x', '--verify'],
    ['--repeat-plan', 'x', '--stage', '100%'],
    ['--explain', 'a', '--changed', 'dist', '--all'],
    ['--explain', 'a', '--changed', 'dist', '--dry-run'],
  ])('%s %s %s is rejected with what it would ignore', async (...args) => {
    const { cdn } = await site(BUILT);
    const ran = await cdn(['purge', ...args]);
    expect([ran.code, ran.sent]).toEqual([2, []]);
    expect(ran.stderr).toMatch(/^error: --\S+ and --\S+ cannot be combined\n/);
  });

  test('an unknown id is rejected', async () => {
    const { cdn } = await site();
    expect(await cdn(['purge', '--repeat-plan', 'x'])).toMatchObject({
      code: 2,
      stderr: 'error: no purge x in the history of this gateway\n  the history is empty\n',
    });
  });
});

describe('cdn purge --git', () => {
  let made: Awaited<ReturnType<typeof site>>;
  const git = (...words: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main', ...words],
      { cwd: made.cwd, encoding: 'utf8', stdio: 'pipe' },
    ).trim();
  const commit = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) made.write(path, text);
    return git('-c', `alias.save=!${SAVE}`, 'save');
  };
  // One process of git, as each one that is started from here takes long.
  const SAVE = 'git add -A && git commit -q --allow-empty -m change && git rev-parse HEAD';
  const MAP = 'rules:\n  - files: content/{slug}.md\n    urls: /{slug}\n    listings: /\n';
  const GIT = ['purge', '--git', 'HEAD', '--map', 'map.yaml'];
  beforeEach(async () => {
    made = await site();
    git('init', '-q');
    commit({ 'map.yaml': MAP, 'content/a.md': 'a', 'content/b.md': 'b', 'README.md': 'read me' });
    expect((await made.cdn([...GIT, '--or-all', '--yes'])).sent).toEqual(['all of example.com']);
  });

  test('changed files lead to pages and listing pages, other files to nothing', async () => {
    commit({ 'content/a.md': 'other', 'README.md': 'other' });
    expect((await made.cdn(GIT)).sent).toEqual(['/', '/a']);
    expect((await made.cdn(GIT)).sent).toEqual([]);
  });

  test('commits in between may have been deployed, unless the number of the deploy says otherwise', async () => {
    commit({ 'content/a.md': 'other' });
    commit({ 'content/a.md': 'a', 'content/b.md': 'other' });
    const ran = await made.cdn(GIT);
    expect(ran.sent).toEqual(['/', '/a', '/b']);
    expect(ran.stderr).toContain('commits between the confirmed one and this one may have been deployed\n');
    commit({ 'content/a.md': '2' });
    await made.cdn([...GIT, '--deploy', '1']);
    commit({ 'content/a.md': '3' });
    commit({ 'content/a.md': '2', 'content/b.md': '4' });
    expect((await made.cdn([...GIT, '--deploy', '2'])).sent).toEqual(['/', '/b']);
  });

  test('a rollback and a force push purge what any commit of either side changed', async () => {
    const first = git('rev-parse', 'HEAD');
    commit({ 'content/a.md': '2' });
    await made.cdn(GIT);
    git('reset', '-q', '--hard', first);
    expect((await made.cdn(GIT)).sent).toEqual(['/', '/a']);
    commit({ 'content/a.md': '3' });
    await made.cdn(GIT);
    git('reset', '-q', '--hard', first);
    commit({ 'content/b.md': '3' });
    const ran = await made.cdn(GIT);
    expect([ran.code, ran.sent]).toEqual([0, ['/', '/a', '/b']]);
  });

  test('a confirmed commit that is gone widens the purge to all known pages', async () => {
    const first = git('rev-parse', 'HEAD');
    commit({ 'content/a.md': '2' });
    await made.cdn(GIT);
    git('reset', '-q', '--hard', first);
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '-q', '--prune=now');
    commit({ 'content/a.md': '3' });
    const ran = await made.cdn(GIT);
    expect([ran.code, ran.sent]).toEqual([0, ['/', '/a', '/b']]);
    expect(ran.stderr).toContain('is not in this repository');
  });

  test('BASE..REF names what is cached', async () => {
    const base = git('rev-parse', 'HEAD');
    commit({ 'content/a.md': 'other' });
    rmSync(join(made.home, 'state/confirmed'), { recursive: true });
    const ran = await made.cdn(['purge', '--git', `${base}..HEAD`, '--map', 'map.yaml']);
    expect([ran.code, ran.sent]).toEqual([0, ['/', '/a']]);
  });

  test('BASE..REF is exactly that range; the next purge without a base includes what it left', async () => {
    commit({ 'content/b.md': 'other' });
    const base = git('rev-parse', 'HEAD');
    commit({ 'content/a.md': 'other', 'map.yaml': MAP.replace('    listings: /\n', '') });
    const range = ['purge', '--git', `${base}..HEAD`, '--map', 'map.yaml'];
    const ran = await made.cdn(range);
    expect([ran.code, ran.sent]).toEqual([0, ['/a']]);
    expect(ran.stderr).toContain(
      'changed since the confirmed purge of 2026-03-14T12:00:00.000Z; --git without a base purges ',
    );
    expect((await made.cdn(range)).sent).toEqual(['/a']);
    const rest = await made.cdn(GIT);
    expect(rest.sent).toContain('/b');
    expect(rest.stderr).toContain(`was of ${base}..HEAD only`);
    expect((await made.cdn(GIT)).sent).toEqual([]);
  });

  test('BASE..REF that includes all that changed is a confirmed purge', async () => {
    const base = git('rev-parse', 'HEAD');
    commit({ 'content/a.md': 'other' });
    expect((await made.cdn(['purge', '--git', `${base}..HEAD`, '--map', 'map.yaml'])).sent).toEqual([
      '/',
      '/a',
    ]);
    expect((await made.cdn(GIT)).sent).toEqual([]);
  });

  test('a branch that is purged by its range leaves no page of it when the line is deployed again', async () => {
    const base = git('rev-parse', 'HEAD');
    commit({ 'content/b.md': 'line' });
    await made.cdn(GIT);
    const line = git('rev-parse', 'HEAD');
    git('checkout', '-q', '-b', 'side', base);
    commit({ 'content/a.md': 'side' });
    const side = await made.cdn(['purge', '--git', `${base}..HEAD`, '--map', 'map.yaml']);
    expect(side.sent).toEqual(['/', '/a']);
    git('checkout', '-q', line);
    expect((await made.cdn(GIT)).sent).toEqual(['/', '/a', '/b']);
  });

  test('a link to a file changes with the file', async () => {
    symlinkSync('../README.md', join(made.cwd, 'content/c.md'));
    commit({});
    expect((await made.cdn(GIT)).sent).toEqual(['/', '/c']);
    commit({ 'README.md': 'other' });
    expect((await made.cdn(GIT)).sent).toEqual(['/', '/c']);
    commit({ 'README.md': 'third' });
    commit({ 'README.md': 'other' });
    expect((await made.cdn(GIT)).sent).toEqual(['/', '/c']);
  });

  test('a submodule is an error, unless a rule says what it leads to', async () => {
    const add = (object: string) => {
      git('update-index', '--add', '--cacheinfo', `160000,${object},theme`);
      git('commit', '-q', '-m', 'theme');
    };
    add('1'.repeat(40));
    const ran = await made.cdn(GIT);
    expect([ran.code, ran.sent]).toEqual([2, []]);
    expect(ran.stderr).toContain('error: "theme" is a submodule, so its changes are not known\n');
    made.write('map.yaml', `${MAP}  - files: theme\n    affects: /**\n`);
    await made.cdn(GIT);
    add('2'.repeat(40));
    expect((await made.cdn(GIT)).sent).toEqual(['/', '/a', '/b']);
  });

  test('a shallow clone: nothing is sent, and the error says fetch-depth: 0', async () => {
    commit({ 'content/a.md': 'other' });
    commit({ 'content/b.md': 'other' });
    const clone = join(temporaryFolder(), 'clone');
    git('clone', '-q', '--depth', '1', `file://${made.cwd}`, clone);
    const env = { GATECTL_CONFIG_DIR: made.home };
    const ran = await made.cdn(['purge', '--git', 'HEAD', '--map', join(clone, 'map.yaml')], {
      ...env,
      GIT_DIR: join(clone, '.git'),
    });
    expect([ran.code, ran.sent]).toEqual([2, []]);
    expect(ran.stderr).toContain(
      'error: the clone is shallow: the commits since the last confirmed purge are missing\n  nothing was sent: run git fetch --unshallow, or in GitHub Actions pass fetch-depth: 0 to actions/checkout\n',
    );
  });

  test.each([
    ['an unknown revision', ['--git', 'nowhere'], 'the revision nowhere does not exist in this repository'],
    ['a revision that is an option', ['--git=--output=x'], 'the revision --output=x does not exist'],
  ])('%s: nothing is sent', async (_, args, message) => {
    const ran = await made.cdn(['purge', ...args, '--map', 'map.yaml']);
    expect([ran.code, ran.sent]).toEqual([2, []]);
    expect(ran.stderr).toContain(message);
  });

  test('a folder without a repository, and a machine without git', async () => {
    const { cdn } = await site({ 'map.yaml': MAP });
    const outside = await cdn(GIT, { GIT_CEILING_DIRECTORIES: '/' });
    expect([outside.code, outside.sent]).toEqual([2, []]);
    expect(outside.stderr).toContain('error: cannot read the git repository of ');
    const without = await made.cdn(GIT, { PATH: '/nowhere' });
    expect([without.code, without.sent]).toEqual([2, []]);
    expect(without.stderr).toContain('the program git was not found');
  });

  test('each repository has its own state, and a range in one purges nothing of another', async () => {
    const other = await site();
    const run = (args: readonly string[]) =>
      other.cdn(args, { GATECTL_CONFIG_DIR: made.home, GATECTL_BASE_URL: made.baseUrl });
    execFileSync('git', ['init', '-q'], { cwd: other.cwd });
    for (const text of ['one', 'two']) {
      other.write('other.html', text);
      execFileSync('git', ['add', '-A'], { cwd: other.cwd });
      const author = ['-c', 'user.name=Bo', '-c', 'user.email=bo@example.com'];
      execFileSync('git', [...author, 'commit', '-q', '-m', text], { cwd: other.cwd });
    }
    commit({ 'content/a.md': 'other' });
    await made.cdn(['purge', '--git', 'HEAD~1..HEAD', '--map', 'map.yaml']);
    const unknown = await run(['purge', '--git', 'HEAD']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('is confirmed yet')]);
    const before = made.received();
    expect((await run(['purge', '--git', 'HEAD~1..HEAD'])).code).toBe(0);
    expect(made.received().slice(before.length)).toEqual(['{"url":"https://example.com/other.html"}']);
    expect((await made.cdn(GIT)).sent).toEqual([]);
  });

  test.each([
    ['clones', (path: string) => git('clone', '-q', made.cwd, path)],
    ['worktrees', (path: string) => git('worktree', 'add', '-q', '--detach', path)],
  ])('%s at other paths share the state, as in CI', async (_, checkOut) => {
    for (const text of ['one', 'two']) {
      commit({ 'content/a.md': text });
      const path = join(temporaryFolder(), text);
      checkOut(path);
      const gitDir = execFileSync('git', ['-C', path, 'rev-parse', '--absolute-git-dir'], {
        encoding: 'utf8',
      });
      const ran = await made.cdn(GIT, { GIT_DIR: gitDir.trim() });
      expect([ran.code, ran.sent]).toEqual([0, ['/', '/a']]);
    }
    expect((await made.cdn(GIT)).sent).toEqual([]);
  });

  test('a range in a shallow clone is purged, and the state is left alone', async () => {
    commit({ 'content/a.md': 'other' });
    commit({ 'content/b.md': 'other' });
    const clone = join(temporaryFolder(), 'clone');
    git('clone', '-q', '--depth', '2', `file://${made.cwd}`, clone);
    const env = { GIT_DIR: join(clone, '.git') };
    const ran = await made.cdn(['purge', '--git', 'HEAD~1..HEAD', '--map', 'map.yaml'], env);
    expect([ran.code, ran.sent]).toEqual([0, ['/', '/b']]);
    expect(ran.stderr).toContain(
      'note: the clone is shallow, so the confirmed state is neither used nor changed\n',
    );
    expect((await made.cdn(GIT)).sent).toEqual(['/', '/a', '/b']);
  });

  describe('without a map', () => {
    const SOURCES = ['src/a.ts', '.gitignore', 'content/news.md', 'package.json', '.github/ci.json'];

    test('files that no browser requests lead to nothing: nothing is sent, and the error says what a map is', async () => {
      commit(Object.fromEntries(SOURCES.map(path => [path, 'text'])));
      commit(Object.fromEntries(SOURCES.map(path => [path, 'other'])));
      const ran = await made.cdn(['purge', '--git', 'HEAD~1..HEAD']);
      expect([ran.code, ran.sent]).toEqual([2, []]);
      commit({ 'index.html': 'front' });
      commit(Object.fromEntries(SOURCES.map(path => [path, 'third'])));
      const second = await made.cdn(['purge', '--git', 'HEAD~1..HEAD']);
      expect([second.code, second.sent]).toEqual([2, []]);
      expect(second.stderr).toContain(
        'error: none of the 5 changed files looks like a page: .github/ci.json, .gitignore, content/news.md, package.json, src/a.ts\n',
      );
      for (const { stderr } of [ran, second])
        expect(stderr).toContain('add --map FILE: rules from files to the URLs that show them, such as ');
    });

    test('pages and their files are purged, and a warning names the others', async () => {
      commit({
        'index.html': 'a',
        'news/index.html': 'a',
        'app.js': 'a',
        '.well-known/x': 'a',
        'src/a.ts': 'a',
      });
      commit({ 'news/index.html': 'b', 'app.js': 'b', '.well-known/x': 'b', 'src/a.ts': 'b' });
      const ran = await made.cdn(['purge', '--git', 'HEAD~1..HEAD']);
      expect([ran.code, ran.sent]).toEqual([0, ['/.well-known/x', '/app.js', '/news/']]);
      expect(ran.stderr).toContain(
        'warning: 1 of 4 changed files is not purged, as browsers do not request such files: src/a.ts\n',
      );
    });
  });
});
