import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import * as files from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LockedError } from '../../src/errors/index.ts';
import { isLocalFilesystem } from '../../src/files/local-filesystem.ts';
import { type LockMachine, lockState, unlock, withLock, withLockInTurn } from '../../src/files/lock.ts';
import { removeLockFolder } from '../../src/files/lock-entry.ts';
import type { ProcessIdentity } from '../../src/files/process-identity.ts';
import { processTable } from '../../src/files/process-table.ts';
import { temporaryFolder } from '../support/folder.ts';
import { happening, someTime, until } from '../support/wait.ts';

vi.mock('../../src/files/local-filesystem.ts', { spy: true });
vi.mock('node:fs/promises', { spy: true });

const NOW = 1_000_000_000_000;
const US: ProcessIdentity = {
  pid: 100,
  host: 'desk',
  boot: 'boot-1',
  pidNamespace: 'pid:[1]',
  startTime: '5000',
};

/** A machine whose time passes only by sleeping, and on which only the given processes run, by their start times. */
function machine(running: Readonly<Record<number, string | undefined>> = {}, us = US): LockMachine {
  let now = NOW;
  const all: Readonly<Record<number, string | undefined>> = { [us.pid]: us.startTime, ...running };
  return {
    platform: process.platform,
    identify: () => us,
    find: pid => (Object.hasOwn(all, pid) ? { startTime: all[pid] } : undefined),
    now: () => now,
    sleep: async ms => {
      now += ms;
      await someTime(0);
    },
  };
}

const SINCE = '2026-03-14T12:00:00.000Z';

/** Lays a lock as its process left it, without the socket that the kernel closed. */
function heldBy(path: string, holder: Partial<ProcessIdentity>, since = SINCE): void {
  mkdirSync(`${path}.lock`);
  const content = { ...US, pid: 200, startTime: '7000', ...holder, id: 'a1b2c3d4e5f6', since };
  writeFileSync(join(`${path}.lock`, 'holder.json'), JSON.stringify(content));
}

async function takes(path: string, on: LockMachine = machine()): Promise<boolean> {
  try {
    return await withLock(path, { machine: on, wait: 0 }, async () => true);
  } catch (error) {
    expect(error).toMatchObject({ code: 'locked' });
    return false;
  }
}

