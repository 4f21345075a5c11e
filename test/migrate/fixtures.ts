import { expect } from 'vitest';
import { type Migration, type MigrationInput, migrate } from '../../src/migrate/index.ts';
import type { Query } from '../../src/wire/bda-v2.ts';

/** v2's columns as a listing might show them. */
export const COLUMNS_V2 = {
  columns: [
    ...['report_day', 'report_week', 'report_month'].map(name => column(name, 'date')),
    ...['country', 'device', 'site'].map(name => column(name, 'string')),
    ...['visits', 'pageviews', 'engaged_time', 'bounce_rate'].map(name => column(name, 'number')),
    column('revenue', 'number', 'USD'),
    column('epmv', 'number', 'USD'),
    { name: 'page_url', type: 'string', unit: null, data_sets: ['pageview'] },
    { name: 'logged_in', type: 'boolean', unit: null, data_sets: ['visit'] },
  ],
};

function column(name: string, type: string, unit: string | null = null) {
  return { name, type, unit, description: name, data_sets: ['pageview', 'visit'] };
}

export const MULTIFILTERS = [
  { FilterName: 'country', MultiFilterId: 7, MultiFilterTypeId: 2 },
  { FilterName: 'Device', MultiFilterId: 8, MultiFilterTypeId: 3 },
  { FilterName: 'gender', MultiFilterId: 9, MultiFilterTypeId: 4 },
];

export const SEGMENTS = [
  { id: 1, SegmentName: 'All users' },
  {
    id: 11,
    SegmentName: 'North America',
    SegmentMultiFilters: { '7': { FilterValues: ['US', 'CA'] } },
  },
  {
    id: 12,
    SegmentName: 'Busy phones',
    SegmentFilters: { '3': { FilterIntOperationId: 'GREATER', FilterValue: '5' } },
    SegmentMultiFilters: { '8': { FilterValues: ['mobile'] } },
  },
  { id: 13, SegmentName: 'Women', SegmentMultiFilters: { '9': { FilterValues: ['female'] } } },
];

export const FILTERS = [{ FilterId: 3, FilterKey: 'pageviews', Type: 'number' }];

export const refs = (...names: string[]) => names.map(Data => ({ Data, Type: 'string' }));

/** A request that needs nothing but itself. */
export const REQUEST = {
  MaxItems: 50,
  StartDate: '2026-01-01',
  EndDate: '2026-01-31',
  DimensionColumns: refs('country'),
  MetricColumns: refs('visits'),
};

export const DEFINITIONS = {
  columnsV2: COLUMNS_V2,
  segments: SEGMENTS,
  multifilters: MULTIFILTERS,
  filters: FILTERS,
};

export const INPUT: MigrationInput = {
  request: REQUEST,
  definitions: DEFINITIONS,
  today: '2026-03-10',
  timeZone: 'Europe/Berlin',
  brand: 'service',
  lossy: false,
};

/** Migrates the plain request with the given fields in it. */
export function migrateRequest(
  fields: Readonly<Record<string, unknown>>,
  input: Partial<MigrationInput> = {},
): Migration {
  return migrate({ ...INPUT, request: { ...REQUEST, ...fields }, ...input });
}

/** The only query of a migration that works. */
export function onlyQuery(migration: Migration): Query {
  expect(migration).toMatchObject({ ok: true });
  const queries = migration.ok ? migration.queries : [];
  expect(queries).toHaveLength(1);
  return queries[0]?.query ?? ({} as Query);
}

export function queriesByLabel(migration: Migration): Record<string, Query> {
  expect(migration).toMatchObject({ ok: true });
  return Object.fromEntries(migration.ok ? migration.queries.map(({ label, query }) => [label, query]) : []);
}

/** The notes as they are shown. */
export function shownNotes({ notes }: Pick<Migration, 'notes'>, kind?: string): string[] {
  return notes
    .filter(note => kind === undefined || note.kind === kind)
    .map(note => `${note.kind}: ${note.field}: ${note.text}`);
}

/** The note on a table without an order. */
export const NO_ORDER =
  'changed: Order: there is none, so v2 may return the rows in another order and, of more rows than fit the page, others';

/** What changes, but for what does in every request without an order and with one segment. */
export function shownChanges(migration: Pick<Migration, 'notes'>): string[] {
  return shownNotes(migration)
    .filter(note => !note.startsWith('lossless'))
    .filter(note => note !== NO_ORDER && !note.endsWith('; the rows of v2 do not name it'));
}

export function shownRefusals(migration: Migration): string[] {
  return migration.ok ? [] : migration.blockers.map(({ field, reason }) => `${field}: ${reason}`);
}
