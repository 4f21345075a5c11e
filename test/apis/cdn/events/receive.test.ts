import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type ContentEvent, contentEvent } from '../../../../src/apis/cdn/events/content-event.ts';
import { eventReceiver, reply } from '../../../../src/apis/cdn/events/receive.ts';
import type { Sender } from '../../../../src/apis/cdn/events/senders.ts';
import { PAYLOADS, requestOf, SENT_AT, type System } from './payloads.ts';

const RULE = {
  number: 1,
  on: { type: ['post', 'page', 'article'], event: [] },
  urls: ['{path}'],
  listings: [],
  keys: [],
  pages: 10,
  ignore: false,
} as const;

const SENDERS = new Map<string, Sender>(
  (Object.keys(PAYLOADS) as System[]).map(format => [format, { format, secret: PAYLOADS[format].secret }]),
);

async function received(
  request: Request,
  { now = SENT_AT + 1000, senders = SENDERS }: { now?: number; senders?: ReadonlyMap<string, Sender> } = {},
) {
  const events: ContentEvent[] = [];
  const receive = eventReceiver({
    senders,
    map: { site: 'https://www.example.com', always: [], rules: [RULE] },
    now: () => now,
    maxAgeMs: 300_000,
    accept: async event => {
      events.push(event);
      return reply(202, { status: 'queued' });
    },
  });
  const response = await receive(request);
  const body = (await response.json()) as { status?: string; error?: { code: string; message: string } };
  return {
    status: response.status,
    code: body.error?.code ?? body.status,
    message: body.error?.message,
    headers: response.headers,
    events,
  };
}

const accepted = async (request: Request, options = {}) => (await received(request, options)).events[0];

/** A body that Ghost signs now. */
const ghost = (body: unknown, now = SENT_AT) => {
  const text = JSON.stringify(body);
  const signature = createHmac('sha256', PAYLOADS.ghost.secret).update(`${text}${now}`).digest('hex');
  return requestOf('ghost', {
    body: text,
    headers: { 'x-ghost-signature': `sha256=${signature}, t=${now}` },
  });
};
const strapi = (body: object) =>
  requestOf('strapi', {
    body: JSON.stringify({ createdAt: '2026-03-20T09:46:40.000Z', model: 'article', ...body }),
  });

