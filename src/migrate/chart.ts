import type { ColumnCatalogue } from '../apis/bda/catalogue.ts';
import { isPresent, wholeNumberOf } from '../apis/bda/fields.ts';
import type { Json, JsonRecord } from '../json/index.ts';
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
import type { Merge, MigratedQuery, MigrationInput, V1Side } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';
import { migratePaging } from './paging.ts';
import { migrateRounding, migrateScope } from './scope.ts';
import { chooseSegments, type FoundSegment } from './segment-choice.ts';
import { migrateSegmentFilters } from './segment-filters.ts';
import { migrateOrder } from './sort.ts';
import type { ChartSource, Source } from './source.ts';

/** The part of a plan for one chart; its queries are not yet labelled. */
export interface ChartPlan {
  readonly report: string | undefined;
  readonly chart: string | undefined;
  readonly queries: readonly Omit<MigratedQuery, 'label'>[];
  readonly merge?: Merge;
  readonly v1: V1Side;
}

/** The queries that return a chart's rows: one, or one per segment that splits them. Undefined if the days are not known. */
export function migrateChart(
  chart: ChartSource,
  source: Source,
  catalogue: ColumnCatalogue | undefined,
  input: MigrationInput,
  notes: MigrationNotes,
): ChartPlan | undefined {
  const { request, path } = chart;
  const dateRange = migrateDates(request, source.dateBase, input, notes);
  const v1 = {
    dimensions: readV1Columns(chart.dimensions, `${path}DimensionColumns`, notes),
    metrics: readV1Columns(chart.metrics, `${path}MetricColumns`, notes),
  };
  const space = columnSpace([...v1.dimensions, ...v1.metrics], chart, catalogue, input, notes);
  const columns = migrateColumns(v1, readGrouping(request.DateGrouping, notes), space, notes);
  requireColumns(path, v1, columns, notes);
  const segments = chooseSegments(chart, input.definitions.segments, notes) ?? [];
  const isSplit = segments.length > 1;
  const sort = migrateOrder(chart.order, { field: `${path}Order`, isSplit }, columns, notes);
  const filters = migrateFilters(chart.filters, `${path}Filters`, space, notes);
  const isSingleRow = columns.dimensions.length === 0;
  const isPageAssumed = input.isPageAssumed === true;
  const { page, merge } = migratePaging(request, { isSplit, isSingleRow, isPageAssumed, sort }, notes);
  const scope = migrateScope(request, input, notes);
  const rounding = migrateRounding(request, columns.metrics, catalogue, notes);
  if (dateRange === undefined) return undefined;
  const queries = (segments.length === 0 ? [undefined] : segments).map(segment => {
    const own = segment
      ? migrateSegmentFilters(segment, input.definitions, space, input.allowUnknown, notes)
      : [];
    const query: Query = {
      data_set: space.dataSet,
      date_range: dateRange,
      ...(columns.dimensions.length > 0 && { dimensions: [...columns.dimensions] }),
      ...(columns.metrics.length > 0 && { metrics: [...columns.metrics] }),
      ...(filters.length + own.length > 0 && { filters: [...filters, ...own] }),
      ...(sort !== undefined && { sort }),
      ...page,
      ...scope,
    };
    return { query, ...(segment !== undefined && { segment: segment.name }) };
  });
  const inline = inlineRequest(chart, segments, dateRange);
  return {
    ...{ report: source.title, chart: chart.name, queries },
    ...(merge !== undefined && { merge }),
    v1: { ...(inline && { request: inline }), columns: v1Names(columns), ...rounding },
  };
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
  {
    dimensions,
    metrics,
  }: { readonly dimensions: readonly V1Column[]; readonly metrics: readonly V1Column[] },
  columns: MigratedColumns,
  notes: MigrationNotes,
): void {
  if (metrics.length > 0 && columns.metrics.length === 0)
    notes.block(`${path}MetricColumns`, 'v2 has none of the metrics');
  else if (columns.dimensions.length + columns.metrics.length === 0)
    notes.block(
      `${path}DimensionColumns`,
      dimensions.length > 0 ? 'v2 has none of the dimensions' : 'the request names no columns',
    );
}

/**
 * The `getCustomData` body for the rows of a chart, with every documented field that `lossy` omits from its queries, so that a
 * comparison shows the difference. Undefined for a segment without an id.
 */
function inlineRequest(
  chart: ChartSource,
  segments: readonly FoundSegment[],
  { start_date, end_date }: Query['date_range'],
): JsonRecord | undefined {
  if (segments.some(({ id }) => id === undefined)) return undefined;
  const ids = segments.map(({ id }) => wholeNumberOf(id) ?? id ?? null);
  const request: Record<string, Json | undefined> = {
    ...chart.request,
    StartDate: start_date,
    EndDate: end_date,
    DimensionColumns: chart.dimensions ?? [],
    MetricColumns: chart.metrics ?? [],
    Order: chart.order,
    Filters: chart.filters,
    SegmentIds: ids.length === 0 ? undefined : ids,
  };
  return Object.fromEntries(Object.entries(request).filter(([, value]) => isPresent(value)));
}

/** v2 to v1 column names, where they differ: the day column of a weekly report holds weeks. */
function v1Names({ byIndex }: MigratedColumns): Record<string, string> {
  const requestNames = new Set(byIndex.map(({ v1 }) => v1));
  const renamed = byIndex.flatMap(({ v1, v2 }): [string, string][] =>
    v1 !== undefined && v2 !== undefined && v1 !== v2 && !requestNames.has(v2) ? [[v2, v1]] : [],
  );
  return Object.fromEntries(renamed);
}
