import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMON_VARIABLES, OWN_VARIABLES } from '../../../src/cli/manual/environment-variables.ts';

const SRC = fileURLToPath(new URL('../../../src', import.meta.url));
const documented = [...OWN_VARIABLES, ...COMMON_VARIABLES].flatMap(({ term }) => term.split(', '));

test('every variable that the code reads is documented', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.ts') && !name.startsWith('sandbox/'),
  );
  const read = new Set(
    files.flatMap(name => {
      const text = readFileSync(join(SRC, name), 'utf8');
      const uses = text.matchAll(
        /\benv\.([A-Z][A-Z0-9_]+)|variable\([\w.]+, '([A-Z0-9_]+)'|environment: '([A-Z0-9_]+)'/g,
      );
      return [...uses].map(([, one, two, three]) => one ?? two ?? three ?? '');
    }),
  );
  expect(read.size).toBeGreaterThan(15);
  expect([...read].filter(name => !documented.includes(name))).toEqual([]);
});
