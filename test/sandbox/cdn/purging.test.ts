import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { type Answered, ask, NOON, sandboxWith } from '../asking.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

function post(sandbox: Sandbox, endpoint: string, body: unknown, headers = JSON_TYPE): Promise<Answered> {
  return ask(sandbox, `/cdnservices${endpoint}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function page(sandbox: Sandbox, address: string) {
  const { status, headers } = await ask(sandbox, `/__cache/${address}`, { key: '' });
  return {
    status,
    cache: headers.get('x-cache'),
    age: headers.get('age'),
    etag: headers.get('etag'),
    keys: headers.get('surrogate-key'),
  };
}

const DONE = { Success: true, Error: '' };

describe('cached pages', () => {
  test('a seeded page is a hit with an age, a tag and surrogate keys', async () => {
    const sandbox = await sandboxWith();
    const answer = await ask(sandbox, '/__cache/example.com/articles/long-read', { key: '' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('example.com/articles/long-read');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(answer.headers.get('date')).toBe('Sun, 01 Mar 2026 12:00:00 GMT');
    expect(await page(sandbox, 'example.com/articles/long-read')).toEqual({
      status: 200,
      cache: 'HIT',
      age: '300',
      etag: expect.stringMatching(/^"[0-9a-f]{16}"$/),
      keys: 'site article article-long-read',
    });
  });

  test('an age grows with the clock until the entry is too old to be served', async () => {
    let now = NOON;
    const sandbox = await sandboxWith({ now: () => now });
    expect(await page(sandbox, 'example.com/about')).toMatchObject({ cache: 'HIT', age: '240' });
    now += 3_359_999;
    expect(await page(sandbox, 'example.com/about')).toMatchObject({ cache: 'HIT', age: '3599' });
    now += 1;
    expect(await page(sandbox, 'example.com/about')).toMatchObject({ cache: 'MISS', age: '0' });
  });

  test('a page that was never requested is a miss, then a hit', async () => {
    const sandbox = await sandboxWith();
    const first = await page(sandbox, 'www.example.com/articles/new?page=2');
    expect(first).toMatchObject({ cache: 'MISS', age: '0' });
    expect(await page(sandbox, 'www.example.com/articles/new?page=2')).toEqual({ ...first, cache: 'HIT' });
    expect(await page(sandbox, 'www.example.com/articles/new?page=3')).toMatchObject({ cache: 'MISS' });
  });

  test.each(['example.com/nowhere', 'example.edu/about', 'notexample.com/about', ':/'])(
    'there is no page for %s',
    async address => {
      const answer = await ask(await sandboxWith(), `/__cache/${address}`, { key: '' });
      expect(answer.status).toBe(404);
    },
  );

  test('HEAD returns only the headers; other methods are rejected', async () => {
    const sandbox = await sandboxWith();
    const head = await ask(sandbox, '/__cache/example.com/about', { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('x-cache')]).toEqual([200, '', 'HIT']);
    const put = await ask(sandbox, '/__cache/example.com/about', { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('clearing', () => {
  test('a ping succeeds, without a body', async () => {
    const answer = await ask(await sandboxWith(), '/cdnservices/ping/', { method: 'POST' });
    expect([answer.status, answer.json]).toEqual([200, DONE]);
  });

  test('one cleared URL is a miss with age 0; its neighbours stay', async () => {
    const sandbox = await sandboxWith();
    const before = await page(sandbox, 'example.com/about');
    expect((await post(sandbox, '/clearcache', { url: 'https://example.com/about' })).json).toEqual(DONE);
    expect(await page(sandbox, 'example.com/about')).toEqual({ ...before, cache: 'MISS', age: '0' });
    expect(await page(sandbox, 'example.com/news')).toMatchObject({ cache: 'HIT' });
  });

  test('a page whose origin changes is returned with another tag', async () => {
    const sandbox = await sandboxWith();
    const before = await page(sandbox, 'example.com/news');
    await post(sandbox, '/clearcache', { url: 'https://example.com/news' });
    const after = await page(sandbox, 'example.com/news');
    expect(after).toMatchObject({ cache: 'MISS', age: '0' });
    expect(after.etag).not.toBe(before.etag);
  });

  test('a page can be cleared by the address it is served at', async () => {
    const sandbox = await sandboxWith();
    const url = `${sandbox.baseUrl}/__cache/example.com/about`;
    expect((await post(sandbox, '/clearcache', { url })).json).toEqual(DONE);
    expect(await page(sandbox, 'example.com/about')).toMatchObject({ cache: 'MISS' });
  });

  test('scheme, letter case of the host, port and fragment do not matter; the query does', async () => {
    const sandbox = await sandboxWith();
    await page(sandbox, 'example.com/articles/a?x=1%202');
    await post(sandbox, '/clearcache', { url: 'http://EXAMPLE.com:80/articles/a?x=1+2#top' });
    expect(await page(sandbox, 'example.com/articles/a?x=1%202')).toMatchObject({ cache: 'MISS' });
    await post(sandbox, '/clearcache', { url: 'http://example.com/articles/a' });
    expect(await page(sandbox, 'example.com/articles/a?x=1%202')).toMatchObject({ cache: 'HIT' });
  });

  test('many URLs are cleared at once, cached or not', async () => {
    const sandbox = await sandboxWith();
    const urls = Array.from({ length: 98 }, (_, n) => `https://www.example.org/articles/${n}`);
    urls.push('https://example.org/about', 'https://example.com/');
    expect((await post(sandbox, '/bulkclearcache', { urls })).json).toEqual(DONE);
    expect(await page(sandbox, 'example.org/about')).toMatchObject({ cache: 'MISS' });
    expect(await page(sandbox, 'example.com/')).toMatchObject({ cache: 'MISS' });
  });

  test('surrogate keys clear their pages on that domain only', async () => {
    const sandbox = await sandboxWith();
    await page(sandbox, 'www.example.com/articles/x');
    const answer = await post(sandbox, '/clearbysurrogatekeys', {
      keys: 'article-long-read, article-x',
      domain: 'example.com',
    });
    expect(answer.json).toEqual(DONE);
    expect(await page(sandbox, 'example.com/articles/long-read')).toMatchObject({ cache: 'MISS' });
    expect(await page(sandbox, 'www.example.com/articles/x')).toMatchObject({ cache: 'MISS' });
    expect(await page(sandbox, 'example.com/articles/election-night')).toMatchObject({ cache: 'HIT' });
    expect(await page(sandbox, 'example.org/articles/long-read')).toMatchObject({ cache: 'HIT' });
  });

  test('a domain is purged with its subdomains; other domains stay', async () => {
    const sandbox = await sandboxWith();
    await page(sandbox, 'www.example.com/about');
    expect((await post(sandbox, '/purgecache', { domain: 'Example.com' })).json).toEqual(DONE);
    expect(await page(sandbox, 'example.com/about')).toMatchObject({ cache: 'MISS' });
    expect(await page(sandbox, 'www.example.com/about')).toMatchObject({ cache: 'MISS' });
    expect(await page(sandbox, 'example.org/about')).toMatchObject({ cache: 'HIT' });
  });
});

