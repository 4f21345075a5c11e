import type { Json } from '../../json/index.ts';
import { sentenceText } from '../sentence.ts';
import type { ReportDocument } from './document.ts';

/** A report as data: all rows of each section. */
export function jsonDocument({ title, subtitle, isComplete, sections }: ReportDocument): Json {
  return {
    title,
    subtitle: subtitle ?? null,
    complete: isComplete,
    sections: sections.map(section =>
      section.kind === 'text'
        ? { kind: section.kind, title: section.title ?? null, text: section.markdown }
        : {
            kind: section.kind,
            title: section.title,
            period: section.period ?? null,
            sentences: [...section.sentences],
            conclusions: [...section.conclusions],
            warnings: section.warnings.map(text => sentenceText(text)),
            query: section.request,
            rows: [...section.rows],
          },
    ),
  };
}
