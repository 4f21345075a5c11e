import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OWN_VARIABLES } from '../../../src/cli/manual/environment-variables.ts';
import { withLock } from '../../../src/files/lock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { lockMachine } from '../../support/lock-machine.ts';
import { rawServer } from '../../support/raw-server.ts';
import { run } from '../../support/run.ts';
import { type Received, type Reply, wireServer } from '../../support/wire-server.ts';

interface Line {
  readonly area: string;
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly advice: string | null;
}

const KEY = 'k-4711-secret';
const DATE = new Date(Date.UTC(2026, 2, 14, 12)).toUTCString();

/** Lines of one area by check. */
function lines(stdout: string, area: string): Record<string, Line> {
  const all = JSON.parse(stdout) as Line[];
  return Object.fromEntries(all.filter(line => line.area === area).map(line => [line.check, line]));
}

/** A gateway that knows one key, with its APIs where the documentation has them. */
function gateway(change: (request: Received) => Reply | undefined = () => undefined) {
  return wireServer(request => {
    const own = change(request);
    if (own !== undefined) return own;
    const headers = { date: DATE };
    const path = request.target.split('?')[0] ?? '';
    const known = ['/subscriptions/v1/products', '/cdnservices/ping/', '/bdaservices/getreports/'];
    if (![...known, '/gateway/bdaservices/v2/columns'].includes(path))
      return { status: 404, headers: { ...headers, 'content-type': 'text/plain' }, body: 'no such page' };
    const key =
      request.headers['x-api-key'] ?? new URL(request.target, 'http://x').searchParams.get('developerKey');
    if (key === null) return { status: 503, headers, body: 'Developer key is empty.' };
    if (key !== KEY) return { status: 401, headers, body: '{"success":false,"message":"bad key"}' };
    const body = path.startsWith('/cdn') ? '{"Success":true,"Error":""}' : '{"success":true,"data":[]}';
    return { headers, body };
  });
}

async function doctorAt(baseUrl: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  return await run(['doctor', '--json', '--retries', '0', ...args], {
    env: {
      GATECTL_BASE_URL: baseUrl,
      GATECTL_API_KEY: KEY,
      GATECTL_DOMAIN: 'example.com',
      GATECTL_CONFIG_DIR: temporaryFolder(),
      ...env,
    },
  });
}

describe('a working setup', () => {
  test('the embedded gateway is diagnosed without a profile, a home or a network', async () => {
    const { code, stdout, stderr } = await run(['doctor', '--sandbox', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines(stdout, 'settings')['base-url']?.found).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ \(the embedded gateway\)$/,
    );
    expect(Object.values(lines(stdout, 'apis')).map(({ check, state }) => [check, state])).toEqual([
      ['subscriptions', 'ok'],
      ['cdn', 'ok'],
      ['bda-v1', 'ok'],
      ['bda-v2', 'ok'],
    ]);
  });

  test('sends only requests that change nothing', async () => {
    const server = await gateway();
    const { code, stdout } = await doctorAt(server.baseUrl);
    await server.close();
    expect(code).toBe(0);
    const asked = server.received.map(({ method, target }) => `${method} ${target.replace(KEY, 'KEY')}`);
    expect(asked).toEqual([
      'GET /',
      'GET /subscriptions/v1/products?domain=example.com',
      'GET /gateway/subscriptions/v1/products?domain=example.com',
      'POST /cdnservices/ping/',
      'POST /gateway/cdnservices/ping/',
      'POST /gateway/cdnservices/ping',
      'POST /cdnservices/ping/',
      'GET /bdaservices/getreports/?developerKey=KEY',
      'GET /gateway/bdaservices/getreports/?developerKey=KEY',
      'GET /gateway/bdaservices/v2/columns',
      'GET /bdaservices/v2/columns',
    ]);
    expect(lines(stdout, 'paths').cdn?.found).toBe(
      '/cdnservices found (200), /gateway/cdnservices not found (404)',
    );
    expect(lines(stdout, 'network').clock?.found).toBe("same as the server's");
    expect(lines(stdout, 'settings').domain?.found).toBe('example.com (environment GATECTL_DOMAIN)');
    expect(stdout).not.toContain(KEY);
  });

  test('finds a ping that exists only without its trailing slash, and sends no body', async () => {
    const server = await gateway(({ target }) => {
      if (target === '/cdnservices/ping/') return { status: 404, headers: { date: DATE }, body: '{}' };
      return target === '/cdnservices/ping'
        ? { headers: { date: DATE }, body: '{"Success":true,"Error":""}' }
        : undefined;
    });
    const { code, stdout } = await doctorAt(server.baseUrl);
    await server.close();
    expect(code).toBe(0);
    expect(lines(stdout, 'paths').cdn).toMatchObject({
      state: 'ok',
      found: '/cdnservices found (200 without the trailing slash), /gateway/cdnservices not found (404)',
    });
    const pings = server.received.filter(({ target }) => target.includes('ping'));
    expect(pings.map(({ body, headers }) => [body, headers['content-length']])).toEqual(
      pings.map(() => ['', '0']),
    );
  });

  test('--api checks only the named APIs', async () => {
    const server = await gateway();
    const { stdout } = await doctorAt(server.baseUrl, ['--api', 'bda-v2']);
    await server.close();
    expect(Object.keys(lines(stdout, 'apis'))).toEqual(['bda-v2']);
    expect(server.received.map(({ target }) => target).filter(target => target.includes('ping'))).toEqual([]);
  });

  test('--curl prints the requests and sends none', async () => {
    const server = await gateway();
    const { code, stdout } = await doctorAt(server.baseUrl, ['--curl', '--api', 'bda-v2']);
    await server.close();
    expect(code).toBe(0);
    expect(stdout.match(/^curl /gm)).toHaveLength(3);
    expect(server.received).toEqual([]);
  });
});

