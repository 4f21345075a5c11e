import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NetworkError } from '../../src/errors/index.ts';
import type { Progress } from '../../src/export/export-rows.ts';
import { exportToFile, type FileExportOptions } from '../../src/export/export-to-file.ts';
import { contentByName } from '../../src/export/output-path.ts';
import { openAtomic } from '../../src/files/atomic-file.ts';
import { withLock } from '../../src/files/lock.ts';
import type { WritableFile } from '../../src/files/writable-file.ts';
import { temporaryFolder } from '../support/folder.ts';
import { lockMachine as machine } from '../support/lock-machine.ts';
import { runs } from '../support/runs.ts';
import { fakeSource, rowText, stillClock, type Turn } from './source.ts';

const dead = new NetworkError('the connection broke', { code: 'connection_reset' });

interface Told {
  readonly resumed: Progress[];
  readonly discarded: Progress[];
  readonly kept: Progress[];
}

function options(
  path: string,
  rows: number,
  turns: Readonly<Record<number, Turn>> = {},
  changes: Partial<FileExportOptions> = {},
): FileExportOptions & { told: Told } {
  const told: Told = { resumed: [], discarded: [], kept: [] };
  const { format, compression } = contentByName(path);
  return {
    path,
    source: fakeSource(rows, turns),
    plan: { start: 0, pageSize: 5, pagesInFlight: 1 },
    encoding: { format: format === 'ndjson' || format === 'json' ? format : 'csv', dialect: 'rfc4180' },
    compression,
    resumable: true,
    resume: 'auto',
    mayDiscard: async () => false,
    subject: { query: 'visits by country' },
    machine,
    digest: false,
    clock: stillClock(),
    signal: new AbortController().signal,
    retries: 0,
    onRows: () => {},
    onPage: () => {},
    onFound: (progress, isResumed) => (isResumed ? told.resumed : told.discarded).push(progress),
    onInterrupted: progress => told.kept.push(progress),
    told,
    ...changes,
  };
}

/** The bytes of an export that nothing disturbed. */
async function undisturbed(name: string, rows: number): Promise<Buffer> {
  const path = join(temporaryFolder(), name);
  await exportToFile(options(path, rows));
  return readFileSync(path);
}

describe('rows that are not accepted', () => {
  test.each([true, false])(
    'leave the file as it was, and nothing to resume (resumable: %s)',
    async resumable => {
      const folder = temporaryFolder();
      const path = join(folder, 'rows.csv');
      writeFileSync(path, 'old');
      const refusing = { ...options(path, 12), resumable, accepts: () => false };
      expect(await exportToFile(refusing)).toMatchObject({ isWritten: false, stats: { rows: 12 } });
      expect(readFileSync(path, 'utf8')).toBe('old');
      expect(readdirSync(folder)).toEqual(['rows.csv']);
      expect(await exportToFile({ ...refusing, accepts: () => true })).toMatchObject({ isWritten: true });
      expect(readFileSync(path, 'utf8')).not.toBe('old');
    },
  );

  test('reach a device, which has them already', async () => {
    const device = options('/dev/null', 12, {}, { accepts: () => false });
    expect(await exportToFile(device)).toMatchObject({ isWritten: true });
  });
});

describe('a conversion while rows are fetched', () => {
  const plan = { start: 0, pageSize: 5, pagesInFlight: 1 };
  /** What an export with such a conversion of 12 rows did, in three pages, from the second on. */
  async function converted(turns: Readonly<Record<number, Turn>>, isFinished = true) {
    const path = join(temporaryFolder(), 'rows.parquet');
    const said: string[] = [];
    let made: WritableFile | undefined;
    const exporting = exportToFile({
      ...options(path, 12, turns, {
        encoding: { format: 'json', dialect: 'rfc4180' },
        compression: undefined,
      }),
      plan,
      convert: async (rowsPath, file) => {
        said.push('convert');
        await file.write(readFileSync(rowsPath));
      },
      convertEarly: async (rowsPath, { reached }) => {
        said.push(`page ${reached.pages}`);
        if (reached.pages < 2) return undefined;
        made = await openAtomic(path);
        return {
          reach: ({ sinkBytes, position: { rows } }) => {
            const stored = `${readFileSync(rowsPath).subarray(0, sinkBytes)}]`;
            expect(JSON.parse(stored)).toHaveLength(rows);
            said.push(`${rows} rows`);
          },
          finish: async ({ sinkBytes }) => {
            expect(readFileSync(rowsPath).length).toBe(sinkBytes);
            said.push('finish');
            if (!isFinished) return undefined;
            await made?.write('made early');
            return made;
          },
          stop: async () => {
            said.push('stop');
            await made?.discard();
          },
        };
      },
    });
    const failure = await exporting.then(
      () => undefined,
      error => error,
    );
    if (!isFinished) await made?.discard();
    const files = readdirSync(dirname(path)).sort();
    return { said, failure, files, text: existsSync(path) ? readFileSync(path, 'utf8') : undefined };
  }

  test('gets every complete page once it has begun, and makes the file', async () => {
    expect(await converted({})).toEqual({
      said: ['page 1', 'page 2', '10 rows', '12 rows', 'finish'],
      failure: undefined,
      files: ['rows.parquet'],
      text: 'made early',
    });
  });

  test('leaves the complete rows to the other if it cannot', async () => {
    const { said, text, files } = await converted({}, false);
    expect(said.slice(-2)).toEqual(['finish', 'convert']);
    expect(JSON.parse(text ?? '')).toHaveLength(12);
    expect(files).toEqual(['rows.parquet']);
  });

  test('ends with an export that fails', async () => {
    const { said, failure, files } = await converted({ 2: { refuse: dead } });
    expect(said).toEqual(['page 1', 'page 2', '10 rows', 'stop']);
    expect(failure).toBe(dead);
    expect(files).toEqual(['rows.parquet.part', 'rows.parquet.part.json']);
  });
});

