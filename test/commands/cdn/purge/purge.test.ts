import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { checksum } from '../../../../src/apis/cdn/url-list.ts';
import type { Signal } from '../../../../src/errors/index.ts';
import { run } from '../../../support/run.ts';
import { type Received, type Reply, wireServer } from '../../../support/wire-server.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatectl-cdn-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const done: Reply = { body: '{"Success":true,"Error":""}' };
const refusal = (error: string): Reply => ({ body: JSON.stringify({ Success: false, Error: error }) });

interface Asked {
  readonly input?: string;
  readonly reply?: (request: Received, index: number) => Reply | Promise<Reply>;
  readonly onSignals?: (send: (signal: Signal) => void) => void;
  readonly sleep?: () => Promise<void>;
  /** Takes the place of the stdout that is collected. */
  readonly stdout?: Writable;
}

/** Runs `cdn purge` against a recording gateway. */
async function purge(
  args: readonly string[],
  { input, reply = () => done, onSignals, sleep, stdout }: Asked = {},
) {
  const server = await wireServer(reply);
  const env = {
    GATECTL_BASE_URL: server.baseUrl,
    GATECTL_API_KEY: 'some-key',
    GATECTL_DOMAIN: 'example.com',
    GATECTL_CONFIG_DIR: folder,
  };
  const ran = await run(['cdn', 'purge', ...args], {
    env,
    ...(input !== undefined && { input }),
    ...(onSignals && { onSignals }),
    ...(sleep && { sleep }),
    ...(stdout && { stdout }),
  });
  await server.close();
  const bodies = server.received.map(({ body }) => JSON.parse(body));
  return { ...ran, targets: server.received.map(({ target }) => target), bodies, server };
}

/** A reader that goes away after so many writes. */
function closedAfter(writes: number): Writable {
  let left = writes;
  return new Writable({
    write(_chunk, _encoding, done) {
      left -= 1;
      done(left < 0 ? Object.assign(new Error('broken pipe'), { code: 'EPIPE' }) : null);
    },
  });
}

/** Lets a purge be one of another gateway. */
async function moveTo(head: string, baseUrl: string): Promise<void> {
  const [text = ''] = (await readFile(head, 'utf8')).split('\n');
  const { owner, ...rest } = JSON.parse(text);
  const json = JSON.stringify({ ...rest, owner: { ...owner, baseUrl } });
  await writeFile(head, `${json}\n${checksum(json)}\n`);
}

const journals = async () =>
  (await readdir(join(folder, 'state/purges')).catch(() => [])).filter(name => !name.endsWith('.lock'));
const pages = (count: number) => Array.from({ length: count }, (_, i) => `https://example.com/${i}`);

test('a folder of interrupted purges that cannot be read is not one without any', async () => {
  await mkdir(join(folder, 'state'), { recursive: true });
  await symlink('purges', join(folder, 'state/purges'));
  const resumed = await purge(['--resume']);
  expect([resumed.code, resumed.bodies]).toEqual([9, []]);
  expect(resumed.stderr).toContain(`cannot read ${join(folder, 'state/purges')}`);
  const purged = await purge(['-'], { input: pages(2).join('\n') });
  expect([purged.code, purged.bodies.length]).toEqual([0, 1]);
  expect(purged.stderr).toContain(': interrupted purges are stored in ');
});

describe('the narrowest request is sent', () => {
  test('one URL: clearcache', async () => {
    const ran = await purge(['https://example.com']);
    expect([ran.code, ran.targets, ran.bodies]).toEqual([
      0,
      ['/cdnservices/clearcache'],
      [{ url: 'https://example.com/' }],
    ]);
  });

  test('several URLs: bulkclearcache', async () => {
    const ran = await purge(['https://example.com/a', 'https://example.com/b', 'https://example.com/a']);
    expect([ran.targets, ran.bodies]).toEqual([
      ['/cdnservices/bulkclearcache'],
      [{ urls: ['https://example.com/a', 'https://example.com/b'] }],
    ]);
    expect(ran.stderr).toBe('note: skipped 1 repeated URL\n');
  });

  test('keys: one comma-separated text with the domain', async () => {
    const ran = await purge(['--key', 'a,b', '--key', 'c']);
    expect([ran.targets, ran.bodies]).toEqual([
      ['/cdnservices/clearbysurrogatekeys'],
      [{ keys: 'a,b,c', domain: 'example.com' }],
    ]);
  });

  test('a domain: purgecache, once it is confirmed', async () => {
    const ran = await purge(['--all', '--domain', 'example.org', '--yes']);
    expect([ran.targets, ran.bodies]).toEqual([['/cdnservices/purgecache'], [{ domain: 'example.org' }]]);
  });
});

