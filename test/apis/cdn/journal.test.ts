import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PurgeJournal, type PurgeOwner } from '../../../src/apis/cdn/journal.ts';
import { checksum, type NumberedUrl } from '../../../src/apis/cdn/url-list.ts';
import { onFiles, openFiles, tellsOpenFiles } from '../../support/file-handles.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';

const OWNER: PurgeOwner = {
  baseUrl: 'https://gateway.example.com',
  domain: 'example.com',
  key: { salt: '00', hash: 'ff' },
};
const STARTED = '2026-03-14T12:00:00Z';

async function sealed(parent: string, name: string, total: number): Promise<PurgeJournal> {
  const journal = await PurgeJournal.create(join(parent, name));
  for (let i = 0; i < total; i += 1) {
    journal.add(`https://example.com/${i}`);
    await journal.flushIfFull();
  }
  await journal.endList(true);
  await journal.seal(OWNER, STARTED);
  return journal;
}

/** The one purge below a folder, which can be resumed. */
async function found(parent: string) {
  const [purge, ...others] = await PurgeJournal.unfinished(parent);
  expect(others).toEqual([]);
  return purge !== undefined && 'journal' in purge ? purge : expect.unreachable();
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
  const { head, journal: again } = await found(parent);
  expect(head).toMatchObject({ version: 1, owner: OWNER, startedAt: STARTED, total: 2500 });
  expect(await again.confirmedCount()).toBe(600);
  expect(await indexes(again.remaining())).toEqual(Array.from({ length: 1900 }, (_, i) => i + 100));
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
        const { journal: again } = await found(parent);
        await again.confirm(later[0] * 100, later[1]);
        const told = new Set(
          [...confirmed, later].flatMap(([batch, count]) =>
            Array.from({ length: count }, (_, i) => batch * 100 + i),
          ),
        );
        const remaining = new Set(await indexes(again.remaining()));
        for (let i = 0; i < 2000; i += 1) if (!remaining.has(i)) expect(told.has(i)).toBe(true);
        for (let i = 0; i < later[1]; i += 1) expect(remaining.has(later[0] * 100 + i)).toBe(false);
        await again.close();
      },
    ),
    { numRuns: runs(30) },
  );
});

