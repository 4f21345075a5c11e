import { readColumnCatalogue } from '../apis/bda/catalogue.ts';
import { isRecord } from '../json/index.ts';
import type { FilterV2 } from '../wire/bda-v2.ts';
import { listedTypes } from './data-set.ts';
import type { Definitions, Migration, Note } from './migration.ts';
import { MigrationNotes } from './migration-notes.ts';
import { readSegment } from './segment-choice.ts';
import { migrateSegmentFilters } from './segment-filters.ts';

export type SegmentMigration =
  | { readonly ok: true; readonly filters: readonly FilterV2[]; readonly notes: readonly Note[] }
  | Extract<Migration, { ok: false }>;

/** A segment alone, as the v2 filters that stand for it: tells whether an account's segment can move. */
export function migrateSegment(segment: unknown, definitions: Definitions, lossy: boolean): SegmentMigration {
  const findings = new MigrationNotes(lossy);
  const space = {
    dataSet: undefined,
    catalogue: readColumnCatalogue(definitions.columnsV2),
    typesV1: listedTypes(definitions.columnsV1),
  };
  if (!isRecord(segment)) findings.refuse('segment', 'a segment is a JSON object');
  const filters = isRecord(segment)
    ? migrateSegmentFilters(readSegment(segment), definitions, space, findings)
    : [];
  const { notes, refusals, needs } = findings;
  return refusals.length > 0 ? { ok: false, refusals, notes, needs } : { ok: true, filters, notes };
}