describe('a list from a deploy', () => {
  test('2,534 lines with BOM, CRLF, blanks and comments are 26 requests that hold exactly those URLs', async () => {
    const urls = pages(2534);
    const file = join(folder, 'urls.txt');
    await writeFile(file, `\ufeff# changed\r\n\r\n${urls.join('\r\n')}\r\n  \r\n`);
    const ran = await purge(['--file', file, '--json']);
    expect(JSON.parse(ran.stdout)).toEqual({
      domain: 'example.com',
      requested: 2534,
      cleared: 2534,
      failed: 0,
      requests: 26,
      failures: [],
    });
    expect(ran.bodies.every(({ urls: batch }) => batch.length <= 100)).toBe(true);
    expect(ran.bodies.flatMap(({ urls: batch }) => batch).sort()).toEqual([...urls].sort());
    expect(await journals()).toEqual([]);
  });

  test('one poisoned URL among 300 leaves 299 cleared and that one listed, exit 7', async () => {
    const urls = pages(300).with(150, 'https://example.com/poisoned');
    const failedFile = join(folder, 'failed.txt');
    const ran = await purge(['--file', '-', '--failed-file', failedFile, '--json'], {
      input: urls.join('\n'),
      reply: ({ body }) => (body.includes('/poisoned') ? refusal('no such page') : done),
    });
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      requested: 300,
      cleared: 299,
      failed: 1,
      failures: [{ target: 'https://example.com/poisoned', error: 'no such page' }],
    });
    expect(await readFile(failedFile, 'utf8')).toBe('https://example.com/poisoned\n');
  });

  test.each([
    ['--key', ['--key', 'news']],
    ['--all', ['--all', '--yes']],
  ])('--verify is rejected with %s, which names no page', async (flag, words) => {
    const ran = await purge([...words, '--verify']);
    expect([ran.code, ran.targets]).toEqual([2, []]);
    expect(ran.stderr).toContain(
      `error: ${flag} and --verify cannot be combined\n  remove --verify: it applies to URL, `,
    );
  });

  test.each([
    ['internal_error', 6, 4],
    ['upstream_error', 6, 4],
    ['unauthorized', 4, 1],
    ['forbidden', 4, 1],
    ['rate_limit_exceeded', 8, 4],
    ['concurrent_request_limit', 8, 4],
    ['not_found', 5, 1],
    ['some_other_code', 5, 1],
  ])('the gateway error %s with status 200 is not an error of the batch', async (code, exit, requests) => {
    const ran = await purge(['--file', '-', '--concurrency', '1', '--json'], {
      input: pages(100).join('\n'),
      reply: () => ({ body: JSON.stringify({ error: { code, message: 'no' } }) }),
      sleep: async () => {},
    });
    expect([ran.code, ran.targets.length]).toEqual([exit, requests]);
  });

  test.each([404, 405, 410])(
    'status %d is one of the path: no batch is split, and it stops',
    async status => {
      const ran = await purge(['--file', '-', '--concurrency', '1'], {
        input: pages(1000).join('\n'),
        reply: () => ({ status, body: '{"message":"no such path"}' }),
      });
      expect([ran.code, ran.targets.length]).toEqual([5, 5]);
      expect(ran.stderr).toContain('error: no such path');
    },
  );

  test('a web page instead of every response stops the purge', async () => {
    const ran = await purge(['--file', '-', '--concurrency', '1'], {
      input: pages(1000).join('\n'),
      reply: () => ({
        headers: { 'content-type': 'text/html' },
        body: '<html><title>Sign in</title></html>',
      }),
    });
    expect([ran.code, ran.targets.length]).toEqual([6, 5]);
  });

  test('a validation error of the gateway may be due to one URL', async () => {
    const error = { code: 'validation_error', message: 'invalid URL' };
    const ran = await purge(['--file', '-', '--json'], {
      input: pages(8).with(3, 'https://example.com/poisoned').join('\n'),
      reply: ({ body }) => (body.includes('/poisoned') ? { body: JSON.stringify({ error }) } : done),
    });
    expect(JSON.parse(ran.stdout)).toMatchObject({ cleared: 7, failed: 1 });
  });

  test('--no-split does not split the rejected batch', async () => {
    const ran = await purge(['--file', '-', '--no-split', '--json'], {
      input: pages(150).join('\n'),
      reply: (_, index) => (index === 0 ? refusal('no') : done),
    });
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout)).toMatchObject({ requests: 2 });
    expect(JSON.parse(ran.stdout).failed + JSON.parse(ran.stdout).cleared).toBe(150);
  });

  test('invalid lines are reported together with their numbers, and nothing is sent', async () => {
    const input = 'https://example.com/a\n/relative\n\nhttps://example.org/x\nhttps://a:b@example.com/\n';
    const ran = await purge(['--file', '-'], { input });
    expect(ran.targets).toEqual([]);
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: [
        'error: 3 invalid URLs; nothing was sent',
        '  line 2: /relative is a path: type the full URL, such as https://example.com/relative',
        '  line 4: https://example.org/x is not on example.com',
        '  line 5: https://***@example.com/ contains a user name or password',
        '  URLs of other domains require --any-domain',
        '',
      ].join('\n'),
    });
    const skipped = await purge(['--file', '-', '--skip-invalid', '--quiet'], { input });
    expect([skipped.code, skipped.bodies]).toEqual([0, [{ url: 'https://example.com/a' }]]);
    expect(skipped.stderr).toBe(ran.stderr.replace(/^.*$/m, 'warning: skipped 3 invalid URLs'));
  });

  test('of many invalid lines the first twenty are listed, and other domains only if one is rejected', async () => {
    const { code, stderr } = await purge(['--file', '-', '--skip-invalid'], {
      input: `https://example.com/a\n${'/relative\n'.repeat(25)}`,
    });
    const lines = stderr.split('\n');
    expect([code, lines[1], lines[20], lines[21], lines[22]]).toEqual([
      0,
      '  line 2: /relative is a path: type the full URL, such as https://example.com/relative',
      '  line 21: /relative is a path: type the full URL, such as https://example.com/relative',
      '  and 5 more',
      '',
    ]);
  });

  test('--domain with a URL uses its domain, with a note', async () => {
    const ran = await purge(['https://example.com/a', '--domain', 'https://www.example.com/news']);
    expect([ran.code, ran.bodies, ran.stderr]).toEqual([
      0,
      [{ url: 'https://example.com/a' }],
      'note: using the domain example.com of https://www.example.com/news\n',
    ]);
  });

  test('--failed-file and --receipt never overwrite what is read, whatever name it has', async () => {
    const file = join(folder, 'urls.txt');
    const link = join(folder, 'link.txt');
    await writeFile(file, 'https://example.com/a\n');
    await symlink(file, link);
    for (const [flag, ...others] of [
      ['--failed-file', file],
      ['--failed-file', link],
      ['--receipt', join(folder, '.', 'urls.txt'), '--verify'],
    ] as const) {
      const ran = await purge(['--file', file, flag, ...others]);
      expect([ran.code, ran.targets, ran.stderr]).toEqual([
        2,
        [],
        `error: --file and ${flag} are the same file, ${others[0]}\n  ${flag} overwrites its file; give it another name\n`,
      ]);
    }
    const twice = await purge(['--file', file, '--verify', '--receipt', 'both', '--failed-file', './both']);
    expect([twice.code, twice.stderr.split('\n')[0]]).toEqual([
      2,
      'error: --failed-file and --receipt are the same file, both',
    ]);
    expect(await readFile(file, 'utf8')).toBe('https://example.com/a\n');
  });

  test('-o ndjson prints one event per request', async () => {
    const ran = await purge(['--file', '-', '-o', 'ndjson', '--concurrency', '1'], {
      input: pages(150).join('\n'),
    });
    expect(ran.stdout).toBe('{"urls":100,"outcome":"cleared"}\n{"urls":50,"outcome":"cleared"}\n');
  });

  test('--dry-run prints the requests, --curl the commands, and neither sends', async () => {
    const dry = await purge(['--file', '-', '--dry-run', '--json'], { input: pages(101).join('\n') });
    expect(JSON.parse(dry.stdout).map((r: { path: string }) => r.path)).toEqual([
      '/cdnservices/bulkclearcache',
      '/cdnservices/clearcache',
    ]);
    const curl = await purge(['--file', '-', '--curl'], { input: pages(101).join('\n') });
    expect(curl.stdout.match(/^curl -X POST /gm)).toHaveLength(2);
    expect([...dry.targets, ...curl.targets]).toEqual([]);
    expect(await journals()).toEqual([]);
  });

  test.each([
    ['--dry-run --json', 1],
    ['--dry-run', 0],
    ['--curl', 1],
  ])('%s leaves nothing to resume when its reader goes away', async (flags, writes) => {
    const ran = await purge(['--file', '-', ...flags.split(' ')], {
      input: pages(2000).join('\n'),
      stdout: closedAfter(writes),
    });
    expect([ran.code, ran.stderr, await journals()]).toEqual([0, '', []]);
    expect(await purge(['--resume'])).toMatchObject({ code: 2, targets: [] });
  });

  test('what would be resumed can be looked at, and is there still', async () => {
    await purge(['--file', '-'], { input: pages(300).join('\n'), reply: () => ({ status: 401 }) });
    const waiting = await journals();
    const [head = ''] = waiting.map(name => join(folder, 'state/purges', name, 'head'));
    const baseUrl = 'https://gateway.example.com';
    const env = { GATECTL_CONFIG_DIR: folder, GATECTL_DOMAIN: 'example.com' };
    await moveTo(head, baseUrl);
    for (const flags of [['--dry-run'], ['--curl']]) {
      const args = ['cdn', 'purge', '--resume', '--base-url', baseUrl, ...flags];
      const ran = await run(args, { env });
      expect([ran.code, await journals()]).toEqual([0, waiting]);
      expect(ran.stdout.match(/bulkclearcache/g)).toHaveLength(3);
      expect(ran.stderr).toContain(
        'note: resuming the purge of 2026-03-14T12:00:00.000Z: 0 of 300 URLs were cleared\n',
      );
    }
    await cp(join(head, '..'), join(folder, 'state/purges/2026-01'), { recursive: true });
    const two = await run(['cdn', 'purge', '--resume', '--base-url', baseUrl, '--dry-run'], { env });
    expect(two.stderr).toContain('note: 1 more interrupted purge left; run --resume again\n');
  });
});

