import { missingDaysText } from '../../../../analysis/missing-days.ts';
import { withGap } from '../../../../analysis/period-totals.ts';
import { conclusionJson, conclusionText } from '../../../../output/conclusion.ts';
import type { DataSection, DocumentSection } from '../../../../output/document/document.ts';
import { scopeOf } from '../../../../output/document/kpis.ts';
import type { Locale } from '../../../../output/presentation/index.ts';
import { sentence, sentenceText } from '../../../../output/sentence.ts';

/**
 * The sections with what those by day know of all that compare the same rows: where a day of a period has no rows, no total of it states
 * a change.
 */
export function withMissingDays(
  sections: readonly DocumentSection[],
  locale: Locale | undefined,
): readonly DocumentSection[] {
  const byDay = sections.filter(
    (section): section is DataSection => section.kind === 'data' && section.missingDays.length > 0,
  );
  return sections.map(section => {
    if (section.kind !== 'data' || section.missingDays.length > 0) return section;
    const { days, before } = section;
    if (days === undefined || before === undefined) return section;
    const isCompared = (day: string) => [days, before].some(({ from, to }) => from <= day && day <= to);
    const alike = byDay.filter(one => scopeOf(one) === scopeOf(section));
    const missingDays = [...new Set(alike.flatMap(one => one.missingDays))].filter(isCompared).sort();
    const gap = missingDaysText(missingDays);
    if (gap === undefined || section.totals.length === 0) return section;
    const totals = section.totals.map(total => ({ ...total, conclusion: withGap(total.conclusion, gap) }));
    const restriction = sentenceText(sentence`not comparable: there is ${gap}`, { locale });
    const restricted = (text: string | undefined) =>
      text === undefined ? restriction : `${text}; ${restriction}`;
    return {
      ...section,
      missingDays,
      totals,
      sentences: totals.map(({ conclusion }) => conclusionText(conclusion)),
      conclusions: totals.map(({ conclusion }) => conclusionJson(conclusion)),
      footnote: restricted(section.footnote),
      remainder: restricted(section.remainder),
    };
  });
}
