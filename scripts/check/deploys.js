// Purges a thousand random deploy histories of real git repositories with `cdn purge --git`: no page may be stale after a confirmed purge,
// and a proven chain may purge at most 1.2 times the URLs that it must.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

const HISTORIES = Number(process.env.DEPLOY_HISTORIES ?? 1000);
const workers = Math.min(4, availableParallelism());
const each = Math.ceil(HISTORIES / workers);

const words = ['run', '--project', 'unit', '--reporter=dot', 'test/commands/cdn/purge/deploys.test.ts'];
const codes = await Promise.all(
  Array.from({ length: workers }, async (_, worker) => {
    const env = { ...process.env, DEPLOY_HISTORIES: `${each}`, DEPLOY_SEED: `${1 + worker * each}` };
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...words], {
      stdio: 'inherit',
      env,
    });
    const [code] = await once(child, 'exit');
    return code;
  }),
);
process.exitCode = codes.every(code => code === 0) ? 0 : 1;
