import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXACT_ZERO, exactFigure } from '../../../src/analysis/exact-change.ts';
import type { Impact } from '../../../src/operations/purge/impact.ts';
import { denialsOf, readPolicy } from '../../../src/operations/writes/policy.ts';
import type { WeighedWrite } from '../../../src/operations/writes/weighed-write.ts';
import { factsOf, type WriteFacts } from '../../../src/operations/writes/write-facts.ts';
import { temporaryFolder } from '../../support/folder.ts';

const KEY = `ed25519:${'A'.repeat(43)}=`;
const OTHER = `ed25519:${'B'.repeat(42)}A=`;
/** A Wednesday. */
const NOON = Date.parse('2026-11-25T12:00:00Z');

async function policyOf(yaml: string) {
  const path = join(temporaryFolder(), 'policy.yaml');
  writeFileSync(path, yaml, { mode: 0o600 });
  const policy = await readPolicy(path, { uid: process.getuid?.(), isSystem: false });
  return policy === undefined ? [] : [policy];
}

const URLS: Omit<WriteFacts, 'targets'> = {
  ...{ command: 'cdn purge', effect: 'write', what: 'URL', domain: undefined },
};

async function reasons(
  yaml: string,
  targets: readonly string[],
  facts: Partial<Omit<WriteFacts, 'targets'>> = {},
  circumstances: Partial<WeighedWrite> = {},
): Promise<readonly string[]> {
  const all = { ...URLS, ...facts };
  const denials = await denialsOf(await policyOf(yaml), {
    ...{ facts: all, now: NOON, approvals: undefined, author: undefined, impact: undefined },
    sentBefore: async () => 0,
    targets: async function* () {
      yield [{ what: all.what, targets }];
    },
    ...circumstances,
  });
  return denials.map(({ reason }) => reason);
}

const rule = (text: string, otherwise = 'allow') => `otherwise: ${otherwise}\nrules:\n  - {${text}}\n`;

test.each<[rule: string, target: string, isDenied: boolean, facts?: Partial<WriteFacts>]>([
  ['deny: true', 'https://example.com/a', true],
  ['deny: true, command: token', 'https://example.com/a', false],
  ['deny: true, command: cdn purge', 'https://example.com/a', true],
  ['deny: true, effect: irreversible', 'https://example.com/a', false],
  [
    'deny: true, effect: irreversible',
    'example.com',
    true,
    { effect: 'irreversible', what: 'everything', domain: 'example.com' },
  ],
  ['deny: true, domain: example.com', 'https://www.example.com/a', true],
  ['deny: true, domain: example.com', 'https://example.org/a', false],
  ['deny: true, domain: example.com', 'https://notexample.com/a', false],
  ['deny: true, domain: shop.example.com', 'https://example.com/a', false],
  ['deny: true, url: https://example.com/shop/**', 'https://example.com/shop/a/b', true],
  ['deny: true, url: https://example.com/shop/**', 'https://example.com/news', false],
  // What a server may take for the same page.
  ['deny: true, url: https://example.com/shop/**', 'http://example.com/shop/a', true],
  ['deny: true, url: https://example.com/shop/**', 'https://example.com/SHOP/a', true],
  ['deny: true, url: https://example.com/shop/**', 'https://example.com/%73hop/a', true],
  ['deny: true, url: https://example.com/shop/**', 'https://example.com/news/../shop/a', true],
  ['deny: true, url: https://example.com/shop', 'https://example.com/shop?x=1', true],
  // Keys and everything may clear any page of the domain.
  ['deny: true, url: https://example.com/shop/**', 'key', true, { what: 'key', domain: 'example.com' }],
  [
    'deny: true, url: https://shop.example.com/**',
    'example.com',
    true,
    { what: 'everything', domain: 'example.com' },
  ],
  ['deny: true, url: https://example.com/shop/**', 'key', false, { what: 'key', domain: 'example.org' }],
  // What is not documented may be anything.
  [
    'deny: true, command: token, url: https://example.com/shop/**',
    'x',
    true,
    { command: undefined, what: 'other' },
  ],
])('%s, of %s: denied %s', async (text, target, isDenied, facts = {}) => {
  expect((await reasons(rule(text), [target], facts)).length > 0).toBe(isDenied);
});

