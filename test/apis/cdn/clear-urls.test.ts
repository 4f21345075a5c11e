import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanUrl } from '../../../src/apis/cdn/clean-url.ts';
import { domainProblem } from '../../../src/apis/cdn/names.ts';
import { keyProblem } from '../../../src/apis/cdn/surrogate-keys.ts';
import type { NumberedUrl } from '../../../src/apis/cdn/url-list.ts';
import { TextSet } from '../../../src/files/text-set.ts';
import { type Batch, contiguousBatches, halves } from '../../../src/operations/purge/clear-targets.ts';

async function* inBlocks<T>(items: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

async function batched(indices: readonly number[], size: number, blockSize = 7): Promise<Batch[]> {
  const urls: NumberedUrl[] = indices.map(index => ({ index, url: `u${index}` }));
  const batches: Batch[] = [];
  for await (const batch of contiguousBatches(inBlocks(urls, blockSize), size)) batches.push(batch);
  return batches;
}

const WILDCARD =
  'contains a wildcard, but URLs match exactly: purge a surrogate key for a group of pages, or the whole domain, or use %2A for an asterisk';
const SUBDOMAIN = 'is a subdomain, and the CDN requires the bare domain';
const SEVERAL = 'is more than one URL: pass one per line or argument, or use %2C for a comma';

const sizes = fc.integer({ min: 1, max: 20 });

describe('batches', () => {
  test('2,534 URLs are 26 requests, the last one of 34', async () => {
    const batches = await batched(
      Array.from({ length: 2534 }, (_, i) => i),
      100,
    );
    expect([batches.length, batches.at(-1)?.targets.length]).toEqual([26, 34]);
  });

  test('every URL is in exactly one batch, in order, at its own index, and no batch is too large', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(300)), sizes, sizes, async (some, size, blockSize) => {
        const indices = some.sort((a, b) => a - b);
        const batches = await batched(indices, size, blockSize);
        expect(batches.flatMap(({ targets }) => targets)).toEqual(indices.map(index => `u${index}`));
        for (const { from, targets } of batches) {
          expect(targets.length).toBeGreaterThan(0);
          expect(targets.length).toBeLessThanOrEqual(size);
          expect(targets).toEqual(targets.map((_, i) => `u${from + i}`));
        }
      }),
    );
  });

  test('halves contain everything that the batch contained', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 2 }), fc.nat(1000), (targets, from) => {
        const [first, second] = halves({ from, targets });
        expect([...first.targets, ...second.targets]).toEqual(targets);
        expect(second.from).toBe(from + first.targets.length);
        expect(Math.abs(first.targets.length - second.targets.length)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('a URL is made ready', () => {
  test.each([
    ['https://example.com', 'https://example.com/'],
    ['https://example.com?a=1', 'https://example.com/?a=1'],
    ['HTTPS://EXAMPLE.com:443/Path?Q=%41#part', 'https://example.com/Path?Q=%41'],
    ['https://bücher.example/ä', 'https://xn--bcher-kva.example/ä'],
    ['http://example.com:8080/a//b/../c', 'http://example.com:8080/a//b/../c'],
    ['https://example.com/a,b?c=*&d=1', 'https://example.com/a,b?c=*&d=1'],
    ['https://example.com/%2A', 'https://example.com/%2A'],
    ['https://example.com/resize/https://example.com/a', 'https://example.com/resize/https://example.com/a'],
  ])('%s is sent as %s', (text, url) => {
    expect(cleanUrl(text, undefined)).toMatchObject({ url });
  });

  test('a removed fragment is noted', () => {
    expect(cleanUrl('https://example.com/#top', undefined)).toEqual({
      url: 'https://example.com/',
      droppedFragment: true,
    });
  });

  test.each([
    ['/news?a=1', 'is a path: type the full URL, such as https://example.com/news?a=1'],
    ['/', 'is a path: type the full URL, such as https://example.com/'],
    ['//example.com/news', 'is not absolute: it must start with https://'],
    ['example.com/news', 'is not absolute: it must start with https://'],
    ['ftp://example.com/', 'is not an http or https URL'],
    ['https://', 'is not a valid URL'],
    ['https:///news', 'is not a valid URL'],
    ['https://example.com\\news', 'has a backslash after its host: use a slash'],
    ['https://user:pw@example.com/', 'contains a user name or password'],
    ['https://example.com/a b', 'contains a space or a control character'],
    ['https://example.com/*', WILDCARD],
    ['*', WILDCARD],
    ['/news/*', WILDCARD],
    ['https://example.com/news/*/2026', WILDCARD],
    ['https://*.example.com/', WILDCARD],
    ['https://example.com/news?*', WILDCARD],
    ['https://example.com/a,https://example.com/b', SEVERAL],
    ['https://example.com/#top,http://example.com/b', SEVERAL],
    ['https://example.com/a;HTTPS://example.com/b', SEVERAL],
    ['https://example.org/', 'is not on example.com'],
    ['https://notexample.com/', 'is not on example.com'],
  ])('%s is rejected: %s', (text, problem) => {
    expect(cleanUrl(text, 'example.com')).toEqual({
      problem,
      ...(problem.startsWith('is not on') && { elsewhere: true }),
    });
  });

  test('subdomains are on the domain', () => {
    expect(cleanUrl('https://www.example.com/', 'example.com')).toHaveProperty('url');
  });

  test('each has its own site, independent of earlier URLs', () => {
    const url = fc
      .webUrl({ withQueryParameters: true, withFragments: true })
      .map(text => text.replaceAll(/[*,;|]/g, '-'));
    fc.assert(
      fc.property(fc.array(url), texts => {
        for (const text of texts) {
          const { origin } = new URL(text);
          expect(cleanUrl(text, undefined)).toMatchObject({ url: expect.stringContaining(`${origin}/`) });
        }
      }),
    );
  });

  test('what is accepted is accepted again and does not change', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), text => {
        const once = cleanUrl(text, undefined);
        if ('problem' in once) return;
        expect(cleanUrl(once.url, undefined)).toEqual({ url: once.url, droppedFragment: false });
      }),
    );
  });
});

