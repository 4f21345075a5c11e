import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Signal } from '../../../src/errors/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOON, run } from '../../support/run.ts';
import { granted, wireServer } from '../../support/wire-server.ts';

const HOSTILE = '<img src=x onerror="hacked()">\u202e\u001b[31m';

interface Answered {
  readonly sections: readonly {
    readonly title: string;
    readonly lines: readonly string[];
    readonly headings: readonly string[];
    readonly rows: readonly (readonly string[])[];
  }[];
  readonly reply: string;
}

interface Page {
  readonly url: URL;
  readonly token: string;
  readonly ask: (
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ) => Promise<Omit<Response, 'json'> & { json(): Promise<Answered> }>;
}

/** Serves the page until the end of the test. */
async function served(
  env: Record<string, string>,
  home = temporaryFolder(),
  ...words: string[]
): Promise<Page> {
  let printed = '';
  let stop: (signal: Signal) => void = () => {};
  let ended: Promise<unknown> = Promise.resolve();
  await new Promise<void>(ready => {
    const stdout = new Writable({
      write(chunk, _, done) {
        printed += chunk;
        if (printed.includes('Ctrl-C')) ready();
        done();
      },
    });
    const flags = env.GATECTL_BASE_URL === undefined ? ['--sandbox'] : [];
    ended = run(['reader', '--web', ...words, ...flags], {
      env,
      homedir: home,
      stdout,
      now: NOON,
      onSignals(send) {
        stop = send;
      },
    });
  });
  onTestFinished(async () => {
    stop('SIGTERM');
    await ended;
  });
  const url = new URL(/http:\S+/.exec(printed)?.[0] ?? '');
  const token = url.hash.slice(1);
  const ask: Page['ask'] = async (path, body, headers = {}) =>
    (await fetch(new URL(path, url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
      body,
    })) as never;
  return { url, token, ask };
}

