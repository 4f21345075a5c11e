// Judges `bda why` on every week of real series (which of them were seen before is in test/series/README.md): the headline names the
// largest contributor or says why not, the contributions add up, and at least 95 % of the weeks in which nothing happened are as usual. Then plants a cause in 500
// accounts: it must be first in 95 % of them.
import { runTests } from './run-tests.js';

const TESTS = ['real', 'scenarios'].map(name => `test/commands/bda/why/${name}.test.ts`);

runTests(TESTS, { WHY_EVERY: '1', WHY_SCENARIOS: '500' });
