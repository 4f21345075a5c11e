import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseFault, startSandbox } from '../../src/sandbox/index.ts';
import { emptyHome, gatectl, startGatectl } from '../support/gatectl.ts';
import { filesOf, folderWith } from '../support/real-sync.ts';
import { until } from '../support/wait.ts';

const FILE = `destination: lake
tables:
  pages:
    data_set: pageview
    dimensions: [country, device]
    metrics: [visits, revenue, bounce_rate]
    start: 2026-01-10
    end: 2026-03-13
`;

test('shards in processes of their own, one of which is killed and repeated, leave the bytes of a single run', async () => {
  let held: Promise<unknown> = Promise.resolve();
  const sandbox = await startSandbox({
    now: () => Date.UTC(2026, 2, 14, 12),
    faults: [parseFault('delay=1h,path=/query')],
    sleep: async (_, signal) => void (await Promise.race([held, once(signal, 'abort')])),
  });
  onTestFinished(() => sandbox.close());
  const home = await emptyHome();
  onTestFinished(home.remove);
  const { apiKey } = sandbox;
  const env = { ...home.env, GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: apiKey };
  const [alone, shared] = [folderWith(FILE), folderWith(FILE)];
  expect((await gatectl(['bda', 'sync', 'run'], { env, cwd: alone })).exitCode).toBe(0);
  const { stdout } = await gatectl(['bda', 'sync', 'plan', '--units'], { env, cwd: shared });
  expect(stdout).not.toContain(apiKey);
  writeFileSync(join(shared, 'units.ndjson'), stdout);
  const task = (id: number) =>
    startGatectl(['bda', 'sync', 'run', '--units', 'units.ndjson', '--shard-env', 'SLURM_ARRAY_TASK_ID'], {
      env: {
        ...env,
        SLURM_ARRAY_TASK_ID: String(id),
        SLURM_ARRAY_TASK_MIN: '1',
        SLURM_ARRAY_TASK_MAX: '3',
        SLURM_ARRAY_TASK_COUNT: '3',
        SLURM_ARRAY_TASK_STEP: '1',
      },
      cwd: shared,
    });
  let release = () => {};
  held = new Promise<void>(resolve => {
    release = resolve;
  });
  const killed = task(2);
  const others = [task(1), task(3)];
  // A site is locked before its query is sent, which is answered only after the shard was killed.
  const locks = join(shared, 'lake/_gatectl/sites');
  const own = `"pid":${killed.pid},`;
  const isHeld = (name: string) => {
    try {
      return readFileSync(join(locks, name, 'holder.json'), 'utf8').includes(own);
    } catch {
      return false;
    }
  };
  await until(() => existsSync(locks) && readdirSync(locks).some(isHeld));
  killed.kill('SIGKILL');
  expect((await killed).signal).toBe('SIGKILL');
  release();
  expect((await Promise.all(others)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect((await task(2)).exitCode).toBe(0);
  const expected = filesOf(join(alone, 'lake'));
  expect(Object.keys(expected)).toHaveLength(9);
  expect(filesOf(join(shared, 'lake'))).toEqual(expected);
});