test.each<[rule: string, target: string, isAllowed: boolean, facts?: Partial<WriteFacts>]>([
  ['command: cdn purge', 'https://example.com/a', true],
  ['url: https://example.com/news/**', 'https://example.com/news/a', true],
  ['url: https://example.com/news/*', 'https://example.com/news/a/b', false],
  // What may mean another page is not allowed.
  ['url: https://example.com/news/**', 'https://example.com/NEWS/a', false],
  ['url: https://example.com/news/**', 'https://example.com/news/../shop', false],
  ['url: https://example.com/news/**', 'key', false, { what: 'key', domain: 'example.com' }],
  ['domain: news.example.com', 'example.com', false, { what: 'everything', domain: 'example.com' }],
  ['domain: example.com', 'key', true, { what: 'key', domain: 'example.com' }],
  ['command: cdn purge', 'x', false, { command: undefined, what: 'other' }],
])('where nothing else is allowed, %s allows %s: %s', async (text, target, isAllowed, facts = {}) => {
  expect((await reasons(rule(text, 'deny'), [target], facts)).length === 0).toBe(isAllowed);
});

test('one target that no rule allows is enough', async () => {
  const yaml = rule('url: https://example.com/news/**', 'deny');
  const urls = ['https://example.com/news/a', 'https://example.com/b', 'https://example.com/c'];
  expect(await reasons(yaml, urls)).toEqual(['no rule allows https://example.com/b and 1 more target']);
});

test('targets are counted by rule, and with those of the 24 hours before', async () => {
  const urls = ['https://example.com/a', 'https://example.com/b'];
  expect(await reasons(rule('max_targets: 1'), urls)).toEqual(['2 targets, and at most 1 are allowed']);
  expect(await reasons(rule('max_targets: 2'), urls)).toEqual([]);
  const before = { sentBefore: async () => 9 };
  expect(await reasons(rule('per_day: 11'), urls, {}, before)).toEqual([]);
  expect(await reasons(rule('per_day: 10'), urls, {}, before)).toEqual([
    '2 targets after 9 in 24 hours, and at most 10 are allowed',
  ]);
});

test.each([
  ['{from: "08:00", until: "18:00"}', NOON, true],
  ['{from: "08:00", until: "12:00"}', NOON, false],
  ['{from: "12:00", until: "12:01"}', NOON, true],
  ['{days: [mon, tue], from: "08:00", until: "18:00"}', NOON, false],
  ['{from: "22:00", until: "06:00"}', NOON, false],
  ['{days: wed, from: "22:00", until: "06:00"}', NOON + 11 * 3_600_000, true],
  ['{days: wed, from: "22:00", until: "06:00"}', NOON + 17 * 3_600_000, true],
  ['{days: thu, from: "22:00", until: "06:00"}', NOON + 17 * 3_600_000, false],
  ['{from: "08:00", until: "12:30", zone: Europe/Berlin}', NOON, false],
  ['{from: "13:00", until: "14:00", zone: Europe/Berlin}', NOON, true],
])('hours: %s at %s: allowed %s', async (hours, now, isAllowed) => {
  const denied = await reasons(rule(`hours: ${hours}`), ['https://example.com/a'], {}, { now });
  expect(denied.length === 0).toBe(isAllowed);
});

test('approvals of others count, each key once', async () => {
  const yaml = `${rule('approvals: 1')}approvers: {anna: "${KEY}", berta: "${OTHER}"}\n`;
  const check = (circumstances: Partial<WeighedWrite>) =>
    reasons(yaml, ['https://example.com/a'], {}, circumstances);
  expect(await check({})).toEqual(['it must be a plan that another person approved']);
  expect(await check({ approvals: new Set() })).toHaveLength(1);
  expect(await check({ approvals: new Set([KEY]) })).toEqual([]);
  expect(await check({ approvals: new Set([KEY]), author: KEY })).toHaveLength(1);
  expect(await check({ approvals: new Set([KEY, OTHER]), author: KEY })).toEqual([]);
  expect(await check({ approvals: new Set([`ed25519:${'C'.repeat(42)}A=`]) })).toHaveLength(1);
});

