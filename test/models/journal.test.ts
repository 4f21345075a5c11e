import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import type * as Net from 'node:net';
import { basename, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { PurgeJournal } from '../../src/apis/cdn/journal.ts';
import type { GatewayRequest } from '../../src/http/request.ts';
import type { Sender } from '../../src/http/sender.ts';
import type { Machine } from '../../src/operations/machine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Actor, currentActor, ENDED, gate, historiesOf, Stage } from './stage.ts';

/** Processes that have not looked at a journal under its lock yet, and those that have not read what was confirmed. */
const looking = new WeakSet<Actor>();
const reading = new WeakSet<Actor>();
/** Processes with the lock. */
const holding = new WeakSet<Actor>();

vi.mock('node:fs/promises', async importOriginal => {
  const real = await importOriginal<typeof Files>();
  return {
    ...real,
    async readFile(path: string, ...rest: [BufferEncoding]) {
      const actor = currentActor();
      if (actor !== undefined && path.endsWith('/head') && looking.delete(actor)) await gate('there');
      if (actor !== undefined && path.endsWith('/done') && reading.delete(actor)) await gate('read');
      return await real.readFile(path, ...rest);
    },
    async rename(from: string, to: string) {
      if (basename(to).startsWith('.removed-')) await gate('gone');
      const actor = currentActor();
      // That of a process that ended is removed without a step.
      if (actor !== undefined && from.endsWith('/purge.lock') && holding.delete(actor)) await gate('unlock');
      await real.rename(from, to);
      if (actor !== undefined && to.endsWith('/purge.lock')) holding.add(actor);
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

const load = async () => ({
  ...(await import('../../src/operations/purge/purge.ts')),
  ...(await import('../../src/operations/purge/journal-folders.ts')),
  ...(await import('../../src/apis/cdn/journal.ts')),
  ...(await import('../../src/files/lock.ts')),
});
/** The code of each process: each has its own memory. */
const CODE = new Map<string, Awaited<ReturnType<typeof load>>>();
const [PURGE, REDO] = ['0', '3'];
for (const name of [PURGE, '1', '2', REDO, '4']) {
  vi.resetModules();
  CODE.set(name, await load());
}

const BATCH = 100;
const URLS = Array.from({ length: 2 * BATCH }, (_, index) => `https://example.com/${index}`);
const OWNER = { baseUrl: 'https://gateway.example.com', key: { salt: '00', hash: 'ff' } };

test.each(historiesOf('journal'))('a purge does what its model does: history $title', async ({ steps }) => {
  const parent = temporaryFolder();
  const folder = join(parent, 'purge');
  const stage = new Stage();
  const cleared = new Set<number>();

  const sender = {
    capacity: () => 1,
    async send(request: GatewayRequest) {
      const batch = /example\.com\/0\b/.test(JSON.stringify(request)) ? 0 : 1;
      await gate(`send ${batch}`);
      cleared.add(batch);
      await gate(`answer ${batch}`);
      return { body: { Success: true, Error: '' } };
    },
  } as unknown as Sender;

  const workOf = (name: string) => async () => {
    const actor = currentActor() as Actor;
    const code = CODE.get(name) as Awaited<ReturnType<typeof load>>;
    const machine = stage.machine(name) as unknown as Machine;
    const purge = async (journal: PurgeJournal, prepare: () => Promise<boolean>) => {
      const run = new code.PurgeRun(
        { journal, what: 'URL', keys: [], domain: 'example.com', isResumed: name !== PURGE },
        { isSending: true, stages: [1], pause: 0, repeatAfter: undefined, concurrency: 1, split: false },
        {
          clock: { now: () => 0, sleep: async () => {} } as never,
          signal: new AbortController().signal,
          machine,
          gateway: async () => sender,
          site: async () => ({ prefix: '', keyIn: 'header', timeoutMs: 1000 }) as never,
          onErrorText: () => {},
          report: () => {},
          weigh: async () => {},
          record: async () => undefined,
        },
      );
      await run.execute(prepare, async () => {});
      expect([run.isConfirmed, [...cleared].sort()]).toEqual([true, [0, 1]]);
    };
    if (name === PURGE) {
      await gate('list');
      const journal = await code.PurgeJournal.create(folder);
      return await purge(journal, async () => {
        for (const url of URLS) journal.add(url);
        await gate('flush');
        await journal.endList(true);
        await gate('seal');
        await journal.seal(OWNER, '2026-03-14T12:00:00Z');
        return true;
      });
    }
    await gate('look');
    const [found] = await code.PurgeJournal.unfinished(parent);
    const isHeld = (await code.lockState(folder, machine)).kind === 'held';
    if (found === undefined || isHeld) return;
    expect(found).not.toHaveProperty('problem');
    const { journal } = found as Extract<typeof found, { journal: unknown }>;
    if (name === REDO) cleared.add(0).add(1);
    await gate('lock');
    if (name === REDO) return await code.removeJournals([journal], machine);
    looking.add(actor);
    reading.add(actor);
    await purge(journal, async () => true);
  };

  /** Whether the first line of each batch is confirmed, as the next process finds it. */
  const confirmed = async () => {
    const code = CODE.get('4') as Awaited<ReturnType<typeof load>>;
    const [found] = await code.PurgeJournal.unfinished(parent);
    if (found === undefined || !('journal' in found)) return expect.unreachable('no journal');
    const left = new Set<number>();
    for await (const block of found.journal.remaining()) for (const { index } of block) left.add(index);
    return [0, BATCH].map(index => (left.has(index) ? 0 : 1));
  };

  for (const { who, what, values, text } of steps) {
    if (who === 'power') {
      for (const actor of stage.actors) await actor.kill();
      const lost = text.split(' ').slice(1);
      if (lost.includes('urls')) truncateSync(join(folder, 'urls'), 0);
      const done = join(folder, 'done');
      const lines = existsSync(done) ? readFileSync(done, 'utf8').split('\n') : [];
      const isLost = (line: string) => lost.some(batch => line.startsWith(`${Number(batch) * BATCH} `));
      if (lines.length > 0) writeFileSync(done, lines.filter(line => !isLost(line)).join('\n'));
      continue;
    }
    const actor = stage.actor(who) ?? stage.start(who, workOf(who));
    const [value] = values;
    if (what === 'ends') {
      await actor.next();
      await actor.kill();
      continue;
    }
    const isOfBatch = what === 'send' || what === 'answer';
    expect([text, await actor.next(), actor.error]).toEqual([
      text,
      isOfBatch ? `${what} ${value}` : what,
      undefined,
    ]);
    if (what === 'read') {
      expect([text, await confirmed()]).toEqual([text, values]);
      // Nothing is confirmed that was not cleared.
      for (const [batch, isConfirmed] of values.entries()) if (isConfirmed) expect(cleared).toContain(batch);
    }
    const next = await actor.go();
    if (value === 0 && what === 'look') expect([text, next]).toEqual([text, ENDED]);
    if (value === 0 && what === 'lock') expect([text, next]).toEqual([text, ENDED]);
    if (value === 0 && what === 'there') {
      expect([text, next, await actor.go()]).toEqual([text, 'unlock', ENDED]);
      expect(actor.error).toMatchObject({ code: 'cannot_resume' });
    }
    if (what === 'unlock') expect([text, next, actor.error]).toEqual([text, ENDED, undefined]);
  }
});