describe('a file', () => {
  test('appears when it is complete, without other files next to it', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'rows.ndjson');
    const seen: string[][] = [];
    const exported = await exportToFile(
      options(path, 12, {}, { onPage: () => seen.push(readdirSync(folder)) }),
    );
    expect(seen.flat()).not.toContain('rows.ndjson');
    expect(readdirSync(folder)).toEqual(['rows.ndjson']);
    expect(readFileSync(path, 'utf8')).toBe(Array.from({ length: 12 }, (_, i) => `${rowText(i)}\n`).join(''));
    expect(exported).toMatchObject({ bytes: statSync(path).size, sha256: undefined, stats: { rows: 12 } });
  });

  test('is replaced only by a complete one', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'rows.csv');
    writeFileSync(path, 'the old one\n');
    const breaking = options(path, 12, { 1: { refuse: dead } }, { resumable: false });
    await expect(exportToFile(breaking)).rejects.toBe(dead);
    expect(readFileSync(path, 'utf8')).toBe('the old one\n');
    expect(readdirSync(folder)).toEqual(['rows.csv']);
  });

  test('of no rows is one of its format too', async () => {
    const gz = await undisturbed('rows.ndjson.gz', 0);
    expect(gunzipSync(gz).toString()).toBe('');
    expect((await undisturbed('rows.json', 0)).toString()).toBe('[]\n');
    expect((await undisturbed('rows.csv', 0)).toString()).toBe('id,name,revenue\n');
  });

  test('that is gzipped holds the same bytes', async () => {
    expect(gunzipSync(await undisturbed('rows.json.gz', 23))).toEqual(await undisturbed('rows.json', 23));
  });

  test('has the reported SHA-256, even after a retried page or a resumed run', async () => {
    const path = join(temporaryFolder(), 'rows.csv.gz');
    const cut = { breakAfter: { bytes: 300, error: dead } };
    const first = options(path, 23, { 1: cut, 4: { refuse: dead } }, { digest: true, retries: 1 });
    await expect(exportToFile(first)).rejects.toBe(dead);
    const { sha256 } = await exportToFile(
      options(path, 23, { 0: cut }, { digest: true, retries: 1, resume: 'required' }),
    );
    expect(sha256).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
  });

  test('that is a device is written directly, and cannot be resumed', async () => {
    const device = options('/dev/null', 12);
    expect(await exportToFile(device)).toMatchObject({ stats: { rows: 12 } });
    await expect(exportToFile({ ...device, resume: 'required' })).rejects.toMatchObject({ kind: 'usage' });
  });

  test('in a missing folder is named in the error', async () => {
    const path = join(temporaryFolder(), 'no', 'rows.csv');
    await expect(exportToFile(options(path, 1))).rejects.toMatchObject({
      kind: 'file',
      message: `cannot write ${path}: its folder does not exist`,
    });
  });
});

test.runIf(process.platform === 'linux')(
  'in a folder that accepts no files the error names the file',
  async () => {
    await expect(exportToFile(options('/proc/rows.csv', 1))).rejects.toMatchObject({
      kind: 'file',
      message: expect.stringMatching(
        /^(cannot write|no permission to write) \/proc\/rows\.csv(: its folder does not accept files)?$/,
      ),
    });
  },
);

