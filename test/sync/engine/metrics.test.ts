import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Metric, prometheusText } from '../../../src/output/prometheus.ts';
import { queueMetrics, tableMetrics, WorkerMetrics, writeMetrics } from '../../../src/sync/engine/metrics.ts';
import type { UnitOutcome } from '../../../src/sync/engine/worker-options.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/runs.ts';

const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)+)\})? ([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf|NaN))$/i;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

interface Family {
  readonly type: string;
  readonly samples: Map<string, number>;
}

/** Reads the text format as strictly as Prometheus does: https://prometheus.io/docs/instrumenting/exposition_formats */
function parse(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  if (text === '') return families;
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  let current: { readonly name: string; hasType: boolean } | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ([^\n]+)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (families.has(name)) throw new Error(`${name} is there twice`);
      if (!/^(?:[^\\]|\\[\\n])+$/.test(rest)) throw new Error(`the help of ${name} is not escaped`);
      families.set(name, { type: '', samples: new Map() });
      current = { name, hasType: false };
    } else if (keyword === 'TYPE') {
      if (current?.name !== name || current.hasType) throw new Error(`the type of ${name} is elsewhere`);
      if (rest === 'counter' && !name.endsWith('_total')) throw new Error(`${name} is a counter`);
      if (rest !== 'counter' && name.endsWith('_total')) throw new Error(`${name} is no counter`);
      families.set(name, { type: rest, samples: new Map() });
      current.hasType = true;
    } else {
      const [, sample, labels = '', value] = SAMPLE.exec(line) ?? [];
      if (sample === undefined || sample !== current?.name || !current.hasType)
        throw new Error(`unexpected line: ${line}`);
      const pairs = [...labels.matchAll(LABEL)].map(([, label, text = '']) => [
        label,
        text.replaceAll(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character)),
      ]);
      if (new Set(pairs.map(([label]) => label)).size < pairs.length) throw new Error(`labels of ${line}`);
      const key = JSON.stringify(Object.fromEntries(pairs));
      const { samples } = families.get(sample) as Family;
      if (samples.has(key)) throw new Error(`${line} is there twice`);
      samples.set(key, value === '+Inf' ? Infinity : value === '-Inf' ? -Infinity : Number(value));
    }
  }
  return families;
}

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
  const families = parse(
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
        const read = parse(prometheusText([metric])).get('gatectl_sync_any')?.samples;
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
      const samples = parse(readFileSync(path, 'utf8')).get('gatectl_sync_queue_units')?.samples;
      expect(samples?.size).toBe(4);
      scrapes += 1;
    }
    await new Promise(resolve => setImmediate(resolve));
  }
  await writing;
  expect(scrapes).toBeGreaterThan(0);
});