describe('when it fails', () => {
  test('a rejected key ends everything at once, exit 4, and what is left can be resumed', async () => {
    const ran = await purge(['--file', '-'], {
      input: pages(1000).join('\n'),
      reply: () => ({ status: 401, body: '{}' }),
    });
    expect(ran.code).toBe(4);
    expect(ran.targets.length).toBeLessThanOrEqual(4);
    expect(ran.stderr).toContain('to resume, run: gatectl cdn purge --resume');
    expect(await journals()).toHaveLength(1);
  });

  test('a network that is gone ends early with 6; --resume clears the rest and nothing twice', async () => {
    const sent = new Set<string>();
    const remember = ({ body }: Received) => {
      const { urls = [], url } = JSON.parse(body) as { urls?: string[]; url?: string };
      for (const each of url === undefined ? urls : [url]) {
        expect(sent.has(each)).toBe(false);
        sent.add(each);
      }
      return done;
    };
    let isGone = true;
    const server = await wireServer((request, index) =>
      index < 12 || !isGone ? remember(request) : { status: 503 },
    );
    const env = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'some-key', GATECTL_CONFIG_DIR: folder };
    const input = pages(5000).join('\n');
    const first = await run(['cdn', 'purge', '--file', '-', '--retries', '0'], { env, input });
    expect(first.code).toBe(6);
    expect(server.received.length).toBeLessThan(30);

    isGone = false;
    const second = await run(['cdn', 'purge', '--resume', '--json'], { env });
    await server.close();
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({ cleared: 3800, failed: 0 });
    expect(sent.size).toBe(5000);
    expect(await journals()).toEqual([]);
  });

  test('Ctrl-C keeps what is confirmed, exit 130', async () => {
    let send: (signal: Signal) => void = () => {};
    const ran = await purge(['--file', '-', '--concurrency', '1'], {
      input: pages(1000).join('\n'),
      onSignals: given => {
        send = given;
      },
      reply: (_, index) => {
        if (index === 3) send('SIGINT');
        return done;
      },
    });
    expect(ran.code).toBe(130);
    expect(ran.stderr).toBe(
      'note: cleared 300 of 1,000 URLs; to resume, run: gatectl cdn purge --concurrency 1 --resume\nerror: interrupted\n',
    );
    const notes = await readFile(join(folder, 'state/purges', (await journals())[0] ?? '', 'done'), 'utf8');
    expect(notes.match(/^\d+ 100(?= )/gm)).toEqual(['0 100', '100 100', '200 100']);
  });

  test.each([
    ['key;section\nnews;home\nsport;home\n', 'news,sport'],
    ['section,"Surrogate-Key"\nhome,news\n# old\nhome,sport\n', 'news,sport'],
    ['[{"key":"news","id":"1"},{"key":"sport","id":"2"}]', 'news,sport'],
    ['{"key":"news"}\n{"key":"sport"}\n', 'news,sport'],
    ['["news","sport"]', 'news,sport'],
    ['news\nsport\n', 'news,sport'],
  ])('--key-file reads keys from lines, CSV and JSON: %j', async (input, keys) => {
    const ran = await purge(['--key-file', '-', '--dry-run', '--json'], { input });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(`"${keys}"`);
  });

  test('a list in which several fields may be the key is rejected', async () => {
    const ran = await purge(['--key-file', '-'], { input: '[{"a":"news","b":"home"}]' });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('several columns of standard input contain a surrogate key: a, b\n');
  });

  test('Ctrl-C between keys keeps what is confirmed, and --resume purges the rest', async () => {
    let send: (signal: Signal) => void = () => {};
    const keys = Array.from({ length: 2500 }, (_, i) => `key-${i}`);
    const sent: string[] = [];
    const server = await wireServer(({ body }, index) => {
      if (index === 1) send('SIGINT');
      else sent.push(...JSON.parse(body).keys.split(','));
      return done;
    });
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
      GATECTL_CONFIG_DIR: folder,
    };
    const stopped = await run(['cdn', 'purge', '--key-file', '-', '--concurrency', '1'], {
      env,
      input: keys.join('\n'),
      onSignals: given => {
        send = given;
      },
    });
    expect([stopped.code, stopped.stderr]).toEqual([
      130,
      'note: cleared 1,000 of 2,500 keys; to resume, run: gatectl cdn purge --concurrency 1 --resume\nerror: interrupted\n',
    ]);
    const rest = await run(['cdn', 'purge', '--resume', '--json'], { env });
    await server.close();
    expect(JSON.parse(rest.stdout)).toMatchObject({ requested: 1500, cleared: 1500, requests: 2 });
    expect([rest.code, sent.sort(), await journals()]).toEqual([0, [...keys].sort(), []]);
  });

  test('keys end as early as URLs where the gateway fails, and are counted alike', async () => {
    const list = (kind: string) => Array.from({ length: 12_000 }, (_, i) => `${kind}${i}`).join('\n');
    const counts: number[] = [];
    for (const [words, input] of [
      [['--file', '-'], list('https://example.com/')],
      [['--key-file', '-'], list('key-')],
    ] as const) {
      const ran = await purge([...words, '--retries', '0', '--concurrency', '1'], {
        input,
        reply: () => ({ status: 503 }),
      });
      expect(ran.code).toBe(6);
      expect(ran.stderr).toContain('note: cleared 0 of 12,000 ');
      counts.push(ran.targets.length);
      // With a stopped clock, the next journal would have the same name.
      await rm(join(folder, 'state'), { recursive: true });
    }
    expect(counts).toEqual([5, 5]);
  });

  test('one URL that is rejected has the exit code of the refusal', async () => {
    expect((await purge(['https://example.com/a'], { reply: () => refusal('no') })).code).toBe(5);
  });

  test('a response without Success does not count as one', async () => {
    expect((await purge(['https://example.com/a'], { reply: () => ({ body: '{}' }) })).code).toBe(6);
  });
});

