import type { CustomReport, SavedSegment, Segment } from '../../../wire/bda-v1.ts';
import { SEEDED_REPORTS, type StoredReport } from './reports.ts';
import { PREMADE_SEGMENTS, SEEDED_SEGMENTS, type StoredSegment } from './segments.ts';

/** Reports and segments stored by v1, in memory. */
export interface SavedDefinitions {
  readonly segments: () => readonly StoredSegment[];
  readonly reports: () => readonly StoredReport[];
  /** @returns the segment with its id. */
  addSegment(segment: Segment): SavedSegment;
  /** @returns the report's id. */
  addReport(report: CustomReport): number;
}

/** Creates the store with the seeded reports and segments. */
export function createSavedDefinitions(): SavedDefinitions {
  const segments: StoredSegment[] = [
    ...PREMADE_SEGMENTS.map(saved => ({ saved, premade: true })),
    ...SEEDED_SEGMENTS.map(saved => ({ saved, premade: false })),
  ];
  const reports: StoredReport[] = [...SEEDED_REPORTS];
  return {
    segments: () => segments,
    reports: () => reports,
    addSegment: segment => {
      const saved = { id: Math.max(...segments.map(known => known.saved.id)) + 1, ...segment };
      segments.push({ saved, premade: false });
      return saved;
    },
    addReport: report => {
      const id = Math.max(...reports.map(known => known.id)) + 1;
      reports.push({ id, report });
      return id;
    },
  };
}
