import type { CustomReport, SavedSegment, Segment } from '../../../wire/bda-v1.ts';
import { type KeptReport, SEEDED_REPORTS } from './reports.ts';
import { type KeptSegment, PREMADE_SEGMENTS, SEEDED_SEGMENTS } from './segments.ts';

/** What v1 keeps on the server, for as long as it runs. */
export interface SavedWork {
  readonly segments: () => readonly KeptSegment[];
  readonly reports: () => readonly KeptReport[];
  /** @returns the segment with its id. */
  addSegment(segment: Segment): SavedSegment;
  /** @returns the report's id. */
  addReport(report: CustomReport): number;
}

/** Saved work as it is when the server starts. */
export function savedWork(): SavedWork {
  const segments: KeptSegment[] = [
    ...PREMADE_SEGMENTS.map(saved => ({ saved, premade: true })),
    ...SEEDED_SEGMENTS.map(saved => ({ saved, premade: false })),
  ];
  const reports: KeptReport[] = [...SEEDED_REPORTS];
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
