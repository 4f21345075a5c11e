import type { ColumnCatalogue } from '../apis/bda/catalogue.ts';
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
import type { MigrationInput, V1Side } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';
import { migratePaging } from './paging.ts';
import { migrateRounding, migrateScope } from './scope.ts';
import { chooseSegments } from './segment-choice.ts';
import { migrateSegmentFilters } from './segment-filters.ts';
import { migrateOrder } from './sort.ts';
import type { ChartSource, Source } from './source.ts';
import { v1Side } from './v1-side.ts';

/** One query before it has its label. */
export interface ChartQuery {
  readonly report: string | undefined;
  readonly chart: string | undefined;
  readonly segment: string | undefined;
  readonly query: Query;
  readonly v1: V1Side | undefined;
}

/** The queries that give a chart's rows: one, or one for each segment that splits them. */
export function migrateChart(
  chart: ChartSource,
  source: Source,
  catalogue: ColumnCatalogue | undefined,
  input: MigrationInput,
  findings: MigrationNotes,
): ChartQuery[] {
  const { request, path } = chart;
  const dateRange = migrateDates(request, source.dateBase, input, findings);
  const v1 = {
    dimensions: readV1Columns(chart.dimensions, `${path}DimensionColumns`, findings),
    metrics: readV1Columns(chart.metrics, `${path}MetricColumns`, findings),
  };
  const space = columnSpace([...v1.dimensions, ...v1.metrics], chart, catalogue, input, findings);
  const columns = migrateColumns(v1, readGrouping(request.DateGrouping, findings), space, findings);
  requireColumns(path, v1.metrics, columns, findings);
  const sort = migrateOrder(chart.order, `${path}Order`, columns, findings);
  const filters = migrateFilters(chart.filters, `${path}Filters`, space, findings);
  const segments = chooseSegments(chart, input.definitions.segments, findings) ?? [];
  const paging = migratePaging(request, source.title === undefined, segments.length, findings);
  const scope = migrateScope(request, input.brand, findings);
  const rounding = migrateRounding(request, columns.metrics, catalogue, findings);
  return (segments.length === 0 ? [undefined] : segments).flatMap(segment => {
    const own = segment ? migrateSegmentFilters(segment, input.definitions, space, findings) : [];
    if (dateRange === undefined) return [];
    const query: Query = {
      data_set: space.dataSet,
      date_range: dateRange,
      ...(columns.dimensions.length > 0 && { dimensions: [...columns.dimensions] }),
      ...(columns.metrics.length > 0 && { metrics: [...columns.metrics] }),
      ...(filters.length + own.length > 0 && { filters: [...filters, ...own] }),
      ...(sort !== undefined && { sort }),
      ...paging,
      ...scope,
    };
    const side = v1Side(chart, segment, query, columns, rounding);
    return [{ report: source.title, chart: chart.name, segment: segment?.name, query, v1: side }];
  });
}

function columnSpace(
  columns: readonly V1Column[],
  chart: ChartSource,
  catalogue: ColumnCatalogue | undefined,
  input: MigrationInput,
  findings: MigrationNotes,
): ColumnSpace & { readonly dataSet: string } {
  const names = columns.flatMap(({ name }) => name ?? []);
  const used = [...names, ...filterColumns(chart.filters)];
  const typesV1 = listedTypes(input.definitions.columnsV1);
  for (const { name, type } of columns)
    if (name !== undefined && type !== undefined && !typesV1.has(name)) typesV1.set(name, type);
  return { dataSet: chooseDataSet(input.dataSet, used, catalogue, findings), catalogue, typesV1 };
}

/** A query asks for something, and one whose figures all had to be left out is not worth asking. */
function requireColumns(
  path: string,
  metrics: readonly V1Column[],
  columns: MigratedColumns,
  findings: MigrationNotes,
): void {
  if (metrics.length > 0 && columns.metrics.length === 0)
    findings.refuse(`${path}MetricColumns`, 'v2 has none of the metrics, so there is nothing left to count');
  else if (columns.dimensions.length + columns.metrics.length === 0)
    findings.refuse(`${path}DimensionColumns`, 'no columns are named');
}
