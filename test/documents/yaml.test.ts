import { expect, test } from 'vitest';
import { DocumentError } from '../../src/documents/located.ts';
import { parseYaml } from '../../src/documents/yaml.ts';

function problemIn(text: string): string | undefined {
  try {
    parseYaml(text);
    return undefined;
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
}

test('a merge key gives the settings that a map does not have, the first of two maps before the second', () => {
  const root = parseYaml('a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {z: 3, <<: [*a, *b]}\n');
  const { content } = root.find('c');
  expect(
    content.kind === 'map' &&
      content.members.map(({ name, path, place, content }) => [
        name,
        path,
        place,
        content.kind === 'scalar' && content.value,
      ]),
  ).toEqual([
    ['z', 'c.z', '3:8', 3],
    ['x', 'c.x', '1:11', 1],
    ['y', 'c.y', '1:17', 1],
  ]);
});

test('aliases of aliases end with an error before they fill the memory', () => {
  const lines = Array.from({ length: 9 }, (_, level) =>
    level === 0 ? 'a0: &a0 [x, x]' : `a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]`,
  );
  expect(problemIn(`${lines.join('\n')}\n`)).toMatch(/^\d+:\d+: more than 200000 values$/);
});

test('a mistake never quotes the file, which may contain a secret', () => {
  for (const text of [
    'k: !s3cr3t [',
    'k: "s3cr3t',
    'k: *s3cr3t',
    '? [s3cr3t]\n: 1',
    '%s3cr3t\nk: 1',
    's3cr3t: [\nk: 1',
  ])
    expect([text, problemIn(text)]).toEqual([text, expect.not.stringContaining('s3cr3t')]);
});
