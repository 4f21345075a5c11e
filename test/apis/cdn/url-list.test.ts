import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checksum, type ListBlock, readUrlList, UrlListWriter } from '../../../src/apis/cdn/url-list.ts';
import { TextSet } from '../../../src/files/text-set.ts';
import { onFiles, openFiles, readShortly, systemError, tellsOpenFiles } from '../../support/file-handles.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';

interface Written {
  readonly path: string;
  readonly blocks: readonly ListBlock[];
  /** What `add` said of each. */
  readonly isNew: readonly boolean[];
}

/** Writes URLs, with a flush after each of these indexes. */
async function written(urls: readonly string[], flushes: readonly number[] = []): Promise<Written> {
  const path = join(temporaryFolder(), 'urls');
  const list = await UrlListWriter.create(path);
  const isNew: boolean[] = [];
  for (const [index, url] of urls.entries()) {
    isNew.push(list.add(url));
    if (flushes.includes(index)) await list.flush();
  }
  return { path, blocks: (await list.end(false)).blocks, isNew };
}

async function read({ path, blocks }: Written) {
  const urls: [number, string][] = [];
  const damaged: ListBlock[] = [];
  for await (const block of readUrlList(path, blocks, each => damaged.push(each)))
    for (const { index, url } of block) urls.push([index, url]);
  return { urls, damaged };
}

const url = fc.string({ minLength: 1, maxLength: 4, unit: 'binary' }).filter(text => !/[\n\r]/.test(text));
const flushes = fc.array(fc.nat(40));

test('each URL is in the list once, in the order of its first place, wherever blocks end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(url, { minLength: 1 }), flushes, async (urls, at) => {
      const list = await written(urls, at);
      const distinct = [...new Set(urls)];
      expect(list.isNew).toEqual(urls.map((each, index) => urls.indexOf(each) === index));
      expect(await read(list)).toEqual({ urls: distinct.map((each, i) => [i, each]), damaged: [] });
    }),
    { numRuns: runs(60) },
  );
});

test('a URL that was added before is none of the list, whether it is in the file by now or not', async () => {
  const few = fc.integer({ min: 1, max: 12 }).map(length => `https://example.com/${'é'.repeat(length)}`);
  await fc.assert(
    fc.asyncProperty(fc.array(few, { minLength: 1, maxLength: 80 }), flushes, async (urls, at) => {
      const list = await written(urls, at);
      expect(list.isNew).toEqual(urls.map((each, index) => urls.indexOf(each) === index));
      expect((await read(list)).urls.map(([, each]) => each)).toEqual([...new Set(urls)]);
    }),
    { numRuns: runs(120) },
  );
});

test('a URL that is the beginning of another one, or of the same length, is another URL', async () => {
  const urls = [
    'https://example.com/ab',
    'https://example.com/a',
    'https://example.com/b',
    'https://example.com/',
  ];
  for (const at of [[], [0], [0, 1], [0, 1, 2], [0, 1, 2, 3]]) {
    const list = await written([...urls, ...urls], at);
    expect(list.isNew).toEqual([...urls.map(() => true), ...urls.map(() => false)]);
  }
});

/** Two URLs of the same length with one hash. */
function ofOneHash(): readonly [string, string] {
  const urlAt = (number: number) => `https://example.com/${String(number).padStart(7, '0')}`;
  let found: readonly [string, string] | undefined;
  const set = new TextSet((position, text) => {
    found = [urlAt(position), text];
    return false;
  });
  for (let number = 0; found === undefined; number += 1) set.add(urlAt(number), number);
  return found;
}

test('another URL with the same hash is another URL, whether either is in the file by now or not', async () => {
  const [one, other] = ofOneHash();
  // Two positions that share a place in the cache of compared URLs.
  const between = `https://example.com/${'x'.repeat(4096 - one.length - 1 - 'https://example.com/'.length - 1)}`;
  const urls = [one, between, other, one, other, other, one];
  for (const at of [[], [0], [1], [2], [0, 1, 2, 3, 4]]) {
    const list = await written(urls, at);
    expect(readFileSync(list.path).indexOf(`${other}\n`)).toBe(4096);
    expect(list.isNew).toEqual([true, true, true, false, false, false, false]);
  }
});

test('is full from 262,144 characters on, until it is flushed', async () => {
  const path = join(temporaryFolder(), 'urls');
  const list = await UrlListWriter.create(path);
  list.add('a'.repeat(262_143));
  expect(list.isFull).toBe(false);
  expect(statSync(path).size).toBe(0);
  list.add('b');
  expect(list.isFull).toBe(true);
  await list.flush();
  expect(list.isFull).toBe(false);
  expect(statSync(path).size).toBe(262_146);
  await list.abandon();
});

