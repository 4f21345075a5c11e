import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parsePrometheus } from '../support/prometheus.ts';
import { NOON } from '../support/run.ts';
import { figuresOf, SYNC_FILE, syncing } from './source.ts';

/** The samples of a file of metrics: values by name and labels, without `command`, which is the same in all. */
function samplesIn(folder: string, command: string): Record<string, number> {
  const families = parsePrometheus(readFileSync(join(folder, 'sync.prom'), 'utf8'));
  const samples: Record<string, number> = {};
  for (const [name, family] of families)
    for (const [key, value] of family.samples) {
      const { command: of, ...labels } = JSON.parse(key);
      expect(of).toBe(command);
      samples[[name.replace('gatectl_sync_run_', ''), ...Object.values(labels)].join(' ')] = value;
    }
  return samples;
}

/** The samples of what a run printed as JSON. */
function printedSamples(stdout: string): Record<string, number> {
  const { tables, left = 0 } = JSON.parse(stdout);
  const samples: Record<string, number> = { left };
  for (const { table, partitions: _, rows, requests, ...changes } of tables) {
    for (const [change, count] of Object.entries(changes))
      samples[`partitions ${table} ${change}`] = Number(count);
    samples[`rows ${table}`] = rows;
    samples[`requests ${table}`] = requests;
  }
  return samples;
}

const COMMON = { ended_timestamp_seconds: NOON / 1000, seconds: 0 };
const TWO_TABLES = `${SYNC_FILE}  days:
    data_set: pageview
    metrics: [visits]
    start: 2026-02-01
`;

test.each(['run', 'sweep'])('%s --metrics writes what was printed, whatever becomes of it', async command => {
  const figures = figuresOf([7], '2026-01-01', 72, () => 1);
  const { sync, folder } = await syncing(figures, TWO_TABLES);
  if (command === 'sweep') await sync(['run']);
  const args = [command, '--metrics', 'sync.prom', '-o', 'json'];
  const first = await sync(args);
  expect(first.code).toBe(0);
  expect(samplesIn(folder, command)).toEqual({ ...printedSamples(first.stdout), ...COMMON, complete: 1 });
  const [row] = figures.get(7)?.get('2026-03-05') ?? [];
  if (row !== undefined) figures.get(7)?.set('2026-03-05', [{ ...row, revenue: `1${'0'.repeat(40)}` }]);
  const second = await sync(args);
  expect(second.code).toBe(7);
  const samples = samplesIn(folder, command);
  expect(samples).toEqual({ ...printedSamples(second.stdout), ...COMMON, complete: 0 });
  expect(samples['partitions pages failed']).toBe(1);
});

test('run --metrics of units has what was printed', async () => {
  const { sync, folder } = await syncing(figuresOf([7], '2026-01-01', 72, () => 1));
  const { stdout: units } = await sync(['plan', '--units']);
  const args = ['run', '--metrics', 'sync.prom', '-o', 'json'];
  const { code, stdout } = await sync([...args, '--units', '-'], { input: units });
  expect(code).toBe(0);
  expect(samplesIn(folder, 'run')).toEqual({ ...printedSamples(stdout), ...COMMON, complete: 1 });
});

test('a run that ends before it begins writes that it is not complete', async () => {
  const { sync, folder } = await syncing(new Map(), SYNC_FILE, () => ({ status: 401, body: '{}' }));
  expect((await sync(['run', '--metrics', 'sync.prom'])).code).toBe(4);
  expect(samplesIn(folder, 'run')).toEqual({ ...COMMON, complete: 0, left: 0 });
});

test('metrics that cannot be written are an error, or a warning beside one that matters more', async () => {
  const figures = figuresOf([7], '2026-01-01', 72, () => 1);
  const { sync, folder, lake } = await syncing(figures);
  writeFileSync(join(folder, 'file'), '');
  const args = ['run', '--metrics', 'file/sync.prom', '--quiet'];
  const written = await sync(args);
  expect([written.code, written.stderr]).toEqual([9, expect.stringMatching(/^error: .*file\/sync\.prom/)]);
  expect(existsSync(join(lake, 'pages/domain_id=7/month=2026-01/data.parquet'))).toBe(true);
  const [row] = figures.get(7)?.get('2026-03-05') ?? [];
  if (row !== undefined) figures.get(7)?.set('2026-03-05', [{ ...row, revenue: `1${'0'.repeat(40)}` }]);
  const failed = await sync(args);
  expect([failed.code, failed.stderr]).toEqual([
    7,
    expect.stringMatching(/^warning: cannot write the metrics: /),
  ]);
});
