import { spawnSync } from 'node:child_process';

/** Runs unit tests with more environment variables, in the terminal of this process, and ends with their exit code. */
export function runTests(args, environment) {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--reporter=dot', ...args],
    { stdio: 'inherit', env: { ...process.env, ...environment } },
  );
  process.exitCode = status ?? 1;
}