test('a block has some 32,768 characters, so that damage loses no more', async () => {
  const urls = Array.from({ length: 1000 }, (_, index) => `https://example.com/${index}`.padEnd(100, '/'));
  const { blocks } = await written(urls);
  expect(blocks.map(block => block.urls)).toEqual([328, 328, 328, 16]);
  expect(blocks.map(({ bytes }) => bytes)).toEqual([33_128, 33_128, 33_128, 1616]);
});

test('its checksum is that of the file', async () => {
  const path = join(temporaryFolder(), 'urls');
  const list = await UrlListWriter.create(path);
  for (const url of ['https://example.com/a', 'https://example.com/b']) {
    list.add(url);
    await list.flush();
  }
  expect((await list.end(false)).listChecksum).toBe(checksum(readFileSync(path)));
});

test('is flushed to the disk where that is asked for', async () => {
  const folder = temporaryFolder();
  const sync = await onFiles('sync');
  for (const [durable, syncs] of [
    [false, 0],
    [true, 1],
  ] as const) {
    const list = await UrlListWriter.create(join(folder, String(durable)));
    await list.end(durable);
    expect(sync).toHaveBeenCalledTimes(syncs);
  }
});

test.runIf(tellsOpenFiles)('is closed at its end, when it is given up, and after it was read', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'ended');
  const [ended, left] = [await UrlListWriter.create(path), await UrlListWriter.create(join(folder, 'left'))];
  ended.add('https://example.com/');
  const { blocks } = await ended.end(false);
  expect([...openFiles(folder).keys()]).toEqual(['left']);
  await left.abandon();
  expect(openFiles(folder).size).toBe(0);
  expect((await read({ path, blocks, isNew: [] })).urls).toHaveLength(1);
  expect(openFiles(folder).size).toBe(0);
});

test('where it cannot be written or read, the error names the file', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'urls');
  writeFileSync(path, '');
  await expect(UrlListWriter.create(path)).rejects.toMatchObject({ code: 'file_exists', path });
  mkdirSync(join(folder, 'list'));
  const blocks = [{ urls: 1, bytes: 5, checksum: '' }];
  for (const [place, code] of [
    ['list', 'not_a_file'],
    ['urls/below', 'file_not_found'],
  ] as const)
    await expect(read({ path: join(folder, place), blocks, isNew: [] })).rejects.toMatchObject({
      code,
      path: join(folder, place),
    });
});

test('a sector that cannot be read is damage, and any other error is one', async () => {
  const list = await written(['https://example.com/a', 'https://example.com/b'], [0]);
  const reading = await onFiles('read');
  reading.mockRejectedValueOnce(systemError('EIO'));
  expect(await read(list)).toEqual({ urls: [[1, 'https://example.com/b']], damaged: [list.blocks[0]] });
  reading.mockRejectedValueOnce(systemError('EBADF'));
  await expect(read(list)).rejects.toMatchObject({ code: 'file_error', path: list.path });
});

test('is read whole from a system that returns less than was asked for', async () => {
  const list = await written(['https://example.com/a', 'https://example.com/b'], [0]);
  await readShortly(3);
  expect((await read(list)).urls).toEqual([
    [0, 'https://example.com/a'],
    [1, 'https://example.com/b'],
  ]);
});

test('however the file is damaged or truncated, it returns only URLs that were written, at their positions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(url, { minLength: 1, maxLength: 40 }),
      flushes,
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 3 }),
      fc.nat(20),
      async (urls, at, flips, cut) => {
        const list = await written(urls, at);
        const bytes = readFileSync(list.path);
        for (const [place, bits] of flips) {
          const at = place % bytes.length;
          bytes[at] = (bytes[at] ?? 0) ^ bits;
        }
        writeFileSync(list.path, bytes);
        truncateSync(list.path, Math.max(0, bytes.length - cut));
        const found = await read(list);
        for (const [index, each] of found.urls) expect(each).toBe(urls[index]);
        const lost = found.damaged.reduce((sum, block) => sum + block.urls, 0);
        expect(found.urls.length + lost).toBe(urls.length);
        if (cut > 0) expect(lost).toBeGreaterThan(0);
      },
    ),
    { numRuns: runs(60) },
  );
});

test('every block of a deleted list is damaged', async () => {
  const list = await written(['https://example.com/a', 'https://example.com/b'], [0]);
  rmSync(list.path);
  expect(await read(list)).toEqual({ urls: [], damaged: list.blocks });
});
