import { writeAtomic } from '../../files/atomic-file.ts';
import { type Metric, prometheusText } from '../../output/prometheus.ts';
import type { RunResult } from '../unit-pool.ts';
import type { QueueCounts } from './unit-queue.ts';
import type { UnitOutcome } from './worker-options.ts';

/** Writes metrics to a file, which a reader sees complete or not at all. Throws FileError. */
export async function writeMetrics(path: string, metrics: readonly Metric[]): Promise<void> {
  await writeAtomic(path, prometheusText(metrics), { mode: 0o644 });
}

/** The metric of a queue's units by state. */
export function queueMetrics(account: string, counts: QueueCounts): readonly Metric[] {
  return [
    {
      name: 'gatectl_sync_queue_units',
      type: 'gauge',
      help: 'Units in the queue of the account, by state.',
      samples: Object.entries(counts).map(([state, value]) => ({ labels: { account, state }, value })),
    },
  ];
}

/** Metrics of what a destination holds of each table, from the rows of `status`. */
export function tableMetrics(rows: readonly Readonly<Record<string, unknown>>[]): readonly Metric[] {
  const gauge = (name: string, help: string, key: string): Metric => ({
    name,
    type: 'gauge',
    help,
    samples: rows.flatMap(row => {
      const found = row[key];
      const count = Array.isArray(found) ? found.length : Number(found);
      const value = key === 'fetched_at' ? Date.parse(String(found)) / 1000 : count;
      return Number.isFinite(value) ? [{ labels: { table: String(row.table) }, value }] : [];
    }),
  });
  return [
    gauge('gatectl_sync_table_sites', 'Sites with at least one partition.', 'sites'),
    gauge('gatectl_sync_table_partitions', 'Partitions in the destination.', 'partitions'),
    gauge('gatectl_sync_table_provisional', 'Partitions that may still change.', 'provisional'),
    gauge('gatectl_sync_table_quarantined', 'Partitions that are kept aside.', 'quarantined'),
    gauge('gatectl_sync_table_rows', 'Rows in the destination.', 'rows'),
    gauge('gatectl_sync_table_written_timestamp_seconds', 'When a partition was last written.', 'fetched_at'),
  ];
}

/** A run or a sweep that has ended. */
interface EndedRun {
  readonly command: 'run' | 'sweep';
  /** What it did; undefined if it ended before. */
  readonly result: RunResult | undefined;
  /** Whether nothing failed. */
  readonly isComplete: boolean;
  /** In milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Metrics of the latest run or sweep. */
export function runMetrics({ command, result, isComplete, startedAt, endedAt }: EndedRun): readonly Metric[] {
  const gauge = (name: string, help: string, samples: Metric['samples']): Metric => ({
    name: `gatectl_sync_run_${name}`,
    type: 'gauge',
    help,
    samples: samples.map(({ labels, value }) => ({ labels: { command, ...labels }, value })),
  });
  const { tables = [], left = 0 } = result ?? {};
  const changes = ['added', 'changed', 'unchanged', 'failed'] as const;
  const byTable = (name: 'rows' | 'requests') =>
    tables.map(counts => ({ labels: { table: counts.table }, value: counts[name] }));
  return [
    gauge('complete', 'Whether nothing failed in the latest run: 1, or 0.', [{ value: isComplete ? 1 : 0 }]),
    gauge('ended_timestamp_seconds', 'When the latest run ended.', [{ value: endedAt / 1000 }]),
    gauge('seconds', 'Seconds that the latest run took.', [{ value: (endedAt - startedAt) / 1000 }]),
    gauge(
      'partitions',
      'Partitions of the latest run, by what became of them.',
      tables.flatMap(counts =>
        changes.map(change => ({ labels: { table: counts.table, change }, value: counts[change] })),
      ),
    ),
    gauge('rows', 'Rows of the partitions that did not fail.', byTable('rows')),
    gauge('requests', 'Pages that the latest run requested.', byTable('requests')),
    gauge('left', 'Partitions that the latest run left at its deadline.', [{ value: left }]),
  ];
}

/** What a worker has done since it started. */
export class WorkerMetrics {
  readonly #account: string;
  readonly #results = { done: 0, failed: 0, set_aside: 0, returned: 0, lost: 0 };
  readonly #changes = { added: 0, changed: 0, unchanged: 0 };
  #milliseconds = 0;
  #rows = 0;
  #requests = 0;
  #pauses = 0;
  #lastDone = 0;

  constructor(account: string) {
    this.#account = account;
  }

  /** Counts a unit; `now` in milliseconds since the epoch. */
  add({ result, ms, changes, rows, requests }: UnitOutcome, now: number): void {
    this.#results[result] += 1;
    this.#milliseconds += ms;
    for (const change of ['added', 'changed', 'unchanged'] as const) this.#changes[change] += changes[change];
    this.#rows += rows;
    this.#requests += requests;
    if (result === 'done') this.#lastDone = now;
  }

  addPause(): void {
    this.#pauses += 1;
  }

  get results(): Readonly<Record<UnitOutcome['result'], number>> {
    return this.#results;
  }

  get totals(): { readonly partitions: number; readonly rows: number; readonly requests: number } {
    const { added, changed, unchanged } = this.#changes;
    return { partitions: added + changed + unchanged, rows: this.#rows, requests: this.#requests };
  }

  metrics(): readonly Metric[] {
    const account = this.#account;
    const counter = (name: string, help: string, value: number): Metric => ({
      name,
      type: 'counter',
      help,
      samples: [{ labels: { account }, value }],
    });
    return [
      {
        name: 'gatectl_sync_units_total',
        type: 'counter',
        help: 'Units of this worker, by what became of them.',
        samples: Object.entries(this.#results).map(([result, value]) => ({
          labels: { account, result },
          value,
        })),
      },
      {
        name: 'gatectl_sync_partitions_total',
        type: 'counter',
        help: 'Partitions that this worker wrote, by what changed.',
        samples: Object.entries(this.#changes).map(([change, value]) => ({
          labels: { account, change },
          value,
        })),
      },
      counter('gatectl_sync_rows_total', 'Rows that this worker wrote.', this.#rows),
      counter('gatectl_sync_requests_total', 'Pages that this worker requested.', this.#requests),
      counter('gatectl_sync_unit_seconds_total', 'Seconds that units took.', this.#milliseconds / 1000),
      counter('gatectl_sync_rate_limit_pauses_total', 'Pauses after rate limit responses.', this.#pauses),
      {
        name: 'gatectl_sync_last_unit_timestamp_seconds',
        type: 'gauge',
        help: 'When this worker finished its latest unit.',
        samples: this.#lastDone === 0 ? [] : [{ labels: { account }, value: this.#lastDone / 1000 }],
      },
    ];
  }
}