describe('what each system sends is one kind of event', () => {
  test('Ghost: a renamed post, with the tags that it has and had', async () => {
    expect(await accepted(requestOf('ghost'))).toEqual({
      id: 'bcf124f5afe3c41882e859564c9f0b8f',
      kind: 'moved',
      type: 'post',
      entry: '6a1',
      locale: '',
      time: '2026-03-20T09:46:39.000Z',
      paths: ['/new-name/'],
      old_paths: ['/old-name/'],
      slugs: ['new-name'],
      old_slugs: ['old-name'],
      tags: ['berlin', 'trams'],
      authors: ['anna'],
      sections: [],
      unsaid: ['sections'],
    });
  });

  test('WordPress: a post whose permalink changed', async () => {
    expect(await accepted(requestOf('wordpress'))).toMatchObject({
      ...{ id: 'msg_1', kind: 'moved', type: 'post', entry: '7', time: '2026-03-20T09:46:40.000Z' },
      ...{ paths: ['/2026/new-name/'], old_paths: ['/2026/old-name/'] },
      ...{ tags: ['trams', 'berlin'], sections: ['news'], authors: ['anna'] },
    });
  });

  test.each([
    ['publish', 'draft', false, 'published'],
    ['draft', 'publish', true, 'unpublished'],
    ['deleted', 'draft', true, 'unpublished'],
    ['deleted', 'draft', false, undefined],
    ['publish', 'draft', true, 'published'],
  ])('WordPress: %s after %s, with former paths: %s', async (status, before, wasPublic, kind) => {
    const body = JSON.stringify({
      ...{ post_id: 7, post_type: 'post', post_status: status, previous_status: before },
      ...{ was_public: wasPublic, previous_permalink: 'http://www.example.com/a/' },
    });
    const key = Buffer.from('standard secret');
    const digest = createHmac('sha256', key)
      .update(`m2.${SENT_AT / 1000}.${body}`)
      .digest('base64');
    const headers = { 'webhook-id': 'm2', 'webhook-signature': `v1,${digest}` };
    expect((await accepted(requestOf('wordpress', { body, headers })))?.kind).toBe(kind);
  });

  test('Sanity: a document with a new slug', async () => {
    expect(await accepted(requestOf('sanity'))).toMatchObject({
      ...{ kind: 'moved', type: 'article', entry: 'a1', slugs: ['new-name'], old_slugs: ['old-name'] },
      tags: ['berlin', 'trams'],
    });
  });

  test('Contentful: an entry with a slug in each locale', async () => {
    expect(await accepted(requestOf('contentful'))).toMatchObject({
      ...{ kind: 'updated', type: 'article', entry: '5KsDBWseXY6QegucYAoacS' },
      ...{ slugs: ['trams', 'strassenbahnen'], tags: ['berlin'], authors: ['anna'] },
    });
  });

  test.each([
    [{ tags: { count: 2 } }, [], ['tags', 'authors', 'sections']],
    [{ tags: [{ id: 1 }], author: null }, [], ['tags', 'sections']],
    [{ tags: [], author: { data: null }, categories: { data: [] } }, [], undefined],
    [{ tags: { data: [{ slug: 'x' }] } }, ['x'], ['authors', 'sections']],
  ])('Strapi: of %j, what it does not say is unsaid', async (fields, tags, unsaid) => {
    const entry = { documentId: 'd', slug: 'a', publishedAt: '2026-03-20T09:46:39.000Z', ...fields };
    const event = await accepted(strapi({ event: 'entry.update', entry }));
    expect([event?.tags, event?.unsaid]).toEqual([tags, unsaid]);
  });

  test('Strapi: an entry, dated by its body', async () => {
    expect(await accepted(requestOf('strapi'))).toMatchObject({
      ...{ kind: 'published', type: 'article', entry: 'h90lgohlzfpjf3bvan72mzll', slugs: ['trams'] },
      ...{ tags: ['berlin'], authors: ['anna'], sections: ['news'], time: '2026-03-20T09:46:40.000Z' },
    });
  });

  test.each([
    ['post.published', { status: 'published' }, {}, 'published'],
    ['post.unpublished', { status: 'draft' }, { status: 'published' }, 'unpublished'],
    ['post.edited', { status: 'published' }, { title: 'x' }, 'updated'],
    [undefined, { status: 'published' }, { status: 'draft' }, 'published'],
    ['page.edited', { status: 'draft' }, { title: 'x' }, undefined],
  ])('Ghost: %s of %j after %j is %s', async (event, current, previous, kind) => {
    const type = event?.startsWith('page') ? 'page' : 'post';
    const place = { id: '1', slug: 'a', url: 'https://ghost.example.com/a/' };
    const request = ghost({ event, [type]: { current: { ...place, ...current }, previous } });
    expect((await accepted(request))?.kind).toBe(kind);
  });

  test.each([
    'https://ghost.example.com/p/0b2fb3a7-0f3e-4d3b-9a3e-2b1c0d9e8f7a/',
    'https://ghost.example.com/404/',
  ])('Ghost: %s is not the page of a post that was withdrawn', async url => {
    const current = { id: '1', slug: 'gone', status: 'draft', url };
    const previous = { status: 'published' };
    const request = ghost({ event: 'post.unpublished', post: { current, previous } });
    expect(await accepted(request)).toMatchObject({ kind: 'unpublished', paths: [], slugs: ['gone'] });
  });

  test('Ghost: a deleted post was at its slug', async () => {
    const previous = { id: '1', slug: 'gone', status: 'published', tags: [{ slug: 'berlin' }] };
    const event = await accepted(ghost({ event: 'post.deleted', post: { current: {}, previous } }));
    expect(event).toMatchObject({ kind: 'unpublished', slugs: ['gone'], tags: ['berlin'], entry: '1' });
  });

  test.each([
    ['entry.update', { slug: 'a', publishedAt: null }, undefined],
    ['entry.update', { slug: 'a', publishedAt: '2026-03-20T09:46:39.000Z' }, 'updated'],
    ['entry.delete', { slug: 'a' }, 'unpublished'],
    ['media.create', {}, undefined],
  ])('Strapi: %s of %j is %s', async (event, entry, kind) => {
    expect((await accepted(strapi({ event, entry })))?.kind).toBe(kind);
  });

  test('Sanity: a draft changes no page', async () => {
    const body = JSON.stringify({ _id: 'drafts.a1', _type: 'article' });
    const digest = createHmac('sha256', PAYLOADS.sanity.secret)
      .update(`${SENT_AT}.${body}`)
      .digest('base64url');
    const headers = { 'sanity-webhook-signature': `t=${SENT_AT},v1=${digest}` };
    expect(await received(requestOf('sanity', { body, headers }))).toMatchObject({
      status: 200,
      code: 'ignored',
    });
  });

  test('another system: what an expression makes of its content', async () => {
    const senders = new Map<string, Sender>([
      [
        'own',
        {
          ...{ format: 'json', secret: 'own token', isToken: true },
          map: async body => ({ kind: 'updated', type: 'article', path: JSON.parse(body).link, id: 'x1' }),
        },
      ],
    ]);
    const request = requestOf('strapi', {
      path: '/hooks',
      body: '{"link":"https://cms.example.com/a/b?x=1"}',
      headers: { authorization: 'own token' },
    });
    expect(await accepted(request, { senders })).toMatchObject({
      id: 'x1',
      paths: ['/a/b?x=1'],
      slugs: ['b'],
    });
  });
});

