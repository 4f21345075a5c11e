import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/apis/bda/days.ts';
import { runs } from '../support/runs.ts';
import { countOf, type Figures, figuresOf, SYNC_FILE, sumOf, syncing, UNITS } from './source.ts';

const HISTORY = SYNC_FILE.replace('pages:', 'pages:\n    history: true');
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 2, 14, 12);

async function totalsOf(folder: string, paths: readonly string[]): Promise<readonly [string, string]> {
  if (paths.length === 0) return ['0', '0'];
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const list = paths.map(path => `'${join(folder, path)}'`).join(', ');
    const read = await connection.runAndReadAll(
      `SELECT count(*)::VARCHAR AS rows, sum(visits)::VARCHAR AS visits FROM read_parquet([${list}], union_by_name = true, hive_partitioning = false)`,
    );
    const [found] = read.getRowObjectsJson();
    return [String(found?.rows), String(found?.visits)];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const totals = (figures: Figures): readonly [string, string] => [
  String(countOf(figures)),
  String(sumOf(figures, 'visits') / UNITS),
];

describe('bda sync history --as-of', () => {
  test('lists the files with the rows that the table had at the end of each day', async () => {
    const change = fc.record({
      site: fc.constantFrom(7, 8),
      day: fc.integer({ min: 0, max: 71 }),
      kind: fc.constantFrom('more', 'none', 'other', 'month'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { maxLength: 3 }), { minLength: 1, maxLength: 5 }),
        async days => {
          const figures = figuresOf([7, 8], '2026-01-01', 72);
          const { sync, folder } = await syncing(figures, `${HISTORY}    end: 2026-03-13\n`);
          const held = new Map<string, readonly [string, string]>();
          for (const [index, changes] of days.entries()) {
            for (const { site, day, kind } of changes) {
              const rows = figures.get(site);
              const name = addDays('2026-01-01', day);
              if (kind === 'more')
                rows?.set(name, [...(rows.get(name) ?? []), { page: '"/late"', visits: '3', revenue: '0' }]);
              if (kind === 'other') rows?.set(name, [{ page: '"/x"', visits: String(day), revenue: '0.25' }]);
              if (kind === 'none') rows?.delete(name);
              if (kind === 'month')
                for (const each of [...(rows?.keys() ?? [])])
                  if (each.startsWith(name.slice(0, 7))) rows?.delete(each);
            }
            const now = START + index * DAY_MS;
            expect((await sync(['run', '--refetch', '2026'], { now })).code).toBe(0);
            held.set(addDays('2026-03-14', index), totals(figures));
          }
          for (const [day, expected] of held) {
            const { code, stdout } = await sync(['history', '--as-of', day, '-o', 'json']);
            expect(code).toBe(0);
            const files: { path: string }[] = JSON.parse(stdout);
            expect(
              await totalsOf(
                folder,
                files.map(({ path }) => path),
              ),
            ).toEqual(expected);
          }
          expect(JSON.parse((await sync(['history', '--as-of', '2026-03-13', '-o', 'json'])).stdout)).toEqual(
            [],
          );
        },
      ),
      { numRuns: runs(16) },
    );
  });

  test('names the site, the partition and when its rows were in force, and reads the lake only', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    const { sync, folder, server } = await syncing(figures, HISTORY);
    await sync(['run'], { now: START });
    figures.get(7)?.get('2026-03-02')?.pop();
    await sync(['run'], { now: START + DAY_MS });
    const before = server.received.length;
    const { stdout } = await sync(['history', '--as-of', '2026-03-14', '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual([
      {
        table: 'pages',
        domain: 'site-7.example.com',
        domain_id: 7,
        partition: '2026-03',
        rows: 39,
        valid_from: '2026-03-14T12:00:00.000Z',
        valid_to: '2026-03-15T12:00:00.000Z',
        path: 'lake/_history/pages/domain_id=7/month=2026-03/valid_from=20260314T120000000Z/data.parquet',
      },
    ]);
    expect(JSON.parse((await sync(['history', '--as-of', '2026-03-15', '-o', 'json'])).stdout)).toMatchObject(
      [{ rows: 38, valid_to: null, path: 'lake/pages/domain_id=7/month=2026-03/data.parquet' }],
    );
    expect(server.received.length).toBe(before);
    // Readers of the table do not see them.
    expect(
      readdirSync(join(folder, 'lake', 'pages'), { recursive: true }).filter(name =>
        String(name).endsWith('.parquet'),
      ),
    ).toHaveLength(1);
  });

  test('says so for rows whose file was changed by hand before they were replaced', async () => {
    const figures = figuresOf([7], '2026-03-01', 13);
    const { sync, lake } = await syncing(figures, HISTORY);
    await sync(['run'], { now: START });
    appendFileSync(join(lake, 'pages/domain_id=7/month=2026-03/data.parquet'), 'x');
    await sync(['run'], { now: START + 1000 });
    expect((await sync(['history', '--as-of', '2026-03-14', '-o', 'json'])).stderr).toBe('');
    figures.get(7)?.get('2026-03-02')?.pop();
    appendFileSync(join(lake, 'pages/domain_id=7/month=2026-03/data.parquet'), 'x');
    await sync(['run'], { now: START + DAY_MS });
    const { code, stdout, stderr } = await sync(['history', '--as-of', '2026-03-14', '-o', 'json']);
    expect([code, stderr]).toEqual([
      0,
      'warning: 1 file had been changed or removed before the rows were replaced\n',
    ]);
    expect(JSON.parse(stdout)).toMatchObject([{ rows: 39, path: null }]);
  });

  test('requires history: true, a day, and a destination of files', async () => {
    const { sync, folder } = await syncing(figuresOf([7], '2026-03-01', 13));
    expect(await sync(['history', '--as-of', '2026-03-14'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: gatectl.sync.yaml:3:3: --as-of requires history: true in the table pages\n  set it: superseded rows are stored from then on\n',
    });
    writeFileSync(join(folder, 'gatectl.sync.yaml'), HISTORY);
    expect((await sync(['history', '--as-of', '2026-03'])).stderr).toBe(
      "error: invalid --as-of '2026-03'\n  pass a day such as 2026-03-31 or yesterday\n",
    );
    writeFileSync(join(folder, 'gatectl.sync.yaml'), HISTORY.replace('lake', 'duckdb:figures.duckdb'));
    expect(await sync(['run'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: gatectl.sync.yaml:4:14: history requires a folder of Parquet files as the destination\n  remove it, or set destination: to a folder\n',
    });
  });
});
