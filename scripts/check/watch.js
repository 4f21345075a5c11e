// Simulates ten years of 40 sites without an incident, and plants drops of 20 %: `bda watch` may raise at most one false alert a quarter
// for a metric, and must find 95 % of the drops on their first day.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'unit',
    '--reporter=dot',
    'test/analysis/alerts.test.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, WATCH_SITES: '40' } },
);
process.exitCode = status ?? 1;