describe('an interrupted export', () => {
  test.each(['rows.csv', 'rows.tsv', 'rows.ndjson', 'rows.json', 'rows.csv.gz', 'rows.json.gz'])(
    'at any page and any byte resumes to the same %s',
    async name => {
      const rows = 23;
      const whole = await undisturbed(name, rows);
      await fc.assert(
        fc.asyncProperty(fc.nat(4), fc.nat(400), fc.nat(4), async (page, bytes, secondPage) => {
          const path = join(temporaryFolder(), name);
          const broken: Turn = { breakAfter: { bytes, error: dead } };
          // Killed, so that nothing tidies up: the half page stays in the file.
          await exportToFile(options(path, rows, { [page]: broken })).catch(() => {});
          const resume = () => (existsSync(`${path}.part.json`) ? 'required' : 'auto');
          await exportToFile(options(path, rows, { [secondPage]: broken }, { resume: resume() })).catch(
            () => {},
          );
          await exportToFile(options(path, rows, {}, { resume: resume() }));
          expect(readFileSync(path)).toEqual(whole);
        }),
        { numRuns: runs(15) },
      );
    },
  );

  test('requests only the missing pages', async () => {
    const path = join(temporaryFolder(), 'rows.csv');
    const first = options(path, 23, { 3: { refuse: dead } });
    await expect(exportToFile(first)).rejects.toBe(dead);
    expect(first.told.kept.map(({ reached }) => reached.rows)).toEqual([15]);
    expect(existsSync(path)).toBe(false);
    const second = options(path, 23, {}, { resume: 'required' });
    await exportToFile(second);
    expect(second.told.resumed.map(({ reached }) => reached.rows)).toEqual([15]);
    expect((second.source as ReturnType<typeof fakeSource>).asked[0]).toEqual({ offset: 15, limit: 5 });
  });

  test('before its first page leaves nothing', async () => {
    const folder = temporaryFolder();
    const cut = options(join(folder, 'rows.csv'), 23, { 0: { breakAfter: { bytes: 100, error: dead } } });
    await expect(exportToFile(cut)).rejects.toBe(dead);
    expect(readdirSync(folder)).toEqual([]);
    expect(cut.told.kept).toEqual([]);
  });

  test('can be resumed with another page size', async () => {
    const path = join(temporaryFolder(), 'rows.csv');
    await exportToFile(options(path, 23, { 2: { refuse: dead } })).catch(() => {});
    await exportToFile(options(path, 23, {}, { resume: 'required', plan: { start: 0, pageSize: 3 } }));
    expect(readFileSync(path)).toEqual(await undisturbed('rows.csv', 23));
  });

  test('of another query is rejected with the differences, and not changed', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'rows.csv');
    await exportToFile(options(path, 23, { 2: { refuse: dead } })).catch(() => {});
    const before = readdirSync(folder);
    const other = options(
      path,
      23,
      {},
      { resume: 'required', subject: { query: 'visits by device', format: 'csv' } },
    );
    await expect(exportToFile(other)).rejects.toMatchObject({
      kind: 'usage',
      message: `cannot resume ${path}: query, format have changed since the export began`,
      reason: {
        changes: [
          { name: 'query', before: 'visits by country', now: 'visits by device' },
          { name: 'format', before: undefined, now: 'csv' },
        ],
      },
    });
    expect(readdirSync(folder)).toEqual(before);
  });

  test('is discarded on request, but not before the first response of the new one', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'rows.csv');
    await exportToFile(options(path, 23, { 2: { refuse: dead } })).catch(() => {});
    const refused = options(path, 23, { 0: { refuse: dead } }, { resume: 'never' });
    await expect(exportToFile(refused)).rejects.toBe(dead);
    expect(readdirSync(folder).sort()).toEqual(['rows.csv.part', 'rows.csv.part.json']);
    const again = options(path, 23, {}, { resume: 'never' });
    await exportToFile(again);
    expect([again.told.resumed.length, again.told.discarded.length]).toEqual([0, 1]);
    expect(readdirSync(folder)).toEqual(['rows.csv']);
  });

  test('of another query is discarded only once that is confirmed', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'rows.csv');
    await exportToFile(options(path, 23, { 2: { refuse: dead } })).catch(() => {});
    const kept = readFileSync(`${path}.part`);
    const asked: unknown[] = [];
    const other = (answer: boolean) =>
      options(
        path,
        23,
        {},
        {
          subject: { query: 'visits by device' },
          mayDiscard: async ({ reached }, changed) => asked.push([reached.rows, changed]) > 0 && answer,
        },
      );
    await expect(exportToFile(other(false))).rejects.toMatchObject({
      code: 'cannot_resume',
      message: `cannot resume ${path}: query has changed since the export began`,
      reason: {
        name: 'export_changed',
        changes: [{ name: 'query', before: 'visits by country', now: 'visits by device' }],
        partial: `${path}.part`,
        rows: 10,
      },
    });
    expect(readFileSync(`${path}.part`)).toEqual(kept);
    await exportToFile(other(true));
    expect(asked).toEqual([
      [10, ['query']],
      [10, ['query']],
    ]);
    expect(readFileSync(path)).toEqual(await undisturbed('rows.csv', 23));
  });

  test('of another account is resumed only with --resume', async () => {
    const path = join(temporaryFolder(), 'rows.csv');
    const of = (account: string, turns = {}, changes = {}) =>
      options(path, 23, turns, { subject: { query: 'visits by country', account }, ...changes });
    await exportToFile(of('profile news', { 2: { refuse: dead } })).catch(() => {});
    await expect(exportToFile(of('profile shop'))).rejects.toMatchObject({ code: 'cannot_resume' });
    const resumed = of('profile shop', {}, { resume: 'required' });
    await exportToFile(resumed);
    expect(resumed.told.resumed.map(({ reached }) => reached.rows)).toEqual([10]);
  });

  test('with a damaged checkpoint can be started again', async () => {
    const path = join(temporaryFolder(), 'rows.csv');
    await exportToFile(options(path, 23, { 2: { refuse: dead } })).catch(() => {});
    writeFileSync(`${path}.part.json`, '{');
    await expect(exportToFile(options(path, 23))).rejects.toMatchObject({ kind: 'file' });
    await exportToFile(options(path, 23, {}, { resume: 'never' }));
    expect(readFileSync(path)).toEqual(await undisturbed('rows.csv', 23));
  });

  test('with a changed checkpoint is not resumed', async () => {
    const path = join(temporaryFolder(), 'rows.csv');
    await exportToFile(options(path, 23, { 2: { refuse: dead } })).catch(() => {});
    const checkpoint = `${path}.part.json`;
    writeFileSync(checkpoint, readFileSync(checkpoint, 'utf8').replace('"rows": 10', '"rows": 11'));
    await expect(exportToFile(options(path, 23, {}, { resume: 'required' }))).rejects.toMatchObject({
      kind: 'file',
      path: checkpoint,
    });
  });

  test('whose rows were truncated is not resumed', async () => {
    const path = join(temporaryFolder(), 'rows.csv');
    await exportToFile(options(path, 23, { 2: { refuse: dead } })).catch(() => {});
    writeFileSync(`${path}.part`, 'id,name\n');
    await expect(exportToFile(options(path, 23, {}, { resume: 'required' }))).rejects.toMatchObject({
      kind: 'file',
    });
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('id,name\n');
  });

  test('has a checkpoint that only its user can read', async () => {
    const path = join(temporaryFolder(), 'rows.csv');
    await exportToFile(options(path, 23, { 2: { refuse: dead } })).catch(() => {});
    expect(statSync(`${path}.part.json`).mode & 0o777).toBe(0o600);
  });
});

