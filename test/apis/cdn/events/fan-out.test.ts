import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePurgeMap } from '../../../../src/apis/cdn/changes/purge-map.ts';
import { contentEvent, EventRefused } from '../../../../src/apis/cdn/events/content-event.ts';
import { fanOut } from '../../../../src/apis/cdn/events/fan-out.ts';
import { templateElsewhere } from '../../../../src/apis/cdn/events/template-elsewhere.ts';
import type { Json } from '../../../../src/json/index.ts';
import { runs } from '../../../support/runs.ts';

const MAP = `
site: https://www.example.com
always: [/, /sitemap.xml]
rules:
  - on: {type: article}
    urls: ["{path}", "{path}amp/"]
    listings:
      - /
      - /page/{page}/
      - /feed/
      - /tag/{tag}/
      - /tag/{tag}/page/{page}/
      - /author/{author}/
      - /{section}/
    keys: ["{type}-{entry}", "tag-{tag}"]
    pages: 3
  - on: {type: [author, menu], event: [updated, moved]}
    keys: "author-{entry}"
  - on: {type: menu}
    ignore: true
  - files: "**.md"
    ignore: true
`;

const mapOf = (text = MAP) => {
  const { events, site = '' } = parsePurgeMap('map.yaml', text);
  return { ...events, site };
};
const event = (value: Json) => contentEvent(value, { id: 'e1', time: 0 });
const leadsTo = (value: Json, map = mapOf()) => fanOut(event(value), map);
const short = (urls: readonly string[] = []) => urls.map(url => url.replace('https://www.example.com', ''));

describe('what an event leads to', () => {
  test('is the page, its listings with their further pages, feeds, tags, authors, sections and keys', () => {
    const found = leadsTo({
      ...{ kind: 'updated', type: 'article', entry: 7, path: '/news/trams/', tags: ['berlin', 'bvg'] },
      ...{ authors: 'anna', sections: 'news' },
    });
    expect(short(found?.urls)).toEqual(['/news/trams/', '/news/trams/amp/']);
    expect(short(found?.listings)).toEqual([
      ...['/', '/page/2/', '/page/3/', '/feed/', '/tag/berlin/', '/tag/bvg/'],
      ...['/tag/berlin/page/2/', '/tag/berlin/page/3/', '/tag/bvg/page/2/', '/tag/bvg/page/3/'],
      ...['/author/anna/', '/news/'],
    ]);
    expect(short(found?.always)).toEqual(['/sitemap.xml']);
    expect(found?.keys).toEqual(['article-7', 'tag-berlin', 'tag-bvg']);
  });

  test('a page that moved is purged where it was and where it is', () => {
    const found = leadsTo({ kind: 'updated', type: 'article', path: '/new/', old_path: '/old/' });
    expect(short(found?.urls)).toEqual(['/new/', '/old/', '/new/amp/', '/old/amp/']);
  });

  test('the first rule that matches decides, by type and by what happened', () => {
    expect(leadsTo({ kind: 'updated', type: 'author', entry: 'anna' })?.keys).toEqual(['author-anna']);
    expect(leadsTo({ kind: 'published', type: 'menu' })).toBeUndefined();
    expect(() => leadsTo({ kind: 'published', type: 'author' })).toThrow('no rule of the map');
  });

  test('an event that does not name its page leads nowhere, unless a key does', () => {
    const map = mapOf('site: https://www.example.com\nrules: [{on: {}, urls: "/a/{slug}/", listings: /}]');
    expect(() => leadsTo({ kind: 'unpublished', type: 'x', entry: '7' }, map)).toThrow(
      'does not name the page',
    );
    const found = leadsTo({ kind: 'unpublished', type: 'article', entry: '7' });
    expect(found?.keys).toEqual(['article-7']);
  });

  test('names are encoded as paths, once, and what cannot be a key is none', () => {
    const found = leadsTo({
      kind: 'updated',
      type: 'article',
      path: '/a/',
      tags: ['Ä b/c?d', 'caf%c3%a9', 'x,y'],
    });
    expect(short(found?.listings)).toEqual(
      expect.arrayContaining(['/tag/%C3%84%20b/c%3Fd/', '/tag/caf%c3%a9/', '/tag/x,y/']),
    );
    expect(found?.keys).toEqual(['tag-caf%c3%a9']);
    expect(found?.unusable).toEqual([
      { target: 'tag-Ä b/c?d', problem: 'contains a space or a control character' },
      { target: 'tag-x,y', problem: 'contains a comma' },
    ]);
  });

  test('a name and a path keep the form of their characters', () => {
    const map = mapOf('site: https://www.example.com\nrules: [{on: {}, urls: ["{path}", "/s/{slug}/"]}]');
    const found = leadsTo({ kind: 'updated', path: '/cafe\u0301/', slug: 'cafe\u0301' }, map);
    expect(short(found?.urls)).toEqual(['/cafe%CC%81/', '/s/cafe%CC%81/']);
  });

  test.each(['..', '.', '../x', 'a/%2E%2e', 'a/./b'])('the tag %s leads to no other page', tag => {
    const found = leadsTo({ kind: 'updated', type: 'article', path: '/a/', tags: [tag, '...', '.x'] });
    expect(found?.unusable[0]?.problem).toBe('has . or .. as a part of its path');
    expect(short(found?.listings)).toEqual(expect.arrayContaining(['/tag/.../', '/tag/.x/']));
    expect(found?.listings.some(url => url.includes(`/${tag}/`))).toBe(false);
  });

  test('a template applies to the path, and a query follows it', () => {
    const map = mapOf(
      'site: https://www.example.com\nrules: [{on: {}, urls: ["{path}", "{path}amp/", "{path}?amp=1", "/go?to={path}"]}]',
    );
    const found = leadsTo({ kind: 'updated', path: '/a/?x=1' }, map);
    expect(short(found?.urls)).toEqual(['/a/?x=1', '/a/amp/?x=1', '/a/?x=1&amp=1', '/go?to=/a/?x=1']);
  });

  test('a page of the host that is not below the site is purged where it is', () => {
    const site = 'https://www.example.com/blog';
    const map = mapOf(
      `site: ${site}\nrules: [{on: {}, urls: ["{path}", "/amp{path}", "https://amp.example.com{path}"], listings: /}]`,
    );
    const paths = [`https://www.example.com/other/?x=1`, `${site}/a/`, 'https://cms.example.com/b/'];
    const found = fanOut(contentEvent({ kind: 'updated', paths }, { id: 'e1', time: 0 }, site), map);
    expect(found?.urls).toEqual([
      ...['https://www.example.com/other/?x=1', `${site}/a/`, `${site}/b/`],
      ...['https://www.example.com/amp/other/?x=1', `${site}/amp/a/`, `${site}/amp/b/`],
      ...['/other/?x=1', '/a/', '/b/'].map(path => `https://amp.example.com${path}`),
    ]);
    expect(found?.listings).toEqual([`${site}/`]);
  });

  test('a map is encoded as a browser does, too', () => {
    const map = mapOf(
      'site: https://www.example.com/büro/\nalways: https://bücher.example.com/ä\nrules: [{on: {}, urls: "/größe/{slug}/%C3%A4"}]',
    );
    const found = leadsTo({ kind: 'updated', slug: 'ö' }, map);
    expect(short(found?.urls)).toEqual(['/b%C3%BCro/gr%C3%B6%C3%9Fe/%C3%B6/%C3%A4']);
    expect(found?.always).toEqual(['https://xn--bcher-kva.example.com/%C3%A4']);
  });

  test('property: each target is on the site and is named once, whatever the event says', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const value = fc.record({
      kind: fc.constantFrom('published', 'updated', 'moved', 'unpublished'),
      type: fc.constant('article'),
      entry: text,
      paths: fc.array(fc.webPath({ size: 'small' }).filter(path => /^\/(?!\/)/.test(path))),
      old_paths: fc.array(fc.webPath({ size: 'small' }).filter(path => /^\/(?!\/)/.test(path))),
      tags: fc.array(text),
      authors: fc.array(text),
    });
    fc.assert(
      fc.property(value, each => {
        let found: ReturnType<typeof leadsTo>;
        try {
          found = leadsTo(each);
        } catch (error) {
          if (!(error instanceof EventRefused)) throw error;
          return;
        }
        const urls = [...(found?.urls ?? []), ...(found?.listings ?? []), ...(found?.always ?? [])];
        expect(new Set(urls).size).toBe(urls.length);
        for (const url of urls) expect(new URL(url).origin).toBe('https://www.example.com');
        for (const key of found?.keys ?? []) expect(key).not.toMatch(/[\s,]/);
      }),
      { numRuns: runs(300) },
    );
  });
});