test('without an id and a time, the same content of a sender that cannot sign is another event', async () => {
  const idsOf = async (value: object) => {
    const own: Sender = { format: 'json', secret: 'own', isToken: true };
    const body = JSON.stringify({ kind: 'updated', type: 'article', path: '/a/', ...value });
    const sent = async () =>
      (
        await accepted(requestOf('strapi', { body, headers: { authorization: 'own' } }), {
          senders: new Map([['strapi', own]]),
        })
      )?.id;
    return new Set([await sent(), await sent()]).size;
  };
  expect(await idsOf({})).toBe(2);
  expect(await idsOf({ id: '7' })).toBe(1);
  expect(await idsOf({ time: new Date(SENT_AT).toISOString() })).toBe(1);
});

describe('what is refused, with a status that the sender understands', () => {
  const systems = Object.keys(PAYLOADS) as System[];
  const signatures = {
    ghost: 'x-ghost-signature',
    sanity: 'sanity-webhook-signature',
    contentful: 'x-contentful-signature',
    wordpress: 'webhook-signature',
    strapi: 'authorization',
  } as const;

  test.each(systems)('%s: a request without its signature', async system => {
    const request = requestOf(system, { headers: { [signatures[system]]: undefined } });
    expect(await received(request)).toMatchObject({ status: 401, code: 'unsigned', events: [] });
  });

  test.each(systems)('%s: a signature with another secret', async system => {
    const senders = new Map([[system, { format: system, secret: 'another' }]]);
    expect(await received(requestOf(system), { senders })).toMatchObject({
      status: 401,
      code: 'forged',
      events: [],
    });
  });

  test.each(systems.filter(system => system !== 'strapi'))('%s: a body that was changed', async system => {
    const body = PAYLOADS[system].body.replace('slug', 'slag').replace('post_id', 'post_ib');
    expect(await received(requestOf(system, { body }))).toMatchObject({
      status: 401,
      code: 'forged',
      events: [],
    });
  });

  test.each(systems)('%s: an old request that is sent again, and one from the future', async system => {
    for (const now of [SENT_AT + 301_000, SENT_AT - 301_000])
      expect(await received(requestOf(system), { now })).toMatchObject({
        status: 401,
        code: 'stale',
        events: [],
      });
  });

  test('Contentful: another path, topic or time than was signed', async () => {
    const others = [
      requestOf('contentful', { path: '/hooks/contentful' }),
      requestOf('contentful', { headers: { 'x-contentful-topic': 'ContentManagement.Entry.unpublish' } }),
      requestOf('contentful', { headers: { 'x-contentful-timestamp': `${SENT_AT + 1}` } }),
      requestOf('contentful', {
        headers: { 'x-contentful-signed-headers': 'content-type,x-contentful-topic' },
      }),
    ];
    for (const request of others)
      expect(await received(request)).toMatchObject({ status: 401, code: 'forged' });
  });

  test('Contentful: a path with a query is signed with it', async () => {
    const signature = '7022b55fe69987e4dab0bc1a85f6f4c28d89a3b6bd2ac881b63fcecd30c95565';
    const headers = { 'x-contentful-signature': signature };
    const request = requestOf('contentful', { path: '/events/contentful?site=news&x=1', headers });
    expect((await received(request)).status).toBe(202);
  });

  test.each([
    ['an unknown sender', requestOf('ghost', { path: '/events/nobody' }), 404, 'unknown_sender'],
    ['another method', requestOf('ghost', { method: 'GET' }), 405, 'method'],
    [
      'an unknown event',
      ghost({ event: 'post.exploded', post: { current: {}, previous: {} } }),
      422,
      'unknown_event',
    ],
    ['an unknown event of Strapi', strapi({ event: 'entry.explode', entry: {} }), 422, 'unknown_event'],
    ['no event at all', ghost(['x']), 422, 'invalid_event'],
    ['no JSON', requestOf('strapi', { body: '{' }), 422, 'invalid_event'],
    ['an empty body', requestOf('strapi', { body: '' }), 422, 'invalid_event'],
    [
      'a type without a rule',
      strapi({ event: 'entry.publish', model: 'menu', entry: { slug: 'a' } }),
      422,
      'leads_to_nothing',
    ],
    ['a huge body', requestOf('ghost', { body: 'x'.repeat(1024 * 1024 + 1) }), 413, 'too_large'],
  ])('%s', async (_, request, status, code) => {
    expect(await received(request)).toMatchObject({ status, code, events: [] });
  });

  test('what a function of the program throws is 500, and its sender is told nothing of it', async () => {
    const own: Sender = {
      ...{ format: 'json', secret: 'strapi token', isToken: true },
      map: async () => {
        throw new Error('a secret path');
      },
    };
    const found = await received(requestOf('strapi'), { senders: new Map([['strapi', own]]) });
    expect(found).toMatchObject({ status: 500, code: 'internal', message: 'the event could not be handled' });
  });

  test('a token may end with the newline of its file', async () => {
    const own: Sender = { format: 'strapi', secret: `${PAYLOADS.strapi.secret}\n` };
    expect((await received(requestOf('strapi'), { senders: new Map([['strapi', own]]) })).status).toBe(202);
  });

  test('a huge body of unknown length is read no further than the limit', async () => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const request = new Request('http://127.0.0.1/events/ghost', {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit);
    expect(await received(request)).toMatchObject({ status: 413, code: 'too_large' });
    expect(pulled).toBeLessThan(25);
  });
});

