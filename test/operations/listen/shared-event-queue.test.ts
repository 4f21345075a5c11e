import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../../src/errors/index.ts';
import { SharedEventQueue } from '../../../src/operations/listen/shared-event-queue.ts';
import { happening, until } from '../../support/wait.ts';
import { FakeEngine } from './fake-engine.ts';
import { NOW, queued } from './queued.ts';

/** A clock whose waits take one turn of the event loop. */
function fastClock() {
  let now = NOW;
  return {
    now: () => now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      now += ms;
      await new Promise(resolve => setImmediate(resolve));
      signal?.throwIfAborted();
    },
  };
}

const MAP = { site: 'https://www.example.com', always: ['/'], rules: [] };

/** A listener of the queue of an engine. */
async function opened(engine: FakeEngine, map = MAP) {
  const failures: string[] = [];
  const damaged: string[] = [];
  const others: string[] = [];
  const emptied: { readonly count: number; readonly isRecent: boolean }[] = [];
  const queue: SharedEventQueue = await SharedEventQueue.open({
    ...{ connection: engine.connection, name: 'events', listener: 'host/1', rememberMs: 600_000 },
    clock: fastClock(),
    map,
    onOtherMap: () => others.push('another'),
    onTurn: () => {},
    onEmptied: () => emptied.push(queue.losses),
    onEngineError: message => failures.push(message),
    onDamage: place => damaged.push(place),
  });
  onTestFinished(() => queue.close());
  return { queue, failures, damaged, others, emptied };
}

/** Has the turn until `end` is called. */
async function withTurn(queue: SharedEventQueue) {
  const stop = new AbortController();
  const begun = happening();
  const ended = queue.inTurn(stop.signal, async signal => {
    begun.happens();
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
    return 0;
  });
  const end = async () => {
    stop.abort();
    await ended;
  };
  return { begun: begun.happened, end };
}

const idsIn = async (queue: SharedEventQueue) => (await queue.next(1000)).events.map(({ event }) => event.id);

test('an event that one listener has accepted is a duplicate for each, also when it is done', async () => {
  const engine = new FakeEngine();
  const [one, other] = [(await opened(engine)).queue, (await opened(engine)).queue];
  expect(await Promise.all([one.append(queued('a')), other.append(queued('a'))])).toEqual([true, false]);
  await other.append(queued('b'));
  expect(await idsIn(one)).toEqual(['a', 'b']);
  const turn = await withTurn(one);
  await turn.begun;
  await (await one.next(1)).done();
  expect(await idsIn(other)).toEqual(['b']);
  expect([await one.append(queued('a')), await other.append(queued('a'))]).toEqual([false, false]);
  await turn.end();
});

test('one listener at a time purges, and another one takes its turn when it stops', async () => {
  const engine = new FakeEngine();
  const [one, other] = [(await opened(engine)).queue, (await opened(engine)).queue];
  const first = await withTurn(one);
  await first.begun;
  const second = await withTurn(other);
  let hasBegun = false;
  second.begun.then(() => {
    hasBegun = true;
  });
  await new Promise(resolve => setImmediate(resolve));
  expect(hasBegun).toBe(false);
  await first.end();
  await second.begun;
  await second.end();
});

test('one whose purge fails gives its turn up, and each says so until a purge works', async () => {
  const engine = new FakeEngine();
  const [one, other] = [(await opened(engine)).queue, (await opened(engine)).queue];
  const stop = new AbortController();
  const failing = one.inTurn(stop.signal, async () => {
    await one.setTrouble('unauthorized');
    return 3_600_000;
  });
  await until(async () => other.trouble === 'unauthorized');
  expect(one.trouble).toBe('unauthorized');
  const working = other.inTurn(stop.signal, async signal => {
    await other.setTrouble(undefined);
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
    return 0;
  });
  await until(async () => one.trouble === undefined);
  stop.abort();
  await Promise.all([failing, working]);
});

test('a listener that lost its turn records nothing: neither events nor what entries were', async () => {
  const engine = new FakeEngine();
  const { queue } = await opened(engine);
  const turn = await withTurn(queue);
  await turn.begun;
  await queue.append(queued('a'));
  const { done } = await queue.next(10);
  engine.steal('events-turn', 'turn');
  const entries = new Map([['e', []]]);
  await expect(done()).rejects.toMatchObject({ code: 'engine_unreachable' });
  await expect(queue.entries.write(entries)).rejects.toThrow('another listener purges events now');
  expect(await idsIn(queue)).toEqual(['a']);
  expect(engine.state('events-entries').jobs.has('e')).toBe(false);
  await turn.end();
});

