import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { analytics, BASE, rowsReply, sent } from './analytics.ts';

const LISTING = '[{"id":7,"domain":"example.com"},{"id":12,"domain":"news.example.com"}]';

function server() {
  return analytics(({ target }) =>
    /domains/.test(target) ? { body: LISTING } : rowsReply(['{"visits":1}'], 1),
  );
}

const QUERY = [...BASE, '-m', 'visits', '--csv'];

test.each(['news.example.com', 'https://www.News.example.com/today', 'NEWS.EXAMPLE.COM'])(
  '--domain %s is sent as the number of the site',
  async name => {
    const {
      server: { received },
      gatectl,
    } = await server();
    expect((await gatectl([...QUERY, '--domain', name])).code).toBe(0);
    expect(JSON.parse(received.at(-1)?.body ?? '').domain_id).toBe(12);
  },
);

test('the listing of domains is requested once, then read from the cache', async () => {
  const { server: wire, gatectl } = await server();
  const env = { XDG_CACHE_HOME: temporaryFolder() };
  await gatectl([...QUERY, '--domain', 'example.com'], { env });
  await gatectl([...QUERY, '--domain', 'example.com'], { env });
  expect(wire.received.map(({ target }) => target.replace(/^.*\//, ''))).toEqual([
    'domains',
    'query',
    'query',
  ]);
  expect(sent(wire, 2).domain_id).toBe(7);
});

test('report run sends the number as v1 has it', async () => {
  const { server: wire, gatectl } = await server();
  const args = [
    'bda',
    'report',
    'run',
    '-m',
    'visits',
    '--from',
    '2026-02-01',
    '--to',
    '2026-02-02',
    '--csv',
  ];
  await gatectl([...args, '--domain', 'example.com']);
  expect(JSON.parse(wire.received.at(-1)?.body ?? '').DomainId).toBe(7);
});

test('an unknown name gets the names that are close', async () => {
  const { gatectl } = await server();
  expect(await gatectl([...QUERY, '--domain', 'exampel.com'])).toMatchObject({
    code: 2,
    stderr:
      'error: the account has no site exampel.com\n  did you mean example.com?\n  gatectl bda domains lists the sites\n',
  });
});

test('--domain and --domain-id exclude each other, and --print looks nothing up', async () => {
  const { server: wire, gatectl } = await server();
  const both = await gatectl([...QUERY, '--domain', 'example.com', '--domain-id', '7']);
  const print = await gatectl([...QUERY, '--domain', 'example.com', '--print']);
  expect([both.code, print.code, wire.received.length]).toEqual([2, 2, 0]);
  expect(print.stderr).toContain('or type --domain-id N');
});
