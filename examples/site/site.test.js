import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Gateway } from 'gatectl/client';
import { startSandbox } from 'gatectl/sandbox';
import { ARTICLE } from './access.js';
import { expressSite } from './express.js';
import { cachingSite, failingOpenSite, tokenInUrlSite } from './mistakes.js';
import { plainSite } from './plain.js';

/** @type {import('gatectl/sandbox').Sandbox} */
let sandbox;
/** @type {Gateway} */
let gateway;
let token = '';

before(async () => {
  sandbox = await startSandbox({
    clock: '2026-03-14T12:00:00Z',
    fixtures: {
      domains: [
        {
          domain: 'example.com',
          products: [{ key: 'premium' }],
          readers: [
            {
              email: 'ada@example.com',
              sessions: [{ id: 'ada-1' }],
              entitlements: [{ product: 'premium', expires: '2026-03-14T13:00:00Z' }],
            },
          ],
        },
      ],
    },
  });
  gateway = new Gateway({
    baseUrl: sandbox.baseUrl,
    apiKey: sandbox.apiKey,
    domain: 'example.com',
  });
  token = sandbox.readers[0]?.sessionToken ?? '';
});
beforeEach(() => reset());
after(async () => {
  await gateway.close();
  await sandbox.close();
});

function reset() {
  sandbox.reset();
  // A 429 of the test before pauses nothing.
  gateway.reset();
}

/** @typedef {{ get: (headers?: Record<string, string>, query?: string) => Promise<{ status: number, text: string, cache: string | null }> }} Site */

/**
 * What every site must do. Each throws for one that does not.
 * @type {Record<string, (site: Site) => Promise<void>>}
 */
const RULES = {
  async 'shows the article to who has access, and the teaser to everybody else'({ get }) {
    assert.deepEqual(await textsOf(get({ 'x-session-token': token }), get()), [true, false]);
  },
  async 'asks for every page, and lets nobody store it'({ get }) {
    const { text, cache } = await get({ 'x-session-token': token });
    assert.equal(text, ARTICLE);
    assert.match(cache ?? '', /no-store/);
    sandbox.clock.advance(2 * 3_600_000);
    assert.deepEqual(await textsOf(get({ 'x-session-token': token })), [false]);
  },
  async 'takes no token from a URL'({ get }) {
    assert.deepEqual(await textsOf(get({}, `?token=${token}`)), [false]);
  },
  async 'stays closed when the gateway does not answer'({ get }) {
    for (const fault of ['status=503', 'reset', 'html', 'status=429']) {
      sandbox.setFaults(fault);
      gateway.reset();
      assert.deepEqual(await textsOf(get({ 'x-session-token': token })), [false]);
    }
  },
};

/**
 * Whether each response is the article.
 * @param {ReturnType<Site['get']>[]} responses
 */
async function textsOf(...responses) {
  return (await Promise.all(responses)).map(({ text }) => text === ARTICLE);
}

/**
 * @param {(gateway: Gateway) => import('node:http').Server} create
 * @param {(site: Site) => Promise<void>} use
 */
async function withSite(create, use) {
  const server = create(gateway);
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    await use({
      async get(headers = {}, query = '') {
        const response = await fetch(`http://127.0.0.1:${port}/articles/one${query}`, { headers });
        return {
          status: response.status,
          text: await response.text(),
          cache: response.headers.get('cache-control'),
        };
      },
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

for (const [name, create] of Object.entries({ 'node:http': plainSite, Express: expressSite }))
  describe(`the site with ${name}`, () => {
    for (const [rule, check] of Object.entries(RULES)) test(rule, () => withSite(create, check));
  });

describe('the tests find the mistakes', () => {
  /** @type {[string, (gateway: Gateway) => import('node:http').Server, string][]} */
  const MISTAKES = [
    ['caching a decision', cachingSite, 'asks for every page, and lets nobody store it'],
    ['a token in the URL', tokenInUrlSite, 'takes no token from a URL'],
    ['failing open', failingOpenSite, 'stays closed when the gateway does not answer'],
  ];
  for (const [mistake, create, broken] of MISTAKES)
    test(mistake, async () => {
      for (const [rule, check] of Object.entries(RULES)) {
        reset();
        const outcome = await withSite(create, check).then(
          () => 'kept',
          error => {
            if (error.code !== 'ERR_ASSERTION') throw error;
            return 'broken';
          },
        );
        assert.equal(outcome, rule === broken ? 'broken' : 'kept', rule);
      }
    });
});
