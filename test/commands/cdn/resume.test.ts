import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Signal } from '../../../src/errors/index.ts';
import { sleepFor } from '../../../src/http/clock.ts';
import { NOON, run } from '../../support/run.ts';
import { type WireServer, wireServer } from '../../support/wire-server.ts';

/** Long enough for three blocks of a list. */
const TOTAL = 3000;
const URLS = Array.from({ length: TOTAL }, (_, i) => `https://example.com/${i}?${'x'.repeat(200)}`);

let home: string;
let server: WireServer;
/** While the network is gone: answers so many requests. */
let left = Number.POSITIVE_INFINITY;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gatectl-resume-'));
  left = Number.POSITIVE_INFINITY;
  server = await wireServer(() => {
    left -= 1;
    return left < 0 ? { status: 401, body: '{}' } : { body: '{"Success":true,"Error":""}' };
  });
});
afterEach(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

const purge = (args: readonly string[], more: Readonly<Record<string, string>> = {}, input?: string) =>
  run(['cdn', 'purge', '--concurrency', '1', ...args], {
    env: {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
      GATECTL_CONFIG_DIR: home,
      ...more,
    },
    ...(input !== undefined && { input }),
    sleep: async () => {},
  });

/** Leaves a purge with 300 URLs cleared; returns the folder of its journal, and what was sent. */
async function interrupted(flags: readonly string[] = [], env = {}, urls = URLS) {
  left = 3;
  const ran = await purge(['--file', '-', ...flags], env, urls.join('\n'));
  expect(ran.code).toBe(4);
  left = Number.POSITIVE_INFINITY;
  const purges = join(home, 'state/purges');
  const [name = ''] = await readdir(purges);
  return { folder: join(purges, name), asked: server.received.length };
}

const sent = (from: number) =>
  server.received.slice(from).flatMap(({ body }) => JSON.parse(body).urls ?? JSON.parse(body).url);

describe('an interrupted purge belongs to its account', () => {
  test('it holds no key', async () => {
    const { folder } = await interrupted();
    for (const name of await readdir(folder))
      expect(await readFile(join(folder, name), 'utf8')).not.toContain('some-key');
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>, string, string]>([
    [
      'another --domain',
      ['--domain', 'example.org'],
      {},
      'is of the domain example.com',
      'add --domain example.com',
    ],
    [
      'another domain',
      [],
      { GATECTL_DOMAIN: 'example.org' },
      'is of the domain example.com',
      'add --domain example.com',
    ],
    [
      'another key',
      [],
      { GATECTL_API_KEY: 'other-key' },
      'was started with another API key',
      'set the key that it was started with',
    ],
  ])('with %s it is named, not resumed', async (_, flags, env, what, hint) => {
    const { folder, asked } = await interrupted();
    expect(await purge(['--resume', ...flags], env)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: the interrupted purge of 2026-03-14T12:00:00.000Z ${what}\n  ${hint}\n  nothing was sent\n`,
    });
    expect([server.received.length, (await readdir(folder)).sort()]).toEqual([
      asked,
      ['done', 'head', 'urls'],
    ]);
    expect((await purge(['--resume'])).code).toBe(0);
    expect(sent(asked)).toEqual(URLS.slice(300));
  });

  test('a profile resumes it with a new key, another profile does not', async () => {
    for (const name of ['news', 'sport']) {
      const add = ['profile', 'add', name, '--base-url', server.baseUrl, '--domain', 'example.com'];
      expect((await run(add, { env: { GATECTL_CONFIG_DIR: home } })).code).toBe(0);
    }
    const { asked } = await interrupted(['--profile', 'news']);
    const other = await purge(['--resume', '--profile', 'sport'], { GATECTL_API_KEY: 'new-key' });
    expect([other.code, other.stderr.split('\n')[1]]).toEqual([2, '  add --profile news']);
    expect((await purge(['--resume', '--profile', 'news'], { GATECTL_API_KEY: 'new-key' })).code).toBe(0);
    expect(sent(asked)).toEqual(URLS.slice(300));
  });
});

describe('a damaged journal', () => {
  test('whose list is cut in half is named and kept; what is intact can be purged, exit 7', async () => {
    const { folder, asked } = await interrupted();
    const list = join(folder, 'urls');
    await truncate(list, Math.floor((await readFile(list)).length / 2));
    const refused = await purge(['--resume']);
    expect([refused.code, server.received.length, refused.stdout]).toEqual([9, asked, '']);
    const counts =
      / is damaged: ([\d,]+) of its 3,000 URLs cannot be read; to purge the ([\d,]+) that are intact and not purged yet, add --skip-invalid; for all, purge their list again with --no-resume\n/;
    const [lost = 0, intact = 0] = (counts.exec(refused.stderr) ?? [])
      .slice(1)
      .map(text => Number(text.replace(',', '')));
    expect(refused.stderr).toContain(`error: the journal ${folder} is damaged`);
    expect([intact > 0, lost + intact + 300]).toEqual([true, TOTAL]);

    const ran = await purge(['--resume', '--skip-invalid', '--json']);
    expect([ran.code, JSON.parse(ran.stdout).cleared]).toEqual([7, intact]);
    expect(sent(asked)).toEqual(URLS.slice(300, 300 + intact));
    expect((await readdir(folder)).sort()).toEqual(['done', 'head', 'urls']);
    expect((await purge(['--resume'])).stderr).toContain(
      'cannot be read; none that is intact is left to purge: purge their list again with --no-resume\n',
    );
  });

  test('with a flipped bit sends no URL that was not listed', async () => {
    const { folder, asked } = await interrupted();
    const list = join(folder, 'urls');
    await writeFile(list, (await readFile(list, 'utf8')).replace('example.com/2999', 'example.cox/2999'));
    expect((await purge(['--resume'])).code).toBe(9);
    await purge(['--resume', '--skip-invalid', '--quiet']);
    const known = new Set(URLS);
    expect(sent(asked).every(url => known.has(url))).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(['done', 'head', 'urls']);
  });

  test('whose head is damaged is named, and does not block others', async () => {
    const { folder, asked } = await interrupted();
    const head = await readFile(join(folder, 'head'), 'utf8');
    await writeFile(join(folder, 'head'), head.replace('"total":3000', '"total":1000'));
    expect(await purge(['--resume'])).toEqual({
      code: 9,
      stdout: '',
      stderr: [
        `warning: the journal ${folder} is damaged: its head is damaged`,
        `  it is not resumed; check its list, then purge it again: gatectl cdn purge @${folder}/urls`,
        'error: no interrupted purge can be resumed',
        '',
      ].join('\n'),
    });
    expect([server.received.length, (await readdir(folder)).sort()]).toEqual([
      asked,
      ['done', 'head', 'urls'],
    ]);
    const again = await purge(['--file', join(folder, 'urls'), '--quiet']);
    expect([again.code, new Set(sent(asked)).size]).toEqual([0, TOTAL]);
  });

  test('whose record of cleared URLs is damaged clears more than it must, and nothing less', async () => {
    const { folder, asked } = await interrupted();
    const done = join(folder, 'done');
    await writeFile(done, (await readFile(done, 'utf8')).replace('100 100 ', '100 900 '));
    expect((await purge(['--resume'])).code).toBe(0);
    expect(sent(asked)).toEqual([...URLS.slice(100, 200), ...URLS.slice(300)]);
  });
});

test('Ctrl-C in the pause of --repeat-after leaves nothing to resume', async () => {
  let send: (signal: Signal) => void = () => {};
  const ran = await run(['cdn', 'purge', '--file', '-', '--repeat-after', '60'], {
    env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'some-key', GATECTL_CONFIG_DIR: home },
    input: URLS.slice(0, 200).join('\n'),
    onSignals: given => {
      send = given;
    },
    sleep: (ms, signal) => {
      const slept = sleepFor(ms, signal);
      if (ms === 60_000) send('SIGINT');
      return slept;
    },
  });
  expect(server.received).toHaveLength(2);
  expect([ran.code, ran.stderr]).toEqual([
    130,
    'note: purging again in 60 s\nnote: cleared 200 of 200 URLs\nerror: interrupted\n',
  ]);
  expect(await readdir(join(home, 'state/purges'))).toEqual([]);
});

test.each([
  [
    'URLs',
    ['https://example.com/a', 'https://example.com/b', '--no-split'],
    { requested: 2, cleared: 0, failed: 2 },
  ],
  ['keys', ['--key', 'a,b'], { requested: 2, cleared: 0, failed: 2 }],
])('%s that could not be purged again after the pause are listed as failed', async (_, args, counts) => {
  const gateway = await wireServer((_request, index) => ({
    body: index === 0 ? '{"Success":true,"Error":""}' : '{"Success":false,"Error":"busy"}',
  }));
  const ran = await purge([...args, '--repeat-after', '1', '--json'], { GATECTL_BASE_URL: gateway.baseUrl });
  await gateway.close();
  expect(JSON.parse(ran.stdout)).toMatchObject(counts);
  expect(ran.code).toBe(5);
});

describe('the same command after an interrupt', () => {
  const again = (more: readonly string[] = [], now = NOON + 60_000, urls = URLS) =>
    run(['cdn', 'purge', '-', '--concurrency', '1', '--json', ...more], {
      env: {
        GATECTL_BASE_URL: server.baseUrl,
        GATECTL_API_KEY: 'some-key',
        GATECTL_DOMAIN: 'example.com',
        GATECTL_CONFIG_DIR: home,
      },
      input: urls.join('\n'),
      now,
    });
  const waiting = () => readdir(join(home, 'state/purges'));

  test('purges the rest, with a note', async () => {
    const { asked } = await interrupted();
    expect(await again()).toMatchObject({
      code: 0,
      stderr:
        'note: resuming the purge of 2026-03-14T12:00:00.000Z: 300 of 3,000 URLs were cleared; to purge all of them again, add --no-resume\n',
    });
    expect(sent(asked)).toEqual(URLS.slice(300));
    expect(await waiting()).toEqual([]);
  });

  test('with --no-resume purges all, and the earlier purge is done with it', async () => {
    const { asked } = await interrupted();
    expect(await again(['--no-resume'])).toMatchObject({ code: 0, stderr: '' });
    expect(sent(asked)).toEqual(URLS);
    expect(await waiting()).toEqual([]);
  });

  test('purges all after more than an hour: pages may have changed since', async () => {
    const { asked } = await interrupted();
    expect(await again([], NOON + 61 * 60_000)).toMatchObject({ code: 0, stderr: '' });
    expect(sent(asked)).toEqual(URLS);
  });

  test('with another list purges that, and leaves the interrupted one for --resume', async () => {
    const { folder, asked } = await interrupted();
    expect((await again([], undefined, URLS.slice(1))).code).toBe(0);
    expect(sent(asked)).toEqual(URLS.slice(1));
    expect((await readdir(folder)).sort()).toEqual(['done', 'head', 'urls']);
  });

  test('the command that is printed repeats profile and options, but no list', async () => {
    left = 3;
    const ran = await purge([
      ...URLS.slice(0, 400),
      '--domain',
      'example.com',
      '--failed-file',
      join(home, "it's failed.txt"),
    ]);
    expect(ran.stderr).toContain(
      `; to resume, run: gatectl cdn purge --concurrency 1 --domain example.com --failed-file '${home}/it'\\''s failed.txt' --resume\n`,
    );
  });
});
