import { readFileSync, writeFileSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { GatectlError, NetworkError } from '../../src/errors/index.ts';
import { exportToFile, type FileExportOptions } from '../../src/export/export-to-file.ts';
import type { Page } from '../../src/export/plan.ts';
import { temporaryFolder } from '../support/folder.ts';
import { lockMachine } from '../support/lock-machine.ts';
import { runs } from '../support/runs.ts';
import { RecordedDisk } from './recorded-disk.ts';
import { fakeSource, stillClock, type Turn } from './source.ts';

let disk: RecordedDisk;

vi.mock('node:fs/promises', async importOriginal => {
  return {
    ...(await importOriginal<typeof Files>()),
    open: (...args: Parameters<typeof Files.open>) => disk.open(...args),
    rename: (from: string, to: string) => disk.rename(from, to),
    unlink: (path: string) => disk.unlink(path),
  };
});

/** The same disk, as if nothing had been written yet. */
async function freshDisk(): Promise<RecordedDisk> {
  disk = new RecordedDisk(await vi.importActual<typeof Files>('node:fs/promises'));
  return disk;
}

const dead = new NetworkError('the connection broke', { code: 'connection_reset' });
const PAGES = 5;

function options(
  path: string,
  turns: Readonly<Record<number, Turn>>,
  changes: Partial<FileExportOptions> = {},
): FileExportOptions {
  return {
    path,
    source: fakeSource(PAGES * 5, turns),
    plan: { start: 0, pageSize: 5, pagesInFlight: 1 },
    encoding: { format: 'csv', dialect: 'rfc4180' },
    compression: undefined,
    resumable: true,
    resume: 'auto',
    mayDiscard: async () => false,
    subject: { query: 'visits by country' },
    machine: lockMachine,
    digest: false,
    clock: stillClock(),
    signal: new AbortController().signal,
    retries: 1,
    onRows: () => {},
    onPage: () => {},
    onFound: () => {},
    onInterrupted: () => {},
    ...changes,
  };
}

test('rows are on disk before the checkpoint that covers them, and all of them before the file has its name', async () => {
  const { steps, violations } = await freshDisk();
  const path = join(temporaryFolder(), 'rows.csv');
  await exportToFile(options(path, {}, { plan: { start: 0, pageSize: 25, pagesInFlight: 1 } }));
  expect(steps).toEqual([
    // The process that removed an earlier checkpoint may have been killed before that was on the disk.
    'sync folder',
    'truncate rows',
    'write rows',
    'sync rows',
    'sync folder',
    'sync checkpoint',
    'rename to rows.csv.part.json',
    'sync folder',
    'sync rows',
    'rename to rows.csv',
    'sync folder',
    'unlink rows.csv.part.json',
  ]);
  expect(violations).toEqual([]);
});

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.nat(400).map(bytes => ({ breakAfter: { bytes, error: dead } })),
  fc.constant({ refuse: dead }),
);

test('no power cut leaves a checkpoint without its rows, however runs break off, resume and restart', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          turns: fc.array(turn, { maxLength: 8 }),
          resume: fc.constantFrom('auto', 'required', 'never'),
        }),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
      fc.boolean(),
      async (runs, isGzip) => {
        const { violations } = await freshDisk();
        const path = join(temporaryFolder(), 'rows.csv');
        const compression = isGzip ? 'gzip' : undefined;
        for (const { turns, resume } of runs)
          await exportToFile(options(path, { ...turns }, { resume, compression })).catch(error => {
            if (resume !== 'required' || error.code !== 'cannot_resume') expect(error).toBe(dead);
          });
        expect(violations).toEqual([]);
      },
    ),
    { numRuns: runs(60) },
  );
});

test('the next pages are written while a slow disk syncs the first', async () => {
  const recorded = await freshDisk();
  let taken: () => void = () => {};
  const allWritten = new Promise<void>(resolve => {
    taken = resolve;
  });
  recorded.beforeSync = () => allWritten;
  const path = join(temporaryFolder(), 'rows.csv');
  let pages = 0;
  const { stats: remarks } = await exportToFile(
    options(
      path,
      {},
      {
        onPage: () => {
          pages += 1;
          if (pages === PAGES) taken();
        },
      },
    ),
  );
  expect(recorded.steps.filter(step => step === 'sync checkpoint').length).toBeLessThan(PAGES);
  expect(recorded.violations).toEqual([]);
  expect(remarks.rows).toBe(PAGES * 5);
});

/** Runs an export whose disk takes rows in or, where `isFull` says so of the number of that attempt, does not. */
async function onFullDisk(
  isFull: (attempt: number) => boolean,
  { firstIsTaken }: { readonly firstIsTaken: boolean },
): Promise<{ kept: number[]; recorded: RecordedDisk }> {
  const recorded = await freshDisk();
  const path = join(temporaryFolder(), 'rows.csv');
  const kept: number[] = [];
  let pages = 0;
  let attempts = 0;
  recorded.beforeSync = async () => {
    attempts += 1;
    while (!firstIsTaken && pages < 3) await nextTurn();
    if (!isFull(attempts)) return;
    recorded.steps.push('disk full');
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  };
  const full = options(
    path,
    { 3: { refuse: dead } },
    {
      retries: 0,
      onPage: () => {
        pages += 1;
      },
      onInterrupted: progress => kept.push(progress.reached.rows),
    },
  );
  const open = async (page: Page) => {
    while (firstIsTaken && page.offset > 0 && !recorded.steps.includes('rename to rows.csv.part.json'))
      await nextTurn();
    return await full.source.open(page);
  };
  await expect(exportToFile({ ...full, source: { ...full.source, open } })).rejects.toBeInstanceOf(
    GatectlError,
  );
  expect(recorded.violations).toEqual([]);
  expect(recorded.stillOpen).toBe(0);
  return { kept, recorded };
}

test('a full disk ends the export, and the checkpoint covers the rows on it', async () => {
  const { kept } = await onFullDisk(attempt => attempt > 1, { firstIsTaken: true });
  expect(kept).toEqual([5]);
});

test('rows after the latest complete page make room for its checkpoint on a full disk', async () => {
  const { kept, recorded } = await onFullDisk(attempt => attempt === 1, { firstIsTaken: false });
  expect(kept).toEqual([15]);
  const after = recorded.steps.slice(recorded.steps.indexOf('disk full') + 1);
  expect(after.filter(step => step !== 'write rows').slice(0, 5)).toEqual([
    'truncate rows',
    'sync rows',
    'sync folder',
    'sync checkpoint',
    'rename to rows.csv.part.json',
  ]);
});

test('complete pages make room for the checkpoint of the first of them on an even fuller disk', async () => {
  const { kept } = await onFullDisk(attempt => attempt <= 2, { firstIsTaken: false });
  expect(kept).toEqual([5]);
});

test('a checkpoint without rows, as after a kill during renaming, cannot be resumed', async () => {
  await freshDisk();
  const path = join(temporaryFolder(), 'rows.csv');
  await exportToFile(options(path, { 2: { refuse: dead }, 3: { refuse: dead } }, { retries: 0 })).catch(
    () => {},
  );
  const checkpoint = readFileSync(`${path}.part.json`);
  await exportToFile(options(path, {}, { resume: 'required' }));
  const whole = readFileSync(path, 'utf8');
  writeFileSync(`${path}.part.json`, checkpoint);
  const resumed = exportToFile(options(path, {}, { resume: 'required' }));
  await expect(resumed).rejects.toMatchObject({ code: 'cannot_resume' });
  await exportToFile(options(path, {}));
  expect(readFileSync(path, 'utf8')).toBe(whole);
});
