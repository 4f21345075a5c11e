import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LockMachine } from '../../src/files/lock.ts';
import { NO_SCHEMA } from '../../src/sync/column-types.ts';
import { FolderStore } from '../../src/sync/destinations/lake/folder-store.ts';
import { Lake } from '../../src/sync/destinations/lake/lake.ts';
import { temporaryFolder } from '../support/folder.ts';
import { someTime, until } from '../support/wait.ts';

const US = { pid: process.pid, host: 'host.example.com' };
const MACHINE = {
  platform: process.platform,
  identify: () => US,
  find: () => undefined,
  now: Date.now,
  sleep: someTime,
} as unknown as LockMachine;

function lakes(count: number, machine = MACHINE): Lake[] {
  const folder = temporaryFolder();
  return Array.from({ length: count }, () => new Lake(new FolderStore('lake', folder, machine), []));
}

test('two processes never write the same site of a table at once, but may write two sites', async () => {
  const [one, other, third] = lakes(3) as [Lake, Lake, Lake];
  const said: string[] = [];
  let wroteOther: () => void = () => {};
  const otherSite = new Promise<void>(resolve => {
    wroteOther = resolve;
  });
  const first = one.lockSite('pages', 7, async () => {
    said.push('first starts');
    const second = other.lockSite('pages', 7, async () => said.push('second'));
    await third.lockSite('pages', 8, async () => wroteOther());
    await otherSite;
    said.push('first ends');
    return { second };
  });
  await (await first).second;
  expect(said).toEqual(['first starts', 'first ends', 'second']);
});

test('a lock of another machine is named, so that it can be released', async () => {
  const folder = temporaryFolder();
  const lake = new Lake(new FolderStore('lake', folder, MACHINE), []);
  const names: string[] = [];
  await lake.lockSite('pages', 7, async () => {
    const all = readdirSync(folder, { recursive: true }) as string[];
    names.push(...all.filter(name => name.endsWith('pages-7.lock')));
  });
  const lock = join(folder, names[0] ?? '');
  mkdirSync(lock);
  writeFileSync(join(lock, 'holder.json'), JSON.stringify({ pid: 3, host: 'lost.example.com' }));
  await expect(lake.lockSite('pages', 7, async () => {})).rejects.toMatchObject({
    path: join('lake', (names[0] ?? '').replace(/\.lock$/, '')),
    isRunning: undefined,
  });
});

test('a run waits for the sites that others write, and they wait for it', async () => {
  let waits = 0;
  const [run, worker, late] = lakes(3, {
    ...MACHINE,
    sleep: ms => {
      waits += 1;
      return someTime(ms);
    },
  }) as [Lake, Lake, Lake];
  const said: string[] = [];
  let isWaiting: (holder: string) => void = () => {};
  const waiting = new Promise<string>(resolve => {
    isWaiting = resolve;
  });
  const { ran } = await worker.lockSite('pages', 7, async () => {
    const ran = run.exclusively(isWaiting, async () => {
      said.push('run starts');
      const afterwards = late.lockSite('pages', 8, async () => said.push('late site'));
      const before = waits;
      await until(() => waits > before);
      said.push('run ends');
      return { afterwards };
    });
    expect(await waiting).toContain('lake');
    said.push('site ends');
    return { ran };
  });
  await (await ran).afterwards;
  expect(said).toEqual(['site ends', 'run starts', 'run ends', 'late site']);
});

test('no change of the column types is lost when two processes change them', async () => {
  const [one, other] = lakes(2) as [Lake, Lake];
  const add = (lake: Lake, name: string) =>
    lake.updateSchema('pages', ({ version, columns }) => ({
      version: version + 1,
      columns: [...columns, { name, kind: 'text', whole: 0, scale: 0 }],
    }));
  await Promise.all([add(one, 'a'), add(other, 'b'), add(one, 'c'), add(other, 'd')]);
  const { version, columns } = await one.schema('pages');
  expect([version, columns.map(({ name }) => name).sort()]).toEqual([4, ['a', 'b', 'c', 'd']]);
  expect(await one.updateSchema('other', () => undefined)).toEqual(NO_SCHEMA);
});
