import { expect, test } from 'vitest';
import { FileError } from '../../../src/errors/index.ts';
import type { EventStore } from '../../../src/operations/listen/event-store.ts';
import { Listener } from '../../../src/operations/listen/listener.ts';
import { NOW, queued } from './queued.ts';

const queueOf = (
  append: () => Promise<boolean>,
  isAvailable = () => true,
  trouble?: string,
  losses = { count: 0, isRecent: false },
) =>
  ({
    append,
    ...{ waiting: 2, trouble, losses },
    get isAvailable() {
      return isAvailable();
    },
  }) as unknown as EventStore;

test('an event that cannot be stored is not accepted, and its sender may try again', async () => {
  let isFull = true;
  const listener = new Listener(
    queueOf(
      async () => {
        if (!isFull) return true;
        throw new FileError('the disk is full', { path: 'queue' });
      },
      () => !isFull,
    ),
    () => NOW,
  );
  const accepting = listener.accept(queued('a').event, 'cms');
  await expect(accepting).rejects.toMatchObject({ code: 'busy', status: 503 });
  expect(listener.health().status).toBe(503);
  isFull = false;
  await listener.accept(queued('a').event, 'cms');
  expect(listener.health().status).toBe(200);
});

test('metrics count requests and outcomes, and say whether purges fail', async () => {
  const listener = new Listener(
    queueOf(
      async () => true,
      () => true,
      'timeout',
    ),
    () => NOW,
  );
  const response = await listener.accept(queued('a').event, 'cms');
  expect([response.status, await response.json()]).toEqual([202, { status: 'queued', id: 'a' }]);
  listener.count('forged');
  const text = await listener.metrics().text();
  expect(text.split('\n').filter(line => !line.startsWith('#'))).toEqual([
    'gatectl_events_received_total{status="queued"} 1',
    'gatectl_events_received_total{status="forged"} 1',
    'gatectl_events_waiting 2',
    'gatectl_queue_lost_total 0',
    'gatectl_events_targets_cleared_total 0',
    'gatectl_events_failing 1',
    'gatectl_events_last_done_timestamp_seconds 0',
    '',
  ]);
  const health = listener.health();
  expect([health.status, await health.json()]).toEqual([
    503,
    { status: 'failing', waiting: 2, code: 'timeout' },
  ]);
});

test('for a while after the queue was emptied it says so', async () => {
  const losses = { count: 1, isRecent: true };
  const store = queueOf(
    async () => true,
    () => true,
    undefined,
    losses,
  );
  const health = new Listener(store, () => NOW).health();
  expect([health.status, await health.json()]).toEqual([503, { status: 'emptied', waiting: 2 }]);
});
