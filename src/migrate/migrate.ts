import { readColumnCatalogue } from '../apis/bda/catalogue.ts';
import { isPresent } from '../apis/bda/fields.ts';
import { DATA_REQUEST } from '../documents/bda-v1.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import type { FilterV2 } from '../wire/bda-v2.ts';
import { type ChartPlan, migrateChart } from './chart.ts';
import { listedTypes } from './data-set.ts';
import type { Definitions, Migration, MigrationInput, Note, PlanPart } from './migration.ts';
import { MigrationNotes } from './migration-notes.ts';
import { rejections } from './rejections.ts';
import { readSegment } from './segment-choice.ts';
import { migrateSegmentFilters } from './segment-filters.ts';
import { readSource } from './source.ts';
import { noteUndeclared } from './undeclared.ts';

/**
 * Migrates a v1 request to v2 queries that return the same rows, with notes on what changes and what is lost, or returns what
 * blocks the migration (spec, Versioning 3 to 6). Pure: no clock, no network, and the input is not modified.
 *
 * A request becomes a plan of several queries if its report has several charts, or if several segments split its rows.
 */
export function migrate(input: MigrationInput): Migration {
  const notes = new MigrationNotes(input.lossy);
  const charts = migrateRequest(input, notes);
  blockRejected(input, notes);
  if (notes.blockers.length > 0) return notes.failure();
  const parts = labelledParts(charts);
  return { ok: true, queries: parts.flatMap(({ queries }) => queries), parts, notes: notes.notes };
}

function migrateRequest(input: MigrationInput, notes: MigrationNotes): ChartPlan[] {
  if (!isRecord(input.request)) {
    notes.block('request', 'a v1 data request must be a JSON object');
    return [];
  }
  const request = readRequestFields(input.request, input.allowUnknown, notes);
  const catalogue = readColumnCatalogue(input.definitions.columnsV2);
  const source = readSource(input, request, notes);
  if (source === undefined) return [];
  if (catalogue === undefined) noteUnchecked(input.definitions, notes);
  return source.charts.flatMap(chart => migrateChart(chart, source, catalogue, input, notes) ?? []);
}

/** What v1 rejects has no rows that v2 could return, so `lossy` does not allow it. */
function blockRejected({ request, brand, definitions }: MigrationInput, notes: MigrationNotes): void {
  if (!isRecord(request)) return;
  const known = notes.blockers.map(({ field }) => field);
  const isKnown = (field: string) =>
    known.some(
      other => field === other || (field.startsWith(other) && /^[.[]/.test(field.slice(other.length))),
    );
  const catalogues = {
    v1: readColumnCatalogue(definitions.columnsV1),
    v2: readColumnCatalogue(definitions.columnsV2),
  };
  for (const { field, reason } of rejections(request, brand, catalogues))
    if (!isKnown(field)) notes.block(field, reason);
}

function noteUnchecked({ columnsV2 }: Definitions, notes: MigrationNotes): void {
  const why = columnsV2 === undefined ? 'is missing' : 'is unreadable';
  notes.lossless('columns', `unchanged and unchecked: the v2 column listing ${why}`);
}

/** Gives each query a unique label: chart and segment where these differ, else the title of the report. */
function labelledParts(charts: readonly ChartPlan[]): PlanPart[] {
  const severalCharts = new Set(charts.map(({ chart }) => chart)).size > 1;
  const used = new Set<string>();
  const labelOf = ({ report, chart }: ChartPlan, segment: string | undefined): string => {
    const names = segment !== undefined && !severalCharts ? [segment] : [chart, segment];
    const plain = names.filter(Boolean).join(' / ') || report || 'query';
    let label = plain;
    for (let copy = 2; used.has(label); copy += 1) label = `${plain} (${copy})`;
    used.add(label);
    return label;
  };
  return charts.map(chart => ({
    queries: chart.queries.map(one => ({ label: labelOf(chart, one.segment), ...one })),
    ...(chart.merge && { merge: chart.merge }),
    v1: chart.v1,
  }));
}

/**
 * The documented fields of a request. Any other field with a value, at any depth, blocks the migration or is lost; a key is discarded
 * unread.
 */
function readRequestFields(
  request: JsonRecord,
  allowUnknown: readonly string[] | undefined,
  notes: MigrationNotes,
): JsonRecord {
  noteUndeclared({ document: request, shape: DATA_REQUEST, path: '', allowUnknown }, notes);
  return Object.fromEntries(
    Object.entries(request).filter(
      ([name, value]) => Object.hasOwn(DATA_REQUEST.members, name) && isPresent(value),
    ),
  );
}

export type SegmentMigration =
  | { readonly ok: true; readonly filters: readonly FilterV2[]; readonly notes: readonly Note[] }
  | Extract<Migration, { ok: false }>;

/** Migrates a segment alone, to the v2 filters that are equivalent to it. */
export function migrateSegment(
  segment: unknown,
  definitions: Definitions,
  { lossy, allowUnknown }: Pick<MigrationInput, 'lossy' | 'allowUnknown'>,
): SegmentMigration {
  const notes = new MigrationNotes(lossy);
  const space = {
    dataSet: undefined,
    catalogue: readColumnCatalogue(definitions.columnsV2),
    typesV1: listedTypes(definitions.columnsV1),
  };
  if (!isRecord(segment)) notes.block('segment', 'a segment must be a JSON object');
  const filters = isRecord(segment)
    ? migrateSegmentFilters(readSegment(segment), definitions, space, allowUnknown, notes)
    : [];
  return notes.blockers.length > 0 ? notes.failure() : { ok: true, filters, notes: notes.notes };
}

/** Whether a report or segment can run on v2. */
export interface Readiness {
  readonly state: 'ready' | 'ready with notes' | 'blocked';
  /** What changes, is lost, or blocks it: one sentence each. */
  readonly reasons: readonly string[];
}

/** Summarizes a migration for a list. */
export function readinessOf(migration: Migration | SegmentMigration): Readiness {
  if (!migration.ok)
    return {
      state: 'blocked',
      reasons: migration.blockers.map(({ field, reason }) => `${field}: ${reason}`),
    };
  const relevant = migration.notes.filter(({ kind }) => kind !== 'lossless');
  const reasons = relevant.map(({ kind, field, text }) => `${kind}: ${field}: ${text}`);
  return { state: relevant.length === 0 ? 'ready' : 'ready with notes', reasons: reasons };
}
