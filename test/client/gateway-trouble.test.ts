import { expect, onTestFinished, test } from 'vitest';
import { Connection } from '../../src/client/connection.ts';
import { Gateway, type ResponseInfo } from '../../src/client/index.ts';
import { NODE } from '../../src/client/runtime.ts';
import { settingsOf } from '../../src/client/settings.ts';
import { Gateway as WebGateway } from '../../src/client/web/index.ts';
import type { GatewayRequest } from '../../src/http/request.ts';
import { granted, type Received, type Reply, wireServer } from '../support/wire-server.ts';

const KEY = 'a-very-secret-key-4711';
const ALLOWED = granted({ decision: 'allowed' });
const TARGET = { product: 'premium' };

type Kind = typeof Gateway | typeof WebGateway;
const KINDS = [
  ['node', Gateway],
  ['web', WebGateway],
] as const;

async function gatewayOf(
  Of: Kind,
  reply: (request: Received) => Reply | Promise<Reply>,
  apiKey: string | (() => string | Promise<string>) = KEY,
) {
  const server = await wireServer(reply);
  const gateway = new Of({ baseUrl: server.baseUrl, apiKey, domain: 'example.com' });
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
  });
  const { subscriptions, cdn, bda } = gateway;
  return { subscriptions, cdn, bda, server };
}

test.each(KINDS)('%s: readers who come at once do not wait for each other', async (_, Of) => {
  const count = 60;
  let arrived = 0;
  let answer = () => {};
  const all = new Promise<void>(resolve => {
    answer = resolve;
  });
  const { subscriptions } = await gatewayOf(Of, async () => {
    arrived += 1;
    if (arrived === count) answer();
    await all;
    return ALLOWED;
  });
  const policy = subscriptions.accessPolicy({ onDecisionUnavailable: 'deny', timeoutMs: 60_000 });
  const decisions = await Promise.all(
    Array.from({ length: count }, (_, index) => policy.check({ token: `a.b.${index}` }, TARGET)),
  );
  expect(decisions.filter(({ error }) => error !== undefined)).toEqual([]);
});

test.each(KINDS)('%s: a key that does not come is a check without a decision', async (_, Of) => {
  for (const [apiKey, code] of [
    [() => new Promise<string>(() => {}), 'timeout'],
    [() => Promise.reject(new Error('the vault is closed')), 'no_key'],
    [
      () => {
        throw new Error('the vault is closed');
      },
      'no_key',
    ],
  ] as const) {
    const { subscriptions, server } = await gatewayOf(Of, () => ALLOWED, apiKey);
    const policy = subscriptions.accessPolicy({ onDecisionUnavailable: 'deny', timeoutMs: 50 });
    expect(await policy.check({ token: 'a.b.c' }, TARGET)).toMatchObject({ allowed: false, error: { code } });
    expect(server.received).toEqual([]);
  }
});

test.each(KINDS)(
  '%s: headers of a response have no secrets, and an address of nobody known is none either',
  async (_, Of) => {
    const token = 'aaaaaaaa.bbbbbbbb.cccccccc';
    const headers = { 'x-echo': `${KEY} ${token} vera@example.com` };
    const seen: ResponseInfo[] = [];
    const { subscriptions } = await gatewayOf(Of, () => ({ ...ALLOWED, headers }));
    await subscriptions.access({ token }, TARGET, { onResponse: response => void seen.push(response) });
    expect(seen.map(each => each.headers['x-echo'])).toEqual(['*** *** ***']);
    const refusing = await gatewayOf(Of, () => ({
      status: 403,
      body: '{"success":false,"message":"the session of vera%40example.com or vera@shop.example.com has ended"}',
    }));
    const error = await refusing.subscriptions.access({ token }, TARGET).catch(thrown => thrown);
    expect(error.message).toContain('the session of *** or *** has ended');
  },
);

test.each(KINDS)('%s: a token that no server takes is refused, not a crash', async (_, Of) => {
  const { subscriptions, server } = await gatewayOf(Of, () => ALLOWED);
  await expect(subscriptions.access({ token: 'a'.repeat(200_000) }, TARGET)).rejects.toMatchObject({
    code: 'invalid_value',
  });
  expect(server.received).toEqual([]);
});

test.each(KINDS)('%s: an asynchronous hook that fails does not end the program', async (kind, Of) => {
  const warnings: string[] = [];
  const warned = (warning: Error) => void warnings.push(warning.message);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const { subscriptions } = await gatewayOf(Of, () => ALLOWED);
  const onResponse = async () => {
    throw new Error('the hook failed');
  };
  // An unhandled rejection would fail the run.
  await subscriptions.access({ token: 'a.b.c' }, TARGET, { onResponse });
  if (kind === 'node') await expect.poll(() => warnings.join()).toContain('the hook failed');
});

function warningsOfNode(): readonly Error[] {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  return warnings;
}

test('one call has many requests in flight without a warning of Node', async () => {
  const warnings = warningsOfNode();
  const held: (() => void)[] = [];
  const server = await wireServer(async () => {
    await new Promise<void>(resolve => held.push(resolve));
    return { body: '{}' };
  });
  const connection = new Connection(settingsOf({ baseUrl: server.baseUrl, apiKey: KEY }), NODE);
  onTestFinished(async () => {
    await connection.close();
    await server.close();
  });
  const request: GatewayRequest = {
    api: 'subscriptions',
    method: 'GET',
    path: '/',
    key: { in: 'nowhere' },
    effect: 'read',
    idempotent: true,
    readError: () => undefined,
  };
  await connection.run({}, async sender => {
    const sent = Array.from({ length: 40 }, () => sender.send(request));
    await expect.poll(() => held.length).toBe(40);
    for (const answer of held) answer();
    await Promise.all(sent);
  });
  expect(warnings).toEqual([]);
});

test.each(KINDS)('%s: hundreds of calls share one signal without a warning of Node', async (_, Of) => {
  const warnings = warningsOfNode();
  const { subscriptions } = await gatewayOf(Of, () => granted([]));
  const { signal } = new AbortController();
  const reader = { email: 'a@example.com' };
  await Promise.all(Array.from({ length: 200 }, () => subscriptions.products(reader, { signal })));
  await new Promise(resolve => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

test.each(KINDS)('%s: access checks and purges do not wait for 40 queries', async (_, Of) => {
  const held: (() => void)[] = [];
  const { subscriptions, cdn, bda } = await gatewayOf(Of, async ({ target }) => {
    if (!target.endsWith('/query'))
      return target.includes('/cdnservices/') ? { body: '{"Success":true}' } : ALLOWED;
    await new Promise<void>(resolve => held.push(resolve));
    return { body: '{"rows":[],"total_rows":0}' };
  });
  const left = new AbortController();
  const date_range = { start_date: '2026-03-01', end_date: '2026-03-02' };
  const query = { data_set: 'pageview', date_range, metrics: ['visits'] };
  const queries = Array.from({ length: 40 }, () =>
    bda
      .query(query, { signal: left.signal })
      .toArray()
      .catch(() => []),
  );
  // The queries hold all that the limit of their API allows: no response has been released.
  expect(await subscriptions.access({ email: 'a@example.com' }, TARGET)).toMatchObject({ allowed: true });
  expect(await cdn.purge(['https://www.example.com/'])).toMatchObject({ cleared: 1 });
  left.abort();
  await Promise.all(queries);
  for (const release of held) release();
});
