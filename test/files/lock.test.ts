import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as realSleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type LockMachine, withLock } from '../../src/files/lock.ts';
import { makePrivateFolder } from '../../src/files/private-folder.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A machine whose time passes only by sleeping, and on which only the given processes run. */
function machine(
  options: { pid?: number; host?: string; running?: number[]; start?: number } = {},
): LockMachine {
  let now = options.start ?? 1_000_000_000_000;
  return {
    pid: options.pid ?? 100,
    host: options.host ?? 'desk',
    isRunning: pid => (options.running ?? [100]).includes(pid),
    now: () => now,
    sleep: async ms => {
      now += ms;
      await realSleep(0);
    },
  };
}

function heldBy(path: string, holder: unknown): void {
  writeFileSync(`${path}.lock`, JSON.stringify(holder));
}

describe('withLock', () => {
  test('gives the result back and leaves no lock', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'config.json');
    const result = await withLock(path, { machine: machine(), wait: 0 }, async () => {
      expect(existsSync(`${path}.lock`)).toBe(true);
      return 42;
    });
    expect(result).toBe(42);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is let go when the work fails', async () => {
    const folder = temporaryFolder();
    const work = withLock(join(folder, 'c'), { machine: machine(), wait: 0 }, async () => {
      throw new Error('work failed');
    });
    await expect(work).rejects.toThrowError('work failed');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('tasks of one process take turns', async () => {
    const path = join(temporaryFolder(), 'c');
    let inside = 0;
    let done = 0;
    const task = async () => {
      expect(++inside).toBe(1);
      await realSleep(1);
      inside--;
      done++;
    };
    const real = { ...machine(), sleep: (ms: number) => realSleep(ms / 10) };
    await Promise.all(
      Array.from({ length: 10 }, () => withLock(path, { machine: real, wait: 60_000 }, task)),
    );
    expect(done).toBe(10);
  });

  test('the lock of a running process is waited for, then named', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, { pid: 200, host: 'desk' });
    const work = withLock(path, { machine: machine({ running: [100, 200] }), wait: 1_000 }, async () => 1);
    await expect(work).rejects.toThrowError(
      `${path} is in use by process 200 on desk; if nothing runs there any more, remove ${path}.lock`,
    );
    expect(existsSync(`${path}.lock`)).toBe(true);
  });

  test('the lock of a process that died is taken over', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'c');
    heldBy(path, { pid: 200, host: 'desk' });
    expect(await withLock(path, { machine: machine(), wait: 0 }, async () => 'mine')).toBe('mine');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('the lock of an earlier process with our id, as in a restarted container, is taken over', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, { pid: 100, host: 'desk' });
    expect(await withLock(path, { machine: machine(), wait: 0 }, async () => 'mine')).toBe('mine');
  });

  test('a process on another machine is never taken for dead', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, { pid: 200, host: 'server' });
    const work = withLock(path, { machine: machine(), wait: 100 }, async () => 1);
    await expect(work).rejects.toThrowError('in use by process 200 on server');
  });

  test('a lock without a holder is given five seconds to get one', async () => {
    const path = join(temporaryFolder(), 'c');
    writeFileSync(`${path}.lock`, '');
    const start = 2_000_000_000_000;
    utimesSync(`${path}.lock`, start / 1000, start / 1000);
    const early = withLock(path, { machine: machine({ start }), wait: 1_000 }, async () => 1);
    await expect(early).rejects.toThrowError('in use by another process');
    expect(await withLock(path, { machine: machine({ start: start + 6_000 }), wait: 0 }, async () => 1)).toBe(
      1,
    );
  });

  test('of many that find a dead lock, one at a time gets in', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, { pid: 999, host: 'desk' });
    let inside = 0;
    const real = { ...machine(), sleep: (ms: number) => realSleep(ms / 10) };
    const task = async () => {
      expect(++inside).toBe(1);
      await realSleep(1);
      return inside--;
    };
    const results = await Promise.all(
      Array.from({ length: 8 }, () => withLock(path, { machine: real, wait: 60_000 }, task)),
    );
    expect(results).toEqual(Array(8).fill(1));
  });

  test('a folder that is not there is a file error', async () => {
    const path = join(temporaryFolder(), 'missing', 'c');
    const work = withLock(path, { machine: machine(), wait: 0 }, async () => 1);
    await expect(work).rejects.toThrowError(`cannot write ${path}.lock: its folder does not exist`);
  });
});

describe('makePrivateFolder', () => {
  test.runIf(process.platform !== 'win32')('makes folders for this user alone', async () => {
    const folder = temporaryFolder();
    await makePrivateFolder(join(folder, 'a', 'b'));
    await makePrivateFolder(join(folder, 'a', 'b'));
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
  });

  test('a file in its place is named', async () => {
    const path = join(temporaryFolder(), 'f');
    writeFileSync(path, '');
    await expect(makePrivateFolder(path)).rejects.toThrowError(
      `cannot write ${path}: something else has that name`,
    );
  });
});
