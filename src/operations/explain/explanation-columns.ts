import type { Column } from '../../output/view.ts';

/** How much a value's share of the total differs: shown where it is asked for. */
export const SURPRISE: Column = { key: 'surprise', kind: 'number' };

/** The columns of the rows of an explanation. */
export const EXPLANATION_COLUMNS: readonly Column[] = [
  { key: 'within', whenPresent: true },
  { key: 'dimension' },
  { key: 'value', kind: 'name' },
  { key: 'before', kind: 'number' },
  { key: 'now', kind: 'number' },
  { key: 'contribution', kind: 'number' },
  { key: 'mix', kind: 'number', whenPresent: true },
  { key: 'rate', kind: 'number', whenPresent: true },
  { key: 'share_percent', kind: 'number' },
  { key: 'status' },
];
