// Plants a cause in 500 accounts and lets `bda why` find it: it must be first in 95 % of them, and the contributions must add up in all.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'unit',
    '--reporter=dot',
    'test/commands/bda/why/scenarios.test.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, WHY_SCENARIOS: '500' } },
);
process.exitCode = status ?? 1;
