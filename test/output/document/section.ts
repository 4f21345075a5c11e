import { type Change, presentationOfMetric } from '../../../src/output/conclusion.ts';
import type { DataSection } from '../../../src/output/document/document.ts';

const DAYS = { from: '2026-11-16', to: '2026-11-22' };
const BEFORE = { from: '2026-11-09', to: '2026-11-15' };

/** A section with some totals, and what else it has. */
export function section(changes: readonly Change[], more: Partial<DataSection> = {}): DataSection {
  return {
    kind: 'data',
    title: 'T',
    period: undefined,
    days: DAYS,
    before: BEFORE,
    totals: changes.map(conclusion => ({ conclusion, presentation: presentationOfMetric(conclusion) })),
    lines: new Map(),
    sentences: [],
    explanation: [],
    conclusions: [],
    warnings: [],
    chart: undefined,
    rows: [],
    columns: [],
    shown: [],
    hasTable: false,
    empty: 'no rows match',
    footnote: undefined,
    remainder: undefined,
    request: { data_set: 'pageview', metrics: ['visits'] },
    ...more,
  };
}
