import { labelled, type Presentation } from '../../output/presentation/index.ts';
import type { Column } from '../../output/view.ts';
import type { ExplanationResult } from './explanation-result.ts';

/** How much a value's share of the total differs: shown where it is asked for. */
export const SURPRISE: Column = { key: 'surprise', kind: 'number' };

/** The columns of the rows of an explanation; the figures are written as those of the metric, and per day where they are. */
export function explanationColumns(
  shown: Presentation,
  { isPerDay }: Pick<ExplanationResult, 'isPerDay'>,
): readonly Column[] {
  const figure = (key: string, label: string, isChange = false): Column => ({
    key,
    kind: 'number',
    presentation: { ...shown, label: isPerDay ? `${label} per day` : label, isChange },
  });
  const change = (key: string, label: string) => figure(key, label, true);
  return [
    { key: 'within', whenPresent: true, presentation: labelled('Within') },
    { key: 'dimension', presentation: labelled('Dimension') },
    { key: 'value', kind: 'name', presentation: labelled('Value') },
    figure('before', 'Before'),
    figure('now', 'Now'),
    change('contribution', 'Contribution'),
    { ...change('mix', 'Mix'), whenPresent: true },
    { ...change('rate', 'Rate'), whenPresent: true },
    {
      key: 'share_percent',
      kind: 'number',
      presentation: labelled('Share of rises/falls', { figure: 'percent', isShare: true }),
    },
    { key: 'status', presentation: labelled('Status') },
  ];
}
