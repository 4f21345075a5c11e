import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EventMap } from '../../../src/apis/cdn/events/fan-out.ts';
import { ApiError, AuthError, NetworkError, UsageError } from '../../../src/errors/index.ts';
import { EntryFolder } from '../../../src/operations/listen/entry-folder.ts';
import { EntryMemory } from '../../../src/operations/listen/entry-memory.ts';
import { EventQueue } from '../../../src/operations/listen/event-queue.ts';
import type { EventStore, QueuedEvent } from '../../../src/operations/listen/event-store.ts';
import {
  type EventPurge,
  type EventTargets,
  PurgeBackoff,
  purgeQueuedEvents,
  type Receipt,
} from '../../../src/operations/listen/purge-events.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOW, queued } from './queued.ts';

const SITE = 'https://www.example.com';
const MAP: EventMap = {
  site: SITE,
  always: ['/'],
  rules: [
    {
      number: 1,
      on: { type: ['menu'], event: [] },
      urls: [],
      listings: [],
      keys: [],
      pages: 2,
      ignore: true,
    },
    {
      number: 2,
      on: { type: ['article'], event: [] },
      urls: ['{path}'],
      listings: ['/tag/{tag}/'],
      keys: ['article-{entry}'],
      pages: 2,
      ignore: false,
    },
    {
      number: 4,
      on: { type: ['elsewhere'], event: [] },
      urls: ['https://example.org{path}'],
      listings: [],
      keys: [],
      pages: 2,
      ignore: false,
    },
    {
      number: 3,
      on: { type: ['slug'], event: [] },
      urls: ['/{slug}/'],
      listings: [],
      keys: [],
      pages: 2,
      ignore: false,
    },
  ],
};

/** Files of entries that could not be read. */
const damaged: string[] = [];
const short = ({ urls, keys }: EventTargets) => [...urls.map(url => url.replace(SITE, '')), ...keys];
const all = ({ urls, keys }: EventTargets): EventPurge => ({
  ...{ id: 'p1', cleared: [...urls, ...keys], failures: [], error: undefined, pages: [] },
});

/** Purges events until `count` have receipts. */
async function purged(
  events: readonly QueuedEvent[],
  purge: (targets: EventTargets, attempt: number) => EventPurge | Promise<EventPurge> = all,
  { count = events.length, folder = temporaryFolder() } = {},
) {
  const queue = await EventQueue.open(folder, { now: () => NOW, rememberMs: 1000, onDamage: () => {} });
  for (const event of events) await queue.append(event);
  const stopping = new AbortController();
  const sent: string[][] = [];
  const receipts: Receipt[] = [];
  const troubles: (string | undefined)[] = [];
  const waits: number[] = [];
  const unstored: string[] = [];
  if (count === 0) stopping.abort();
  await purgeQueuedEvents({
    ...{ queue, map: MAP, domain: 'example.com', stop: stopping.signal, collectMs: 0 },
    memory: new EntryMemory(new EntryFolder(`${folder}/entries`, path => damaged.push(path))),
    backoff: new PurgeBackoff(() => 0.5),
    clock: {
      now: () => NOW,
      random: () => 0.5,
      sleep: async ms => {
        waits.push(ms);
      },
    },
    purge: async targets => {
      sent.push(short(targets));
      return await purge(targets, sent.length);
    },
    onReceipt: async receipt => {
      receipts.push(receipt);
      if (receipts.length === count) stopping.abort();
    },
    onTrouble: error => troubles.push(error?.code),
    onUnstored: error => unstored.push(error.kind),
  });
  await queue.close();
  return {
    sent,
    receipts,
    troubles,
    waits,
    unstored,
    folder,
    outcomes: receipts.map(({ outcome }) => outcome),
  };
}