describe('problems are shown with what fixes them', () => {
  test('nothing is configured: exit 2, and how to start', async () => {
    const { code, stdout } = await run(['doctor', '--json']);
    expect(code).toBe(2);
    expect(lines(stdout, 'settings')['base-url']).toMatchObject({
      state: 'wrong',
      advice: expect.stringContaining('gatectl login'),
    });
    expect(lines(stdout, 'key').key?.state).toBe('wrong');
  });

  test('a rejected key: exit 4, at each API', async () => {
    const server = await gateway();
    const { code, stdout, stderr } = await doctorAt(server.baseUrl, [], { GATECTL_API_KEY: 'old-key-0815' });
    await server.close();
    expect(code).toBe(4);
    expect(lines(stdout, 'apis')['bda-v1']).toMatchObject({
      state: 'wrong',
      found: 'bad key',
      advice: expect.stringContaining('it may have been rotated'),
    });
    expect(stdout + stderr).not.toContain('old-key-0815');
  });

  test('no key: the paths are still found', async () => {
    const server = await gateway();
    const { code, stdout } = await doctorAt(server.baseUrl, [], { GATECTL_API_KEY: '' });
    await server.close();
    expect(code).toBe(4);
    expect(lines(stdout, 'apis')['bda-v2']?.state).toBe('not tried');
    expect(lines(stdout, 'key').key).toMatchObject({
      found: 'no API key found; environment GATECTL_API_KEY (not set); profile (none is selected)',
      advice: expect.stringMatching(/^set GATECTL_API_KEY, or store the key: gatectl login/),
    });
    expect(lines(stdout, 'paths')['bda-v2']).toMatchObject({
      state: 'ok',
      found: '/gateway/bdaservices/v2 found (503), /bdaservices/v2 not found (404)',
    });
  });

  test('an API at another path: exit 5, and the command that fixes it', async () => {
    const server = await gateway(({ target }) => {
      if (target === '/gateway/cdnservices/ping/') return { body: '{"Success":true,"Error":""}' };
      return target === '/cdnservices/ping/' ? { status: 404, body: '{}' } : undefined;
    });
    const { code, stdout } = await doctorAt(server.baseUrl);
    await server.close();
    expect(code).toBe(5);
    expect(lines(stdout, 'paths').cdn?.advice).toBe('gatectl profile set prefix-cdn /gateway/cdnservices');
    expect(lines(stdout, 'apis').cdn?.state).toBe('not tried');
  });

  test('a base URL with a wrong path is one problem, and its advice fixes that profile', async () => {
    const server = await gateway();
    const env = { GATECTL_CONFIG_DIR: temporaryFolder(), GATECTL_API_KEY: KEY };
    const wrong = ['--base-url', `${server.baseUrl}/foo`, '--domain', 'example.com'];
    await run(['profile', 'add', 'good', '--base-url', server.baseUrl], { env });
    await run(['profile', 'add', 'wrong', ...wrong], { env });
    const ran = await run(['doctor', '-p', 'wrong', '--json'], { env });
    expect(ran.code).toBe(5);
    const advice = `gatectl profile set base-url ${server.baseUrl} -p wrong`;
    const told = `no API found below ${server.baseUrl}/foo (subscriptions 404, cdn 404, bda-v1 404, bda-v2 404)`;
    expect(Object.values(lines(ran.stdout, 'paths'))).toEqual([
      {
        area: 'paths',
        check: 'base-url',
        state: 'wrong',
        found: `${told}, but ${server.baseUrl} has them: the path /foo of the base URL is probably wrong`,
        advice,
      },
    ]);
    expect(lines(ran.stdout, 'apis').cdn).toMatchObject({
      state: 'not tried',
      found: 'API not found (404)',
    });
    const elsewhere = server.received.filter(({ target }) => !target.startsWith('/foo'));
    expect(elsewhere.some(({ headers, target }) => 'x-api-key' in headers || target.includes(KEY))).toBe(
      false,
    );

    const people = await run(['doctor', '-p', 'wrong', '--base-url', `${server.baseUrl}/foo`], { env });
    expect(people.stdout).toMatch(
      /^Problems\nwrong: paths base-url: .*\. Fix: type --base-url http:\/\/127\.0\.0\.1:\d+\.\n\nOther checks\n\d+ passed, \d skipped; --verbose lists them\n$/,
    );
    await run(advice.split(' ').slice(1), { env });
    expect((await run(['doctor', '-p', 'wrong', '--json'], { env })).code).toBe(0);
    await server.close();
  });

  test('a server that is not a gateway is reported as such', async () => {
    const pages = await wireServer(({ method }) => ({
      status: method === 'POST' ? 501 : 404,
      headers: { date: DATE, 'content-type': 'text/html' },
      body: '<!DOCTYPE HTML><title>Error</title>',
    }));
    const { code, stdout } = await doctorAt(pages.baseUrl);
    await pages.close();
    expect(code).toBe(5);
    expect(lines(stdout, 'paths')['base-url']).toMatchObject({
      state: 'wrong',
      found: `no API found below ${pages.baseUrl} (subscriptions 404, cdn 501, bda-v1 404, bda-v2 404): this does not look like a gateway`,
      advice:
        'check the base URL, which comes from GATECTL_BASE_URL; if its APIs have other paths, set each: gatectl profile set prefix-subscriptions PATH',
    });
  });

  test.each([200, 403])('a login page with status %i instead of the gateway is reported', async status => {
    const pages = await wireServer(() => ({
      status,
      headers: { date: DATE, 'content-type': 'text/html' },
      body: '<!DOCTYPE HTML><title>Sign in</title>',
    }));
    const { stdout } = await doctorAt(pages.baseUrl);
    await pages.close();
    expect(lines(stdout, 'apis').subscriptions?.found).toBe(`API not found (${status})`);
    expect(lines(stdout, 'paths')['base-url']).toMatchObject({
      state: 'wrong',
      advice:
        'check the base URL, which comes from GATECTL_BASE_URL; a proxy, a firewall or a login page may respond in its place: check the network; if its APIs have other paths, set each: gatectl profile set prefix-subscriptions PATH',
    });
  });

  test('a problem without specific advice names whom to contact', async () => {
    const server = await gateway(({ target }) =>
      target.startsWith('/cdn') ? { status: 500, headers: { date: DATE }, body: '{}' } : undefined,
    );
    const { stdout } = await doctorAt(server.baseUrl);
    await server.close();
    expect(lines(stdout, 'apis').cdn).toMatchObject({
      state: 'wrong',
      advice: 'run gatectl doctor again later; if the problem persists, contact the operator of the gateway',
    });
  });

  test('a ping that ignores the key verifies nothing, and is not reported as ok', async () => {
    const server = await gateway(({ target }) =>
      target === '/cdnservices/ping/' ? { body: '{"Success":true,"Error":""}' } : undefined,
    );
    const { code, stdout } = await doctorAt(server.baseUrl);
    await server.close();
    expect(code).toBe(0);
    expect(lines(stdout, 'apis').cdn).toMatchObject({
      state: 'not tried',
      found: 'reachable; ping does not check the key, and every other call would clear something',
    });
  });

  test('a clock that is three hours behind is a warning', async () => {
    const server = await gateway(() => ({ headers: { date: 'Sat, 14 Mar 2026 15:00:00 GMT' }, body: '{}' }));
    const { stdout } = await doctorAt(server.baseUrl, ['--api', 'bda-v2']);
    await server.close();
    expect(lines(stdout, 'network').clock).toMatchObject({
      state: 'warning',
      found: "3 h behind the server's",
    });
  });

  test('an unreachable gateway: exit 6, and the APIs are not tried', async () => {
    const server = await gateway();
    await server.close();
    const { code, stdout } = await doctorAt(server.baseUrl);
    expect(code).toBe(6);
    expect(lines(stdout, 'network').response?.found).toContain('connection refused');
    expect(lines(stdout, 'apis').cdn?.state).toBe('not tried');
  });

  test('an API that does not respond with HTTP is one problem among the checks', async () => {
    const server = await rawServer((socket, index) =>
      socket.end(index === 0 ? 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n' : 'what?\r\n\r\n'),
    );
    const { code, stdout } = await doctorAt(server.baseUrl, ['--api', 'bda-v2']);
    await server.close();
    expect(code).toBe(6);
    expect(lines(stdout, 'apis')['bda-v2']).toMatchObject({
      state: 'wrong',
      found: 'the response is not valid HTTP',
    });
    expect(lines(stdout, 'paths')['bda-v2']?.found).toContain('unclear (no response)');
    expect(lines(stdout, 'caches').cache?.state).toBe('ok');
  });

  test('an unreachable proxy is reported as such', async () => {
    const server = await gateway();
    await server.close();
    const { code, stdout } = await doctorAt('http://gateway.localhost:4711', ['--insecure-http'], {
      HTTP_PROXY: server.baseUrl.replace('//', '//ana:pass-word@'),
    });
    expect(code).toBe(6);
    expect(lines(stdout, 'network').response?.found).toBe(
      `cannot reach the proxy ${server.baseUrl} (with credentials)`,
    );
    expect(stdout).not.toContain('pass-word');
  });

  test('verification turned off, and an authority file that is missing', async () => {
    const { stdout } = await run(['doctor', '--sandbox', '--json'], {
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' },
    });
    const trust = (JSON.parse(stdout) as Line[]).filter(({ check }) => check === 'trust');
    expect(trust.map(({ state, found }) => [state, found])).toEqual([
      [
        'warning',
        'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates are not verified, and the key can be intercepted',
      ],
      ['warning', 'cannot read /nowhere/ca.pem of NODE_EXTRA_CA_CERTS'],
    ]);
  });

  test('without a domain the Subscriptions API is not tried; --domain fixes that', async () => {
    const server = await gateway();
    const { code, stdout } = await doctorAt(server.baseUrl, [], { GATECTL_DOMAIN: '' });
    const helped = await doctorAt(server.baseUrl, ['--domain', 'example.com'], { GATECTL_DOMAIN: '' });
    await server.close();
    expect(code).toBe(0);
    expect(lines(stdout, 'apis').subscriptions?.advice).toContain('--domain DOMAIN');
    expect(lines(helped.stdout, 'apis').subscriptions?.state).toBe('ok');
  });

  test('--domain accepts a URL and uses its domain, with a note, as every command does', async () => {
    const url = 'https://www.example.com/news';
    const { code, stderr } = await run(['doctor', '--sandbox', '--domain', url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `note: using the domain example.com of ${url}\n` });
    expect(await run(['doctor', '--sandbox', '--domain', 'my site'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: the domain my site is not a domain\n  type a bare domain, such as news.example.com\n',
    });
  });

  test('no variable that the manual lists is taken for a mistyped one', async () => {
    const names = OWN_VARIABLES.map(({ term }) => term).filter(name => name !== 'GATECTL_API_KEY');
    const { stdout } = await run(['doctor', '--sandbox', '--json'], {
      env: Object.fromEntries(names.map(name => [name, ''])),
    });
    expect(names).toContain('GATECTL_ENGINE');
    expect(lines(stdout, 'settings').environment).toBeUndefined();
  });

  test('a mistyped variable is named without its value', async () => {
    const { stdout } = await run(['doctor', '--sandbox', '--json'], {
      env: { GATECTL_APIKEY: 'oh-no-a-key' },
    });
    expect(lines(stdout, 'settings').environment).toMatchObject({
      found: 'GATECTL_APIKEY is not a variable of gatectl',
      advice: 'did you mean GATECTL_API_KEY?',
    });
    expect(stdout).not.toContain('oh-no-a-key');
  });
});

test('people see the problems with what fixes them, and one line for the rest; --verbose lists all', async () => {
  const home = { env: { HOME: '/nowhere' } };
  const { stdout } = await run(['doctor', '-o', 'md'], home);
  const checks = (text: string) => [...text.matchAll(/^- (.*?): (.*?): .* Fix: .*\.$/gm)];
  const problems = [
    ['warning', 'config file'],
    ['wrong', 'settings base-url'],
    ['wrong', 'key'],
    ['warning', 'caches cache'],
    ['warning', 'caches state'],
  ];
  expect(checks(stdout).map(([, state, check]) => [state, check])).toEqual(problems);
  expect(stdout).toMatch(/^### Other checks\n\n\d+ passed, 1 skipped; --verbose lists them\n$/m);
  const verbose = await run(['doctor', '-o', 'md', '--verbose'], home);
  expect(verbose.stdout).toMatch(/\n\| settings +\| base-url +\| wrong +\| no gateway configured/);
  expect(checks(verbose.stdout)).toHaveLength(problems.length);
  expect(verbose.stdout).not.toContain('Other checks');
});

describe('the profiles file', () => {
  async function stored(text: string, mode = 0o600) {
    const path = join(temporaryFolder(), 'gatectl', 'config.json');
    await mkdir(dirname(path), { mode: 0o700 });
    await writeFile(path, text, { mode });
    return { path, env: { GATECTL_CONFIG_DIR: dirname(path) } };
  }

  test('a broken one is reported once, exit 9, and the other checks still run', async () => {
    const { env, path } = await stored('{"version": 1,');
    const { code, stdout } = await run(['doctor', '--json'], { env });
    expect(code).toBe(9);
    expect(lines(stdout, 'config').file).toMatchObject({ state: 'wrong' });
    expect(lines(stdout, 'config').file?.found).toContain(path);
    expect(lines(stdout, 'settings').all?.state).toBe('not tried');
    expect(lines(stdout, 'caches').cache?.state).toBe('ok');
  });

  test('a key that others can read, and a folder that others can write to', async () => {
    const profiles = { news: { key: { kind: 'config', 'api-key': KEY } } };
    const { env, path } = await stored(JSON.stringify({ version: 1, current: 'news', profiles }), 0o644);
    await chmod(dirname(path), 0o777);
    const { stdout } = await run(['doctor', '--json', '--sandbox'], { env });
    expect(lines(stdout, 'config').content?.advice).toBe(`chmod 600 ${path}`);
    expect(lines(stdout, 'config').permissions?.advice).toBe(`chmod go-w ${dirname(path)}`);
  });

  test('a bad value in the environment is one problem', async () => {
    const { code, stdout } = await run(['doctor', '--json'], {
      env: { GATECTL_DOMAIN: 'https://example.com/' },
    });
    expect(code).toBe(2);
    expect(lines(stdout, 'settings').all).toMatchObject({
      found: 'GATECTL_DOMAIN is more than a bare domain',
      advice: 'type example.com',
    });
  });
});

describe('what killed processes left', () => {
  /** The lock of a process that is gone. */
  async function deadLock(path: string) {
    await mkdir(`${path}.lock`, { recursive: true });
    const holder = { id: '0123456789ab', pid: 4711, host: 'test', boot: 'this boot', startTime: '0' };
    await writeFile(join(`${path}.lock`, 'holder.json'), JSON.stringify({ ...holder, since: DATE }));
  }

  test('temporary parts and unfinished exports in the current folder, but not those of a running export', async () => {
    const cwd = temporaryFolder();
    const part = '.daily.parquet.0123456789ab.tmp';
    await writeFile(join(cwd, part), 'x'.repeat(2000));
    await deadLock(join(cwd, 'daily.parquet.part'));
    await writeFile(join(cwd, 'my rows.csv.part'), 'id\n1\n');
    await writeFile(join(cwd, 'my rows.csv.part.json'), '{}');
    const running = join(cwd, 'hourly.parquet.part');
    await writeFile(join(cwd, '.hourly.parquet.0123456789ab.tmp'), 'x');
    await writeFile(running, 'x');
    await writeFile(`${running}.json`, '{}');
    await withLock(running, { machine: lockMachine, wait: 0 }, async () => {
      const { code, stdout } = await run(['doctor', '--sandbox', '--json'], { cwd });
      expect(code).toBe(0);
      expect(lines(stdout, 'exports')).toEqual({
        unfinished: {
          area: 'exports',
          check: 'unfinished',
          state: 'warning',
          found: `in ${cwd}: my rows.csv (5 B)`,
          advice: "run the same export with --resume, or delete 'my rows.csv.part'",
        },
        leftovers: {
          area: 'exports',
          check: 'leftovers',
          state: 'warning',
          found: `in ${cwd}: ${part} (2.0 kB), left by a process that was killed`,
          advice: `rm ${part}; the next export to the same file removes them, too`,
        },
      });
    });
  });

  test('journals of purges that sent nothing, which the next purge removes', async () => {
    const home = temporaryFolder();
    const journal = join(home, 'state/purges/2026-03-14T09-00-00-000Z-4711');
    await mkdir(journal, { recursive: true });
    await writeFile(join(journal, 'urls'), 'https://example.com/a\n');
    await deadLock(journal);
    const sealed = join(home, 'state/purges/2026-03-14T08-00-00-000Z-4711');
    await mkdir(sealed);
    await writeFile(join(sealed, 'head'), 'damaged');
    await deadLock(sealed);
    const env = { GATECTL_CONFIG_DIR: home };
    const { stdout } = await run(['doctor', '--sandbox', '--json'], { env });
    const { state, journals } = lines(stdout, 'caches');
    expect(state?.found).toMatch(/; a purge was interrupted$/);
    expect(journals).toMatchObject({
      state: 'warning',
      found: `${journal}: left by a purge that was killed before it sent anything`,
      advice: `rm -r ${journal}; the next purge of several URLs removes it, too`,
    });
    const server = await wireServer(() => ({ body: '{"Success":true,"Error":""}' }));
    const site = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, GATECTL_DOMAIN: 'example.com' };
    const urls = ['https://example.com/a', 'https://example.com/b'];
    const purged = await run(['cdn', 'purge', ...urls, '--quiet'], { env: { ...env, ...site } });
    await server.close();
    expect(purged).toMatchObject({ code: 0, stderr: '' });
    const left = await readdir(join(home, 'state/purges'));
    expect(left.sort()).toEqual([basename(sealed), `${basename(sealed)}.lock`]);
  });
});

describe('--bundle', () => {
  test('contains everything for a support request except secrets, and lists what was removed', async () => {
    const folder = temporaryFolder();
    const bundle = join(folder, 'support.json');
    const profiles = {
      news: {
        'base-url': 'https://gateway.example.com',
        key: { kind: 'config', 'api-key': 'stored-secret-1' },
      },
      helper: {
        'base-url': 'https://gateway.example.com',
        key: { kind: 'command', argv: ['vault', 'read', 'secret-path-2'] },
        note: 'ask ana@gateway.test',
      },
    };
    await writeFile(
      join(folder, 'config.json'),
      JSON.stringify({ version: 1, current: 'helper', profiles }),
      {
        mode: 0o600,
      },
    );
    const { code, stderr } = await run(['doctor', '--sandbox', '--bundle', bundle, '-o', 'json'], {
      env: {
        GATECTL_CONFIG_DIR: folder,
        GATECTL_API_KEY: 'environment-secret-3',
        GATECTL_APIKEY: 'mistyped-secret-4',
        HTTPS_PROXY: 'http://ana:proxy-secret-5@proxy.example.com:3128',
        AWS_SECRET_ACCESS_KEY: 'unrelated-secret-6',
      },
    });
    expect(code).toBe(0);
    const text = await readFile(bundle, 'utf8');
    expect(text).not.toMatch(/secret-(path-)?\d|stored-secret|ana/);
    expect((await stat(bundle)).mode & 0o777).toBe(0o600);
    const { removed, config, environment, findings } = JSON.parse(text);
    expect(removed).toEqual([
      'profile news: key api-key',
      'profile helper: key argv',
      'profile helper: note',
      'environment GATECTL_API_KEY',
      'environment GATECTL_APIKEY',
      'environment HTTPS_PROXY: user name and password',
    ]);
    expect(config.profiles.news['base-url']).toBe('https://gateway.example.com');
    expect(environment).toEqual({
      GATECTL_SANDBOX_CLOCK: 'now',
      GATECTL_CONFIG_DIR: folder,
      GATECTL_API_KEY: '(removed)',
      GATECTL_APIKEY: '(removed)',
      HTTPS_PROXY: 'http://(removed)@proxy.example.com:3128',
    });
    expect(findings.length).toBeGreaterThan(20);
    expect(stderr).toContain('note: removed: profile news: key api-key\n');
  });

  test('the words of a key command are removed from the findings', async () => {
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const at = ['--base-url', 'http://127.0.0.1:1'];
    await run(['profile', 'add', 'news', ...at, '--key-command', 'echo a-key-4711'], { env });
    const { stderr } = await run(['doctor', '--bundle', join(temporaryFolder(), 'b.json')], { env });
    expect(stderr).toContain('note: removed: parts of what was found about the key\n');
  });

  test('a file that cannot be written is reported, exit 9', async () => {
    const bundle = join(temporaryFolder(), 'missing', 'support.json');
    const { code, stderr } = await run(['doctor', '--sandbox', '--bundle', bundle]);
    expect(code).toBe(9);
    expect(stderr).toContain(bundle);
  });
});

describe('a sync file in the current folder', () => {
  const FILE = 'tables:\n  pages:\n    data_set: pageview\n    metrics: [visits]\n    start: 2026-01-01\n';
  const doctorIn = async (text: string, args: readonly string[] = [], name = 'gatectl.sync.yaml') => {
    const cwd = temporaryFolder();
    await writeFile(join(cwd, name), text);
    const ran = await run(['doctor', '--sandbox', '--json', ...args], { cwd });
    return { ...ran, sync: lines(ran.stdout, 'sync'), cwd };
  };

  test('has its destination checked: whether it can be written to, and its free space', async () => {
    const { code, sync, cwd } = await doctorIn(`destination: lake\n${FILE}`);
    expect(code).toBe(0);
    expect(Object.values(sync).map(({ check, state, found }) => [check, state, found])).toEqual([
      ['file', 'ok', 'gatectl.sync.yaml: 1 table in lake'],
      ['destination', 'ok', 'lake can be used'],
      ['rights', 'ok', `${cwd} can be written to`],
      ['space', expect.stringMatching(/^(ok|warning)$/), expect.stringMatching(/^[\d.]+ [kMGT]?B free$/)],
    ]);
    expect(await readdir(cwd)).toEqual(['gatectl.sync.yaml']);
  });

  test('is not looked for elsewhere, unless --sync names it', async () => {
    expect((await doctorIn(FILE, [], 'other.yaml')).sync).toEqual({});
    expect((await doctorIn(FILE, ['--sync', 'other.yaml'], 'other.yaml')).sync.file?.state).toBe('ok');
    const missing = await doctorIn(FILE, ['--sync', 'missing.yaml']);
    expect([missing.code, missing.sync.file?.found]).toEqual([9, 'no such file: missing.yaml']);
  });

  test('that is not valid, or whose database is unreachable, is a problem with its advice', async () => {
    const invalid = await doctorIn(`destination: lake\nnonsense: 1\n${FILE}`);
    expect([invalid.code, invalid.sync.file?.state]).toEqual([2, 'wrong']);
    const { code, sync } = await doctorIn(`destination: postgres://vera@127.0.0.1:1/stats\n${FILE}`);
    expect(code).toBe(6);
    expect(sync.destination).toEqual({
      area: 'sync',
      check: 'destination',
      state: 'wrong',
      found: 'cannot connect to PostgreSQL at 127.0.0.1:1: connection refused',
      advice: 'check the host and the port; the server may be down',
    });
  });
});