test.runIf(process.platform !== 'win32')('only its owner can read it', async () => {
  const parent = temporaryFolder();
  const journal = await sealed(parent, 'a', 2);
  await journal.confirm(0, 1);
  const modes = ['', 'urls', 'head', 'done'].map(name => statSync(join(parent, 'a', name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
  await journal.remove();
});

test('whatever bits flip in what is confirmed, nothing counts as cleared that was not', async () => {
  const parent = temporaryFolder();
  const journal = await sealed(parent, 'a', 2000);
  for (const from of [0, 100, 700]) await journal.confirm(from, 100);
  await journal.close();
  const path = join(parent, 'a/done');
  const good = readFileSync(path);
  const confirmed = new Set(
    [0, 1, 7].flatMap(batch => Array.from({ length: 100 }, (_, i) => batch * 100 + i)),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (place, bits) => {
      const bytes = Buffer.from(good);
      bytes[place] = (bytes[place] ?? 0) ^ bits;
      writeFileSync(path, bytes);
      const left = new Set(await indexes((await found(parent)).journal.remaining()));
      for (let i = 0; i < 2000; i += 1) if (!left.has(i)) expect(confirmed.has(i)).toBe(true);
    }),
    { numRuns: runs(100) },
  );
});

test('what another journal confirmed counts for nothing', async () => {
  const parent = temporaryFolder();
  const other = await sealed(temporaryFolder(), 'b', 1500);
  await other.confirm(0, 100);
  await (await sealed(parent, 'a', 2000)).close();
  writeFileSync(join(parent, 'a/done'), readFileSync(join(other.folder, 'done')));
  expect(await (await found(parent)).journal.confirmedCount()).toBe(0);
  await other.close();
});

test('a damaged list is an error, unless damage may be skipped', async () => {
  const parent = temporaryFolder();
  await (await sealed(parent, 'a', 20_000)).close();
  const path = join(parent, 'a/urls');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('example.com/19999', 'example.cox/19999'));
  const { journal } = await found(parent);
  const folder = join(parent, 'a');
  await expect(indexes(journal.remaining())).rejects.toThrow(`the journal ${folder} is damaged`);
  await expect(indexes(journal.all())).rejects.toMatchObject({ code: 'invalid_file', path: folder });
  let lost = 0;
  const left = await indexes(
    journal.remaining(block => {
      lost += block.urls;
    }),
  );
  expect(left.length).toBeGreaterThan(0);
  expect(left.length + lost).toBe(20_000);
});

const sum = (json: string) => `${json}\n${checksum(json)}\n`;

test.each([
  ['half a head', '{"version":1,"owner":', 'its head is damaged'],
  ['an empty head', '', 'its head is damaged'],
  ['a changed head', sum('{"version":1,"total":5}').replace('5', '6'), 'its head is damaged'],
  ['a head of another version', sum('{"version":2}'), 'it was written by another version of gatectl'],
  ['another text', sum('null'), 'it was written by another version of gatectl'],
])('a journal with %s is named', async (_, head, problem) => {
  const parent = temporaryFolder();
  mkdirSync(join(parent, 'a'));
  appendFileSync(join(parent, 'a/urls'), 'https://example.com/\n');
  writeFileSync(join(parent, 'a/head'), head);
  expect(await PurgeJournal.unfinished(parent)).toEqual([{ folder: join(parent, 'a'), problem }]);
});

test('a journal that lost its head after something was cleared is reported; one that never had a head is ignored', async () => {
  const parent = temporaryFolder();
  mkdirSync(join(parent, 'a'));
  appendFileSync(join(parent, 'a/urls'), 'https://example.com/\n');
  expect(await PurgeJournal.unfinished(parent)).toEqual([]);
  appendFileSync(join(parent, 'a/done'), '\n0 1 00000000\n');
  expect(await PurgeJournal.unfinished(parent)).toEqual([
    { folder: join(parent, 'a'), problem: 'its head is missing' },
  ]);
});

test('what is being deleted, and a lock, are no interrupted purges', async () => {
  const parent = temporaryFolder();
  await (await sealed(parent, 'a', 2)).close();
  for (const name of ['.removed-b', 'b.lock', '.lock'])
    cpSync(join(parent, 'a'), join(parent, name), { recursive: true });
  expect((await found(parent)).journal.folder).toBe(join(parent, 'a'));
});

test('a journal whose head cannot be read is named with the reason', async () => {
  const parent = temporaryFolder();
  mkdirSync(join(parent, 'a/head'), { recursive: true });
  expect(await PurgeJournal.unfinished(parent)).toEqual([
    { folder: join(parent, 'a'), problem: expect.stringContaining(join(parent, 'a/head')) },
  ]);
});

test('has sent nothing before it has a head and confirmed ranges', async () => {
  const folder = join(temporaryFolder(), 'a');
  const journal = await PurgeJournal.create(folder);
  expect(await PurgeJournal.isUnsealed(folder)).toBe(true);
  await journal.endList(false);
  expect(journal.isSealed).toBe(false);
  await journal.seal(OWNER, STARTED);
  expect(journal.isSealed).toBe(true);
  expect(await PurgeJournal.isUnsealed(folder)).toBe(false);
  const other = join(temporaryFolder(), 'b');
  mkdirSync(other);
  writeFileSync(join(other, 'done'), '');
  expect(await PurgeJournal.isUnsealed(other)).toBe(false);
});

test('a list takes each URL once, and none after its end', async () => {
  const folder = join(temporaryFolder(), 'a');
  const journal = await PurgeJournal.create(folder);
  expect(journal.listPath).toBe(join(folder, 'urls'));
  expect(['a', 'b', 'a'].map(url => journal.add(url))).toEqual([true, true, false]);
  await journal.flushIfFull();
  expect(statSync(journal.listPath).size).toBe(0);
  journal.add('c'.repeat(262_144));
  await journal.flushIfFull();
  expect(statSync(journal.listPath).size).toBe(262_149);
  expect(journal.total).toBe(3);
  await journal.endList(false);
  expect(journal.add('d')).toBe(false);
  await journal.flushIfFull();
  await journal.endList(false);
  expect(journal.total).toBe(3);
  expect(statSync(journal.listPath).size).toBe(262_149);
});

test('a list and its name are on the disk where that is asked for', async () => {
  const parent = temporaryFolder();
  const sync = await onFiles('sync');
  const syncsOf = async (durable: boolean) => {
    const journal = await PurgeJournal.create(join(parent, String(durable)));
    sync.mockClear();
    await journal.endList(durable);
    return sync.mock.calls.length;
  };
  expect(await syncsOf(false)).toBe(0);
  expect(await syncsOf(true)).toBe(2);
});

test('another purge has the same list only with the same kind, number and order of targets', async () => {
  const parent = temporaryFolder();
  const listed = async (name: string, targets: readonly string[]) => {
    const journal = await PurgeJournal.create(join(parent, name));
    for (const target of targets) journal.add(target);
    await journal.endList(false);
    return journal;
  };
  const journal = await listed('a', ['x', 'y']);
  await journal.seal(OWNER, STARTED);
  await (await listed('b', ['x', 'y'])).seal(OWNER, STARTED, 'key');
  const heads = (await PurgeJournal.unfinished(parent)).map(each => ('head' in each ? each.head : undefined));
  const [ofUrls = expect.unreachable(), ofKeys = expect.unreachable()] = heads;
  expect(ofUrls.what).toBeUndefined();
  expect(ofKeys.what).toBe('key');
  expect([journal.hasListOf(ofUrls, 'URL'), journal.hasListOf(ofUrls, 'key')]).toEqual([true, false]);
  expect([journal.hasListOf(ofKeys, 'URL'), journal.hasListOf(ofKeys, 'key')]).toEqual([false, true]);
  expect(journal.hasListOf({ ...ofUrls, total: 3 }, 'URL')).toBe(false);
  expect((await listed('c', ['y', 'x'])).hasListOf(ofUrls, 'URL')).toBe(false);
});

test('is not sealed before its list is complete', async () => {
  const journal = await PurgeJournal.create(join(temporaryFolder(), 'a'));
  await expect(journal.seal(OWNER, STARTED)).rejects.toThrow('before its list is complete');
  await journal.close();
});

test('confirms nothing before it is sealed, and nothing that it does not have', async () => {
  const parent = temporaryFolder();
  const done = join(parent, 'a/done');
  const journal = await PurgeJournal.create(join(parent, 'a'));
  journal.add('https://example.com/0');
  await journal.endList(false);
  await journal.confirm(0, 1);
  expect(existsSync(done)).toBe(false);
  await journal.seal(OWNER, STARTED);
  for (const [from, count] of [
    [-1, 1],
    [0, 0],
    [0, 2],
    [1, 1],
    [2, -1],
  ] as const)
    await expect(journal.confirm(from, count)).rejects.toThrow(`${count} targets from ${from} are confirmed`);
  expect(existsSync(done)).toBe(false);
  await journal.confirm(0, 1);
  expect(await journal.confirmedCount()).toBe(1);
  await journal.close();
});

test('what cannot be confirmed is an error that names the file', async () => {
  const parent = temporaryFolder();
  const path = join(parent, 'a/done');
  const journal = await sealed(parent, 'a', 2);
  mkdirSync(path);
  await expect(journal.confirm(0, 1)).rejects.toMatchObject({ name: 'FileError', path });
  await journal.close();
});

test.runIf(tellsOpenFiles)(
  'closes its list and what it confirmed, or says what it cannot close',
  async () => {
    const parent = temporaryFolder();
    const listing = await PurgeJournal.create(join(parent, 'a'));
    const journal = await sealed(parent, 'b', 2);
    await journal.confirm(0, 1);
    expect([...openFiles(parent).keys()].sort()).toEqual(['a/urls', 'b/done']);
    await listing.close();
    await journal.close();
    expect(openFiles(parent).size).toBe(0);
    await listing.close();
    await journal.close();
    expect(listing.add('https://example.com/')).toBe(false);
    await journal.confirm(0, 1);
    closeSync(openFiles(parent).get('b/done') ?? -1);
    await expect(journal.close()).rejects.toMatchObject({ name: 'FileError', path: join(parent, 'b/done') });
  },
);

test('is renamed before it is deleted where it has a head, and only there', async () => {
  const parent = temporaryFolder();
  mkdirSync(join(parent, '.removed-a/x'), { recursive: true });
  mkdirSync(join(parent, '.removed-b/x'), { recursive: true });
  const journal = await sealed(parent, 'a', 2);
  for (const each of [journal, (await found(parent)).journal])
    await expect(each.remove()).rejects.toMatchObject({ name: 'FileError', path: join(parent, 'a') });
  const unsealed = await PurgeJournal.create(join(parent, 'b'));
  await unsealed.remove();
  expect(readdirSync(parent).sort()).toEqual(['.removed-a', '.removed-b', 'a']);
  await PurgeJournal.removeLeftovers(parent);
  expect(readdirSync(parent)).toEqual(['a']);
  expect(await journal.isThere()).toBe(true);
  await journal.remove();
  expect(await journal.isThere()).toBe(false);
  expect(readdirSync(parent)).toEqual([]);
  await journal.remove();
  await PurgeJournal.removeLeftovers(join(parent, 'missing'));
});

test.each(['1 2 SUM and more', 'x1 2 SUM', '1 2SUM'])('a line %j confirms nothing', async line => {
  const parent = temporaryFolder();
  const journal = await sealed(parent, 'a', 10);
  await journal.confirm(1, 2);
  await journal.close();
  const path = join(parent, 'a/done');
  const sum = readFileSync(path, 'utf8').trim().split(' ').at(-1) ?? '';
  writeFileSync(path, `${line.replace('SUM', sum)}\n`);
  expect(await (await found(parent)).journal.confirmedCount()).toBe(0);
});
