import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PurgeJournal } from '../../src/apis/cdn/journal.ts';
import { GatectlError } from '../../src/errors/index.ts';
import type { Subject } from '../../src/export/checkpoint.ts';
import { CheckpointWriter } from '../../src/export/checkpoint-writer.ts';
import type { Progress } from '../../src/export/export-rows.ts';
import { openAtomic } from '../../src/files/atomic-file.ts';
import { EventQueue } from '../../src/operations/listen/event-queue.ts';
import { assertEntry, type LedgerEntry } from '../../src/sync/ledger.ts';
import { queued } from '../operations/listen/queued.ts';
import { temporaryFolder } from '../support/folder.ts';

// What only a bug of gatectl can bring about ends a command before anything wrong is written: as an error of no kind that is expected.

async function bug(work: () => unknown): Promise<string> {
  const thrown = await Promise.resolve()
    .then(work)
    .catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Error);
  expect(thrown).not.toBeInstanceOf(GatectlError);
  return (thrown as Error).message;
}

test('a purge does not confirm targets that it does not have', async () => {
  const folder = join(temporaryFolder(), 'purge');
  const journal = await PurgeJournal.create(folder);
  onTestFinished(() => journal.close());
  for (const page of ['a', 'b', 'c']) journal.add(`https://example.com/${page}`);
  const owner = {
    baseUrl: 'https://gateway.example.com',
    domain: 'example.com',
    key: { salt: '00', hash: 'ff' },
  };
  expect(await bug(() => journal.seal(owner, '2026-03-14T12:00:00Z'))).toContain(
    'before its list is complete',
  );
  expect(existsSync(join(folder, 'head'))).toBe(false);
  await journal.endList(true);
  await journal.seal(owner, '2026-03-14T12:00:00Z');
  for (const [from, count] of [
    [2, 2],
    [-1, 1],
    [0, 0],
  ] as const) {
    expect(await bug(() => journal.confirm(from, count))).toContain('are confirmed of a purge of 3');
    expect(existsSync(join(folder, 'done'))).toBe(false);
  }
  await journal.confirm(2, 1);
  expect(await journal.confirmedCount()).toBe(1);
});

test('an entry of a ledger does not contradict its days', async () => {
  const entry: LedgerEntry = {
    partition: '2026-03',
    from: '2026-03-01',
    to: '2026-03-31',
    query: 'q',
    schema: 1,
    rows: 5,
    metrics: ['visits'],
    sums: ['12'],
    days: { '2026-03-01': [2, '4'], '2026-03-31': [3, '8'] },
    sha256: 'f',
    bytes: 100,
    fetchedAt: '2026-04-14T12:00:00.000Z',
    state: 'final',
    revisions: 0,
  };
  assertEntry(entry);
  expect(await bug(() => assertEntry({ ...entry, rows: 6 }))).toBe(
    'the days of 2026-03 have 5 rows, its entry 6',
  );
  expect(await bug(() => assertEntry({ ...entry, to: '2026-03-30' }))).toBe('2026-03 has rows of 2026-03-31');
  expect(await bug(() => assertEntry({ ...entry, from: '2026-03-02' }))).toBe(
    '2026-03 has rows of 2026-03-01',
  );
  expect(await bug(() => assertEntry({ ...entry, sums: [] }))).toBe('2026-03 lacks the sum of a metric');
  expect(await bug(() => assertEntry({ ...entry, metrics: ['visits', 'clicks'] }))).toBe(
    '2026-03 lacks the total of a metric of 2026-03-01',
  );
});

test('no checkpoint covers bytes that were not written', async () => {
  const folder = temporaryFolder();
  const file = await openAtomic(join(folder, 'rows.csv'));
  onTestFinished(() => file.discard());
  await file.write('12345678');
  const path = join(folder, 'rows.csv.part.json');
  const progressOf = (sinkBytes: number) => ({ written: { sinkBytes } }) as unknown as Progress;
  const writer = new CheckpointWriter(file, path, {} as Subject, undefined);
  writer.note(progressOf(9));
  expect(await bug(() => writer.settle())).toContain('9 bytes');
  expect(existsSync(path)).toBe(false);
  const next = new CheckpointWriter(file, path, {} as Subject, undefined);
  next.note(progressOf(8));
  await next.settle();
  expect(readFileSync(path, 'utf8')).toContain('8');
});

test('events are done once', async () => {
  const folder = temporaryFolder();
  const queue = await EventQueue.open(folder, { now: () => 0, rememberMs: 1000, onDamage: () => {} });
  onTestFinished(() => queue.close());
  for (const id of ['a', 'b']) await queue.append(queued(id));
  const first = await queue.next(1);
  await first.done();
  const stored = readFileSync(join(folder, 'done.json'), 'utf8');
  const second = await queue.next(1);
  await second.done();
  expect(await bug(() => first.done())).toContain('are done again');
  expect(readFileSync(join(folder, 'done.json'), 'utf8')).not.toBe(stored);
  expect(readdirSync(folder).some(name => name.endsWith('.tmp'))).toBe(false);
});
