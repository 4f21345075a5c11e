import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { judgeFreshness, type Observation, observe } from '../../../src/apis/cdn/freshness.ts';
import { readSitemap, type SitemapEntry } from '../../../src/apis/cdn/sitemap.ts';

const PAGES = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://example.com/?a=1&amp;b=2 </loc><lastmod>2026-01-01</lastmod>
    <image:image><image:loc>https://example.com/picture.png</image:loc></image:image></url>
  <url><loc><![CDATA[https://example.com/ä]]></loc></url>
</urlset>`;

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Uint8Array, size = 7): Promise<SitemapEntry[]> {
  const entries: SitemapEntry[] = [];
  for await (const entry of readSitemap(inPieces(bytes, size), 'sitemap.xml')) entries.push(entry);
  return entries;
}

describe('a sitemap', () => {
  const pages = [
    { kind: 'page', location: 'https://example.com/?a=1&b=2', modified: '2026-01-01' },
    { kind: 'page', location: 'https://example.com/ä' },
  ];

  test('gives its pages with their dates, not its pictures, wherever it is cut', async () => {
    for (const size of [1, 2, 3, 50, 10_000]) expect(await read(Buffer.from(PAGES), size)).toEqual(pages);
  });

  test('may be packed with gzip', async () => {
    expect(await read(gzipSync(PAGES))).toEqual(pages);
  });

  test('may lead to others', async () => {
    const index = '<sitemapindex><sitemap><loc>https://example.com/s1.xml.gz</loc></sitemap></sitemapindex>';
    expect(await read(Buffer.from(index))).toEqual([
      { kind: 'sitemap', location: 'https://example.com/s1.xml.gz' },
    ]);
  });

  test.each([
    ['', 'it is empty'],
    ['<pages></pages>', 'its root is <pages>'],
    ['<urlset><url>', 'unclosed tag'],
    ['<!DOCTYPE html><html><body>Log in<br>', 'it is a web page'],
    ['\n<html><body>Log in</body></html>', 'it is a web page'],
    ['not xml', 'text data outside of root node'],
  ])('%j is not one', async (text, reason) => {
    await expect(read(Buffer.from(text))).rejects.toThrow(reason);
  });

  test.each([
    ['tags without end', `<urlset>${'<a>'.repeat(200)}`, 'its tags are nested 100 deep'],
    [
      'attributes without end',
      `<urlset ${Array.from({ length: 1500 }, (_, i) => `a${i}=""`).join(' ')}>`,
      'over 1000 attributes',
    ],
    [
      'a location without end',
      `<urlset><url><loc>${'a'.repeat(70_000)}</loc></url></urlset>`,
      'longer than 65536 characters',
    ],
  ])('%s: none', async (_, text, reason) => {
    await expect(read(Buffer.from(text), 1000)).rejects.toThrow(reason);
  });
});

describe('fresh or stale', () => {
  const seen = (headers: Record<string, string>, hash = 'a'): Observation => observe(200, headers, hash);

  test.each<[string, Observation, Observation, string]>([
    ['an Age older than the purge', seen({ age: '300' }), seen({ age: '302' }), 'stale'],
    ['an Age that fell', seen({ age: '300' }), seen({ age: '0' }), 'fresh'],
    ['a miss', seen({ 'x-cache': 'HIT' }), seen({ 'x-cache': 'MISS' }), 'fresh'],
    ['a new ETag', seen({ etag: '"1"' }), seen({ etag: '"2"' }), 'fresh'],
    ['other content', seen({}, 'a'), seen({}, 'b'), 'fresh'],
    ['nothing that tells', seen({ 'x-cache': 'HIT' }), seen({ 'x-cache': 'HIT' }), 'unknown'],
  ])('%s', (_, before, after, verdict) => {
    expect(judgeFreshness(before, after, 2).verdict).toBe(verdict);
  });
});
