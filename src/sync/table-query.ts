import { createHash } from 'node:crypto';
import type { DayRange } from '../apis/bda/days.ts';
import { filterJson, type KindOf } from '../apis/bda/filter-expression.ts';
import { withTotalOrder } from '../apis/bda-v2/query.ts';
import type { JsonRecord } from '../json/index.ts';
import { stringifyJson } from '../json/index.ts';
import { DAY_COLUMN, type SyncTable } from './config.ts';

/** The query for the rows of a site on some days, sorted by day. */
export function tableQuery(table: SyncTable, domainId: number, days: DayRange, kindOf: KindOf): JsonRecord {
  return dailyQuery(table, table.dimensions, table.metrics, domainId, days, kindOf);
}

/** The query for the totals of some metrics on each day. */
export function totalsQuery(
  table: SyncTable,
  metrics: readonly string[],
  domainId: number,
  days: DayRange,
  kindOf: KindOf,
): JsonRecord {
  return dailyQuery(table, [], metrics, domainId, days, kindOf);
}

function dailyQuery(
  table: SyncTable,
  dimensions: readonly string[],
  metrics: readonly string[],
  domainId: number,
  { from, to }: DayRange,
  kindOf: KindOf,
): JsonRecord {
  return withTotalOrder({
    data_set: table.dataSet,
    date_range: { start_date: from, end_date: to },
    dimensions: [DAY_COLUMN, ...dimensions],
    ...queryFields(table, metrics, kindOf),
    domain_id: domainId,
  });
}

function queryFields(table: SyncTable, metrics: readonly string[], kindOf: KindOf): JsonRecord {
  const { filters, platform } = table;
  return {
    metrics: [...metrics],
    ...(filters.length > 0 && { filters: filters.map(filter => filterJson(filter, kindOf)) }),
    ...(platform !== undefined && { platform }),
  };
}

/** Identifies the query of a table, independent of its days and site. */
export function queryHash(table: SyncTable, kindOf: KindOf): string {
  const { dataSet, dimensions, partition } = table;
  const what = stringifyJson({
    data_set: dataSet,
    dimensions: [...dimensions],
    ...queryFields(table, table.metrics, kindOf),
    partition,
  });
  return createHash('sha256').update(what).digest('hex').slice(0, 16);
}
