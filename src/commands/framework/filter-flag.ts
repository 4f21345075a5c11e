import type { Globals } from './context.ts';

/** The flag that filters the output, as messages name it. */
export function filterFlag({ fields }: Pick<Globals, 'fields'>): '--fields' | '--jq' {
  return fields === undefined ? '--jq' : '--fields';
}