describe('what is rejected', () => {
  test.each([
    ['/about', '/about is not an absolute URL'],
    ['ftp://example.com/', 'ftp://example.com/ is neither http nor https'],
    ['https://a:b@example.com/', 'example.com: a URL must not contain a user name or password'],
    ['https://example.com/a b', '"https://example.com/a b" contains a space or a control character'],
    ['https://example.edu/', 'https://example.edu/ is not on a domain of this account'],
    ['https://notexample.com/', 'https://notexample.com/ is not on a domain of this account'],
  ])('the URL %s fails its batch and is named', async (bad, error) => {
    const sandbox = await sandboxWith();
    const answer = await post(sandbox, '/bulkclearcache', { urls: ['https://example.com/about', bad] });
    expect([answer.status, answer.json]).toEqual([200, { Success: false, Error: error }]);
    expect(await page(sandbox, 'example.com/about')).toMatchObject({ cache: 'HIT' });
    expect((await post(sandbox, '/clearcache', { url: bad })).json).toEqual({ Success: false, Error: error });
  });

  test('a poisoned URL fails its batch and is not named', async () => {
    const sandbox = await sandboxWith();
    const urls = ['https://example.com/about', 'https://example.com/poisoned/7'];
    expect((await post(sandbox, '/bulkclearcache', { urls })).json).toEqual({
      Success: false,
      Error: 'a URL could not be cleared',
    });
    expect(await page(sandbox, 'example.com/about')).toMatchObject({ cache: 'HIT' });
  });

  test.each([
    ['/clearcache', {}, 'url is required'],
    ['/clearcache', { url: 7 }, 'url is required'],
    ['/clearcache', [], 'the body must be a JSON object'],
    ['/bulkclearcache', {}, 'urls must be a list of strings'],
    ['/bulkclearcache', { urls: [] }, 'urls must be a list of strings'],
    ['/bulkclearcache', { urls: ['https://example.com/', 1] }, 'urls must be a list of strings'],
    ['/clearbysurrogatekeys', { domain: 'example.com' }, 'keys is required'],
    ['/clearbysurrogatekeys', { keys: 'a' }, 'domain is required'],
    ['/clearbysurrogatekeys', { keys: 'a,,b', domain: 'example.com' }, 'keys contains an empty key'],
    [
      '/clearbysurrogatekeys',
      { keys: 'a,b c', domain: 'example.com' },
      "the surrogate key 'b c' contains a space",
    ],
    ['/purgecache', {}, 'domain is required'],
  ])('%s with %j returns 400: %s', async (endpoint, body, error) => {
    const answer = await post(await sandboxWith(), endpoint, body);
    expect([answer.status, answer.json]).toEqual([400, { Success: false, Error: error }]);
  });

  test.each(['https://example.com', 'www.example.com', 'example.com/', 'example.com:80', 'com', '127.0.0.1'])(
    '%s is no bare domain',
    async domain => {
      const answer = await post(await sandboxWith(), '/purgecache', { domain });
      expect([answer.status, answer.json]).toEqual([
        400,
        { Success: false, Error: `${domain} is not a bare domain: omit scheme, www., port and path` },
      ]);
    },
  );

  test('the domain of another account is forbidden', async () => {
    const answer = await post(await sandboxWith(), '/purgecache', { domain: 'example.edu' });
    expect([answer.status, answer.json]).toEqual([
      403,
      { Success: false, Error: 'example.edu does not belong to this account' },
    ]);
  });

  test('more than 100 URLs are cleared in batches of 100, up to the first that fails', async () => {
    const sandbox = await sandboxWith();
    const urls = Array.from({ length: 101 }, (_, n) => `https://example.com/articles/${n}`);
    expect((await post(sandbox, '/bulkclearcache', { urls })).json).toEqual(DONE);
    const first = 'https://example.com/news';
    const cached = async () =>
      (await ask(sandbox, '/__cache/example.com/news', { key: '' })).headers.get('x-cache');
    await cached();
    expect(await cached()).toBe('HIT');
    const poisoned = [first, ...urls.slice(1), 'https://example.com/poisoned'];
    expect((await post(sandbox, '/bulkclearcache', { urls: poisoned })).json).toMatchObject({
      Success: false,
    });
    expect(await cached()).toBe('MISS');
  });

  test('a body that is not declared as JSON, or is none', async () => {
    const sandbox = await sandboxWith();
    const undeclared = await post(
      sandbox,
      '/clearcache',
      { url: 'https://example.com/' },
      {
        'content-type': 'text/plain',
      },
    );
    expect([undeclared.status, undeclared.json]).toEqual([
      415,
      { Success: false, Error: 'send the body as application/json' },
    ]);
    const broken = await ask(sandbox, '/cdnservices/clearcache', {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{"url"',
    });
    expect([broken.status, broken.json]).toEqual([400, { Success: false, Error: 'the body is not JSON' }]);
  });
});

describe('the record of purges', () => {
  const record = async (sandbox: Sandbox) => (await ask(sandbox, '/__sandbox/purges', { key: '' })).json;

  test('requests and cleared pages can be inspected', async () => {
    const sandbox = await sandboxWith();
    expect(await record(sandbox)).toEqual({ requests: 0, failed: 0, targets: 0, cleared: 0, operations: [] });
    await post(sandbox, '/clearcache', { url: 'https://example.com/about' });
    await post(sandbox, '/bulkclearcache', {
      urls: ['https://example.com/', 'https://example.com/poisoned'],
    });
    await post(sandbox, '/clearbysurrogatekeys', { keys: 'article', domain: 'example.com' });
    await post(sandbox, '/purgecache', { domain: 'example.org' });
    expect(await record(sandbox)).toEqual({
      requests: 4,
      failed: 1,
      targets: 2,
      cleared: 8,
      operations: [
        {
          at: NOON,
          endpoint: '/clearcache',
          targets: ['https://example.com/about'],
          cleared: 1,
          success: true,
        },
        {
          at: NOON,
          endpoint: '/bulkclearcache',
          targets: ['https://example.com/', 'https://example.com/poisoned'],
          cleared: 0,
          success: false,
        },
        {
          at: NOON,
          endpoint: '/clearbysurrogatekeys',
          domain: 'example.com',
          targets: ['article'],
          cleared: 2,
          success: true,
        },
        { at: NOON, endpoint: '/purgecache', domain: 'example.org', targets: [], cleared: 5, success: true },
      ],
    });
  });

  test('it is read only', async () => {
    const answer = await ask(await sandboxWith(), '/__sandbox/purges', { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  });
});