describe('the purges of events', () => {
  test('500 edits that come together are one purge, in which each page is once', async () => {
    const events = Array.from({ length: 500 }, (_, index) =>
      queued(`a${index}`, { tags: [`t${index % 5}`] }),
    );
    const { sent, receipts } = await purged(events);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toHaveLength(500 + 5 + 1 + 500);
    expect(new Set(receipts.map(({ outcome }) => outcome))).toEqual(new Set(['confirmed']));
    expect(receipts[7]).toMatchObject({ id: 'a7', targets: 4, cleared: 4, purges: ['p1'], failures: [] });
  });

  test('a purge that the gateway cannot answer is repeated for what is left, and nothing is forgotten', async () => {
    const error = new NetworkError('no answer', { code: 'service_unavailable' });
    const { sent, troubles, waits, outcomes } = await purged(
      [queued('a'), queued('b')],
      (targets, attempt) => {
        if (attempt === 1) return { ...all(targets), cleared: [], error };
        if (attempt === 2) return { ...all(targets), cleared: targets.urls.slice(0, 2), error };
        return all(targets);
      },
    );
    expect(sent).toEqual([
      ['/a/', '/', '/b/', 'article-a', 'article-b'],
      ['/a/', '/', '/b/', 'article-a', 'article-b'],
      ['/b/', 'article-a', 'article-b'],
    ]);
    expect(troubles).toEqual(['service_unavailable', 'service_unavailable', undefined]);
    expect(waits.every(ms => ms >= 500)).toBe(true);
    expect(outcomes).toEqual(['confirmed', 'confirmed']);
  });

  test('a rejected key waits for another one', async () => {
    const error = new AuthError('rejected', { code: 'unauthorized' });
    const { outcomes, troubles } = await purged([queued('a')], (targets, attempt) =>
      attempt === 1 ? { ...all(targets), cleared: [], error } : all(targets),
    );
    expect([outcomes, troubles]).toEqual([['confirmed'], ['unauthorized', undefined]]);
  });

  test('where events are shared, a purge that clears nothing gives the turn up, one that clears some goes on', async () => {
    const error = new AuthError('rejected', { code: 'unauthorized' });
    const queue = await EventQueue.open(temporaryFolder(), {
      ...{ now: () => NOW, rememberMs: 1000, onDamage: () => {} },
    });
    onTestFinished(() => queue.close());
    await queue.append(queued('a'));
    const shared: EventStore = Object.assign(Object.create(queue), {
      isShared: true,
      setTrouble: (code: string | undefined) => queue.setTrouble(code),
      next: (most: number) => queue.next(most),
      untilWaiting: (signal: AbortSignal) => queue.untilWaiting(signal),
    });
    let attempts = 0;
    const waits: number[] = [];
    const turn = () =>
      purgeQueuedEvents({
        ...{ queue: shared, map: MAP, domain: 'example.com', collectMs: 0, backoff },
        stop: new AbortController().signal,
        memory: new EntryMemory(new EntryFolder(`${temporaryFolder()}/entries`, () => {})),
        clock: { now: () => NOW, random: () => 1, sleep: async ms => void waits.push(ms) },
        purge: async targets => {
          attempts += 1;
          return { ...all(targets), cleared: attempts === 1 ? targets.keys : [], error };
        },
        onReceipt: async () => expect.fail('nothing is settled'),
        onTrouble: () => {},
        onUnstored: () => {},
      });
    const backoff = new PurgeBackoff(() => 1);
    expect([await turn(), waits, attempts, queue.trouble]).toEqual([500, [500], 2, 'unauthorized']);
    expect([await turn(), attempts, queue.waiting]).toEqual([500, 3, 1]);
    expect([await turn(), attempts, queue.waiting]).toEqual([800, 4, 1]);
  });

  test('a target that the API rejects fails its event, and no other', async () => {
    const request = {
      method: 'POST',
      path: '/',
      origin: 'https://gateway.example.com',
      status: 200,
      isApiError: true,
    };
    const error = new ApiError('not this one', { code: 'rejected', request });
    const { receipts } = await purged([queued('a'), queued('b')], targets => ({
      ...all(targets),
      cleared: [...targets.urls, ...targets.keys].filter(target => !target.endsWith('/a/')),
      failures: [{ target: `${SITE}/a/`, error }],
    }));
    expect(receipts).toMatchObject([
      { id: 'a', outcome: 'failed', reason: 'not this one', targets: 3, cleared: 2 },
      { id: 'b', outcome: 'confirmed' },
    ]);
  });

  test('an event that was accepted with another map leads to what that says', async () => {
    const map: EventMap = { ...MAP, always: ['/feed/'] };
    const { sent } = await purged([{ ...queued('a'), map }, queued('b')]);
    expect(sent).toEqual([['/a/', '/feed/', '/b/', '/', 'article-a', 'article-b']]);
  });

  test('what a policy denies together is tried one by one, and what it denies then is denied', async () => {
    const error = new UsageError('the policy does not allow this', { code: 'denied' });
    const { sent, outcomes } = await purged([queued('a'), queued('b')], targets =>
      targets.urls.some(url => url.endsWith('/a/')) ? { ...all(targets), cleared: [], error } : all(targets),
    );
    expect(sent).toHaveLength(3);
    expect(outcomes).toEqual(['denied', 'confirmed']);
  });

  test('what is not on the domain is not purged, and its event is not confirmed', async () => {
    const { sent, receipts } = await purged([queued('a', { type: 'elsewhere' }), queued('b')]);
    expect(sent).toEqual([['/b/', '/', 'article-b']]);
    expect(receipts).toMatchObject([
      { outcome: 'failed', reason: 'https://example.org/a/ is not on example.com' },
      { outcome: 'confirmed' },
    ]);
  });

  test('a value that cannot be a key is named, what can be purged is, and the event is not confirmed', async () => {
    const { sent, receipts } = await purged([queued('a', { entry: 'two words' }), queued('b')]);
    expect(sent).toEqual([['/a/', '/', '/b/', 'article-b']]);
    expect(receipts).toMatchObject([
      {
        ...{ outcome: 'failed', targets: 3, cleared: 2 },
        reason: 'article-two words contains a space or a control character',
        failures: [{ target: 'article-two words', error: 'contains a space or a control character' }],
      },
      { outcome: 'confirmed' },
    ]);
  });

  test('a gateway that finds nothing at all is repeated', async () => {
    const request = { method: 'POST', path: '/', origin: 'https://gateway.example.com', status: 404 };
    const error = new ApiError('no such page', {
      code: 'not_found',
      request: { ...request, isApiError: true },
    });
    const { outcomes, troubles } = await purged([queued('a')], (targets, attempt) =>
      attempt === 1
        ? { ...all(targets), cleared: [], failures: targets.urls.map(target => ({ target, error })) }
        : all(targets),
    );
    expect([outcomes, troubles]).toEqual([['confirmed'], ['not_found', undefined]]);
  });

  test('a memory of entries that cannot be written is a warning, and events are purged', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'entries'), 'a file in its place');
    const { outcomes, unstored } = await purged([queued('a'), queued('b')], all, { folder });
    expect([outcomes, unstored]).toEqual([['confirmed', 'confirmed'], ['file']]);
  });

  test('what cannot be read of an entry is named and moved aside, and its event is purged', async () => {
    const { folder } = await purged([queued('a'), queued('b')]);
    const files = readdirSync(join(folder, 'entries'), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.json'))
      .map(name => join(folder, 'entries', name));
    const [one = '', other = ''] = files;
    writeFileSync(one, '{"entries": [{"ty');
    rmSync(other);
    mkdirSync(other);
    const { outcomes } = await purged([queued('c', { entry: 'a' }), queued('d', { entry: 'b' })], all, {
      folder,
    });
    expect(outcomes).toEqual(['confirmed', 'confirmed']);
    expect(damaged.splice(0).sort()).toEqual([...files].sort());
    expect(readFileSync(`${one}.damaged`, 'utf8')).toBe('{"entries": [{"ty');
    expect(existsSync(`${other}.damaged`)).toBe(true);
    expect(readFileSync(other, 'utf8')).toContain('"entries"');
  });

  test('settings that cannot be used any more lose no event', async () => {
    const error = new UsageError('the base URL is missing', { code: 'missing_argument' });
    const { outcomes, troubles } = await purged([queued('a')], (targets, attempt) =>
      attempt === 1 ? { ...all(targets), cleared: [], error } : all(targets),
    );
    expect([outcomes, troubles]).toEqual([['confirmed'], ['missing_argument', undefined]]);
  });

  test('a page that stays stale is purged three times, and its event is not confirmed', async () => {
    const pages = [{ url: `${SITE}/a/`, verdict: 'stale', reason: 'the age is 60 s' }];
    const { sent, receipts } = await purged([queued('a')], targets => ({ ...all(targets), pages }));
    expect(sent).toEqual([['/a/', '/', 'article-a'], ['/a/'], ['/a/']]);
    expect(receipts).toMatchObject([{ outcome: 'stale', pages }]);
  });

  test('a page that is fresh at the second purge is confirmed', async () => {
    const page = { url: `${SITE}/a/`, reason: '' };
    const { outcomes } = await purged([queued('a')], (targets, attempt) => ({
      ...all(targets),
      pages: [{ ...page, verdict: attempt === 1 ? 'stale' : 'fresh' }],
    }));
    expect(outcomes).toEqual(['confirmed']);
  });

  test('an event that is stopped before it is settled is purged by the next run', async () => {
    const folder = temporaryFolder();
    const error = new NetworkError('no answer', { code: 'service_unavailable' });
    const queue = await EventQueue.open(folder, { now: () => NOW, rememberMs: 1000, onDamage: () => {} });
    await queue.append(queued('a'));
    const stopping = new AbortController();
    await purgeQueuedEvents({
      ...{
        queue,
        map: MAP,
        stop: stopping.signal,
        collectMs: 0,
        domain: 'example.com',
        memory: new EntryMemory(new EntryFolder(`${folder}/entries`, path => damaged.push(path))),
      },
      backoff: new PurgeBackoff(() => 0),
      clock: { now: () => NOW, random: () => 0, sleep: async () => {} },
      purge: async targets => {
        stopping.abort();
        return { ...all(targets), cleared: [], error };
      },
      onReceipt: async () => expect.fail('it is not settled'),
      onTrouble: () => {},
      onUnstored: () => {},
    });
    await queue.close();
    expect((await purged([], all, { count: 1, folder })).outcomes).toEqual(['confirmed']);
  });
});

