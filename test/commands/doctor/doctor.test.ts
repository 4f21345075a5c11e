import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
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

describe('where all is well', () => {
  test('the embedded gateway is diagnosed without a profile, a home or a network', async () => {
    const { code, stdout, stderr } = await run(['doctor', '--sandbox', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines(stdout, 'settings')['base-url']?.found).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ \(the embedded gateway\)$/,
    );
    expect(Object.values(lines(stdout, 'surfaces')).map(({ check, state }) => [check, state])).toEqual([
      ['subscriptions', 'ok'],
      ['cdn', 'ok'],
      ['bda-v1', 'ok'],
      ['bda-v2', 'ok'],
    ]);
  });

  test('nothing but harmless questions goes out', async () => {
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
      '/cdnservices answers (200), /gateway/cdnservices does not answer (404)',
    );
    expect(lines(stdout, 'network').clock?.found).toBe("agrees with the server's");
    expect(lines(stdout, 'settings').domain?.found).toBe('example.com (environment GATECTL_DOMAIN)');
    expect(stdout).not.toContain(KEY);
  });

  test('a gateway that knows the ping without its last slash only is found, and gets no body', async () => {
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
      found: '/cdnservices answers (200 without the last slash), /gateway/cdnservices does not answer (404)',
    });
    const pings = server.received.filter(({ target }) => target.includes('ping'));
    expect(pings.map(({ body, headers }) => [body, headers['content-length']])).toEqual(
      pings.map(() => ['', '0']),
    );
  });

  test('--surface leaves the other APIs alone', async () => {
    const server = await gateway();
    const { stdout } = await doctorAt(server.baseUrl, ['--surface', 'bda-v2']);
    await server.close();
    expect(Object.keys(lines(stdout, 'surfaces'))).toEqual(['bda-v2']);
    expect(server.received.map(({ target }) => target).filter(target => target.includes('ping'))).toEqual([]);
  });

  test('--curl prints the questions and sends none', async () => {
    const server = await gateway();
    const { code, stdout } = await doctorAt(server.baseUrl, ['--curl', '--surface', 'bda-v2']);
    await server.close();
    expect(code).toBe(0);
    expect(stdout.match(/^curl /gm)).toHaveLength(3);
    expect(server.received).toEqual([]);
  });
});

