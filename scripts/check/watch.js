// Simulates ten years of 40 sites without an incident, and plants drops of 20 %: `bda watch` may raise at most one false alert a quarter
// for a metric, and must find 95 % of the drops on their first day.
import { runTests } from './run-tests.js';

runTests(['test/analysis/alerts.test.ts'], { WATCH_SITES: '40' });
