import { describe, expect, test } from 'vitest';
import { isChangedSince } from '../../../src/apis/cdn/changed-since.ts';
import { parseRobots } from '../../../src/apis/cdn/robots.ts';

const robots = (text: string) => parseRobots(text, 'gatectl');

describe('robots.txt', () => {
  test.each<[string, string, boolean]>([
    ['', '/a', true],
    ['User-agent: *\nDisallow: /', '/a', false],
    ['User-agent: *\nDisallow:', '/a', true],
    ['User-agent: other\nDisallow: /', '/a', true],
    ['User-agent: *\nDisallow: /\n\nUser-agent: gatectl\nDisallow: /private', '/a', true],
    ['User-agent: other\nUser-agent: GateCtl/1\nDisallow: /private', '/private/a', false],
    ['User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
    ['User-agent: *\nAllow: /a\nDisallow: /a', '/a', true],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf?z', true],
    ['User-agent: *\nDisallow: /a*b$', '/ab', false],
    ['User-agent: *\nDisallow: /a$', '/ab', true],
    ['User-agent: * # all\r\nDisallow: /a # not this', '/ab', false],
    ['Disallow: /', '/a', true],
  ])('%j and %s', (text, path, isAllowed) => expect(robots(text).isAllowed(path)).toBe(isAllowed));

  test('names a delay and sitemaps', () => {
    const text =
      'Sitemap: https://example.com/a.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: https://example.com/b.xml';
    expect(robots(text)).toMatchObject({
      delay: 2.5,
      sitemaps: ['https://example.com/a.xml', 'https://example.com/b.xml'],
    });
  });

  test('takes no longer for patterns with many asterisks', () => {
    const { isAllowed } = robots(`User-agent: *\nDisallow: ${'/*a'.repeat(5000)}$`);
    expect(isAllowed(`/${'a'.repeat(50_000)}b`)).toBe(true);
  });
});

describe('the date of a page in a sitemap', () => {
  const noon = { kind: 'time', at: Date.UTC(2026, 2, 14, 12) } as const;
  const day = { kind: 'day', day: '2026-03-14' } as const;
  test.each([
    ['2026-03-14T12:00:01Z', noon, true],
    ['2026-03-14T11:00:00Z', noon, false],
    ['2026-03-14T14:00:00+01:00', noon, true],
    ['2026-03-14', noon, true],
    ['2026-03-13', noon, true],
    ['2026-03-12', noon, false],
    ['2026-03', noon, true],
    ['2026', noon, true],
    ['2025', noon, false],
    ['2026-03-14', day, true],
    ['2026-03-14T00:00:00+09:00', day, true],
    ['2026-03-13T23:00:00Z', day, false],
    ['2026-03', day, true],
    ['2026-02', day, false],
    ['14 March 2026', day, undefined],
    ['', day, undefined],
    [undefined, noon, undefined],
  ])('%s since %j: %s', (modified, since, isChanged) =>
    expect(isChangedSince(modified, since)).toBe(isChanged),
  );
});