/** The status for a request with a host of its own, which `fetch` does not send. */
function statusFor(url: URL, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: url.hostname, port: url.port, path: '/', headers: { host } }, response => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('the page', () => {
  test('has no reader and no token in it, is not cached, and runs one script', async () => {
    const { url, token } = await served({});
    const response = await fetch(url);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; connect-src 'self'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      ),
    });
    const html = await response.text();
    expect(html).not.toContain(token);
    expect(html).not.toMatch(/innerHTML|localStorage|sessionStorage|document\.cookie|https?:/);
  });

  test('answers only with the token, on loopback, for its own origin', async () => {
    const { url, ask } = await served({});
    expect(url.hostname).toBe('127.0.0.1');
    const status = async (headers: Record<string, string>) =>
      (await ask('/ask', '{"text":"active@example.com"}', headers)).status;
    expect(await status({})).toBe(200);
    expect(await status({ origin: url.origin })).toBe(200);
    expect(await status({ authorization: 'Bearer no' })).toBe(401);
    expect(await status({ authorization: '' })).toBe(401);
    for (const origin of [
      'http://evil.example.com',
      'null',
      `https://127.0.0.1:${url.port}`,
      'http://127.0.0.1:1',
    ])
      expect(await status({ origin })).toBe(403);
    expect(await statusFor(url, url.host)).toBe(200);
    expect(await statusFor(url, `localhost:${url.port}`)).toBe(200);
    for (const host of ['evil.example.com', `evil.example.com:${url.port}`, '127.0.0.1'])
      expect(await statusFor(url, host)).toBe(403);
    expect((await fetch(new URL('/ask', url))).status).toBe(404);
    expect((await ask('/other', '')).status).toBe(404);
  });

  test('looks a reader up, again for an empty text, and about a page that is pasted later', async () => {
    const { ask } = await served({});
    const first = await (await ask('/ask', '{"text":"From: A <item@example.com>"}')).json();
    expect(first).toMatchObject({
      taken: 'using the address of From',
      reply: expect.stringContaining('Hello'),
    });
    expect(first.sections[0]).toEqual({
      title: 'Reader item@example.com at example.com',
      lines: ['Bought 2 single items: 1 active, 1 expired.'],
    });
    const again = await (await ask('/ask', '{"text":""}')).json();
    expect(again.sections.map(({ title }) => title)).toContain('Since today, 12:00');
    const page = await (
      await ask('/ask', '{"text":"https://example.com/articles/long-read?utm_source=a#top"}', {
        'x-language': 'fr_FR',
      })
    ).json();
    expect(page.sections[2]?.lines[0]).toBe(
      'https://example.com/articles/long-read#top : acheté sous la forme https://example.com/articles/long-read',
    );
    expect(page.reply).toMatch(/^Bonjour/);
    const masked = await (await ask('/show', '{}', { 'x-mask': 'yes', 'x-language': 'en' })).json();
    expect(masked.reply).toMatch(/^Hello/);
    expect(masked.sections[0]?.title).toBe('Reader i***@example.com at example.com');
  });

  test('keeps the reader for a product or a page alone, and says so; an order number alone names no reader', async () => {
    const { ask } = await served({});
    await ask('/ask', '{"text":"active@example.com"}');
    const product = await (await ask('/ask', '{"text":"+archive"}')).json();
    expect(product).toMatchObject({ taken: 'using +archive, for the same reader' });
    expect(product.sections[0]?.title).toBe('Reader active@example.com at example.com');
    const order = await ask('/ask', '{"text":"order 77012"}');
    expect([order.status, await order.json()]).toEqual([
      400,
      { error: 'the order number 77012 names no reader', hints: expect.any(Array) },
    ]);
    expect(await (await ask('/show', '{}')).json()).toEqual({ sections: [] });
    expect(await (await ask('/ask', '{"text":""}')).json()).toMatchObject({
      sections: expect.arrayContaining([
        expect.objectContaining({ title: 'Reader active@example.com at example.com' }),
      ]),
    });
  });

  test('looks a list up, which may be a file, with the lines that it could not use', async () => {
    const { ask } = await served({});
    const list = 'ticket;email\n1;active@example.com\n2;none\n';
    const { sections } = await (await ask('/list', list, { 'x-mask': 'yes' })).json();
    expect(sections[0]).toMatchObject({
      lines: expect.arrayContaining(['1 without a valid address']),
      headings: ['ticket', 'email', 'Products', 'Answer', 'What to do', 'Error'],
    });
    expect(sections[0]?.rows.map(row => [row[0], row[1], row[5]])).toEqual([
      ['1', 'a***@example.com', '–'],
      ['2', 'none', 'not an e-mail address'],
    ]);
    const two = await (await ask('/ask', '{"text":"active@example.com, nobody@example.com"}')).json();
    expect(two.sections[0]?.rows).toHaveLength(2);
    expect((await ask('/show', '{}')).status).toBe(200);
  });

  test('reads a list in Windows-1252 as @FILE does, and says so', async () => {
    const { ask } = await served({});
    const list = Buffer.from('Name;E-Mail\nJürgen;active@example.com\nÄ;müller@example.com\n', 'latin1');
    const response = await ask('/list', new Uint8Array(list));
    expect(response.status).toBe(200);
    const { sections } = await response.json();
    expect(sections[0]?.lines[0]).toBe(
      'the list is not UTF-8 text and is read as Windows-1252, as Excel saves CSV',
    );
    expect(sections[0]?.rows.map(row => [row[0], row.at(-1)])).toEqual([
      ['Jürgen', '–'],
      ['Ä', 'an address with letters of an unknown encoding'],
    ]);
  });

  test.each([
    ['/ask', '{"text":"hello"}', 'not a valid e-mail address'],
    ['/ask', '{"text":""}', 'there is no reader to look up again'],
    ['/ask', '{"text":"order 77012"}', 'the order number 77012 names no reader'],
    ['/ask', 'not JSON', 'there is no reader to look up again'],
    ['/list', 'nobody', 'the list cannot be used, and nothing was sent'],
  ])('%s %s is told as an error, with what to do', async (path, body, error) => {
    const { ask } = await served({});
    const response = await ask(path, body);
    expect([response.status, await response.json()]).toEqual([400, { error, hints: expect.any(Array) }]);
  });

  test('tells failures of the gateway without the address, and goes on', async () => {
    let isBroken = true;
    const server = await wireServer(({ target }) => {
      if (isBroken) return { status: 400, body: '{"success":false,"message":"no a@example.com"}' };
      return granted(target.includes('/access') ? { decision: 'denied', reasonCode: 'no_entitlement' } : []);
    });
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const { ask } = await served(env);
    const failed = await ask('/ask', '{"text":"a@example.com"}');
    expect(failed.status).toBe(502);
    expect(await failed.text()).not.toContain('a@example.com');
    isBroken = false;
    expect((await ask('/ask', '{"text":"a@example.com"}')).status).toBe(200);
  });

  test('hostile text in every field is printed as text; the home has no address', async () => {
    const server = await wireServer(({ target }) => {
      if (target.includes('/access'))
        return granted({ decision: 'denied', reasonCode: HOSTILE, [HOSTILE]: HOSTILE });
      return granted(
        target.includes('/products')
          ? [HOSTILE]
          : [{ productKey: HOSTILE, item: HOSTILE, status: HOSTILE, expiresAt: HOSTILE }],
      );
    });
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const home = temporaryFolder();
    const { ask } = await served(env, home);
    const text = await (await ask('/ask', JSON.stringify({ text: `${HOSTILE} canary@example.com` }))).text();
    expect(text).toContain('<img src=x');
    expect(text.replaceAll('\\\\', '')).not.toMatch(/\u202e|\\u001b/);
    expect(JSON.stringify(readdirSync(home, { recursive: true }))).not.toContain('canary');
  });
});

