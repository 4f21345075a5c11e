import type { DataSection, DocumentSection } from '../../../../output/document/document.ts';
import { scopeOf } from '../../../../output/document/kpis.ts';
import type { BuiltSection } from './sections.ts';

/**
 * The sections with what those by day know of all that compare the same rows: where a day of a period has no rows, neither a total nor a
 * row that counts it states a change.
 */
export async function withMissingDays(built: readonly BuiltSection[]): Promise<readonly DocumentSection[]> {
  const byDay = built
    .map(({ section }) => section)
    .filter((section): section is DataSection => section.kind === 'data' && section.missingDays.length > 0);
  const sections = [];
  for (const { section, withMissingDays: withDays } of built) {
    const missing = section.kind === 'data' ? missingIn(section, byDay) : [];
    sections.push(missing.length === 0 || withDays === undefined ? section : await withDays(missing));
  }
  return sections;
}

/** The days of a section without days of its own that others of the same rows show to be missing. */
function missingIn(section: DataSection, byDay: readonly DataSection[]): readonly string[] {
  const { days, before, missingDays } = section;
  if (missingDays.length > 0 || days === undefined || before === undefined) return [];
  const isCompared = (day: string) => [days, before].some(({ from, to }) => from <= day && day <= to);
  const alike = byDay.filter(one => scopeOf(one) === scopeOf(section));
  return [...new Set(alike.flatMap(one => one.missingDays))].filter(isCompared).sort();
}