describe('withLock', () => {
  test('gives the result back and leaves no lock', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'config.json');
    const result = await withLock(path, { machine: machine(), wait: 0 }, async () => {
      expect(readdirSync(folder)).toEqual(['config.json.lock']);
      const text = readFileSync(`${path}.lock/holder.json`, 'utf8');
      expect(JSON.parse(text)).toMatchObject({ ...US, since: new Date(NOW).toISOString() });
      return 42;
    });
    expect(result).toBe(42);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is released when the work fails', async () => {
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
      await someTime(1);
      inside--;
      done++;
    };
    const real = { ...machine(), now: () => NOW, sleep: (ms: number) => someTime(ms / 10) };
    await Promise.all(
      Array.from({ length: 10 }, () => withLock(path, { machine: real, wait: 60_000 }, task)),
    );
    expect(done).toBe(10);
  });

  test('the lock of a running process is waited for, then named', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, {});
    const work = withLock(path, { machine: machine({ 200: '7000' }), wait: 1_000 }, async () => 1);
    await expect(work).rejects.toThrowError(`${path} is locked by pid 200 on desk since ${SINCE}`);
    expect(existsSync(`${path}.lock`)).toBe(true);
  });

  test.each([
    ['a process that ended', { pid: 201 }],
    ['a process whose id went to another one', { startTime: '6999' }],
    ['an earlier process with our id, as in a restarted container', { pid: 100, startTime: '4000' }],
    ['a process on another host name of this machine', { pid: 201, host: 'old-name' }],
    ['a process that ran before the last boot', { boot: 'boot-0' }],
    ['a process in another PID namespace', { pidNamespace: 'pid:[2]' }],
  ])('the lock of %s is taken over', async (_, holder) => {
    const folder = temporaryFolder();
    vi.mocked(isLocalFilesystem).mockResolvedValue(true);
    const path = join(folder, 'c');
    heldBy(path, holder);
    // A socket that nobody listens on any more is left as well.
    await deadSocket(join(`${path}.lock`, 'alive'));
    expect(await lockState(path, machine({ 200: '7000' }))).toMatchObject({ kind: 'abandoned' });
    expect(await takes(path, machine({ 200: '7000' }))).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['on another machine', { boot: 'boot-0', host: 'server' }],
    ['in another PID namespace', { pidNamespace: 'pid:[2]' }],
  ])('on a shared file system, a process %s is never taken for dead', async (_, holder) => {
    vi.mocked(isLocalFilesystem).mockResolvedValue(false);
    const path = join(temporaryFolder(), 'c');
    heldBy(path, holder);
    await deadSocket(join(`${path}.lock`, 'alive'));
    expect(await takes(path)).toBe(false);
    expect(await lockState(path, machine())).toMatchObject({ kind: 'held', isRunning: undefined });
  });

  test.each([
    ['empty', ''],
    ['cut', '{"pid":4711,"ho'],
  ])('a lock that is %s is taken over at once, whatever its date', async (_, text) => {
    for (const at of [0, 1, 2_000_000_000_000, 4_000_000_000_000]) {
      const folder = temporaryFolder();
      const path = join(folder, 'c');
      writeFileSync(`${path}.lock`, text);
      utimesSync(`${path}.lock`, at / 1000, at / 1000);
      expect(await takes(path)).toBe(true);
      mkdirSync(`${path}.lock`);
      utimesSync(`${path}.lock`, at / 1000, at / 1000);
      expect(await takes(path)).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test('a lock dated in the future is taken over once its process has ended', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, { pid: 201 }, '2999-01-01T00:00:00.000Z');
    utimesSync(`${path}.lock`, 4e9, 4e9);
    expect(await takes(path)).toBe(true);
  });

  test('a clock that is set back does not prolong the wait', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, {});
    let now = NOW;
    const backwards = { ...machine({ 200: '7000' }), now: () => (now -= 1_000_000), sleep: async () => {} };
    await expect(withLock(path, { machine: backwards, wait: 1_000 }, async () => 1)).rejects.toThrowError(
      'is locked by pid 200',
    );
  });

  test('a lock in preparation that looks old, as by a wrong clock, is removed whole and prepared again', async () => {
    const folder = temporaryFolder();
    const real = await vi.importActual<typeof files>('node:fs/promises');
    const [isPrepared, goesOn, isWritten, isSwept] = [happening(), happening(), happening(), happening()];
    vi.mocked(files.writeFile).mockImplementationOnce(async (...args) => {
      isPrepared.happens();
      await goesOn.happened;
      await real.writeFile(...args);
    });
    // The other process begins to remove it, and ends when it is about to become the lock.
    vi.mocked(files.unlink).mockImplementationOnce(async path => {
      await real.unlink(path).finally(async () => {
        goesOn.happens();
        await isWritten.happened;
      });
    });
    vi.mocked(files.rename).mockImplementation(async (from, to) => {
      if (to === join(folder, 'one.lock')) {
        isWritten.happens();
        await isSwept.happened;
      }
      await real.rename(from, to);
    });
    onTestFinished(() => void vi.mocked(files.rename).mockReset());
    const one = withLock(join(folder, 'one'), { machine: machine(), wait: 0 }, async () => {
      expect(existsSync(join(folder, 'one.lock/holder.json'))).toBe(true);
    });
    await isPrepared.happened;
    await withLock(join(folder, 'other'), { machine: machine(), wait: 0 }, async () => {});
    isSwept.happens();
    await one;
    expect(readdirSync(folder)).toEqual([]);
  });

  test('leftovers of killed processes are removed; locks in preparation are not', async () => {
    const folder = temporaryFolder();
    const left = (name: string, holder: Partial<ProcessIdentity> | undefined, at = NOW) => {
      mkdirSync(join(folder, name));
      const text = JSON.stringify({ ...US, pid: 200, startTime: '7000', ...holder });
      if (holder !== undefined) writeFileSync(join(folder, name, 'holder.json'), text);
      utimesSync(join(folder, name), at / 1000, at / 1000);
    };
    left('.gatectl-000000000001.lock', { pid: 999 });
    left('.gatectl-000000000002.claim.lock', { pid: 999 });
    left('.gatectl-000000000003.lock', undefined, NOW - 120_000);
    left('.gatectl-000000000004.lock', undefined, NOW + 120_000);
    left('.gatectl-000000000005.lock', {});
    left('.gatectl-000000000006.lock', undefined);
    expect(await takes(join(folder, 'c'), machine({ 200: '7000' }))).toBe(true);
    expect(readdirSync(folder)).toEqual(['.gatectl-000000000005.lock', '.gatectl-000000000006.lock']);
  });

  test('what is left of a lock that a killed process was removing still names that process', async () => {
    const lock = join(temporaryFolder(), '.gatectl-000000000001.lock');
    // Nothing can be removed here, so the removal ends at its first file.
    mkdirSync(join(lock, 'alive'), { recursive: true });
    writeFileSync(join(lock, 'holder.json'), JSON.stringify(US));
    await expect(removeLockFolder(lock)).rejects.toThrowError();
    expect(readdirSync(lock)).toEqual(['alive', 'holder.json']);
  });

  test('a lock is released even if its folder cannot be removed, as on NFS while another process reads a file in it', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'c');
    await withLock(path, { machine: machine({}), wait: 0 }, async () => {
      writeFileSync(join(`${path}.lock`, '.nfs000000000001'), '');
    });
    expect(await lockState(path, machine({}))).toEqual({ kind: 'free' });
    expect(await takes(path, machine({}))).toBe(true);
  });

  test('a process that died while taking over a lock blocks no other', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'c');
    heldBy(path, { pid: 999 });
    const claim = join(folder, '.gatectl-a1b2c3d4e5f6.claim.lock');
    mkdirSync(claim);
    writeFileSync(join(claim, 'holder.json'), JSON.stringify({ ...US, pid: 998, id: 'f6e5d4c3b2a1' }));
    expect(await takes(path)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of many that find a dead lock, one at a time gets in', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, { pid: 999 });
    let inside = 0;
    const real = { ...machine(), now: () => NOW, sleep: (ms: number) => someTime(ms / 10) };
    const task = async () => {
      expect(++inside).toBe(1);
      await someTime(1);
      return inside--;
    };
    const results = await Promise.all(
      Array.from({ length: 8 }, () => withLock(path, { machine: real, wait: 60_000 }, task)),
    );
    expect(results).toEqual(Array(8).fill(1));
  });

  test('a lock of which a power cut left the socket only is taken over', async () => {
    const path = join(temporaryFolder(), 'c');
    mkdirSync(`${path}.lock`);
    writeFileSync(join(`${path}.lock`, 'alive'), '');
    expect(await withLock(path, { machine: machine(), wait: 0 }, async () => 1)).toBe(1);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('a missing folder is a file error', async () => {
    const path = join(temporaryFolder(), 'missing', 'c');
    const work = withLock(path, { machine: machine(), wait: 0 }, async () => 1);
    await expect(work).rejects.toThrowError(`cannot write ${path}.lock: its folder does not exist`);
  });

  test('a folder of another user with the name of a lock is reported and not changed', async () => {
    const path = join(temporaryFolder(), 'c');
    mkdirSync(`${path}.lock`);
    writeFileSync(join(`${path}.lock`, 'letters'), 'mine');
    const work = withLock(path, { machine: machine(), wait: 0 }, async () => 1);
    await expect(work).rejects.toThrowError(`${path}.lock exists, but is not a lock of gatectl`);
    expect(readdirSync(`${path}.lock`)).toEqual(['letters']);
  });

  test.skipIf(process.platform === 'win32')(
    'a link or a FIFO with the name of a lock is neither followed nor waited for',
    async () => {
      const folder = temporaryFolder();
      const path = join(folder, 'c');
      const other = join(folder, 'other');
      mkdirSync(other);
      writeFileSync(join(other, 'holder.json'), 'not a lock');
      symlinkSync(other, `${path}.lock`);
      expect(await takes(path)).toBe(true);
      expect(readdirSync(other)).toEqual(['holder.json']);
      await promisify(execFile)('mkfifo', [`${path}.lock`]);
      expect(await takes(path)).toBe(true);
    },
  );

  test('a path that is too long for a socket is locked all the same', async () => {
    const folder = join(temporaryFolder(), 'long'.repeat(30));
    mkdirSync(folder);
    const path = join(folder, 'c');
    await withLock(path, { machine: machine(), wait: 0 }, async () => {
      expect(readdirSync(`${path}.lock`).sort()).toEqual(['alive', 'holder.json']);
      const elsewhere = machine({}, { ...US, boot: 'boot-2' });
      expect(await lockState(path, elsewhere)).toMatchObject({ kind: 'held', isRunning: true });
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a disk that is too full for a claim does not keep a lock from being released', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'c');
    await withLock(path, { machine: machine(), wait: 0 }, async () => {
      vi.mocked(files.mkdir).mockRejectedValueOnce(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['of the holder', US, { boot: undefined, host: 'server' }],
    ['of this machine', { ...US, boot: undefined }, { host: 'server' }],
  ])(
    'where the boot %s is not known, a process on another host is not taken for dead',
    async (_, us, holder) => {
      vi.mocked(isLocalFilesystem).mockResolvedValue(true);
      const path = join(temporaryFolder(), 'c');
      heldBy(path, holder);
      expect(await takes(path, machine({}, us))).toBe(false);
    },
  );

  test.each([
    ['of the holder', { startTime: undefined }, '7000'],
    ['of the process with its id', {}, undefined],
  ])('where the start time %s is not known, its socket decides', async (_, holder, startTime) => {
    vi.mocked(isLocalFilesystem).mockResolvedValue(true);
    const path = join(temporaryFolder(), 'c');
    heldBy(path, holder);
    const on = machine({ 200: startTime });
    expect(await lockState(path, on)).toMatchObject({ kind: 'held', isRunning: undefined });
    await deadSocket(join(`${path}.lock`, 'alive'));
    expect(await lockState(path, on)).toMatchObject({ kind: 'abandoned' });
  });

  test('a file in place of its folder is a file error', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const path = join(file, 'c');
    await expect(lockState(path, machine())).rejects.toMatchObject({ path: `${path}.lock` });
    await expect(unlock(path, machine(), false)).rejects.toMatchObject({ path: `${path}.lock` });
  });
});

describe('withLockInTurn', () => {
  const waits: string[] = [];
  const turn = (path: string, on: LockMachine, run: () => Promise<unknown>, more = {}) => {
    waits.length = 0;
    return withLockInTurn(path, { machine: on, onWait: holder => void waits.push(holder), ...more }, run);
  };

  test('waits for a process that runs until it ends, and names it once', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, {});
    let looks = 0;
    const on = machine({ 200: '7000' });
    const find: LockMachine['find'] = pid => {
      looks += 1;
      return looks > 3 ? undefined : on.find(pid);
    };
    expect(await turn(path, { ...on, find }, async () => 'done')).toBe('done');
    expect(waits).toEqual([`${path} is locked by pid 200 on desk since ${SINCE}`]);
  });

  test('does not wait for one that may not run, and names the lock as it can be released', async () => {
    vi.mocked(isLocalFilesystem).mockResolvedValue(false);
    const path = join(temporaryFolder(), 'c');
    heldBy(path, { boot: 'boot-0', host: 'server' });
    await expect(turn(path, machine(), async () => 1, { unlockPath: 'lake/c' })).rejects.toMatchObject({
      path: 'lake/c',
    });
    await expect(turn(path, machine(), async () => 1)).rejects.toMatchObject({ path, isRunning: undefined });
    expect(waits).toEqual([]);
  });

  test('throws what the work throws, and does not do it twice', async () => {
    const path = join(temporaryFolder(), 'c');
    const error = new LockedError('other', { holder: undefined, isRunning: true });
    let times = 0;
    const work = turn(path, machine(), async () => {
      times += 1;
      throw error;
    });
    await expect(work).rejects.toBe(error);
    expect([times, waits]).toEqual([1, []]);
  });
});

describe('unlock', () => {
  test('releases what may still be held on another machine', async () => {
    vi.mocked(isLocalFilesystem).mockResolvedValue(false);
    const folder = temporaryFolder();
    const path = join(folder, 'c');
    heldBy(path, { boot: 'boot-0', host: 'server' });
    expect(await unlock(path, machine(), false)).toEqual({
      kind: 'held',
      holder: { pid: 200, host: 'server', since: SINCE },
      isRunning: undefined,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('leaves the lock of a running process, unless it is forced', async () => {
    const path = join(temporaryFolder(), 'c');
    heldBy(path, {});
    const on = machine({ 200: '7000' });
    expect(await unlock(path, on, false)).toMatchObject({ kind: 'held', isRunning: true });
    expect(existsSync(`${path}.lock`)).toBe(true);
    expect(await unlock(path, on, true)).toMatchObject({ kind: 'held', isRunning: true });
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('one that was released by force and acquired again stays with its new holder', async () => {
    const path = join(temporaryFolder(), 'c');
    await withLock(path, { machine: machine(), wait: 0 }, async () => {
      await unlock(path, machine(), true);
      heldBy(path, {});
    });
    expect(existsSync(`${path}.lock`)).toBe(true);
  });

  test('a lock that is released while it is removed by force does not take the next one with it', async () => {
    const path = join(temporaryFolder(), 'c');
    const real = await vi.importActual<typeof files>('node:fs/promises');
    const [isRemoving, goesOn] = [happening(), happening()];
    let isFirst = true;
    vi.mocked(files.rename).mockImplementation(async (from, to) => {
      if (from === `${path}.lock` && isFirst) {
        isFirst = false;
        isRemoving.happens();
        await goesOn.happened;
      }
      await real.rename(from, to);
    });
    onTestFinished(() => void vi.mocked(files.rename).mockReset());
    const waiting = { ...machine(), sleep: async () => goesOn.happens() };
    let removed: Promise<unknown> = Promise.resolve();
    await withLock(path, { machine: waiting, wait: 0 }, async () => {
      removed = unlock(path, machine(), true);
      await isRemoving.happened;
    });
    await withLock(path, { machine: machine(), wait: 0 }, async () => {
      goesOn.happens();
      await removed;
      expect(readdirSync(`${path}.lock`)).toContain('holder.json');
    });
  });

  test('reports that there is nothing to release', async () => {
    expect(await unlock(join(temporaryFolder(), 'c'), machine(), false)).toEqual({ kind: 'free' });
  });
});

describe('processTable', () => {
  test.runIf(process.platform === 'linux')('a zombie is not a running process', async () => {
    const table = processTable(process);
    // The shell becomes a process that never waits for its child.
    const parent = spawn('sh', ['-c', 'read line <&3 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    onTestFinished(() => {
      parent.kill('SIGKILL');
    });
    const pid = await new Promise<number>(resolve => {
      parent.stdout?.once('data', data => resolve(Number(String(data))));
    });
    const start = table.find(pid)?.startTime;
    expect(start).toMatch(/^\d+$/);
    // Until then it is the shell, which may wait for its child.
    await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
    (parent.stdio[3] as Writable).end('\n');
    await until(() => table.find(pid) === undefined);
    expect(process.kill(pid, 0)).toBe(true);
    const us = table.identify();
    expect(table.find(us.pid)).toEqual({ startTime: us.startTime });
  });
});

/** A socket as it is left by a process that was killed. */
async function deadSocket(path: string): Promise<void> {
  const server = createServer();
  // Node removes the name that it bound, so another one stays.
  await new Promise<void>(resolve => server.listen(`${path}0`, resolve));
  linkSync(`${path}0`, path);
  await new Promise(resolve => server.close(resolve));
  expect(existsSync(path)).toBe(true);
}
