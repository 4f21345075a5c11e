import { request as httpRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { Gateway } from '../../src/client/index.ts';
import { FixtureError, type SandboxOptions, startSandbox as start } from '../../src/sandbox/library.ts';

const NOON = '2026-03-14T12:00:00.000Z';

async function startSandbox(options: SandboxOptions = {}) {
  const sandbox = await start(options);
  const gateway = new Gateway({
    baseUrl: sandbox.baseUrl,
    apiKey: sandbox.apiKey,
    domain: sandbox.domains[0]?.domain ?? '',
    retries: 0,
  });
  onTestFinished(async () => {
    await gateway.close();
    await sandbox.close();
  });
  return { sandbox, gateway };
}

/** What a page at an origin gets. */
async function fromPage(baseUrl: string, origin: string, method = 'GET') {
  return await new Promise<{ status: number | undefined; allowed: string | undefined }>((resolve, reject) => {
    const headers = { origin, ...(method === 'OPTIONS' && { 'access-control-request-method': 'GET' }) };
    httpRequest(`${baseUrl}/openapi.json`, { method, headers }, response => {
      response.resume();
      const allowed = response.headers['access-control-allow-origin'];
      response.on('end', () => resolve({ status: response.statusCode, allowed }));
    })
      .on('error', reject)
      .end();
  });
}

test('a test starts a gateway with readers of its own and sees which requests arrived', async () => {
  const { sandbox, gateway } = await startSandbox({
    fixtures: {
      domains: [
        {
          domain: 'news.example.com',
          products: [{ key: 'gold' }],
          readers: [{ email: 'ada@example.com', entitlements: [{ product: 'gold' }] }],
        },
      ],
    },
  });
  const access = await gateway.subscriptions.access({ email: 'ada@example.com' }, { product: 'gold' });
  expect(access.allowed).toBe(true);
  await gateway.cdn.purge(['https://news.example.com/a']);
  expect(sandbox.requests).toMatchObject([
    {
      method: 'GET',
      path: '/subscriptions/v1/access',
      query: { domain: 'news.example.com', product: 'gold' },
      headers: { 'x-api-key': '***', 'x-service-reader-email': 'ada@example.com' },
      status: 200,
      faults: [],
    },
    { method: 'POST', path: '/cdnservices/clearcache', json: { url: 'https://news.example.com/a' } },
  ]);
});

test('a test moves the clock, and an entitlement ends', async () => {
  const { sandbox, gateway } = await startSandbox({
    clock: NOON,
    fixtures: {
      domains: [
        {
          domain: 'example.com',
          products: [{ key: 'gold' }],
          readers: [
            {
              email: 'ada@example.com',
              entitlements: [{ product: 'gold', expires: '2026-03-14T13:00:00Z' }],
            },
          ],
        },
      ],
    },
  });
  const decision = async () =>
    (await gateway.subscriptions.access({ email: 'ada@example.com' }, { product: 'gold' })).decision;
  expect(await decision()).toBe('allowed');
  sandbox.clock.advance(3_600_001);
  expect(await decision()).toBe('expired');
  sandbox.reset();
  expect(sandbox.clock.now().toISOString()).toBe(NOON);
  expect(await decision()).toBe('allowed');
});

test('without a clock, the dates that a test sees are the same on any day', async () => {
  const { sandbox, gateway } = await startSandbox();
  expect(sandbox.clock.now().toISOString()).toBe(NOON);
  const { expiresAt } = await gateway.subscriptions.identityToken('active@example.com');
  expect(expiresAt).toBe('2026-03-14T13:00:00Z');
});

test('a test can follow the clock of the machine', async () => {
  const { sandbox } = await startSandbox({ clock: 'now' });
  const before = Date.now();
  expect(sandbox.clock.now().getTime()).toBeGreaterThanOrEqual(before);
});

test('a test injects faults, and removes them', async () => {
  const { sandbox, gateway } = await startSandbox({ faults: ['status=503,path=/products'] });
  const products = () => gateway.subscriptions.products({ email: 'active@example.com' });
  await expect(products()).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(sandbox.requests[0]?.faults).toEqual(['status=503,path=/products']);
  sandbox.setFaults();
  expect(await products()).toEqual(['premium', 'sports']);
  sandbox.reset();
  expect(sandbox.requests).toEqual([]);
  await expect(products()).rejects.toMatchObject({ code: 'service_unavailable' });
});

test('a reset forgets what a test created, and keeps the figures', async () => {
  const { sandbox, gateway } = await startSandbox({ clock: NOON });
  const query = () =>
    gateway.bda
      .query({
        data_set: 'pageview',
        date_range: { start_date: '2026-03-01', end_date: '2026-03-03' },
        metrics: ['visits'],
      })
      .toArray();
  const before = JSON.stringify(await gateway.bdaV1.segments());
  const figures = await query();
  await gateway.bdaV1.createSegment({
    SegmentName: 'Mine',
    SegmentMultiFilters: { '11': { FilterValues: ['US'] } },
  });
  expect(JSON.stringify(await gateway.bdaV1.segments())).toContain('Mine');
  sandbox.reset();
  expect(JSON.stringify(await gateway.bdaV1.segments())).toBe(before);
  expect(await query()).toEqual(figures);
});

test('web pages can read responses only if the test allows it', async () => {
  const PAGE = 'http://localhost:3000';
  const { sandbox: closed } = await startSandbox();
  expect(await fromPage(closed.baseUrl, PAGE)).toEqual({ status: 200, allowed: undefined });
  const { sandbox: one } = await startSandbox({ cors: ['https://dev.example.com'] });
  expect(await fromPage(one.baseUrl, 'https://dev.example.com')).toEqual({
    status: 200,
    allowed: 'https://dev.example.com',
  });
  expect(await fromPage(one.baseUrl, 'https://dev.example.com', 'OPTIONS')).toMatchObject({ status: 204 });
  expect(await fromPage(one.baseUrl, PAGE)).toEqual({ status: 200, allowed: undefined });
  expect(await fromPage(one.baseUrl, 'https://other.example.com')).toEqual({
    status: 403,
    allowed: undefined,
  });
  const { sandbox: all } = await startSandbox({ cors: true });
  expect(await fromPage(all.baseUrl, PAGE)).toEqual({ status: 200, allowed: PAGE });
});

test('invalid fixtures, faults and times are named', async () => {
  await expect(start({ fixtures: { domains: [{ domain: 'https://example.com' }] } })).rejects.toThrow(
    FixtureError,
  );
  await expect(start({ fixtures: { domains: [] } })).rejects.toThrow('domains must name at least one domain');
  await expect(start({ faults: ['status=abc'] })).rejects.toMatchObject({ name: 'FaultSpecError' });
  await expect(start({ clock: 'noon' })).rejects.toThrow('not a time: noon');
});

test('a misspelt option is named, with the one that was meant', async () => {
  const misspelt = { fixture: { domains: [] } } as SandboxOptions;
  await expect(start(misspelt)).rejects.toThrow("unknown option fixture; did you mean 'fixtures'?");
});
