import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { GENERATED_FOLDERS, generatedFiles } from '../../../src/cli/manual/generated-files.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const files = generatedFiles();

test.each([...files.keys()])('%s is what npm run generate writes', path => {
  expect(readFileSync(`${ROOT}${path}`, 'utf8')).toBe(files.get(path));
});

test('the folders of generated files contain only generated files', () => {
  const present = GENERATED_FOLDERS.flatMap(folder =>
    readdirSync(`${ROOT}${folder}`).map(name => `${folder}/${name}`),
  );
  expect(present.filter(path => !files.has(path))).toEqual([]);
});

test('npm lists every manual page', () => {
  const { man } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  expect(man).toEqual([...files.keys()].filter(path => path.startsWith('man/')));
  expect(man).toContain('man/gatectl-cdn-purge.1');
});

test('what is generated does not depend on when or where', () => {
  expect([...generatedFiles()]).toEqual([...files]);
  for (const text of files.values()) expect(text).not.toContain(ROOT);
});