test('the share of the page views must be known, and small enough', async () => {
  const impact = (views: string, completeness: Impact['completeness']) => async (): Promise<Impact> => {
    const traffic = { visits: EXACT_ZERO, revenue: EXACT_ZERO };
    const figure = (text: string) => exactFigure(text) ?? EXACT_ZERO;
    return {
      ...{ completeness, days: { from: '2026-11-18', to: '2026-11-24' }, urls: undefined, missing: [] },
      ...{ keys: 0, pages: 1, flaws: [] },
      traffic: { ...traffic, pageviews: figure(views) },
      total: { ...traffic, pageviews: figure('100') },
    };
  };
  const check = (measured: WeighedWrite['impact']) =>
    reasons(rule('max_share: 5%'), ['https://example.com/a'], {}, { impact: measured });
  expect(await check(undefined)).toHaveLength(1);
  expect(await check(impact('5', 'complete'))).toEqual([]);
  expect(await check(impact('5.01', 'complete'))).toEqual([
    'its pages have 5.01% of the page views, and at most 5% is allowed',
  ]);
  expect(await check(impact('1', 'incomplete'))).toHaveLength(1);
});

test.each([
  [
    'otherwise: deny\nrule: []\n',
    /policy\.yaml:2:1: unknown setting "rule"; did you mean "rules"\?|unknown setting "rule"/,
  ],
  ['rules: []\n', /has no otherwise/],
  ['otherwise: maybe\n', /otherwise cannot be "maybe"/],
  [rule('max_share: 5'), /must be a share such as 5%/],
  [rule('hours: {from: 8, until: "18:00"}'), /from must be a time such as "08:00"/],
  ['otherwise: allow\napprovers: {anna: x}\n', /anna is not a public key/],
])('%j is no policy', async (yaml, message) => {
  await expect(policyOf(yaml)).rejects.toThrow(message);
});

test.skipIf(process.getuid === undefined)('a policy that others can change is refused', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'policy.yaml');
  writeFileSync(path, 'otherwise: allow\n', { mode: 0o600 });
  const read = (isSystem = false) => readPolicy(path, { uid: process.getuid?.(), isSystem });
  expect(await read()).toMatchObject({ otherwise: 'allow' });
  for (const [each, mode, usual] of [
    [path, 0o620, 0o600],
    [path, 0o602, 0o600],
    [folder, 0o770, 0o700],
    [folder, 0o707, 0o700],
  ] as const) {
    chmodSync(each, mode);
    await expect(read()).rejects.toThrow('other users can change');
    chmodSync(each, usual);
  }
  const none = join(folder, 'none.yaml');
  const uid = process.getuid?.();
  expect(await readPolicy(none, { uid, isSystem: true })).toBeUndefined();
  await expect(readPolicy(none, { uid, isSystem: false })).rejects.toThrow('no such file');
});

test.each<[path: string, body: string, what: Partial<WriteFacts>]>([
  [
    '/cdnservices/clearcache',
    '{"url":"https://example.com/a"}',
    { what: 'URL', targets: ['https://example.com/a'] },
  ],
  ['/x/cdnservices/bulkclearcache/', '{"urls":["a","b"]}', { what: 'URL', targets: ['a', 'b'] }],
  [
    '/cdnservices/clearbysurrogatekeys',
    '{"keys":"a,b","domain":"example.com"}',
    { what: 'key', targets: ['a', 'b'], domain: 'example.com' },
  ],
  ['/cdnservices/purgecache', '{"domain":"example.com"}', { what: 'everything', effect: 'irreversible' }],
  // What could be read in two ways is not known.
  ['/cdnservices/bulkclearcache', '{"urls":["a"],"urls":["b"]}', { command: undefined }],
  ['/cdnservices/bulkclearcache', '{"url":"a","urls":["b"]}', { command: undefined }],
  ['/cdnservices/bulkclearcache', '{"urls":"a"}', { command: undefined }],
  ['/cdnservices//clearcache', '{"url":"a"}', { command: undefined }],
  ['/cdnservices/clearcache/../purgecache', '{"domain":"a"}', { command: undefined }],
  ['/cdnservices/%63learcache', '{"url":"a"}', { command: undefined }],
  ['/cdnservices/ClearCache', '{"url":"a"}', { command: undefined }],
  ['/somewhere/else', '{}', { command: undefined, effect: 'write' }],
])('what is known of POST %s %s', (path, body, what) => {
  expect(factsOf({ effect: 'write', sent: { method: 'POST', path, body } })).toMatchObject(what);
});