describe('surrogate keys and domains', () => {
  test.each([
    ['article-1', undefined],
    ['a:b/c', undefined],
    ['', 'is empty'],
    ['a,b', 'contains a comma'],
    ['a b', 'contains a space or a control character'],
    ['https://example.com/', 'is a URL, not a surrogate key'],
    ['a*b', undefined],
    ['article-*', 'ends in a wildcard, but keys match exactly: name each key, or purge the whole domain'],
  ])('the key %j: %s', (key, problem) => {
    expect(keyProblem(key)).toBe(problem);
  });

  test.each([
    ['example.com', undefined],
    ['co.uk', { problem: 'is a public suffix, not a domain of an account' }],
    ['com', { problem: 'is a public suffix, not a domain of an account' }],
    ['example.co.uk', undefined],
    ['example.github.io', undefined],
    ['blog.example.co.uk', { problem: SUBDOMAIN, bare: 'example.co.uk' }],
    ['www.example.com', { problem: SUBDOMAIN, bare: 'example.com' }],
  ])('the domain %s: %s', (domain, problem) => {
    expect(domainProblem(domain)).toEqual(problem);
  });
});

describe('repeated URLs', () => {
  /** A set over texts that stand in a list. */
  function setOf(options?: ConstructorParameters<typeof TextSet>[1]) {
    const texts: string[] = [];
    const set = new TextSet((position, text) => texts[position] === text, options);
    return (text: string) => {
      const isNew = set.add(text, texts.length);
      if (isNew) texts.push(text);
      return isNew;
    };
  }

  test('are found among a hundred thousand, and no other counts as one', () => {
    const add = setOf();
    const urls = Array.from({ length: 100_000 }, (_, i) => `https://example.com/articles/${i}`);
    expect(urls.every(url => add(url))).toBe(true);
    expect(urls.some(url => add(url))).toBe(false);
    expect(add('https://example.com/articles/100000')).toBe(true);
  });

  test('are exact, however few different hashes there are', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 })), fc.integer({ min: 1, max: 3 }), (texts, hashes) => {
        const add = setOf({ hash: text => text.length % hashes });
        const known = new Set<string>();
        for (const text of texts) {
          expect(add(text)).toBe(!known.has(text));
          known.add(text);
        }
      }),
    );
  });

  test('are remembered in bounded memory: beyond it a new one is never taken for an old one', () => {
    const add = setOf({ maxSize: 10 });
    const urls = Array.from({ length: 30 }, (_, i) => `https://example.com/${i}`);
    expect(urls.map(url => add(url))).toEqual(urls.map(() => true));
    expect(urls.map(url => add(url))).toEqual(urls.map((_, index) => index >= 10));
  });
});
