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

/** What fish gets for a command line: candidates with their descriptions. The last word is the one at the cursor. */
async function offered(env: Record<string, string>, ...line: string[]): Promise<string[]> {
  const argv = ['__complete', 'fish', `.${line.at(-1) ?? ''}`, ...line.slice(0, -1)];
  const { code, stdout, stderr } = await run(argv, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .slice(1, -1)
    .map(line => line.replace(/\t$/, ''));
}

const COLUMN = ['bda', 'query', '-d'];
const DOMAIN = ['cdn', 'purge', '--domain'];
const SEGMENT = ['bda', 'report', 'run', '--segment'];
const words = (lines: readonly string[]) => lines.map(line => line.split('\t')[0]);

describe('what a shell requests while it completes', () => {
  test('profiles, with their gateway and the one in use', async () => {
    expect(await offered(await user(), '-p', '')).toEqual([
      `news\t${BASE_URL}, in use`,
      'staging\thttps://staging.example.com',
    ]);
  });

  test('domains of the last listing, of profiles and of the environment', async () => {
    const env = await user();
    expect(await offered({ ...env, GATECTL_DOMAIN: 'example.net' }, ...DOMAIN, '')).toEqual([
      'example.org\t7',
      'none.example',
      'example.com\tprofile news',
      'example.net\tenvironment GATECTL_DOMAIN',
    ]);
    expect(await offered(env, 'bda', 'report', 'run', '--domain-id', '')).toEqual(['7\texample.org']);
  });

  test('columns with description, type and unit, of the data set on the line only', async () => {
    const env = await user();
    expect(await offered(env, ...COLUMN, '')).toEqual([
      'country\tTwo-letter code (string)',
      'page_url\t(string)',
      'visits\t(number, count)',
    ]);
    for (const typed of [['--data-set', 'visit'], ['--data-set=visit']])
      expect(words(await offered(env, 'bda', 'query', ...typed, '-d', ''))).toEqual(['country', 'visits']);
    expect(words(await offered(env, 'bda', 'query', '--data-set', 'unknown', '-d', ''))).toHaveLength(3);
  });

  test('columns after a comma, without those before it', async () => {
    expect(words(await offered(await user(), ...COLUMN, 'country,v'))).toEqual([
      'country,page_url',
      'country,visits',
    ]);
  });

  test('the direction of a sort after the colon', async () => {
    const env = await user();
    expect(words(await offered(env, 'bda', 'query', '--sort', 'visits:'))).toEqual([
      'visits:desc',
      'visits:asc',
    ]);
    expect(words(await offered(env, 'bda', 'query', '--sort', 'visits:desc,'))).toEqual([
      'visits:desc,country',
      'visits:desc,page_url',
    ]);
  });

  test('filters with the operators that fit the column', async () => {
    const lines = words(await offered(await user(), 'bda', 'query', '--filter', ''));
    expect(lines).toContain('country=');
    expect(lines).not.toContain('country>');
    expect(lines).toContain('visits>=');
    const ofReport = words(await offered(await user(), 'bda', 'report', 'run', '--filter', ''));
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
      expect(await offered(env, ...typed, ...COLUMN, '')).toEqual([]);
    expect(words(await offered(env, '--profile', 'news', ...COLUMN, ''))).toHaveLength(3);
  });

  test('a name from the API that would end a line, move a cursor or reorder text is not offered', async () => {
    const env = await user();
    expect(await offered(env, 'bda', 'report', 'run', '')).toEqual([]);
    const hidden = [
      '\t',
      '\n',
      '\r',
      '\u001b',
      '\u007f',
      '\u0085',
      '\u2028',
      '\u061c',
      '\u200e',
      '\u202e',
      '\u2066',
      '\ud800',
    ];
    const names = hidden.map((mark, index) => ({ name: `Readers${mark}${index}` }));
    const known = { name: 'Readers', about: 'from\u202ehere\nand\tthere' };
    await cacheOf(env.GATECTL_CONFIG_DIR ?? '').writeNames('segment', [...names, known], NOON);
    expect(await offered(env, ...SEGMENT, '')).toEqual(['Readers\tfrom here and there']);
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
    expect(words(await offered(env, ...COLUMN, ''))).toContain('visits');
    expect(words(await offered(env, 'bda', 'query', '--data-set', ''))).toContain('pageview');
    expect(await offered(env, 'bda', 'report', 'run', '')).not.toEqual([]);
    expect(words(await offered(env, 'bda', 'report', 'run', '--id', ''))).toContain('101');
  });

  test('custom reports by their number, with their name', async () => {
    expect(await offered(await user(), 'bda', 'report', 'run', '--id', '')).toEqual(['101\tRevenue by day']);
  });

  test('commands and topics after help', async () => {
    expect(words(await offered({}, 'help', ''))).toEqual(
      expect.arrayContaining(['cdn', 'exit-codes', 'filters']),
    );
    expect(words(await offered({}, 'help', 'cdn', ''))).toEqual(['ping', 'purge', 'listen', 'history']);
  });

  test('settings and time zones', async () => {
    expect(words(await offered({}, 'profile', 'set', ''))).toContain('base-url');
    expect(words(await offered({}, '--tz', ''))).toContain('Europe/Madrid');
  });

  test('values of the setting that was typed', async () => {
    const values = async (name: string) => words(await offered(await user(), 'profile', 'set', name, ''));
    expect(await values('output')).toContain('ndjson');
    expect(await values('protected')).toEqual(['true', 'false']);
    expect(await values('time-zone')).toContain('Europe/Madrid');
    expect(await values('domain')).toContain('example.com');
    expect(await values('brand')).toEqual([]);
  });

  test('nothing, and no error, with damaged, unknown or missing profiles, and for an unknown kind', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'config.json'), '{');
    expect(await offered({ GATECTL_CONFIG_DIR: folder }, '-p', '')).toEqual([]);
    expect(await offered(await user(), '--profile', 'nobody', ...COLUMN, '')).toEqual([]);
    expect(await offered({}, ...COLUMN, '')).toEqual([]);
    expect(await offered({}, 'weather', '--color-of-sky', '')).toEqual([]);
    for (const args of [[], ['tcsh', '.'], ['bash'], ['zsh'], ['powershell']]) {
      const { code, stderr } = await run(['__complete', ...args]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
  });
});

describe('gatectl completion', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('prints the script of %s', async shell => {
    const { code, stdout } = await run(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('__complete');
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
