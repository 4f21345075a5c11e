import { existsSync, readFileSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import type * as Net from 'node:net';
import { basename, dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type * as Liveness from '../../src/files/liveness-socket.ts';
import { temporaryFolder } from '../support/folder.ts';
import { currentActor, ENDED, gate, historiesOf, Stage } from './stage.ts';

/** The lock, or a claim. */
const isLock = (path: string) => basename(path) === 'c.lock' || path.endsWith('.claim.lock');
/** Where a process looks for the reason of a rename that failed, which is no step. */
const looksAt = new Map<object, string>();

vi.mock('node:fs/promises', async importOriginal => {
  const real = await importOriginal<typeof Files>();
  return {
    ...real,
    async lstat(path: string) {
      const actor = currentActor();
      if (actor !== undefined && looksAt.get(actor) === path) looksAt.delete(actor);
      else if (isLock(path)) await gate(`read ${path}`);
      return await real.lstat(path);
    },
    async rename(from: string, to: string) {
      if (isLock(to)) await gate(`take ${to}`);
      else if (isLock(from)) await gate(`remove ${from}`);
      try {
        await real.rename(from, to);
      } catch (error) {
        const actor = currentActor();
        if (actor !== undefined) looksAt.set(actor, to);
        throw error;
      }
    },
    // What ended processes left is not removed, as in the model.
    async readdir(path: string) {
      return isLock(path) ? await real.readdir(path) : [];
    },
  };
});

vi.mock('node:net', async importOriginal => {
  const real = await importOriginal<typeof Net>();
  return {
    ...real,
    createServer(listener: (socket: Net.Socket) => void) {
      const server = real.createServer(listener);
      currentActor()?.sockets.add(server);
      return server;
    },
  };
});

vi.mock('../../src/files/liveness-socket.ts', async importOriginal => {
  const real = await importOriginal<typeof Liveness>();
  return {
    ...real,
    async isListening(...args: Parameters<typeof real.isListening>) {
      await gate('alive');
      return await real.isListening(...args);
    },
  };
});

const UNLOCKER = '3';

/** The code of each process: each has its own memory. */
const CODE = new Map<string, typeof import('../../src/files/lock.ts')>();
for (const name of ['0', '1', '2', UNLOCKER]) {
  vi.resetModules();
  CODE.set(name, await import('../../src/files/lock.ts'));
}

test.each(historiesOf('lock'))('the lock does what its model does: history $title', async ({ steps }) => {
  const path = join(temporaryFolder(), 'c');
  const stage = new Stage();
  /** Ids of the code by those of the model. */
  const ids = new Map<number, string>();
  const pathOf = (id: number) =>
    id === 0 ? `${path}.lock` : join(dirname(path), `.gatectl-${ids.get(id)}.claim.lock`);
  const idAt = (at: number) => {
    const holder = join(pathOf(at), 'holder.json');
    return existsSync(holder) ? JSON.parse(readFileSync(holder, 'utf8')).id : undefined;
  };
  const workOf = (name: string) => {
    const machine = stage.machine(name);
    const { unlock, withLock } = CODE.get(name) as typeof import('../../src/files/lock.ts');
    if (name === UNLOCKER) return () => unlock(path, machine, true);
    return () =>
      withLock(path, { machine, wait: Number.MAX_SAFE_INTEGER }, async () => {
        await gate('enter');
        await gate('leave');
      });
  };
  for (const { who, what, values, text } of steps) {
    const actor = stage.actor(who) ?? stage.start(who, workOf(who));
    const [at = 0, id = 0] = values;
    const next = await actor.next();
    if (what === 'ends') {
      await actor.kill();
      continue;
    }
    expect(next, text).toBe(values.length < 2 ? what : `${what} ${pathOf(at)}`);
    if (what === 'read' || what === 'remove') expect(idAt(at), text).toBe(id === 0 ? undefined : ids.get(id));
    const before = what === 'take' ? idAt(at) : undefined;
    await actor.go();
    if (what === 'take' && id !== 0) ids.set(id, idAt(at));
    if (what === 'take') expect(before === undefined, text).toBe(id !== 0);
  }
  for (const actor of stage.actors)
    if (!actor.isKilled) expect([await actor.next(), actor.error]).toEqual([ENDED, undefined]);
  expect(existsSync(`${path}.lock`)).toBe(
    stage.actors.some(({ isKilled }) => isKilled) && idAt(0) !== undefined,
  );
});
