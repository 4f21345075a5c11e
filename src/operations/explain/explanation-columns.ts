import type { Column } from '../../output/view.ts';

/** The columns of the rows of an explanation. */
export const EXPLANATION_COLUMNS: readonly Column[] = [
  { key: 'within', whenPresent: true },
  { key: 'dimension' },
  { key: 'value' },
  { key: 'before', kind: 'number' },
  { key: 'now', kind: 'number' },
  { key: 'contribution', kind: 'number' },
  { key: 'mix', kind: 'number', whenPresent: true },
  { key: 'rate', kind: 'number', whenPresent: true },
  { key: 'share_percent', kind: 'number' },
  { key: 'surprise', kind: 'number' },
  { key: 'status' },
];