test('parts of earlier files that were killed on the way go with the next export of the same name', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'rows.csv');
  writeFileSync(join(folder, '.rows.csv.0123456789ab.tmp'), 'part');
  writeFileSync(join(folder, '.other.csv.0123456789ab.tmp'), 'of another file');
  await exportToFile({ ...options(path, 1), resumable: false });
  expect(readdirSync(folder).sort()).toEqual(['.other.csv.0123456789ab.tmp', 'rows.csv']);
});

test('two processes do not write one file at a time', async () => {
  const path = join(temporaryFolder(), 'rows.csv');
  await withLock(`${path}.part`, { machine, wait: 0 }, async () => {
    await expect(exportToFile(options(path, 1))).rejects.toMatchObject({ code: 'locked' });
  });
  await exportToFile(options(path, 1));
  expect(existsSync(path)).toBe(true);
});

test.each([
  ['daily.csv', 'csv', undefined],
  ['daily.CSV.GZ', 'csv', 'gzip'],
  ['a.b/daily.tsv.zst', 'tsv', 'zstd'],
  ['daily.jsonl', 'ndjson', undefined],
  ['daily.json.gz', 'json', 'gzip'],
  ['daily.gz', undefined, 'gzip'],
  ['daily', undefined, undefined],
  ['daily.txt', undefined, undefined],
  ['constructor.toString', undefined, undefined],
])('the name %s selects the format %s and the compression %s', (path, format, compression) => {
  expect(contentByName(path)).toEqual({ format, compression });
});
