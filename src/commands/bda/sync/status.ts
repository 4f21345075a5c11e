import { resolve } from 'node:path';
import type { View } from '../../../output/view.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import type { Context, OutputSection } from '../../framework/context.ts';
import { defineCommand } from '../../framework/define-command.ts';
import type { OpenSync } from '../../framework/open-sync.ts';
import { listOf } from '../../framework/output-schema.ts';
import { syncStatus as statusOf } from '../../framework/sync-status.ts';
import { numberColumns, textColumns } from './columns.ts';
import { ENGINE_FLAG, METRICS_FLAG } from './engine/flags.ts';
import { SYNC_ARGUMENT } from './flags.ts';

export const syncStatus = defineCommand({
  name: 'status',
  effect: 'read',
  summary: 'show what the destination holds',
  description:
    'Prints, for each table, what the ledger says and which partitions are quarantined, and warns of sites that the gateway no longer listed in the latest run. Sends nothing. With --engine it prints the queue of the account instead: units by state, workers, limits, and the set-aside units with their errors.',
  arguments: SYNC_ARGUMENT,
  options: { ...ENGINE_FLAG, ...METRICS_FLAG },
  examples: {
    'gatectl bda sync status': 'how much there is, and since when',
    'gatectl bda sync status --engine redis://queue.example.com': 'the queue of the workers',
    'gatectl bda sync status --metrics sync.prom': 'for Prometheus',
  },
  output: listOf({
    table: ['string', 'the table'],
    sites: ['number', 'sites with at least one partition'],
    partitions: ['number', 'partitions'],
    provisional: ['number', 'partitions that may still change'],
    rows: ['number', 'rows'],
    bytes: ['number', 'size of the files'],
    from: ['string|null', 'the first day'],
    to: ['string|null', 'the last day'],
    fetched_at: ['string|null', 'when a partition was last written'],
    revisions: ['number', 'how many times rows changed after they were first written'],
    schema: ['number', 'the version of the column types'],
    quarantined: [
      'array',
      'partitions that were not replaced: partition, domain, from, to, quarantined_at, tried_at, rows, problems, and path of the rows that are kept aside',
    ],
  }),
  async run({ file, engine, metrics }, context) {
    if (engine !== undefined) {
      const { printQueue } = await import('./engine/queue-state.ts');
      return await printQueue(engine, metrics, context);
    }
    const { withSync } = await import('../../framework/open-sync.ts');
    await withSync({ file, table: [] }, context, sync => printStatus(sync, metrics, context));
  },
});

const STORED: View = {
  columns: [
    ...textColumns({ table: 'Table' }),
    ...numberColumns({ sites: 'Sites', partitions: 'Partitions', provisional: 'Provisional' }),
    ...numberColumns({ rows: 'Rows', bytes: 'Bytes' }),
    ...textColumns({ from: 'From', to: 'To' }),
    { key: 'fetched_at', title: 'Written', kind: 'time' },
    ...numberColumns({ revisions: 'Revisions', schema: 'Types' }),
  ],
  secondary: ['schema', 'revisions', 'bytes'],
};
const QUARANTINED: View = {
  columns: [
    ...textColumns({ table: 'Table', domain: 'Site', partition: 'Partition' }),
    ...numberColumns({ rows: 'Rows' }),
    { key: 'quarantined_at', title: 'Since', kind: 'time' },
    ...textColumns({ problem: 'Problem', path: 'Kept in' }),
  ],
  outcome: 'bad',
  secondary: ['path'],
};

async function printStatus(sync: OpenSync, metrics: string | undefined, context: Context): Promise<void> {
  const rows = await statusOf(sync, context);
  if (metrics !== undefined) {
    const { tableMetrics, writeMetrics } = await import('../../../sync/engine/metrics.ts');
    await writeMetrics(resolve(context.io.cwd, metrics), tableMetrics(rows));
  }
  const kept = rows.flatMap(({ table, quarantined }) =>
    quarantined.map(({ problems, ...partition }) => ({ table, problem: problems.join('; '), ...partition })),
  );
  const title = `${pluralize(rows.length, 'table')} in ${sync.destination.name}`;
  const sections: OutputSection[] = [{ title, data: rows, view: STORED }];
  if (kept.length > 0)
    sections.push({
      title: `${pluralize(kept.length, 'partition')} quarantined`,
      data: kept,
      view: QUARANTINED,
    });
  const flat = rows.map(row => ({ ...row, quarantined: row.quarantined.length }));
  await context.out.printSections(rows, sections, flat);
}