describe('what is wrong is told with what to do', () => {
  test('nothing is set up: exit 2, and how to begin', async () => {
    const { code, stdout } = await run(['doctor', '--json']);
    expect(code).toBe(2);
    expect(lines(stdout, 'settings')['base-url']).toMatchObject({
      state: 'wrong',
      advice: expect.stringContaining('gatectl profile add NAME --base-url URL'),
    });
    expect(lines(stdout, 'key').key?.state).toBe('wrong');
  });

  test('a refused key: exit 4, on each surface', async () => {
    const server = await gateway();
    const { code, stdout, stderr } = await doctorAt(server.baseUrl, [], { GATECTL_API_KEY: 'old-key-0815' });
    await server.close();
    expect(code).toBe(4);
    expect(lines(stdout, 'surfaces')['bda-v1']).toMatchObject({
      state: 'wrong',
      found: 'bad key',
      advice: expect.stringContaining('it may have been rotated'),
    });
    expect(stdout + stderr).not.toContain('old-key-0815');
  });

  test('no key: the paths are still found, without one', async () => {
    const server = await gateway();
    const { code, stdout } = await doctorAt(server.baseUrl, [], { GATECTL_API_KEY: '' });
    await server.close();
    expect(code).toBe(4);
    expect(lines(stdout, 'surfaces')['bda-v2']?.state).toBe('not tried');
    expect(lines(stdout, 'paths')['bda-v2']).toMatchObject({
      state: 'ok',
      found: '/gateway/bdaservices/v2 answers (503), /bdaservices/v2 does not answer (404)',
    });
  });

  test('an API at another path: exit 5, and the command that mends it', async () => {
    const server = await gateway(({ target }) => {
      if (target === '/gateway/cdnservices/ping/') return { body: '{"Success":true,"Error":""}' };
      return target === '/cdnservices/ping/' ? { status: 404, body: '{}' } : undefined;
    });
    const { code, stdout } = await doctorAt(server.baseUrl);
    await server.close();
    expect(code).toBe(5);
    expect(lines(stdout, 'paths').cdn?.advice).toBe('gatectl profile set prefix-cdn /gateway/cdnservices');
    expect(lines(stdout, 'surfaces').cdn?.state).toBe('not tried');
  });

  test('a base URL with a path that is wrong is one wrong line, and its advice mends that profile', async () => {
    const server = await gateway();
    const env = { GATECTL_CONFIG_DIR: temporaryFolder(), GATECTL_API_KEY: KEY };
    const wrong = ['--base-url', `${server.baseUrl}/foo`, '--domain', 'example.com'];
    await run(['profile', 'add', 'good', '--base-url', server.baseUrl], { env });
    await run(['profile', 'add', 'wrong', ...wrong], { env });
    const ran = await run(['doctor', '-p', 'wrong', '--json'], { env });
    expect(ran.code).toBe(5);
    const advice = `gatectl profile set base-url ${server.baseUrl} -p wrong`;
    const told = `nothing of this gateway's APIs is below ${server.baseUrl}/foo (subscriptions 404, cdn 404, bda-v1 404, bda-v2 404)`;
    expect(Object.values(lines(ran.stdout, 'paths'))).toEqual([
      {
        area: 'paths',
        check: 'base-url',
        state: 'wrong',
        found: `${told}, and ${server.baseUrl} answers: the path /foo of the base URL is probably wrong`,
        advice,
      },
    ]);
    expect(lines(ran.stdout, 'surfaces').cdn).toMatchObject({
      state: 'not tried',
      found: 'no API there to try the key on (404)',
    });
    const elsewhere = server.received.filter(({ target }) => !target.startsWith('/foo'));
    expect(elsewhere.some(({ headers, target }) => 'x-api-key' in headers || target.includes(KEY))).toBe(
      false,
    );

    const people = await run(['doctor', '-p', 'wrong', '--base-url', `${server.baseUrl}/foo`], { env });
    expect(people.stdout.split('What is not well\n')[1]).toMatch(
      /^paths base-url: .*\. What to do: type --base-url http:\/\/127\.0\.0\.1:\d+\.\n$/,
    );
    await run(advice.split(' ').slice(1), { env });
    expect((await run(['doctor', '-p', 'wrong', '--json'], { env })).code).toBe(0);
    await server.close();
  });

  test('a server that is no gateway is told as that', async () => {
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
      found: `nothing of this gateway's APIs is below ${pages.baseUrl} (subscriptions 404, cdn 501, bda-v1 404, bda-v2 404): it does not look like a gateway`,
      advice:
        'check the base URL, which comes from GATECTL_BASE_URL; where its APIs have other paths, set each: gatectl profile set prefix-subscriptions PATH',
    });
  });

  test.each([200, 403])(
    'a login page under %i that answers in place of the gateway is told',
    async status => {
      const pages = await wireServer(() => ({
        status,
        headers: { date: DATE, 'content-type': 'text/html' },
        body: '<!DOCTYPE HTML><title>Sign in</title>',
      }));
      const { stdout } = await doctorAt(pages.baseUrl);
      await pages.close();
      expect(lines(stdout, 'surfaces').subscriptions?.found).toBe(
        `no API there to try the key on (${status})`,
      );
      expect(lines(stdout, 'paths')['base-url']).toMatchObject({
        state: 'wrong',
        advice:
          'check the base URL, which comes from GATECTL_BASE_URL; a proxy, a firewall or a login page may answer in its place: look at the network; where its APIs have other paths, set each: gatectl profile set prefix-subscriptions PATH',
      });
    },
  );

  test('what has no advice of its own says at least whom to ask', async () => {
    const server = await gateway(({ target }) =>
      target.startsWith('/cdn') ? { status: 500, headers: { date: DATE }, body: '{}' } : undefined,
    );
    const { stdout } = await doctorAt(server.baseUrl);
    await server.close();
    expect(lines(stdout, 'surfaces').cdn).toMatchObject({
      state: 'wrong',
      advice: 'run gatectl doctor again later; if it stays so, ask whoever runs the gateway',
    });
  });

  test('a ping that takes no notice of the key proves nothing, and is not said to', async () => {
    const server = await gateway(({ target }) =>
      target === '/cdnservices/ping/' ? { body: '{"Success":true,"Error":""}' } : undefined,
    );
    const { code, stdout } = await doctorAt(server.baseUrl);
    await server.close();
    expect(code).toBe(0);
    expect(lines(stdout, 'surfaces').cdn).toMatchObject({
      state: 'not tried',
      found: 'it responds; ping takes no notice of the key, and every other call would clear something',
    });
  });

  test('a clock that is three hours behind is a warning', async () => {
    const server = await gateway(() => ({ headers: { date: 'Sat, 14 Mar 2026 15:00:00 GMT' }, body: '{}' }));
    const { stdout } = await doctorAt(server.baseUrl, ['--surface', 'bda-v2']);
    await server.close();
    expect(lines(stdout, 'network').clock).toMatchObject({
      state: 'warning',
      found: "3 h behind the server's",
    });
  });

  test('a gateway out of reach: exit 6, and the APIs are not tried', async () => {
    const server = await gateway();
    await server.close();
    const { code, stdout } = await doctorAt(server.baseUrl);
    expect(code).toBe(6);
    expect(lines(stdout, 'network').answer?.found).toContain('connection refused');
    expect(lines(stdout, 'surfaces').cdn?.state).toBe('not tried');
  });

  test('an API whose answer is no HTTP is one wrong line among the others', async () => {
    const server = await rawServer((socket, index) =>
      socket.end(index === 0 ? 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n' : 'what?\r\n\r\n'),
    );
    const { code, stdout } = await doctorAt(server.baseUrl, ['--surface', 'bda-v2']);
    await server.close();
    expect(code).toBe(6);
    expect(lines(stdout, 'surfaces')['bda-v2']).toMatchObject({
      state: 'wrong',
      found: 'the answer is not valid HTTP',
    });
    expect(lines(stdout, 'paths')['bda-v2']?.found).toContain("can't be told (no answer)");
    expect(lines(stdout, 'caches').cache?.state).toBe('ok');
  });

  test('a proxy out of reach is told as that', async () => {
    const server = await gateway();
    await server.close();
    const { code, stdout } = await doctorAt('http://gateway.localhost:4711', ['--insecure-http'], {
      HTTP_PROXY: server.baseUrl.replace('//', '//ana:pass-word@'),
    });
    expect(code).toBe(6);
    expect(lines(stdout, 'network').answer?.found).toBe(
      `the proxy ${server.baseUrl} (with credentials) can't be reached`,
    );
    expect(stdout).not.toContain('pass-word');
  });

  test('verification turned off, and an authority file that is missing', async () => {
    const { stdout } = await run(['doctor', '--sandbox', '--json'], {
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' },
    });
    const trust = (JSON.parse(stdout) as Line[]).filter(({ check }) => check === 'trust');
    expect(trust.map(({ state, found }) => [state, found])).toEqual([
      ['warning', 'NODE_TLS_REJECT_UNAUTHORIZED is 0: anybody could pose as the gateway and get the key'],
      ['warning', "NODE_EXTRA_CA_CERTS names /nowhere/ca.pem, which can't be read"],
    ]);
  });

  test('without a domain the Subscriptions API is not tried, and --domain helps', async () => {
    const server = await gateway();
    const { code, stdout } = await doctorAt(server.baseUrl, [], { GATECTL_DOMAIN: '' });
    const helped = await doctorAt(server.baseUrl, ['--domain', 'example.com'], { GATECTL_DOMAIN: '' });
    await server.close();
    expect(code).toBe(0);
    expect(lines(stdout, 'surfaces').subscriptions?.advice).toContain('--domain DOMAIN');
    expect(lines(helped.stdout, 'surfaces').subscriptions?.state).toBe('ok');
  });

  test('--domain is a bare domain here, too', async () => {
    const ran = await run(['doctor', '--sandbox', '--domain', 'https://example.com/']);
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: the domain https://example.com/ is more than a bare domain\n  type example.com\n',
    });
  });

  test('a mistyped variable is named without its value', async () => {
    const { stdout } = await run(['doctor', '--sandbox', '--json'], {
      env: { GATECTL_APIKEY: 'oh-no-a-key' },
    });
    expect(lines(stdout, 'settings').environment).toMatchObject({
      found: 'GATECTL_APIKEY is no variable that gatectl reads',
      advice: 'did you mean GATECTL_API_KEY?',
    });
    expect(stdout).not.toContain('oh-no-a-key');
  });
});