test.each([
  ['https://www.example.com', '/', undefined],
  ['https://www.example.com', 'https://{section}.example.com/', undefined],
  ['https://www.example.com', 'https://amp.example.com{path}', undefined],
  ['https://www.example.org', '/', 'https://www.example.org'],
  ['https://www.example.com', 'https://example.org/{slug}/', 'https://example.org/{slug}/'],
])('below %s, %s leads elsewhere: %s', (site, url, elsewhere) => {
  const map = mapOf(`site: ${site}\nrules: [{on: {}, urls: "{path}", listings: "${url}"}]`);
  expect(templateElsewhere(map, 'example.com')).toBe(elsewhere);
});

describe('rules for events in a map', () => {
  test.each([
    ['rules: [{on: {type: a}}]', 'the rule purges nothing'],
    ['rules: [{on: {type: a}, urls: "/{name}/"}]', '{name} is not in an event'],
    ['rules: [{on: {event: exploded}, urls: /}]', 'event cannot be "exploded"'],
    ['rules: [{on: {}, urls: /, files: a.md}]', 'unknown setting "files"'],
    ['rules: [{on: {}, urls: "x{path}"}]', 'the URL x{path}'],
    ['senders: {cms: {format: drupal, env: A}}', 'format cannot be "drupal"'],
    ['senders: {cms: {format: ghost, secret: abc}}', 'must not contain secrets'],
    ['senders: {CMS: {format: ghost, env: A}}', 'CMS must be a name'],
  ])('%s', (text, message) => {
    expect(() => mapOf(text)).toThrow(message);
  });
});
