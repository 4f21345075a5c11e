import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/folder.ts';
import { type InProcess, type InProcessOptions, run } from '../../../support/run.ts';

/** Runs `bda migrate-query`. */
export function migrateQuery(args: readonly string[], options: InProcessOptions = {}): Promise<InProcess> {
  return run(['bda', 'migrate-query', ...args], options);
}

/** Writes a file into a folder of its own and gives its path. */
export function fileWith(content: unknown, name = 'request.json'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** The queries of a plan, in order. */
export function queriesOfPlan(text: string): object[] {
  const { plan } = JSON.parse(text) as { plan: { queries: { query: object }[] }[] };
  return plan.flatMap(({ queries }) => queries.map(({ query }) => query));
}

export const refs = (type: string, ...names: string[]) => names.map(Data => ({ Data, Type: type }));

/** A request to getCustomData that means the same in v2. */
export const REQUEST = {
  StartItem: 0,
  MaxItems: 50,
  StartDate: '2026-03-01',
  EndDate: '2026-03-07',
  DimensionColumns: refs('string', 'country'),
  MetricColumns: refs('number', 'visits', 'pageviews'),
  Order: { ColumnNumber: 1, Direction: 'DESC' },
};

/** What it becomes. */
export const QUERY = {
  data_set: 'pageview',
  date_range: { start_date: '2026-03-01', end_date: '2026-03-07' },
  dimensions: ['country'],
  metrics: ['visits', 'pageviews'],
  sort: [{ column: 'visits', direction: 'desc' }],
  limit: 50,
  offset: 0,
};

/** A report that the account saved, with two of its segments. */
export const REPORT = {
  ReportTitle: 'Two Sides',
  ReportDateRange: { BaseSelectId: 'BASE_NOT_SELECTED' },
  Charts: [
    {
      Name: 'By country',
      DimensionColumns: refs('string', 'country'),
      MetricColumns: refs('number', 'visits'),
      Segments: [7, 8],
      Order: { ColumnNumber: 0, Direction: 'ASC' },
    },
  ],
};

export const SEGMENTS = [
  { id: 7, SegmentName: 'Desktop', SegmentMultiFilters: { 3: { FilterValues: ['desktop'] } } },
  {
    id: 8,
    SegmentName: 'Busy',
    SegmentFilters: { 4: { FilterIntOperationId: 'GREATER', FilterValue: '12' } },
  },
];
export const MULTIFILTERS = [{ FilterName: 'device', MultiFilterId: 3, MultiFilterTypeId: 1 }];
export const FILTERS = [{ FilterId: 4, FilterKey: 'visits', Type: 'number' }];
export const COLUMNS = {
  columns: ['country', 'device', 'visits', 'pageviews', 'revenue'].map(name => ({
    name,
    type: ['country', 'device'].includes(name) ? 'string' : 'number',
    data_sets: ['pageview'],
  })),
};
