import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FileError } from '../../../src/errors/index.ts';
import { EventQueue } from '../../../src/operations/listen/event-queue.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';
import { NOW, queued } from './queued.ts';

const DAMAGED: string[] = [];
async function opened(folder: string, now = () => NOW) {
  const onDamage = (place: string) => DAMAGED.push(place);
  const queue = await EventQueue.open(folder, { now, rememberMs: 600_000, onDamage });
  onTestFinished(() => queue.close());
  return queue;
}
const idsIn = async (queue: EventQueue, most = 1000) =>
  (await queue.next(most)).events.map(({ event }) => event.id);

describe('the queue of events', () => {
  test('returns events in the order in which they were accepted, also those of one moment', async () => {
    const queue = await opened(temporaryFolder());
    const ids = Array.from({ length: 300 }, (_, index) => `e${index}`);
    await Promise.all(ids.map(id => queue.append(queued(id))));
    expect(await idsIn(queue)).toEqual(ids);
    expect(await idsIn(queue, 2)).toEqual(['e0', 'e1']);
    expect(queue.waiting).toBe(300);
  });

  test('an event that was accepted before is not accepted again, also after a restart and when it is done', async () => {
    const folder = temporaryFolder();
    const queue = await opened(folder);
    expect(await Promise.all([queue.append(queued('a')), queue.append(queued('a'))])).toEqual([true, false]);
    await (await queue.next(10)).done();
    await queue.close();
    const again = await opened(folder);
    expect([await again.append(queued('a')), await again.append(queued('b'))]).toEqual([false, true]);
  });

  test('an id is forgotten after a while', async () => {
    let now = NOW;
    const queue = await opened(temporaryFolder(), () => now);
    await queue.append(queued('a'));
    now += 600_001;
    expect(await queue.append(queued('a'))).toBe(true);
  });

  test('a line that a kill or a full disk has cut anywhere is not an event, and what follows is kept', async () => {
    const line = JSON.stringify(queued('cut'));
    const length = fc.oneof(
      fc.integer({ min: 1, max: line.length }),
      fc.constantFrom(1, line.length - 1, line.length),
    );
    await fc.assert(
      fc.asyncProperty(length, async kept => {
        const folder = temporaryFolder();
        const first = await opened(folder);
        await first.append(queued('a'));
        await first.close();
        const [file = ''] = readdirSync(folder).filter(name => name.endsWith('.ndjson'));
        appendFileSync(join(folder, file), line.slice(0, kept));
        const again = await opened(folder);
        expect([await idsIn(again), again.waiting]).toEqual([['a'], 1]);
        await again.append(queued('b'));
        expect([await idsIn(again), again.waiting]).toEqual([['a', 'b'], 2]);
        await again.close();
        expect(await idsIn(await opened(folder))).toEqual(['a', 'b']);
      }),
      { numRuns: runs(30) },
    );
    expect(DAMAGED).toEqual([]);
  });

  test('a position that was damaged repeats events instead of losing them', async () => {
    const folder = temporaryFolder();
    const queue = await opened(folder);
    await queue.append(queued('a'));
    await (await queue.next(10)).done();
    await queue.close();
    writeFileSync(join(folder, 'done.json'), '{"fi');
    expect(await idsIn(await opened(folder))).toEqual(['a']);
  });

  test('files that are done and old are removed', async () => {
    const folder = temporaryFolder();
    const queue = await opened(folder);
    const big = { tags: Array.from({ length: 150 }, (_, index) => `${index}${'x'.repeat(1990)}`) };
    for (let index = 0; index < 60; index += 1) await queue.append(queued(`e${index}`, big));
    const files = () => readdirSync(folder).filter(name => name.endsWith('.ndjson'));
    expect(files()).toHaveLength(2);
    const first = await queue.next(1000);
    expect(first.events.map(({ event }) => event.id)).toEqual(
      Array.from({ length: 60 }, (_, index) => `e${index}`),
    );
    const hourAgo = (NOW - 3_600_000) / 1000;
    for (const name of files()) utimesSync(join(folder, name), hourAgo, hourAgo);
    await first.done();
    expect(files()).toHaveLength(1);
    expect(readFileSync(join(folder, 'done.json'), 'utf8')).toContain('"file":2');
    await queue.append(queued('last'));
    expect(await idsIn(queue)).toEqual(['last']);
  });

  test('after a write that failed it is not available, until one succeeds', async () => {
    const folder = temporaryFolder();
    const queue = await opened(folder);
    const file = join(folder, 'events-00000001.ndjson');
    mkdirSync(file);
    await expect(queue.append(queued('a'))).rejects.toBeInstanceOf(FileError);
    expect(queue.isAvailable).toBe(false);
    rmdirSync(file);
    expect(await queue.append(queued('a'))).toBe(true);
    expect(queue.isAvailable).toBe(true);
  });

  test('property: whatever is accepted, done and killed, the rest is returned in order', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ do: fc.constant('done' as const), count: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ do: fc.constant('kill' as const), count: fc.integer({ min: 0, max: 9 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async steps => {
        const folder = temporaryFolder();
        let queue = await opened(folder);
        let next = 0;
        let expected: string[] = [];
        for (const { do: what, count } of steps) {
          if (what === 'append') {
            const ids = Array.from({ length: count }, () => `e${next++}`);
            await Promise.all(ids.map(id => queue.append(queued(id))));
            expected.push(...ids);
          } else if (what === 'done') {
            const { events, done } = await queue.next(count);
            expect(events.map(({ event }) => event.id)).toEqual(expected.slice(0, count));
            await done();
            expected = expected.slice(events.length);
          } else {
            await queue.close();
            const files = readdirSync(folder).filter(name => name.endsWith('.ndjson'));
            const last = files.sort().at(-1);
            if (last !== undefined) appendFileSync(join(folder, last), '{"event":'.slice(0, count));
            queue = await opened(folder);
          }
          expect(await idsIn(queue)).toEqual(expected);
          expect(queue.waiting).toBe(expected.length);
        }
        await queue.close();
      }),
      { numRuns: runs(30) },
    );
  });
});
