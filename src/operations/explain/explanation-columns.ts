import {
  labelInSentence,
  labelled,
  type Presentation,
  presentationOf,
} from '../../output/presentation/index.ts';
import type { Column } from '../../output/view.ts';
import type { ExplanationResult } from './explanation-result.ts';

/** How much a value's share of the total differs: shown where it is asked for. */
export const SURPRISE: Column = { key: 'surprise', kind: 'number' };

/** The columns of the rows of an explanation; the figures are written as those of the metric, and per day where they are. */
export function explanationColumns(
  shown: Presentation,
  { isPerDay, isSum, sharesOf }: Pick<ExplanationResult, 'isPerDay' | 'isSum' | 'sharesOf'>,
): readonly Column[] {
  const figure = (key: string, label: string, isChange = false): Column => ({
    key,
    kind: 'number',
    presentation: { ...shown, label: isPerDay ? `${label} per day` : label, isChange },
    // What a value adds to a ratio is not the difference of its own ratios.
    ...(isSum && { compared: ['now', 'before', 'contribution'] }),
  });
  const change = (key: string, label: string) => figure(key, label, true);
  return [
    { key: 'within', whenPresent: true, presentation: labelled('Within') },
    { key: 'dimension', presentation: labelled('Dimension') },
    { key: 'value', kind: 'name', presentation: labelled('Value') },
    figure('before', 'Before'),
    figure('now', 'Now'),
    change('contribution', 'Contribution'),
    ...(sharesOf === undefined ? [] : weightColumns(labelInSentence(presentationOf(sharesOf).label))),
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

/** The shares of what a ratio is divided by. */
function weightColumns(weight: string): Column[] {
  const share = (key: string, label: string): Column => ({
    key,
    kind: 'number',
    whenPresent: true,
    presentation: labelled(label, { figure: 'percent', isShare: true }),
  });
  return [
    share('weight_percent_before', `Share of ${weight} before`),
    share('weight_percent', `Share of ${weight} now`),
  ];
}
