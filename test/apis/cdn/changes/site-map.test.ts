import { describe, expect, test } from 'vitest';
import { pathPattern } from '../../../../src/apis/cdn/changes/path-pattern.ts';
import { NO_MAP, parsePurgeMap } from '../../../../src/apis/cdn/changes/purge-map.ts';
import { SiteMap } from '../../../../src/apis/cdn/changes/snapshot.ts';
import { encodedPath } from '../../../../src/apis/cdn/changes/url-text.ts';

const MAP = `
site: https://www.example.com
rules:
  - files: drafts/**
    ignore: true
  - files: articles/{slug}.md
    urls: /articles/{slug}/
    keys: article-{slug}
    listings: [/, /feed.xml]
  - files: "templates/*.html"
    affects: /articles/**
redirects: _redirects
`;
const parse = (text: string) => parsePurgeMap('map.yaml', text);
const site = (text = MAP) => new SiteMap(parse(text), 'https://example.com', 'url');

describe('patterns of paths', () => {
  test.each([
    ['*.html', 'a.html', {}],
    ['*.html', 'b/a.html', undefined],
    ['**', 'b/a.html', {}],
    ['**/*.html', 'a.html', {}],
    ['**/*.html', 'c/b/a.html', {}],
    ['a?.md', 'ab.md', {}],
    ['a?.md', 'a/.md', undefined],
    ['{section}/{slug}.md', 'news/x.md', { section: 'news', slug: 'x' }],
    ['{path**}/index.html', 'a/b/index.html', { path: 'a/b' }],
    ['a+(b).md', 'a+(b).md', {}],
    ['/a.md', 'a.md', {}],
  ])('%s and %s', (pattern, path, captured) => {
    const matches = pathPattern(pattern);
    expect(typeof matches === 'string' ? matches : matches(path)).toEqual(captured);
  });

  test.each([
    ['{a}/{a}', 'names {a} twice'],
    ['a{b', 'has a brace that is not part of a {name}'],
  ])('%s is invalid', (pattern, problem) => expect(pathPattern(pattern)).toBe(problem));

  test('a path is percent-encoded, so that no character of it ends the URL or matches others', () => {
    expect(encodedPath('a b/c?d#e*ü%.html')).toBe('a%20b/c%3Fd%23e%2A%C3%BC%25.html');
  });
});

describe('what a file leads to', () => {
  test('the first rule that matches decides', () => {
    expect(site().effectsOf('articles/one.md')).toMatchObject({
      urls: ['https://www.example.com/articles/one/'],
      keys: ['article-one'],
      listings: ['https://www.example.com/', 'https://www.example.com/feed.xml'],
    });
    expect(site().effectsOf('drafts/articles/one.md')).toBeUndefined();
  });

  test('a file without a rule is the page of its path', () => {
    const plain = new SiteMap(NO_MAP, 'https://example.com', 'url');
    expect(plain.effectsOf('index.html')?.urls).toEqual(['https://example.com/']);
    expect(plain.effectsOf('news/index.html')?.urls).toEqual(['https://example.com/news/']);
    expect(plain.effectsOf('news/a.html')?.urls).toEqual(['https://example.com/news/a.html']);
  });

  test('with unmatched: ignore it leads to nothing', () => {
    expect(site(`${MAP}unmatched: ignore\n`).effectsOf('README.md')).toBeUndefined();
  });

  test('files outside of the root lead to nothing', () => {
    const map = site('root: public/\nrules: []\n');
    expect(map.effectsOf('src/a.html')).toBeUndefined();
    expect(map.effectsOf('public/a.html')?.urls).toEqual(['https://example.com/a.html']);
  });
});