describe('bad input is rejected before anything is sent', () => {
  test.each<[string[], string]>([
    [[], 'no URL, key or domain to purge'],
    [['https://example.com/', '--key', 'a'], 'URL and --key cannot be combined'],
    [['--file', 'f', '--sitemap', 's'], '--file and --sitemap cannot be combined'],
    [['--all', '--resume'], '--all and --resume cannot be combined'],
    [['--all'], 'purging all of example.com requires confirmation'],
    [['--all', '--confirm', 'example.org'], '--confirm is example.org, but the domain is example.com'],
    [
      ['--all', '--yes', '--domain', 'https://example.com'],
      'the domain https://example.com is more than a bare domain',
    ],
    [
      ['--all', '--yes', '--domain', 'www.example.com'],
      'the domain www.example.com is more than a bare domain',
    ],
    [
      ['--all', '--yes', '--domain', 'example.com:80'],
      'the domain example.com:80 is more than a bare domain',
    ],
    [['--all', '--yes', '--domain', '192.0.2.1'], 'the domain 192.0.2.1 is an IP address, not a domain'],
    [
      ['--all', '--yes', '--domain', 'co.uk'],
      'the domain co.uk is a public suffix, not a domain of an account',
    ],
    [['--key', 'a b'], '1 invalid surrogate key'],
    [['--yes', 'https://example.com/'], 'URL and --yes cannot be combined'],
    [['--receipt', 'f', 'https://example.com/'], '--receipt requires --verify'],
    [['--resume'], 'no interrupted purge on this gateway'],
    [['--file', '-'], 'the list contains no URL'],
    [['--concurrency', '0', 'https://example.com/'], "invalid --concurrency '0'"],
  ])('%j', async (args, message) => {
    const ran = await purge(args);
    expect({
      code: ran.code,
      stdout: ran.stdout,
      sent: ran.targets,
      first: ran.stderr.split('\n')[0],
    }).toEqual({
      code: 2,
      stdout: '',
      sent: [],
      first: `error: ${message}`,
    });
  });

  test('a protected profile requires --confirm whatever else is given', async () => {
    await run(['profile', 'add', 'p', '--base-url', 'https://gateway.example.com', '--protected'], {
      env: { GATECTL_CONFIG_DIR: folder },
    });
    const refused = await purge(['--all', '--yes']);
    expect([refused.code, refused.targets]).toEqual([2, []]);
    expect(refused.stderr).toContain('add --confirm example.com');
    expect((await purge(['--all', '--confirm', 'example.com'])).code).toBe(0);
  });
});