test('people get all lines at a glance, and below them what to do about each that is not well', async () => {
  const { stdout } = await run(['doctor', '-o', 'md'], { env: { HOME: '/nowhere' } });
  expect(stdout).toContain(
    '\n| settings | base-url             | wrong     | the base URL of the gateway is missing',
  );
  const [, below = ''] = stdout.split('### What is not well\n');
  expect(
    below
      .trim()
      .split('\n')
      .map(line => line.split(':')[0]),
  ).toEqual(['- config file', '- settings base-url', '- key key', '- caches cache', '- caches state']);
});

describe('the profiles file', () => {
  async function stored(text: string, mode = 0o600) {
    const path = join(temporaryFolder(), 'gatectl', 'config.json');
    await mkdir(dirname(path), { mode: 0o700 });
    await writeFile(path, text, { mode });
    return { path, env: { GATECTL_CONFIG_DIR: dirname(path) } };
  }

  test('a broken one is told once, exit 9, and the rest is still looked at', async () => {
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

  test('a bad value in the environment is one wrong line', async () => {
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

describe('--bundle', () => {
  test('everything for a support request, without a single secret, and a list of what was removed', async () => {
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
      GATECTL_CONFIG_DIR: folder,
      GATECTL_API_KEY: '(removed)',
      GATECTL_APIKEY: '(removed)',
      HTTPS_PROXY: 'http://(removed)@proxy.example.com:3128',
    });
    expect(findings.length).toBeGreaterThan(20);
    expect(stderr).toContain('note: removed: profile news: key api-key\n');
  });

  test('the words of a helper are removed from what was found, which is told in words', async () => {
    const env = { GATECTL_CONFIG_DIR: temporaryFolder() };
    const at = ['--base-url', 'http://127.0.0.1:1'];
    await run(['profile', 'add', 'news', ...at, '--key-command', 'echo a-key-4711'], { env });
    const { stderr } = await run(['doctor', '--bundle', join(temporaryFolder(), 'b.json')], { env });
    expect(stderr).toContain('note: removed: parts of what was found about the key\n');
  });

  test('a file that can not be written is told, exit 9', async () => {
    const bundle = join(temporaryFolder(), 'missing', 'support.json');
    const { code, stderr } = await run(['doctor', '--sandbox', '--bundle', bundle]);
    expect(code).toBe(9);
    expect(stderr).toContain(bundle);
  });
});
