import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Metric, prometheusText } from '../../../src/output/prometheus.ts';
import { queueMetrics, tableMetrics, WorkerMetrics, writeMetrics } from '../../../src/sync/engine/metrics.ts';
import type { UnitOutcome } from '../../../src/sync/engine/worker-options.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { parsePrometheus } from '../../support/prometheus.ts';
import { runs } from '../../support/runs.ts';

test('every metric of a worker, its queue and a destination is one that Prometheus reads', () => {
  const worker = new WorkerMetrics('account-1');
  worker.add(
    {
      result: 'done',
      ms: 1234,
      changes: { added: 2, changed: 1, unchanged: 0 },
      rows: 7,
      requests: 3,
    } as UnitOutcome,
    1_773_489_600_000,
  );
  worker.addPause();
  const row = {
    ...{ table: 'pages', sites: 2, partitions: 6, provisional: 1, rows: 18 },
    fetched_at: '2026-03-14T12:00:00Z',
  };
  const families = parsePrometheus(
    prometheusText([
      ...worker.metrics(),
      ...queueMetrics('account-1', { waiting: 4, delayed: 0, active: 1, set_aside: 2 }),
      ...tableMetrics([row, { ...row, table: 'other', fetched_at: null }]),
    ]),
  );
  expect(families.size).toBe(13);
  const sampleOf = (name: string, labels: object) => families.get(name)?.samples.get(JSON.stringify(labels));
  expect(sampleOf('gatectl_sync_units_total', { account: 'account-1', result: 'done' })).toBe(1);
  expect(sampleOf('gatectl_sync_unit_seconds_total', { account: 'account-1' })).toBe(1.234);
  expect(sampleOf('gatectl_sync_queue_units', { account: 'account-1', state: 'set_aside' })).toBe(2);
  expect(sampleOf('gatectl_sync_table_written_timestamp_seconds', { table: 'pages' })).toBe(1_773_489_600);
});

test('labels and values of any kind are read as they were written', () => {
  const NAME = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/);
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), fc.double({ noNaN: true })), {
        selector: ([label]) => label,
        minLength: 1,
      }),
      NAME,
      fc.string(),
      (samples, label, help) => {
        const metric: Metric = {
          name: 'gatectl_sync_any',
          type: 'gauge',
          help: `${help}.`,
          samples: samples.map(([text, value]) => ({ labels: { [label]: text }, value })),
        };
        const read = parsePrometheus(prometheusText([metric])).get('gatectl_sync_any')?.samples;
        expect([...(read ?? [])]).toEqual(
          samples.map(([text, value]) => [JSON.stringify({ [label]: text }), value + 0]),
        );
      },
    ),
    { numRuns: runs(300) },
  );
});

test('a scrape while the file is replaced reads one state or the other, complete', async () => {
  const path = join(temporaryFolder(), 'sync.prom');
  let isWriting = true;
  let scrapes = 0;
  const write = async () => {
    for (let count = 0; count < 40; count++)
      await writeMetrics(path, queueMetrics('a', { waiting: count, delayed: 0, active: 0, set_aside: 0 }));
    isWriting = false;
  };
  const writing = write();
  while (isWriting) {
    if (existsSync(path)) {
      const samples = parsePrometheus(readFileSync(path, 'utf8')).get('gatectl_sync_queue_units')?.samples;
      expect(samples?.size).toBe(4);
      scrapes += 1;
    }
    await new Promise(resolve => setImmediate(resolve));
  }
  await writing;
  expect(scrapes).toBeGreaterThan(0);
});
