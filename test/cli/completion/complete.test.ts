import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ListingCache } from '../../../src/apis/bda/listing-cache.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOON, run } from '../../support/run.ts';

const BASE_URL = 'https://gateway.example.com';

/** A user with two profiles who has listed everything of one of them. */
async function user(): Promise<Record<string, string>> {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      version: 1,
      current: 'news',
      profiles: {
        news: { 'base-url': BASE_URL, domain: 'example.com' },
        staging: { 'base-url': 'https://staging.example.com' },
      },
    }),
  );
  const cache = cacheOf(folder);
  const columns = [
    { name: 'country', type: 'string', description: 'Two-letter code', dataSets: ['pageview', 'visit'] },
    { name: 'page_url', type: 'string', dataSets: ['pageview'] },
    { name: 'visits', type: 'number', unit: 'count', dataSets: ['visit'] },
  ];
  await cache.writeColumns(columns, NOON);
  await cache.writeNames('domain', [{ name: 'example.org', id: '7' }, { name: 'none.example' }], NOON);
  await cache.writeNames('report', [{ name: 'Top\tpages\n', id: '3' }], NOON);
  await cache.writeNames('custom-report', [{ name: 'Revenue by day', id: '101' }], NOON);
  return { GATECTL_CONFIG_DIR: folder };
}

/** The listings of the profile `news`. */
function cacheOf(folder: string): ListingCache {
  return new ListingCache(join(folder, 'cache'), { baseUrl: BASE_URL, profile: 'news' });
}

async function offered(env: Record<string, string>, ...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run(['__complete', ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').filter(line => line !== '');
}

const words = (lines: readonly string[]) => lines.map(line => line.split('\t')[0]);

describe('what a shell requests while it completes', () => {
  test('profiles, with their gateway and the one in use', async () => {
    expect(await offered(await user(), 'profile', '.')).toEqual([
      `news\t${BASE_URL}, in use`,
      'staging\thttps://staging.example.com',
    ]);
  });

  test('domains of the last listing, of profiles and of the environment', async () => {
    const env = await user();
    expect(await offered({ ...env, GATECTL_DOMAIN: 'example.net' }, 'domain', '.')).toEqual([
      'example.org\t7',
      'none.example',
      'example.com\tprofile news',
      'example.net\tenvironment GATECTL_DOMAIN',
    ]);
    expect(await offered(env, 'domain-id', '.')).toEqual(['7\texample.org']);
  });

  test('columns with description, type and unit, of the data set on the line only', async () => {
    const env = await user();
    expect(await offered(env, 'column', '.')).toEqual([
      'country\tTwo-letter code (string)',
      'page_url\t(string)',
      'visits\t(number, count)',
    ]);
    for (const typed of [['--data-set', 'visit'], ['--data-set=visit']])
      expect(words(await offered(env, 'column', '.', 'bda', 'query', ...typed))).toEqual([
        'country',
        'visits',
      ]);
    expect(words(await offered(env, 'column', '.', '--data-set', 'unknown'))).toHaveLength(3);
  });

  test('columns after a comma, without those before it', async () => {
    expect(words(await offered(await user(), 'column', '.country,v'))).toEqual([
      'country,page_url',
      'country,visits',
    ]);
  });

  test('the direction of a sort after the colon', async () => {
    const env = await user();
    expect(words(await offered(env, 'sort', '.visits:'))).toEqual(['visits:desc', 'visits:asc']);
    expect(words(await offered(env, 'sort', '.visits:desc,'))).toEqual([
      'visits:desc,country',
      'visits:desc,page_url',
    ]);
  });

  test('filters with the operators that fit the column', async () => {
    const lines = words(await offered(await user(), 'filter', '.'));
    expect(lines).toContain('country=');
    expect(lines).not.toContain('country>');
    expect(lines).toContain('visits>=');
    const ofReport = words(await offered(await user(), 'filter', '.', 'bda', 'report', 'run'));
    expect(ofReport).toContain('visits>=');
    expect(ofReport).not.toContain('country=');
    expect(ofReport).toContain('country:');
  });

  test('lists of another profile or gateway are not shown, nor any with --sandbox', async () => {
    const env = await user();
    for (const typed of [
      ['--profile', 'staging'],
      ['-p', 'staging'],
      ['--base-url', 'https://other.example.com'],
      ['--sandbox'],
    ])
      expect(await offered(env, 'column', '.', ...typed)).toEqual([]);
    expect(words(await offered(env, 'column', '.', '--profile', 'news'))).toHaveLength(3);
  });

  test('a name from the API can neither end a line nor move a cursor', async () => {
    expect(await offered(await user(), 'report', '.')).toEqual(['Top pages \t3']);
  });

  test('a name from the API cannot reorder the text around it', async () => {
    const env = await user();
    const marks = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'];
    const names = marks.map((mark, index) => ({ name: `Readers${mark}${index}`, about: `from${mark}here` }));
    await cacheOf(env.GATECTL_CONFIG_DIR ?? '').writeNames('segment', names, NOON);
    expect(await offered(env, 'segment', '.')).toEqual(
      marks.map((_, index) => `Readers ${index}\tfrom here`),
    );
  });

  test('columns, data sets and reports that a served sandbox listed', async () => {
    const sandbox = await startSandbox({ now: () => NOON });
    onTestFinished(() => sandbox.close());
    const env = {
      GATECTL_CONFIG_DIR: temporaryFolder(),
      GATECTL_BASE_URL: sandbox.baseUrl,
      GATECTL_API_KEY: sandbox.apiKey,
    };
    for (const listing of ['columns', 'data-sets', 'report list'])
      expect((await run(['bda', ...listing.split(' ')], { env })).code).toBe(0);
    expect(words(await offered(env, 'column', '.'))).toContain('visits');
    expect(words(await offered(env, 'data-set', '.'))).toContain('pageview');
    expect(await offered(env, 'report', '.')).not.toEqual([]);
    expect(words(await offered(env, 'custom-report', '.'))).toContain('101');
  });

  test('custom reports by their number, with their name', async () => {
    expect(await offered(await user(), 'custom-report', '.')).toEqual(['101\tRevenue by day']);
  });

  test('commands and topics after help', async () => {
    expect(words(await offered({}, 'command', '.', 'help'))).toEqual(
      expect.arrayContaining(['cdn', 'exit-codes', 'filters']),
    );
    expect(words(await offered({}, 'command', '.', 'help', 'cdn'))).toEqual(['ping', 'purge', 'history']);
  });

  test('settings and time zones', async () => {
    expect(words(await offered({}, 'setting', '.'))).toContain('base-url');
    expect(words(await offered({}, 'time-zone', '.'))).toContain('Europe/Madrid');
  });

  test('values of the setting that was typed', async () => {
    const values = async (name: string) =>
      words(await offered(await user(), 'setting-value', '.', 'profile', 'set', name));
    expect(await values('output')).toContain('ndjson');
    expect(await values('protected')).toEqual(['true', 'false']);
    expect(await values('time-zone')).toContain('Europe/Madrid');
    expect(await values('domain')).toContain('example.com');
    expect(await values('brand')).toEqual([]);
  });

  test('nothing, and no error, with damaged, unknown or missing profiles, and for an unknown kind', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'config.json'), '{');
    expect(await offered({ GATECTL_CONFIG_DIR: folder }, 'profile', '.')).toEqual([]);
    expect(await offered(await user(), 'column', '.', '--profile', 'nobody')).toEqual([]);
    expect(await offered({}, 'column', '.')).toEqual([]);
    expect(await offered({}, 'weather', '.')).toEqual([]);
    expect(await offered({})).toEqual([]);
  });
});

