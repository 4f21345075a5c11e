import { labelled, type Presentation } from '../../output/presentation/index.ts';
import type { Column } from '../../output/view.ts';

/** How much a value's share of the total differs: shown where it is asked for. */
export const SURPRISE: Column = { key: 'surprise', kind: 'number' };

/** The columns of the rows of an explanation; the figures are written as those of the metric. */
export function explanationColumns(shown: Presentation): readonly Column[] {
  const figure = (key: string, label: string): Column => ({
    key,
    kind: 'number',
    presentation: { ...shown, label },
  });
  const change = (key: string, label: string): Column => ({
    key,
    kind: 'number',
    presentation: { ...shown, label, isChange: true },
  });
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