describe('what a change of a file changes', () => {
  const FILES = [
    { path: 'articles/one.md', hash: '1' },
    { path: 'articles/two.md', hash: '2' },
    { path: 'templates/page.html', hash: 't' },
    { path: '_redirects', hash: 'r' },
  ];
  const snapshot = (files = FILES, redirects = '') => site().snapshot(files, redirects);
  const changedBetween = (one = snapshot(), other = snapshot()) =>
    [...new Set([...one.urls.keys(), ...other.urls.keys()])]
      .filter(url => one.urls.get(url) !== other.urls.get(url))
      .map(url => new URL(url).pathname)
      .sort();
  const with_ = (path: string, hash: string) =>
    FILES.map(file => (file.path === path ? { path, hash } : file));

  test('its page and the pages that list it', () => {
    expect(changedBetween(snapshot(), snapshot(with_('articles/one.md', '3')))).toEqual([
      '/',
      '/articles/one/',
      '/feed.xml',
    ]);
  });

  test('a rename with the same content: both pages and the listings', () => {
    const renamed = FILES.map(file =>
      file.path === 'articles/one.md' ? { path: 'articles/uno.md', hash: '1' } : file,
    );
    expect(changedBetween(snapshot(), snapshot(renamed))).toEqual([
      '/',
      '/articles/one/',
      '/articles/uno/',
      '/feed.xml',
    ]);
  });

  test('a template: all pages it affects', () => {
    expect(changedBetween(snapshot(), snapshot(with_('templates/page.html', 'u')))).toEqual([
      '/articles/one/',
      '/articles/two/',
    ]);
  });

  test('a redirect: its URL; a rewrite also changes with its target', () => {
    const before = snapshot(FILES, '/old /articles/one/\n/alias /articles/two/ 200\n/:any /x\n# comment');
    expect(changedBetween(before, snapshot(FILES, '/old /articles/two/\n/alias /articles/two/ 200'))).toEqual(
      ['/old'],
    );
    expect(
      changedBetween(
        before,
        snapshot(with_('articles/two.md', '9'), '/old /articles/one/\n/alias /articles/two/ 200'),
      ),
    ).toEqual(['/', '/alias', '/articles/two/', '/feed.xml']);
    expect(before.redirects.get('https://www.example.com/old')).toBe('https://www.example.com/articles/one/');
  });

  test('its surrogate keys', () => {
    expect([...snapshot().keys.keys()]).toEqual(['article-one', 'article-two']);
  });

  test('rules that match no file are reported, unless they are optional', () => {
    expect(snapshot([]).unused.map(({ number }) => number)).toEqual([1, 2, 3]);
    const optional = site('rules:\n  - files: a\n    urls: /a\n    optional: true\n');
    expect(optional.snapshot([]).unused).toEqual([]);
  });
});

describe('an invalid map is rejected with its place', () => {
  test.each([
    ['rules: [', 'map.yaml:1:9: not valid YAML'],
    ['rule: []', 'map.yaml:1:1: unknown setting "rule"'],
    ['rules:\n  - urls: /a', 'map.yaml:2:5: the rule has no files'],
    [
      'rules:\n  - files: a',
      'map.yaml:2:5: the rule purges nothing: add urls, listings, keys or affects, or ignore: true',
    ],
    ['rules:\n  - files: a\n    urls: /{b}', 'map.yaml:2:5: {b} is not in the pattern a'],
    [
      'rules:\n  - files: a\n    urls: b',
      'map.yaml:3:11: the URL b is not absolute: it must start with https://',
    ],
    [
      'rules:\n  - files: a\n    keys: "a b"',
      'map.yaml:3:11: the key a b contains a space or a control character',
    ],
    [
      'rules:\n  - files: "{a"\n    urls: /a',
      'map.yaml:2:12: the pattern {a has a brace that is not part of a {name}',
    ],
    ['site: example.com', 'map.yaml:1:7: site must be a URL such as https://www.example.com'],
    ['unmatched: no', 'map.yaml:1:12: unmatched cannot be "no"'],
    ['', 'map.yaml:1:1: the map is empty'],
  ])('%j', (text, message) => expect(() => parse(text)).toThrow(message));
});