describe('gatectl completion', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('prints the script of %s', async shell => {
    const { code, stdout } = await run(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('__complete');
    expect(stdout).toMatch(/bda.query/);
    expect(stdout).toContain('--dimension');
  });

  test('names the shells that there are', async () => {
    for (const words of [[], ['tcsh']]) {
      const { code, stdout, stderr } = await run(['completion', ...words]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain('one of: install, uninstall, bash, zsh, fish, powershell\n');
    }
  });
});

describe('gatectl help', () => {
  test('shows a command as --help does', async () => {
    const { stdout } = await run(['help', 'cdn', 'purge']);
    expect(stdout).toBe((await run(['cdn', 'purge', '--help'])).stdout);
    expect((await run(['help'])).stdout).toBe((await run(['--help'])).stdout);
  });

  test('shows topics', async () => {
    expect((await run(['help', 'exit-codes'])).stdout).toContain('  7    partial success');
    expect((await run(['help', 'environment'])).stdout).toContain('GATECTL_CONFIG_DIR');
  });

  test('rejects what is neither', async () => {
    expect((await run(['help', 'prodcts'])).stderr).toBe(
      "error: no help for 'prodcts'\n  did you mean gatectl help products?\n",
    );
    expect((await run(['help', 'filter'])).stderr).toContain('did you mean gatectl help filters?');
    expect((await run(['help', 'cdn', 'pnig'])).stderr).toContain('did you mean gatectl cdn ping?');
    expect((await run(['help', 'cdn', 'ping', 'now'])).code).toBe(2);
  });
});
