import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { gatectl, startGatectl } from '../support/gatectl.ts';
import { filesOf, folderWith, sandboxForSyncs } from '../support/real-sync.ts';

const FILE = `destination: lake
tables:
  pages:
    data_set: pageview
    dimensions: [country, device]
    metrics: [visits, revenue, bounce_rate]
    start: 2026-01-10
    end: 2026-03-13
`;

test('shards in processes of their own, one of which is killed and repeated, leave the bytes of a single run', {
  timeout: 60_000,
}, async () => {
  // A query takes so long that a shard can be killed while it waits for one.
  const { env, apiKey } = await sandboxForSyncs(['--fault', 'delay=400ms,path=/query']);
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
  const killed = task(2);
  const others = [task(1), task(3)];
  // A site is locked before its query is sent.
  const locks = join(shared, 'lake/_gatectl/sites');
  const own = `"pid":${killed.pid},`;
  await vi.waitUntil(
    () =>
      existsSync(locks) &&
      readdirSync(locks).some(name => {
        const holder = join(locks, name, 'holder.json');
        return existsSync(holder) && readFileSync(holder, 'utf8').includes(own);
      }),
    { timeout: 20_000, interval: 10 },
  );
  killed.kill('SIGKILL');
  expect((await killed).signal).toBe('SIGKILL');
  expect((await Promise.all(others)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect((await task(2)).exitCode).toBe(0);
  const expected = filesOf(join(alone, 'lake'));
  expect(Object.keys(expected)).toHaveLength(9);
  expect(filesOf(join(shared, 'lake'))).toEqual(expected);
});