test('two pages do not change what the other shows; the one that was used longest ago is forgotten', async () => {
  const { ask } = await served({});
  const title = async (id: string, path: string, body: string, headers: Record<string, string> = {}) => {
    const { sections } = await (await ask(path, body, { 'x-page': id, ...headers })).json();
    return sections?.[0]?.title;
  };
  await title('one', '/ask', '{"text":"active@example.com"}');
  await title('two', '/ask', '{"text":"expired@example.com"}', { 'x-language': 'de' });
  expect(await title('one', '/ask', '{"text":""}')).toBe('Reader active@example.com at example.com');
  expect(await title('two', '/show', '{}', { 'x-mask': 'yes' })).toBe(
    'Leser e***@example.com auf example.com',
  );
  for (let page = 0; page < 63; page += 1) await title(`more ${page}`, '/show', '{}');
  expect(await title('two', '/show', '{}')).toBe('Leser expired@example.com auf example.com');
  expect(await title('one', '/show', '{}')).toBeUndefined();
});

test.each<[string[], string]>([
  [['--fields', 'reader'], '--fields'],
  [['--jq', '.'], '--jq'],
  [['--json'], '--output json'],
  [['-o', 'md'], '--output md'],
  [['--csv', '--csv-dialect', 'excel'], '--csv-dialect'],
  [['--curl'], '--curl'],
  [['--reply'], '--reply'],
  [['--products'], '--products'],
  [['--out', 'a.csv'], '--out'],
  [['--failed-file', 'a.txt'], '--failed-file'],
  [['--columns', 'email'], '--columns'],
  [['--email-column', 'email'], '--email-column'],
  [['--encoding', 'latin1'], '--encoding'],
  [['--skip-invalid'], '--skip-invalid'],
  [['--concurrency', '2'], '--concurrency'],
])('%j and --web are rejected together', async (words, flag) => {
  const ran = await run(['reader', '--web', ...words, '--sandbox'], { env: { HOME: temporaryFolder() } });
  expect([ran.code, ran.stderr]).toEqual([
    2,
    expect.stringContaining(`--web and ${flag} cannot be combined`),
  ]);
});

test('a reader and --web are rejected together', async () => {
  const ran = await run(['reader', 'a@example.com', '--web', '--sandbox']);
  expect([ran.code, ran.stderr.split('\n')[0]]).toEqual([
    2,
    'error: one reader and --web cannot be combined',
  ]);
});
