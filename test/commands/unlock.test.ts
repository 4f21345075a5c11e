import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLock } from '../../src/files/lock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { lockMachine } from '../support/lock-machine.ts';
import { run } from '../support/run.ts';

const SINCE = '2026-03-14T09:00:00.000Z';

function lock(path: string, holder: object): void {
  mkdirSync(`${path}.lock`, { recursive: true });
  const content = { id: '0123456789ab', pid: 4711, host: 'web-1', since: SINCE, ...holder };
  writeFileSync(join(`${path}.lock`, 'holder.json'), JSON.stringify(content));
}

test('releases the lock that another machine left on an export, and names that machine', async () => {
  const folder = temporaryFolder();
  lock(join(folder, 'daily.csv.part'), {});
  const ran = await run(['unlock', join(folder, 'daily.csv'), '--json']);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toEqual([
    { path: join(folder, 'daily.csv.part'), released: true, pid: 4711, host: 'web-1', since: SINCE },
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('without a file releases the locks of purges and of the profiles file', async () => {
  const home = temporaryFolder();
  lock(join(home, 'config.json'), {});
  mkdirSync(join(home, 'state/purges/one'), { recursive: true });
  lock(join(home, 'state/purges/one'), {});
  // Purges without a home folder are in the folder for temporary files, which other tests use.
  const env = { GATECTL_CONFIG_DIR: home, TMPDIR: home };
  const ran = await run(['unlock', '--json', '--jq', '.[].path'], { env });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain(join(home, 'config.json'));
  expect(ran.stdout).toContain(join(home, 'state/purges/one'));
  expect(readdirSync(join(home, 'state/purges'))).toEqual(['one']);
  expect(existsSync(join(home, 'config.json.lock'))).toBe(false);
  const again = await run(['unlock'], { env });
  expect(again.code).toBe(0);
  expect(again.stdout + again.stderr).toContain('no locks found');
});

test('leaves the lock of a running process, unless --force is given', async () => {
  const path = join(temporaryFolder(), 'daily.csv');
  await withLock(`${path}.part`, { machine: lockMachine, wait: 0 }, async () => {
    const refused = await run(['unlock', path, '--json']);
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject([{ released: false, pid: process.pid }]);
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: 'locked',
      hints: ['wait until that process ends'],
    });
    expect(existsSync(`${path}.part.lock`)).toBe(true);
    expect((await run(['unlock', path, '--force'])).code).toBe(0);
    expect(existsSync(`${path}.part.lock`)).toBe(false);
  });
});

test('a file that is not locked is named', async () => {
  const ran = await run(['unlock', 'daily.csv']);
  expect(ran).toEqual({ code: 2, stdout: '', stderr: 'error: daily.csv is not locked\n' });
});
