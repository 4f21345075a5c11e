// Runs the tests that `npm test` shortens, in full: property tests with all their inputs, and tests of every position in a text.
//
//   npm run test:properties                      everything
//   npm run test:properties -- test/migrate      below one folder
//   PROPERTY_SHARE=20 npm run test:properties    twenty times as many inputs
//   PROPERTY_SEED=7 npm run test:properties      the inputs of an earlier run; otherwise each run chooses others
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTests } from './check/run-tests.js';

const folders = process.argv.slice(2);
const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => join('test', name))
  .filter(path => folders.length === 0 || folders.some(folder => path.startsWith(folder)))
  .filter(path => path.startsWith(join('test', 'faults')) || usesShare(path));

const environment = { PROPERTY_SHARE: '1', PROPERTY_SEED: String(randomInt(2 ** 31)), ...process.env };
process.stdout.write(`properties: PROPERTY_SEED=${environment.PROPERTY_SEED}\n`);
runTests(['--project', 'isolated', ...tests], environment);

/** The cases of test/faults use it in files of their own. */
function usesShare(path) {
  return readFileSync(path, 'utf8').includes('support/runs.ts');
}