describe('what a listener remembers of entries', () => {
  test('an entry that moves is purged where it was, although the CMS does not say so', async () => {
    const { sent, receipts } = await purged([
      queued('1', { entry: '7', path: '/old/', tags: ['berlin'] }),
      queued('2', { entry: '7', path: '/new/' }),
    ]);
    expect(sent[0]).toEqual(expect.arrayContaining(['/old/', '/new/', '/tag/berlin/']));
    expect(receipts.map(({ kind, targets }) => [kind, targets])).toEqual([
      ['updated', 4],
      ['moved', 5],
    ]);
  });

  test('each former path of an entry is purged with it: a redirect from there may be cached', async () => {
    const paths = ['/a/', '/b/', '/c/', '/c/'];
    const { receipts, folder } = await purged(paths.map((path, at) => queued(`${at}`, { entry: '7', path })));
    expect(receipts.map(({ kind, targets }) => [kind, targets])).toEqual([
      ['updated', 3],
      ['moved', 4],
      ['moved', 5],
      ['updated', 5],
    ]);
    const { sent } = await purged([queued('9', { entry: '7', path: '/d/' })], all, { folder });
    expect(sent).toEqual([['/d/', '/c/', '/b/', '/a/', '/', 'article-7']]);
  });

  test('also in another run, and for one that is withdrawn without its path and type', async () => {
    const { folder } = await purged([queued('1', { entry: '7', path: '/old/' })]);
    const gone = queued('2', { kind: 'unpublished', entry: '7', path: null, type: null });
    const { sent, receipts } = await purged([gone], all, { folder });
    expect(sent).toEqual([['/old/', '/', 'article-7']]);
    expect(receipts).toMatchObject([{ kind: 'unpublished', type: 'article', outcome: 'confirmed' }]);
  });

  test('tags, authors and sections of which an event says nothing are as they were', async () => {
    const event = (id: string, value: object) => queued(id, { entry: '7', path: '/a/', ...value });
    const { folder } = await purged([
      event('1', { kind: 'published', tags: ['x'], authors: ['bob'] }),
      event('2', {}),
    ]);
    const gone = await purged([event('3', { kind: 'unpublished', path: null })], all, { folder });
    expect(gone.sent).toEqual([['/a/', '/tag/x/', '/', 'article-7']]);
    const moved = await purged([event('4', { kind: 'moved', path: '/b/' })], all, { folder });
    expect(moved.sent[0]).toContain('/tag/x/');
  });

  test('tags that an event replaces or empties are purged with it, and forgotten', async () => {
    const event = (id: string, value: object) => queued(id, { entry: '7', path: '/a/', ...value });
    const { folder } = await purged([event('1', { tags: ['x'] })]);
    const tagsOf = async (id: string, value: object) =>
      (await purged([event(id, value)], all, { folder })).sent[0]?.filter(each => each.startsWith('/tag/'));
    expect(await tagsOf('2', { tags: ['y'] })).toEqual(['/tag/y/', '/tag/x/']);
    expect(await tagsOf('3', { tags: [] })).toEqual(['/tag/y/']);
    expect(await tagsOf('4', {})).toEqual([]);
    expect(await tagsOf('5', { tag: 'z' })).toEqual(['/tag/z/']);
    expect(await tagsOf('6', { tags: null })).toEqual(['/tag/z/']);
    expect(await tagsOf('7', {})).toEqual([]);
  });

  test('entries of several types with one number are several, and those of several locales too', async () => {
    const { sent, receipts, folder } = await purged([
      queued('1', { entry: '7', path: '/a/' }),
      queued('2', { entry: '7', type: 'slug', slug: 'anna', path: null }),
      queued('3', { entry: '8', path: '/en/', locale: 'en' }),
      queued('4', { entry: '8', path: '/de/', locale: 'de' }),
    ]);
    expect(sent).toEqual([['/a/', '/', '/anna/', '/en/', '/de/', 'article-7', 'article-8']]);
    expect(receipts.map(({ kind }) => kind)).toEqual(['updated', 'updated', 'updated', 'updated']);
    const gone = { kind: 'unpublished', path: null };
    const again = await purged(
      [
        queued('5', { ...gone, entry: '7', type: 'slug' }),
        queued('6', { ...gone, entry: '8', locale: 'de' }),
        queued('7', { ...gone, entry: '7', type: 'article' }),
      ],
      all,
      { folder },
    );
    expect(again.sent).toEqual([['/anna/', '/', '/de/', '/a/', 'article-8', 'article-7']]);
    const everywhere = await purged([queued('8', { ...gone, entry: '8' })], all, { folder });
    expect(everywhere.sent).toEqual([['/en/', '/de/', '/', 'article-8']]);
  });

  test('one that was never seen, and names no page, is not confirmed', async () => {
    const gone = queued('2', { kind: 'unpublished', entry: '8', path: null, type: 'slug' });
    const { sent, receipts } = await purged([gone]);
    expect(sent).toEqual([]);
    expect(receipts).toMatchObject([
      { outcome: 'failed', reason: expect.stringContaining('does not name the page') },
    ]);
  });

  test('an event that a rule ignores leads to nothing', async () => {
    expect((await purged([queued('1', { type: 'menu' })])).outcomes).toEqual(['nothing']);
  });
});
