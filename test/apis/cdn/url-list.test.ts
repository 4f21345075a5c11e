import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ListBlock, readUrlList, UrlListWriter } from '../../../src/apis/cdn/url-list.ts';
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
