import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { emptyHome, gatectl, serveSandbox, startGatectl } from '../support/gatectl.ts';

const FILE = `destination: lake
tables:
  pages:
    data_set: pageview
    dimensions: [country, device]
    metrics: [visits, revenue, bounce_rate]
    start: 2026-01-10
    end: 2026-03-13
`;

/** The data files below a lake, by path, with a hash of their content. */
function filesOf(lake: string): Record<string, string> {
  const files = readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !path.includes('_gatectl'))
    .sort();
  return Object.fromEntries(
    files.map(path => [relative(lake, path), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

test('shards in processes of their own, one of which is killed and repeated, leave the bytes of a single run', {
  timeout: 60_000,
}, async () => {
  const home = await emptyHome();
  onTestFinished(home.remove);
  // A query takes so long that a shard can be killed while it waits for one.
  const slow = ['--fault', 'delay=400ms,path=/query'];
  const { server, baseUrl, apiKey } = await serveSandbox(['--clock', '2026-03-14T12:00:00Z', ...slow], {
    env: home.env,
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await server;
  });
  const env = { ...home.env, GATECTL_BASE_URL: baseUrl, GATECTL_API_KEY: apiKey };
  const [alone, shared] = [temporaryFolder(), temporaryFolder()];
  for (const folder of [alone, shared]) writeFileSync(join(folder, 'gatectl.sync.yaml'), FILE);
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