/** What an outsider tried: each could be read as a page, a domain or a reader that a rule is about. */
const URL_TRICKS = [
  ...[
    '/news/a,https://example.org/shop',
    '/news/a https://example.org/shop',
    '/news/..%2fshop/a',
    '/news/..;/shop/a',
  ],
  ...[
    '/news/%5c..%5cshop',
    '/news/%252e%252e/shop',
    '/news/*',
    '//shop/a',
    '/x/..%2fshop/a',
    '/%2fshop/a',
    '/shop;x=1/a',
  ],
  ...['/%2573hop/a', ':8443/shop/a'],
].map(rest => `https://example.com${rest}`);

test.each([...URL_TRICKS, 'https://example.com./shop/a', 'https://x@example.com/news/a'])(
  '%s may be on pages that are denied, and is not surely on pages that are allowed',
  async url => {
    expect(await reasons(rule('deny: true, url: https://example.com/shop/**'), [url])).not.toEqual([]);
    expect(await reasons(rule('deny: true, domain: example.com'), [url])).not.toEqual([]);
    expect(await reasons(rule('url: https://example.com/news/**', 'deny'), [url])).not.toEqual([]);
  },
);

const DOMAIN_TRICKS = [
  ...[
    'secret.com.',
    ' secret.com',
    'https://secret.com/',
    'secret.com:443',
    'secret.com/x',
    'a.com,secret.com',
    '*',
    '*.com',
  ],
  ...[
    '',
    'secret%2ecom',
    'x@secret.com',
    'secret.com,a.example.com',
    'secret.com/.example.com',
    '.example.com',
    'Secret.com',
  ],
];

test.each(DOMAIN_TRICKS)('everything of %j is of no known domain', domain => {
  for (const body of [{ domain }, { domain, keys: 'a' }]) {
    const path = `/cdnservices/${'keys' in body ? 'clearbysurrogatekeys' : 'purgecache'}`;
    const sent = { method: 'POST', path, body: JSON.stringify(body) };
    expect(factsOf({ effect: 'write', sent })).toMatchObject({ command: undefined, targets: [] });
  }
});

test.each(['a b', 'a;b', 'a\nb', '*', '', 'a,,b'])('the keys %j may be others', keys => {
  const sent = {
    method: 'POST',
    path: '/cdnservices/clearbysurrogatekeys',
    body: JSON.stringify({ domain: 'example.com', keys }),
  };
  expect(factsOf({ effect: 'write', sent }).command).toBeUndefined();
});

test.each<[query: readonly (readonly [string, string])[], body: string, isKnown: boolean]>([
  [[['domain', 'example.com']], '{"email":"a@example.com"}', true],
  [
    [
      ['domain', 'example.com'],
      ['Domain', 'secret.com'],
    ],
    '{"email":"a@example.com"}',
    false,
  ],
  [[['domain', 'example.com']], '{"email":"a@example.com","domain":"secret.com"}', false],
  [[['domain', 'example.com']], '{"email":"a@example.com,c@example.com"}', false],
])('a token with %j and %j: known %s', (query, body, isKnown) => {
  const sent = { method: 'POST', path: '/subscriptions/v1/identity-token', query, body };
  expect(factsOf({ effect: 'irreversible', sent }).command).toBe(isKnown ? 'token' : undefined);
});

test('a header with which servers replace the path makes a request unknown', () => {
  const sent = { method: 'POST', path: '/cdnservices/clearcache', body: '{"url":"https://example.com/a"}' };
  expect(factsOf({ effect: 'write', sent }).command).toBe('cdn purge');
  const readerHeaders = { 'X-Original-URL': '/cdnservices/purgecache' };
  expect(factsOf({ effect: 'write', sent: { ...sent, readerHeaders } }).command).toBeUndefined();
});

test.each([
  'command: cdn pruge',
  'command: api',
  'command: CDN PURGE',
  'domain: https://example.com',
  'domain: example.com.',
  'url: /**',
  'url: https://example.com:443/**',
  'url: https://example.com/%61',
  'hours: {from: "09:00", until: "09:00"}',
])('a rule that would never apply is an error: %s', async text => {
  await expect(policyOf(rule(`${text}, deny: true`))).rejects.toThrow('policy.yaml:');
});
