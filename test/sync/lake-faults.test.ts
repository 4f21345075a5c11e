import type * as SyncFiles from 'node:fs';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { LockMachine } from '../../src/files/lock.ts';
import { FolderStore } from '../../src/sync/destinations/lake/folder-store.ts';
import { Lake } from '../../src/sync/destinations/lake/lake.ts';
import { LedgerFile } from '../../src/sync/destinations/lake/ledger-file.ts';
import type { LedgerEntry } from '../../src/sync/ledger.ts';
import { temporaryFolder } from '../support/folder.ts';
import { STEP } from '../support/runs.ts';
import { withFailingCall } from './failing-disk.ts';
import { figuresOf, SYNC_FILE, syncing } from './source.ts';

vi.mock('node:fs/promises', async original => {
  const { failingFiles } = await import('./failing-disk.ts');
  return failingFiles(await original<typeof Files>());
});
vi.mock('node:fs', async original => {
  const { failingSyncFiles } = await import('./failing-disk.ts');
  return failingSyncFiles(await original<typeof SyncFiles>());
});

const FILE = `${SYNC_FILE}    end: 2026-01-02
    partition: day
    history: true
`;
const UNITS = ['run', '--units', 'units.ndjson', '--quiet'];

/** Leaves in a lake what a process leaves that was killed while it wrote the second of two days. */
function kill(lake: string): void {
  const own = join(lake, '_gatectl');
  const ledger = join(own, 'ledger/pages/7.ndjson');
  const lines = readFileSync(ledger, 'utf8').split('\n');
  const first = lines.filter(line => line.includes('"2026-01-01"'));
  writeFileSync(ledger, `${first.join('\n')}\n{"partition":"2026-0`);
  writeFileSync(join(own, 'ledger/pages/.7.ndjson.0123456789ab.tmp'), '{');
  for (const [lock, id] of [
    ['sites/pages-7.lock', '0123456789ab'],
    ['sites/.gatectl-0123456789ac.lock', '0123456789ac'],
    ['tables/pages.lock', '0123456789ad'],
  ] as const) {
    mkdirSync(join(own, lock));
    const holder = { id, pid: 999_999, host: 'test', boot: 'this boot' };
    writeFileSync(join(own, lock, 'holder.json'), JSON.stringify(holder));
  }
}

test('a file system that fails once is an error of its file, never of gatectl', {
  timeout: 300_000,
}, async () => {
  const figures = figuresOf([7], '2026-01-01', 2);
  const { sync, folder, lake } = await syncing(figures, FILE);
  const { stdout } = await sync(['plan', '--units']);
  writeFileSync(join(folder, 'units.ndjson'), stdout);
  await sync(UNITS);
  kill(lake);
  const killed = join(folder, 'killed');
  cpSync(lake, killed, { recursive: true });
  // A wider type, for which the first day is requested again, too.
  for (const row of figures.get(7)?.get('2026-01-02') ?? []) Object.assign(row, { revenue: '0.1234' });
  const found: string[] = [];
  for (let call = 1; ; call += STEP) {
    rmSync(lake, { recursive: true, force: true });
    cpSync(killed, lake, { recursive: true });
    const { value, failed } = await withFailingCall({ folder: lake, call }, () => sync(UNITS));
    if (failed === undefined) break;
    const { code, stderr } = value;
    const isNamed = code === 9 && /^error: cannot (?:read|write) [^\n]*lake[^\n]* \(EIO\)\n$/.test(stderr);
    if (code !== 0 && !isNamed) found.push(`${failed}: ${stderr}`);
  }
  expect(found).toEqual([]);
});

