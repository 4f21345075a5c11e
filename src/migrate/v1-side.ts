import { isPresent, wholeNumberOf } from '../apis/bda/fields.ts';
import type { Json } from '../json/index.ts';
import type { Query } from '../wire/bda-v2.ts';
import type { MigratedColumns } from './columns.ts';
import type { V1Side } from './migration.ts';
import type { FoundSegment } from './segment-choice.ts';
import type { ChartSource } from './source.ts';

/**
 * The `getCustomData` body that asks v1 what `query` asks v2: the same rows and page, one segment, and every documented field
 * that lossy left out of the query, so that a comparison shows it. Undefined for a segment that v1 knows no id of.
 */
export function v1Side(
  chart: ChartSource,
  segment: FoundSegment | undefined,
  query: Query,
  columns: MigratedColumns,
  rounding: Pick<V1Side, 'decimals' | 'rounded'>,
): V1Side | undefined {
  if (segment !== undefined && segment.id === undefined) return undefined;
  const request: Record<string, Json | undefined> = {
    ...chart.request,
    StartItem: query.offset ?? 0,
    MaxItems: query.limit,
    StartDate: query.date_range.start_date,
    EndDate: query.date_range.end_date,
    DimensionColumns: chart.dimensions ?? [],
    MetricColumns: chart.metrics ?? [],
    Order: chart.order,
    Filters: chart.filters,
    SegmentIds: segment === undefined ? undefined : [wholeNumberOf(segment.id) ?? segment.id ?? null],
  };
  const present = Object.entries(request).filter(([, value]) => isPresent(value));
  const { isWholeReport } = chart;
  return { request: Object.fromEntries(present), isWholeReport, columns: v1Names(columns), ...rounding };
}

/** Where v1 calls a column otherwise: the day column of a weekly report is the week. */
function v1Names({ byIndex }: MigratedColumns): Record<string, string> {
  const own = new Set(byIndex.map(({ v1 }) => v1));
  const exchanged = byIndex.flatMap(({ v1, v2 }): [string, string][] =>
    v1 !== undefined && v2 !== undefined && v1 !== v2 && !own.has(v2) ? [[v2, v1]] : [],
  );
  return Object.fromEntries(exchanged);
}
