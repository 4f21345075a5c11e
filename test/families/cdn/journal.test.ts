import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type NumberedUrl, PurgeJournal } from '../../../src/families/cdn/journal.ts';
import { temporaryFolder } from '../../support/folder.ts';

const BASE = 'https://gateway.example.com';
const HEAD = { baseUrl: BASE, startedAt: '2026-03-14T12:00:00Z' };

async function sealed(parent: string, name: string, total: number): Promise<PurgeJournal> {
  const journal = await PurgeJournal.create(join(parent, name));
  for (let i = 0; i < total; i += 1) if (journal.add(`https://example.com/${i}`)) await journal.flush();
  await journal.end({ ...HEAD, total });
  return journal;
}

async function indexes(urls: AsyncIterable<readonly NumberedUrl[]>): Promise<number[]> {
  const found: number[] = [];
  for await (const block of urls) {
    for (const { index, url } of block) {
      expect(url).toBe(`https://example.com/${index}`);
      found.push(index);
    }
  }
  return found;
}

test('a list is found again with what remains of it', async () => {
  const parent = temporaryFolder();
  const journal = await sealed(parent, 'a', 2500);
  await journal.confirm(0, 100);
  await journal.confirm(2000, 500);
  await journal.close();
  const [found] = await PurgeJournal.unfinished(parent, BASE);
  expect(found?.head).toEqual({ ...HEAD, total: 2500 });
  expect(await found?.journal.confirmedCount()).toBe(600);
  expect(await indexes((await found?.journal.remaining()) ?? expect.unreachable())).toEqual(
    Array.from({ length: 1900 }, (_, i) => i + 100),
  );
  expect(await PurgeJournal.unfinished(parent, 'https://other.example.com')).toEqual([]);
});

test('wherever the notes break off, nothing counts as cleared that was not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(19), fc.integer({ min: 1, max: 100 })), { minLength: 1, maxLength: 5 }),
      fc.nat(12),
      fc.tuple(fc.nat(19), fc.integer({ min: 1, max: 100 })),
      async (confirmed, lost, later) => {
        const parent = temporaryFolder();
        const journal = await sealed(parent, 'a', 2000);
        for (const [batch, count] of confirmed) await journal.confirm(batch * 100, count);
        await journal.close();
        const path = join(parent, 'a/done');
        const text = readFileSync(path, 'utf8');
        writeFileSync(path, text.slice(0, Math.max(0, text.length - lost)));
        const [found] = await PurgeJournal.unfinished(parent, BASE);
        await found?.journal.confirm(later[0] * 100, later[1]);
        const told = new Set(
          [...confirmed, later].flatMap(([batch, count]) =>
            Array.from({ length: count }, (_, i) => batch * 100 + i),
          ),
        );
        const remaining = new Set(await indexes((await found?.journal.remaining()) ?? expect.unreachable()));
        for (let i = 0; i < 2000; i += 1) if (!remaining.has(i)) expect(told.has(i)).toBe(true);
        for (let i = 0; i < later[1]; i += 1) expect(remaining.has(later[0] * 100 + i)).toBe(false);
        await found?.journal.close();
      },
    ),
    { numRuns: 30 },
  );
});

test.runIf(process.platform !== 'win32')('what it keeps is for its owner alone', async () => {
  const parent = temporaryFolder();
  const journal = await sealed(parent, 'a', 2);
  await journal.confirm(0, 1);
  const modes = ['', 'urls', 'head', 'done'].map(name => statSync(join(parent, 'a', name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  await journal.remove();
});

test.each([
  ['no head', undefined],
  ['half a head', '{"baseUrl":"https://gateway.example.com","tot'],
  ['another text', 'null'],
  ['a total below zero', JSON.stringify({ ...HEAD, total: -1 })],
  ['a total that is no whole number', JSON.stringify({ ...HEAD, total: 1.5 })],
  ['a total beyond its list', JSON.stringify({ ...HEAD, total: 1e15 })],
])('a folder with %s is passed over', async (_, head) => {
  const parent = temporaryFolder();
  mkdirSync(join(parent, 'a'));
  appendFileSync(join(parent, 'a/urls'), 'https://example.com/\n');
  if (head !== undefined) writeFileSync(join(parent, 'a/head'), head);
  expect(await PurgeJournal.unfinished(parent, BASE)).toEqual([]);
});
