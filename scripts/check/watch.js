// Judges `bda watch` twice. On real series that none of its constants was chosen by (test/series): what it finds of planted incidents, and
// how often it alerts without one. On ten years of 10 made-up sites: at most one false alert a quarter, and 95 % of drops of 20 %.
import { runTests } from './run-tests.js';

runTests(['test/analysis/alerts.test.ts', 'test/series/judged.test.ts'], {
  WATCH_SITES: '10',
  WATCH_PLANTS: '50',
});
