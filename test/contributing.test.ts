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