describe('against the embedded gateway', () => {
  const sandbox = (...args: string[]) =>
    run(['cdn', 'purge', ...args, '--sandbox'], { env: { GATECTL_CONFIG_DIR: folder } });

  test('--verify says which pages are fresh, with a receipt', async () => {
    const receipt = join(folder, 'receipt.json');
    const ran = await sandbox(
      'https://example.com/news',
      'https://example.com/about',
      '--verify',
      '--receipt',
      receipt,
    );
    expect(ran.code).toBe(0);
    expect(ran.stderr.match(/^note: fresh: /gm)).toHaveLength(2);
    expect(
      JSON.parse(await readFile(receipt, 'utf8')).pages.map((page: { verdict: string }) => page.verdict),
    ).toEqual(['fresh', 'fresh']);
  });

  test('--keys-from-page clears the keys that the page carries', async () => {
    const ran = await sandbox('--keys-from-page', 'https://example.com/news', '--json');
    expect(JSON.parse(ran.stdout)).toMatchObject({ requested: 3, cleared: 3 });
  });

  test.each([
    [['https://example.com/a'], 'clearcache'],
    [['--key', 'a'], 'clearbysurrogatekeys'],
    [['--all', '--yes'], 'purgecache'],
  ])(
    '%j --repeat-after clears a second time after the pause: two requests, one target',
    async (words, path) => {
      const ran = await purge([...words, '--repeat-after', '1', '--json'], { sleep: async () => {} });
      expect([ran.code, ran.targets]).toEqual([0, [`/cdnservices/${path}`, `/cdnservices/${path}`]]);
      expect(JSON.parse(ran.stdout)).toMatchObject({ requested: 1, cleared: 1, requests: 2 });
      expect(ran.stderr).toBe('note: purging again in 1 s\n');
    },
  );

  test('a sitemap file is read', async () => {
    const file = join(folder, 'sitemap.xml');
    await writeFile(
      file,
      '<urlset><url><loc>https://example.com/news</loc></url><url><loc>https://example.com/about</loc></url></urlset>',
    );
    expect(JSON.parse((await sandbox('--sitemap', file, '--json')).stdout)).toMatchObject({
      requested: 2,
      cleared: 2,
    });
  });
});

