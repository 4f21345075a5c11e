import type { ColumnCatalogue } from '../apis/bda/catalogue.ts';
import { isPresent, wholeNumberOf } from '../apis/bda/fields.ts';
import type { Json } from '../json/index.ts';
import type { Query } from '../wire/bda-v2.ts';
import {
  type MigratedColumns,
  migrateColumns,
  readGrouping,
  readV1Columns,
  type V1Column,
} from './columns.ts';
import { type ColumnSpace, chooseDataSet, listedTypes } from './data-set.ts';
import { migrateDates } from './dates.ts';
import { filterColumns, migrateFilters } from './filters.ts';
import type { MigrationInput, V1Equivalent } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';
import { migratePaging } from './paging.ts';
import { migrateRounding, migrateScope } from './scope.ts';
import { chooseSegments, type FoundSegment } from './segment-choice.ts';
import { migrateSegmentFilters } from './segment-filters.ts';
import { migrateOrder } from './sort.ts';
import type { ChartSource, Source } from './source.ts';

/** One query, not yet labelled. */
export interface ChartQuery {
  readonly report: string | undefined;
  readonly chart: string | undefined;
  readonly segment: string | undefined;
  readonly query: Query;
  readonly v1: V1Equivalent | undefined;
}

/** The queries that return a chart's rows: one, or one per segment that splits them. */
export function migrateChart(
  chart: ChartSource,
  source: Source,
  catalogue: ColumnCatalogue | undefined,
  input: MigrationInput,
  notes: MigrationNotes,
): ChartQuery[] {
  const { request, path } = chart;
  const dateRange = migrateDates(request, source.dateBase, input, notes);
  const v1 = {
    dimensions: readV1Columns(chart.dimensions, `${path}DimensionColumns`, notes),
    metrics: readV1Columns(chart.metrics, `${path}MetricColumns`, notes),
  };
  const space = columnSpace([...v1.dimensions, ...v1.metrics], chart, catalogue, input, notes);
  const columns = migrateColumns(v1, readGrouping(request.DateGrouping, notes), space, notes);
  requireColumns(path, v1.metrics, columns, notes);
  const sort = migrateOrder(chart.order, `${path}Order`, columns, notes);
  const filters = migrateFilters(chart.filters, `${path}Filters`, space, notes);
  const segments = chooseSegments(chart, input.definitions.segments, notes) ?? [];
  const paging = migratePaging(request, source.title === undefined, segments.length, notes);
  const scope = migrateScope(request, input.brand, notes);
  const rounding = migrateRounding(request, columns.metrics, catalogue, notes);
  return (segments.length === 0 ? [undefined] : segments).flatMap(segment => {
    const requestNames = segment ? migrateSegmentFilters(segment, input.definitions, space, notes) : [];
    if (dateRange === undefined) return [];
    const query: Query = {
      data_set: space.dataSet,
      date_range: dateRange,
      ...(columns.dimensions.length > 0 && { dimensions: [...columns.dimensions] }),
      ...(columns.metrics.length > 0 && { metrics: [...columns.metrics] }),
      ...(filters.length + requestNames.length > 0 && { filters: [...filters, ...requestNames] }),
      ...(sort !== undefined && { sort }),
      ...paging,
      ...scope,
    };
    const side = v1Equivalent(chart, segment, query, columns, rounding);
    return [{ report: source.title, chart: chart.name, segment: segment?.name, query, v1: side }];
  });
}

function columnSpace(
  columns: readonly V1Column[],
  chart: ChartSource,
  catalogue: ColumnCatalogue | undefined,
  input: MigrationInput,
  notes: MigrationNotes,
): ColumnSpace & { readonly dataSet: string } {
  const names = columns.flatMap(({ name }) => name ?? []);
  const used = [...names, ...filterColumns(chart.filters)];
  const typesV1 = listedTypes(input.definitions.columnsV1);
  for (const { name, type } of columns)
    if (name !== undefined && type !== undefined && !typesV1.has(name)) typesV1.set(name, type);
  return { dataSet: chooseDataSet(input.dataSet, used, catalogue, notes), catalogue, typesV1 };
}

/** Blocks a query without columns, and one that lost all its metrics. */
function requireColumns(
  path: string,
  metrics: readonly V1Column[],
  columns: MigratedColumns,
  notes: MigrationNotes,
): void {
  if (metrics.length > 0 && columns.metrics.length === 0)
    notes.block(`${path}MetricColumns`, 'v2 has none of the metrics');
  else if (columns.dimensions.length + columns.metrics.length === 0)
    notes.block(`${path}DimensionColumns`, 'the request names no columns');
}

/**
 * The `getCustomData` body for the same rows, page and segment as `query`, with every documented field that `lossy` omits from
 * the query, so that a comparison shows the difference. Undefined for a segment without an id.
 */
function v1Equivalent(
  chart: ChartSource,
  segment: FoundSegment | undefined,
  query: Query,
  columns: MigratedColumns,
  rounding: Pick<V1Equivalent, 'decimals' | 'rounded'>,
): V1Equivalent | undefined {
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
  const { isFullReport } = chart;
  return { request: Object.fromEntries(present), isFullReport, columns: v1Names(columns), ...rounding };
}

/** v2 to v1 column names, where they differ: the day column of a weekly report holds weeks. */
function v1Names({ byIndex }: MigratedColumns): Record<string, string> {
  const requestNames = new Set(byIndex.map(({ v1 }) => v1));
  const renamed = byIndex.flatMap(({ v1, v2 }): [string, string][] =>
    v1 !== undefined && v2 !== undefined && v1 !== v2 && !requestNames.has(v2) ? [[v2, v1]] : [],
  );
  return Object.fromEntries(renamed);
}