test('the mark of a partition that a killed process began to replace is on the disk before its file is replaced', async () => {
  const figures = figuresOf([7], '2026-01-01', 2);
  const { sync, folder, lake } = await syncing(figures, FILE);
  await sync(['run', '--quiet']);
  const ledger = join(lake, '_gatectl/ledger/pages/7.ndjson');
  const file = join(lake, 'pages/domain_id=7/day=2026-01-02/data.parquet');
  writeFileSync(ledger, '{"partition":"2026-01-02","state":"replacing"}\n', { flag: 'a' });
  const before = readFileSync(file);
  for (const row of figures.get(7)?.get('2026-01-02') ?? []) Object.assign(row, { visits: '99' });
  const call = 'datasync of lake/_gatectl/ledger/pages/7.ndjson';
  const { value } = await withFailingCall({ folder, call }, () => sync(['run', '--quiet']));
  expect(value.code).toBe(9);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect((await sync(['run', '--quiet'])).code).toBe(0);
  expect(readFileSync(file).equals(before)).toBe(false);
});

const MACHINE = {
  platform: process.platform,
  identify: () => ({ pid: process.pid, host: 'host.example.com' }),
  find: () => undefined,
  now: Date.now,
  sleep: async () => {},
} as unknown as LockMachine;

function lakeIn(folder: string): Lake {
  return new Lake(new FolderStore('lake', folder, MACHINE), []);
}

test('a folder that cannot be listed is not taken for an empty one', async () => {
  const folder = temporaryFolder();
  const lake = lakeIn(folder);
  expect(await lake.domainIds('pages')).toEqual([]);
  mkdirSync(join(folder, '_gatectl/ledger/pages'), { recursive: true });
  writeFileSync(join(folder, '_gatectl/ledger/pages/7.ndjson'), '');
  const call = 'readdir _gatectl/ledger/pages';
  const listed = withFailingCall({ folder, call }, () => lake.domainIds('pages'));
  await expect(listed).rejects.toThrow(`cannot read ${join(folder, '_gatectl/ledger/pages')} (EIO)`);
  expect(await lake.domainIds('pages')).toEqual([7]);
});

test.each(['readFile _gatectl/lake.json', 'lstat _gatectl/run.lock'])(
  'what another machine replaces while it is read is read again: %s',
  async call => {
    const folder = temporaryFolder();
    await lakeIn(folder).exclusively(
      () => {},
      async () => {},
    );
    const lake = lakeIn(folder);
    const { failed } = await withFailingCall({ folder, call, code: 'ESTALE' }, async () => {
      await lake.check();
      await lake.lockSite('pages', 7, async () => {});
    });
    expect(failed).toBe(call);
  },
);

test('a lake that another process begins meanwhile is one', async () => {
  const folder = temporaryFolder();
  const lake = lakeIn(folder);
  vi.spyOn(FolderStore.prototype, 'foreignName').mockImplementationOnce(async () => {
    await lakeIn(folder).lockSite('pages', 7, async () => {});
    mkdirSync(join(folder, 'pages'));
    return 'pages';
  });
  await lake.check();
  writeFileSync(join(folder, 'thesis.txt'), '');
  rmSync(join(folder, '_gatectl'), { recursive: true });
  await expect(lake.check()).rejects.toThrow('lake contains pages, which no sync wrote');
});

test('a line of a ledger that a full disk cuts off damages no other', async () => {
  const folder = temporaryFolder();
  const path = join(folder, '7.ndjson');
  const entry = (partition: string, rows: number) => ({ partition, rows, state: 'final' }) as LedgerEntry;
  const [one, other, third] = [entry('2026-01', 1), entry('2026-02', 2), entry('2026-03', 3)];
  const ledger = await LedgerFile.open(path);
  for (const each of [one, other]) await ledger.set(each);
  await ledger.beginReplacing(one);
  const cut = () => ledger.set(entry(one.partition, 4));
  await expect(withFailingCall({ folder, call: 'datasync of 7.ndjson' }, cut)).rejects.toThrow('(EIO)');
  truncateSync(path, statSync(path).size - 10);
  await ledger.set(third);
  const { entries } = await LedgerFile.open(path);
  expect([...entries.values()]).toEqual([other, third]);
});
