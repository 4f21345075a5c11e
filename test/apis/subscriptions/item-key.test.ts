import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearMiss, otherSpellings, samePages } from '../../../src/apis/subscriptions/item-key.ts';

const HELD = 'https://example.com/articles/long-read';

describe('an item key', () => {
  test.each([
    'https://example.com/articles/long-read?utm_source=mail&fbclid=1',
    'https://example.com/articles/long-read#comments',
    'https://example.com/articles/long-read?utm_campaign=a#b',
  ])('%s is the item that the reader bought, with tracking or a fragment', typed => {
    expect(samePages(typed, ['other', HELD])).toEqual([HELD]);
    expect(samePages(HELD, [typed])).toEqual([typed]);
    expect(otherSpellings(typed, [HELD])).toEqual([]);
  });

  test('with a route in its fragment is another than one with another route', () => {
    for (const mark of ['#/', '#!', '#!/']) {
      const [five, six] = [`https://example.com/${mark}a/5`, `https://example.com/${mark}a/6`];
      expect(samePages(six, [five, 'https://example.com/'])).toEqual([]);
      expect(otherSpellings(six, [five, 'https://example.com/'])).toEqual([]);
      expect(samePages(`https://example.com/?utm_source=a${mark}a/5`, [five])).toEqual([five]);
    }
  });

  test.each([
    'https://www.example.com/articles/long-read',
    'http://example.com/articles/long-read/',
    'HTTPS://EXAMPLE.COM:443/articles/long-read#comments',
    'www.example.com/articles/long-read/?utm_campaign=a#b',
    '//example.com/articles/long-read',
  ])('%s is another spelling of the page that the reader bought', typed => {
    expect(samePages(typed, ['other', HELD])).toEqual([]);
    expect(otherSpellings(typed, ['other', HELD])).toEqual([HELD]);
  });

  test.each([
    'https://example.com/articles/long-read-2',
    'https://example.com/articles/LONG-READ',
    'https://example.com/articles/long-read?page=2',
    'https://blog.example.com/articles/long-read',
    'https://example.com/',
    'long-read',
    'article-1',
  ])('%s is another page', typed => {
    expect(samePages(typed, [HELD])).toEqual([]);
    expect(otherSpellings(typed, [HELD])).toEqual([]);
  });

  test('of no page is never the same as another', () => {
    expect(samePages('Article-1', ['article-1', 'article-1 '])).toEqual([]);
  });

  test('is the same page with any decoration that selects none, and never the page of another path', () => {
    const segment = fc.stringMatching(/^[a-z0-9é-]{1,8}$/);
    const decorations = fc.record({
      scheme: fc.constantFrom('https://', 'http://', ''),
      www: fc.constantFrom('', 'www.'),
      slash: fc.constantFrom('', '/'),
      tracking: fc.constantFrom('', '?utm_source=a', '?gclid=1&utm_medium=b'),
      fragment: fc.constantFrom('', '#top'),
    });
    fc.assert(
      fc.property(
        fc.array(segment, { minLength: 1, maxLength: 3 }),
        decorations,
        segment,
        (path, given, other) => {
          const { scheme, www, slash, tracking, fragment } = given;
          const held = `https://example.com/${path.join('/')}`;
          const typed = `${scheme}${www}example.com/${path.join('/')}${slash}${tracking}${fragment}`;
          const like = (text: string) => [...samePages(text, [held]), ...otherSpellings(text, [held])];
          expect(like(typed)).toEqual(typed === held ? [] : [held]);
          expect(like(`${typed.split(/[?#]/)[0]?.replace(/\/$/, '')}/${other}`)).toEqual([]);
        },
      ),
    );
  });

  test('with another parameter is nearer than a short path with another letter', () => {
    const held = ['https://example.com/b?id=7', 'https://www.example.com/a/?utm_source=newsletter'];
    expect(nearMiss('https://example.com/b', held)).toBe('https://example.com/b?id=7');
    expect(nearMiss('https://example.com/b', held.slice(1))).toBeUndefined();
  });

  test('with needless escapes is another spelling', () => {
    expect(otherSpellings('https://example.com/long%2Dread', ['https://example.com/long-read'])).toEqual([
      'https://example.com/long-read',
    ]);
    expect(otherSpellings('https://example.com/a%2fb', ['https://example.com/a/b'])).toEqual([]);
  });

  test('that is nearly one of the reader is named, and no other', () => {
    const near = (typed: string) => nearMiss(typed, ['https://example.com/b', HELD, 'article-123']);
    expect(near('https://example.com/articles/long-raed')).toBe(HELD);
    expect(near('https://blog.example.com/articles/long-read')).toBe(HELD);
    expect(near('https://example.com/articles/long-read?page=2')).toBe(HELD);
    expect(near('https://example.com/articles/short-read')).toBeUndefined();
    expect(near('article-124')).toBe('article-123');
    expect(near('article-9')).toBeUndefined();
  });
});

test.each(['m', 'mobile', 'amp', 'www'])('a page on the subdomain %s is most likely the same page', host => {
  expect(
    otherSpellings(`https://${host}.example.com/a/long-read`, ['https://example.com/a/long-read']),
  ).toEqual(['https://example.com/a/long-read']);
});
