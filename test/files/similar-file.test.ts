import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { similarFile } from '../../src/files/similar-file.ts';
import { temporaryFolder } from '../support/folder.ts';

test.each([
  ['weekly', ['weekly.html', 'weekly.yaml'], 'weekly.yaml'],
  ['weekly.yml', ['weekly.yaml'], 'weekly.yaml'],
  ['wekly.yaml', ['weekly.html', 'weekly.yaml'], 'weekly.yaml'],
  ['wekly', ['weekly.yaml'], 'weekly.yaml'],
  ['report', ['report.html'], 'report.html'],
  ['a.json', ['b.json'], undefined],
  ['monthly.yaml', ['weekly.yaml'], undefined],
  ['weekly', [], undefined],
])('%s among %j is %j', (typed, files, expected) => {
  const folder = temporaryFolder();
  for (const file of files) writeFileSync(join(folder, file), '');
  expect(similarFile(join(folder, typed))).toBe(expected && join(folder, expected));
  expect(similarFile(join(folder, 'none', typed))).toBeUndefined();
});