test('a sitemap is fetched without the key, redirects and indexes followed', async () => {
  const site = await wireServer(({ target }) => {
    if (target === '/sitemap.xml') return { status: 301, headers: { location: '/index.xml' } };
    if (target === '/index.xml')
      return { body: `<sitemapindex><sitemap><loc>${site.baseUrl}/one.xml</loc></sitemap></sitemapindex>` };
    return { body: '<urlset><url><loc>https://example.com/a</loc></url></urlset>' };
  });
  const ran = await purge(['--sitemap', `${site.baseUrl}/sitemap.xml`]);
  await site.close();
  expect([ran.code, ran.bodies]).toEqual([0, [{ url: 'https://example.com/a' }]]);
  expect(site.received.map(({ target }) => target)).toEqual(['/sitemap.xml', '/index.xml', '/one.xml']);
  expect(JSON.stringify(site.received.map(({ headers }) => headers))).not.toContain('some-key');
});

describe('what comes over the network chooses no other place', () => {
  /** A site whose pages are these, by path. */
  async function site(pages: Readonly<Record<string, Reply>>) {
    const server = await wireServer(({ target }) => pages[target] ?? { status: 404 });
    onTestFinished(() => server.close());
    return server;
  }
  const index = (...locations: string[]) => ({
    body: `<sitemapindex>${locations.map(each => `<sitemap><loc>${each}</loc></sitemap>`).join('')}</sitemapindex>`,
  });
  const urlset = (...locations: string[]) => ({
    body: `<urlset>${locations.map(each => `<url><loc>${each}</loc></url>`).join('')}</urlset>`,
  });

  test('paths joined with commas are one URL, with a warning; hosts are rejected', async () => {
    const ran = await run([
      'cdn',
      'purge',
      'https://example.com/a,/b',
      'https://example.com/c,/d',
      '--sandbox',
      '-q',
    ]);
    expect(ran).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'warning: https://example.com/a,/b and 1 more URL with ",/" counts as one URL; if it is a list, pass one URL per argument\n',
    });
    const refused = await run(['cdn', 'purge', 'https://example.com/a,//example.com/b', '--sandbox']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      'is more than one URL: pass one per line or argument, or use %2C for a comma',
    );
  });

  test.each([
    ['/etc/passwd', 'is not an http or https URL'],
    ['/proc/self/environ', 'is not an http or https URL'],
    ['/dev/zero', 'is not an http or https URL'],
    ['file:///etc/passwd', 'is not an http or https URL'],
    ['ftp://127.0.0.1/a.xml', 'is not an http or https URL'],
    ['two.xml', 'is not an http or https URL'],
    ['http://', 'is not a valid URL'],
    ['http:/127.0.0.1/', 'is not a valid URL'],
    ['http://metadata.example/latest', 'is a sitemap on another site'],
    ['http://192.0.2.1/', 'is a sitemap on another site'],
  ])('an index on the network names %s: nothing is opened or sent', async (location, problem) => {
    const server = await site({ '/index.xml': index(location) });
    const url = `${server.baseUrl}/index.xml`;
    const ran = await purge(['--sitemap', url]);
    expect([ran.code, ran.targets, ran.stderr.split('\n').slice(0, 2)]).toEqual([
      2,
      [],
      ['error: 1 invalid URL; nothing was sent', `  ${url}: ${location} ${problem}`],
    ]);
    expect(server.received).toHaveLength(1);
  });

  test('with --skip-invalid the rest of such an index is purged', async () => {
    const server = await site({ '/two.xml': urlset('https://example.com/a') });
    const file = join(folder, 'index.xml');
    await writeFile(file, index('/etc/passwd', `${server.baseUrl}/two.xml`).body);
    const ran = await purge(['--sitemap', file, '--skip-invalid', '--any-domain']);
    expect([ran.code, ran.bodies]).toEqual([0, [{ url: 'https://example.com/a' }]]);
    expect(ran.stderr).toContain('/etc/passwd is a file outside the folder of its index\n');
  });

  test('a local index names files below its own folder, relative to it, and no others', async () => {
    await mkdir(join(folder, 'maps/deep'), { recursive: true });
    await writeFile(join(folder, 'secret.xml'), urlset('https://example.com/secret').body);
    await symlink(join(folder, 'secret.xml'), join(folder, 'maps/link.xml'));
    await writeFile(join(folder, 'maps/deep/one.xml'), urlset('https://example.com/one').body);
    const file = join(folder, 'maps/index.xml');
    await writeFile(file, index('deep/one.xml').body);
    expect((await purge(['--sitemap', file])).bodies).toEqual([{ url: 'https://example.com/one' }]);
    for (const location of ['../secret.xml', 'link.xml', join(folder, 'secret.xml')]) {
      await writeFile(file, index('deep/one.xml', location).body);
      const ran = await purge(['--sitemap', file]);
      expect([ran.code, ran.targets]).toEqual([2, []]);
      expect(ran.stderr).toContain(`${location} is a file outside the folder of its index\n`);
    }
    await writeFile(file, index('deep').body);
    expect((await purge(['--sitemap', file])).code).toBe(2);
  });

  test.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,a',
    'myapp://open',
    'http://',
    '//',
    'http://[::1',
    'http://a:0/',
  ])(
    'a redirect to %s: keys and sitemaps are rejected, and a verification purges all the same',
    async location => {
      const server = await site({ '/page': { status: 302, headers: { location } } });
      const page = `${server.baseUrl}/page`;
      for (const flags of [
        ['--keys-from-page', page],
        ['--sitemap', page],
      ]) {
        const ran = await purge(flags);
        expect([ran.code, ran.stdout, ran.targets]).toEqual([6, '', []]);
        expect(ran.stderr).toMatch(/^error: the page redirects to /);
      }
      const ran = await purge([page, '--verify', '--any-domain']);
      expect([ran.code, ran.bodies]).toEqual([0, [{ url: page }]]);
      expect(ran.stderr).toMatch(/^note: unknown: http:\S+\/page \(/m);
      expect(ran.stderr).toMatch(
        /^warning: http:\S+\/page redirects to .*, which (?:is not requested|was not purged)$/m,
      );
      expect(ran.stderr).not.toContain('alert');
    },
  );

  test('a redirect to another site is not followed unless --any-domain allows it', async () => {
    const other = await site({ '/': { headers: { 'surrogate-key': 'front' } } });
    const location = other.baseUrl.replace('127.0.0.1', 'localhost');
    const server = await site({ '/page': { status: 302, headers: { location } } });
    const refused = await purge(['--keys-from-page', `${server.baseUrl}/page`]);
    expect([refused.code, other.received.length]).toEqual([6, 0]);
    expect(refused.stderr).toContain(`redirects to another site, ${new URL(location).host}\n`);
    const allowed = await purge(['--keys-from-page', `${server.baseUrl}/page`, '--any-domain']);
    expect([allowed.code, allowed.bodies]).toEqual([0, [{ keys: 'front', domain: 'example.com' }]]);
  });

  test('a receipt that cannot be written does not hide what the purge did', async () => {
    const server = await site({ '/page': {} });
    const ran = await purge([
      `${server.baseUrl}/page`,
      '--any-domain',
      '--verify',
      '--receipt',
      `${folder}/none/r.json`,
      '--json',
    ]);
    expect([ran.code, JSON.parse(ran.stdout).cleared, await journals()]).toEqual([9, 1, []]);
  });
});
