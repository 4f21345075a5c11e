import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const text = readFileSync(`${ROOT}CONTRIBUTING.md`, 'utf8');
const paths = [...text.matchAll(/`((?:\.ci|bin|docs|src|test)\/[\w./-]+|CHANGELOG\.md)`/g)].map(
  ([, path = '']) => path,
);

describe('CONTRIBUTING.md leads to files that are there', () => {
  test.each([...new Set(paths)])('%s', path => {
    expect(existsSync(ROOT + path)).toBe(true);
  });

  test('and names more than a few', () => {
    expect(paths.length).toBeGreaterThan(20);
  });
});

test('its scripts are in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
  expect(named.filter(name => scripts[name] === undefined)).toEqual([]);
  expect(named).toContain('generate');
});

describe('SECURITY.md', () => {
  const security = readFileSync(`${ROOT}SECURITY.md`, 'utf8');

  test('says how to report a weakness and gives no mail address, since there is none', () => {
    expect(security).toContain('*Report a vulnerability*');
    expect(security).not.toMatch(/[\w.]+@[\w.]+/);
  });

  test('names tests and documents that are there', () => {
    const paths = [...security.matchAll(/`(test\/[\w./-]+)`|\((docs\/[\w./-]+)\)/g)].map(
      ([, one, other]) => one ?? other ?? '',
    );
    expect(paths.length).toBeGreaterThan(4);
    expect(paths.filter(path => !existsSync(ROOT + path))).toEqual([]);
  });
});
