// Plants a cause in 500 accounts and lets `bda why` find it: it must be first in 95 % of them, and the contributions must add up in all.
import { runTests } from './run-tests.js';

runTests(['test/commands/bda/why/scenarios.test.ts'], { WHY_SCENARIOS: '500' });