test('events that a killed listener was taking out wait again, and disturb no other', async () => {
  const engine = new FakeEngine();
  const { queue } = await opened(engine);
  const turn = await withTurn(queue);
  await turn.begun;
  for (const id of ['b', 'c']) await queue.append(queued(id));
  const { done } = await queue.next(10);
  // BullMQ puts what was taken before them.
  const state = engine.state('events');
  await queue.append(queued('a'));
  state.waiting.unshift(state.waiting.pop() as string);
  await done();
  expect(await idsIn(queue)).toEqual(['a']);
  expect(state.locks.size).toBe(0);
  await turn.end();
});

test('while the engine is away no event is accepted, and it is said once', async () => {
  const engine = new FakeEngine();
  const { queue, failures } = await opened(engine);
  engine.isAway = true;
  await expect(queue.append(queued('a'))).rejects.toMatchObject({ code: 'busy' });
  expect(queue.isAvailable).toBe(false);
  await expect(queue.append(queued('b'))).rejects.toMatchObject({ code: 'busy' });
  expect(failures).toEqual(['redis://queue.example.com failed: the connection was lost']);
  engine.isAway = false;
  await until(async () => queue.isAvailable);
  expect(await queue.append(queued('a'))).toBe(true);
});

test('each listener notices that the engine was emptied, and nothing of before is recorded', async () => {
  const engine = new FakeEngine();
  const [one, other] = [await opened(engine), await opened(engine)];
  const turn = await withTurn(one.queue);
  await turn.begun;
  await one.queue.append(queued('a'));
  const { done } = await one.queue.next(10);
  engine.empty();
  await expect(done()).rejects.toMatchObject({ code: 'engine_unreachable' });
  await until(async () => one.emptied.length + other.emptied.length === 2);
  await turn.end();
  expect(await other.queue.append(queued('a'))).toBe(true);
  const next = await withTurn(other.queue);
  await next.begun;
  await (await other.queue.next(10)).done();
  await until(async () => !one.queue.losses.isRecent);
  const told = [{ count: 1, isRecent: true }];
  expect([one.emptied, other.emptied]).toEqual([told, told]);
  await next.end();
});

test('an event leads to what the map says with which it was accepted, whoever purges it', async () => {
  const engine = new FakeEngine();
  const older = { ...MAP, always: ['/', '/feed/'] };
  const { queue: before } = await opened(engine, older);
  const { queue, others, damaged } = await opened(engine);
  const { queue: same } = await opened(engine, { rules: [], always: ['/'], site: MAP.site });
  await before.append(queued('a'));
  await before.append(queued('b'));
  await queue.append(queued('c'));
  await before.close();
  expect((await queue.next(10)).events.map(({ map }) => map)).toEqual([older, older, undefined]);
  expect((await same.next(10)).events.map(({ map }) => map)).toEqual([older, older, undefined]);
  expect([others, damaged]).toEqual([['another'], []]);
});

test('what an entry was is known to all listeners', async () => {
  const engine = new FakeEngine();
  const [one, other] = [(await opened(engine)).queue, (await opened(engine)).queue];
  const turn = await withTurn(one);
  await turn.begun;
  const { event } = queued('a');
  await one.entries.write(new Map([['name', [event]]]));
  await one.entries.write(new Map([['name', [event, { ...event, locale: 'de' }]]]));
  expect(await other.entries.read('name')).toMatchObject([
    { type: 'article', locale: '', paths: ['/a/'] },
    { type: 'article', locale: 'de' },
  ]);
  expect(await other.entries.read('another')).toEqual([]);
  await turn.end();
});

test('a job of somebody else is named and taken out', async () => {
  const engine = new FakeEngine();
  const { queue, damaged } = await opened(engine);
  const turn = await withTurn(queue);
  await turn.begun;
  engine.state('events').jobs.set('x', { id: 'x', data: {}, attemptsMade: 0 });
  engine.state('events').waiting.push('x');
  const { events, done } = await queue.next(10);
  await done();
  expect([events, damaged, await idsIn(queue)]).toEqual([[], ['events x'], []]);
  await turn.end();
});

test('an error that is not of the engine ends the turn, one of it only interrupts', async () => {
  const engine = new FakeEngine();
  const { queue, failures } = await opened(engine);
  let runs = 0;
  const working = queue.inTurn(new AbortController().signal, async () => {
    runs += 1;
    if (runs > 1) throw new UsageError('the map is gone', { code: 'invalid_input' });
    engine.isAway = true;
    await queue.next(1).finally(() => {
      engine.isAway = false;
    });
    return 0;
  });
  await expect(working).rejects.toThrow('the map is gone');
  expect([runs, failures.length]).toEqual([2, 1]);
});