describe('a typed event', () => {
  const delivery = { id: 'd1', time: SENT_AT };

  test('may have one path instead of a list, and knows its slug', () => {
    const event = contentEvent(
      { kind: 'updated', path: 'https://www.example.com/news/trams/', tag: 'berlin' },
      delivery,
    );
    expect(event).toMatchObject({ id: 'd1', paths: ['/news/trams/'], slugs: ['trams'], tags: ['berlin'] });
  });

  test('a URL below the path of the site is not below it twice', () => {
    const value = {
      kind: 'moved',
      paths: ['https://www.example.com/blog/a/?x=1', 'https://cms.example.com/b/', '/blog/c/'],
      old_paths: ['https://www.example.com/blog', 'https://www.example.com/blogs/'],
    };
    expect(contentEvent(value, delivery, 'https://www.example.com/blog')).toMatchObject({
      paths: ['/a/?x=1', '/b/', '/blog/c/'],
      old_paths: ['/', 'https://www.example.com/blogs/'],
    });
  });

  test('has its path encoded as a browser does, once', () => {
    const paths = ['/über-uns/', '/%C3%BCber-uns/"x"', 'https://www.example.com/größe/?q=ä'];
    expect(contentEvent({ kind: 'updated', paths }, delivery).paths).toEqual([
      ...['/%C3%BCber-uns/', '/%C3%BCber-uns/%22x%22', '/gr%C3%B6%C3%9Fe/?q=%C3%A4'],
    ]);
  });

  test('has the parts . and .. of its path resolved as a browser does', () => {
    const paths = [
      '/a/../../b/',
      '/c/./d/%2e%2E/?q=/../',
      '/e/..',
      '/f/...',
      'https://www.example.com/x/../y/',
    ];
    expect(contentEvent({ kind: 'updated', paths }, delivery).paths).toEqual([
      ...['/b/', '/c/?q=/../', '/', '/f/...', '/y/'],
    ]);
  });

  test('with a blank in its path says so', () => {
    expect(() => contentEvent({ kind: 'updated', path: '/a b/' }, delivery)).toThrow('contains a blank');
  });

  test.each([
    ['no kind', {}],
    ['a path without a slash', { kind: 'updated', path: 'news' }],
    ['a path of another host', { kind: 'updated', path: '//example.org/x' }],
    ['a time that is none', { kind: 'updated', time: 'yesterday' }],
    ['a text that is none', { kind: 'updated', tags: [{}] }],
    ['too many tags', { kind: 'updated', tags: Array.from({ length: 201 }, (_, index) => `t${index}`) }],
  ])('with %s is refused', (_, value) => {
    expect(() => contentEvent(value, delivery)).toThrow(expect.objectContaining({ code: 'invalid_event' }));
  });
});
