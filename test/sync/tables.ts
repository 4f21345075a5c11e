import type { SyncTable } from '../../src/sync/config.ts';

/** A table of a sync file, by month unless said otherwise. */
export function tableOf(table: Partial<SyncTable> = {}): SyncTable {
  return {
    name: 'pages',
    dataSet: 'pageview',
    dimensions: ['page_url'],
    metrics: ['visits'],
    filters: [],
    platform: undefined,
    start: '2026-01-01',
    end: undefined,
    partition: 'month',
    additive: [],
    ...table,
  };
}
