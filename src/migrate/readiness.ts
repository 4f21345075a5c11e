import type { SegmentMigration } from './migrate-segment.ts';
import type { Migration } from './migration.ts';

/** How far a report or segment is from running on v2. */
export interface Readiness {
  readonly state: 'ready' | 'ready with notes' | 'blocked';
  /** What changes or is lost, or what blocks it: one sentence each. */
  readonly because: readonly string[];
}

/** Sums a migration up for a list of many. */
export function readinessOf(migration: Migration | SegmentMigration): Readiness {
  if (!migration.ok)
    return {
      state: 'blocked',
      because: migration.refusals.map(({ field, reason }) => `${field}: ${reason}`),
    };
  const telling = migration.notes.filter(({ kind }) => kind !== 'lossless');
  const because = telling.map(({ kind, field, text }) => `${kind}: ${field}: ${text}`);
  return { state: telling.length === 0 ? 'ready' : 'ready with notes', because };
}
