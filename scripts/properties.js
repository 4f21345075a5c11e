// Runs the tests that `npm test` shortens, in full: property tests with all their inputs, and tests of every position in a text.
//
//   npm run test:properties                      everything
//   npm run test:properties -- test/migrate      below one folder
//   PROPERTY_SHARE=20 npm run test:properties    twenty times as many inputs
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = process.argv.slice(2);
const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => join('test', name))
  .filter(path => folders.length === 0 || folders.some(folder => path.startsWith(folder)))
  .filter(path => path.startsWith(join('test', 'faults')) || usesShare(path));

const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'unit',
    '--project',
    'isolated',
    '--reporter=dot',
    ...tests,
  ],
  { stdio: 'inherit', env: { PROPERTY_SHARE: '1', ...process.env } },
);
process.exitCode = status ?? 1;

/** The cases of test/faults use it in files of their own. */
function usesShare(path) {
  return readFileSync(path, 'utf8').includes('support/runs.ts');
}
