import type { Multifilter } from '../../../wire/bda-v1.ts';
import { HttpError, suggestion } from '../../http-error.ts';
import type { Account } from '../../routing.ts';
import { COLUMNS_V1 } from '../columns.ts';
import { COUNTRIES, DEVICES, GENDERS } from '../facts/groups.ts';
import type { Comparison } from '../query-engine/condition.ts';

/** A multifilter has the name of the column that it filters. Its id differs from the id of its type. */
export const MULTIFILTERS: readonly Multifilter[] = [
  { FilterName: 'country', MultiFilterId: 11, MultiFilterTypeId: 1 },
  { FilterName: 'device', MultiFilterId: 12, MultiFilterTypeId: 2 },
  { FilterName: 'gender', MultiFilterId: 13, MultiFilterTypeId: 3 },
  { FilterName: 'site', MultiFilterId: 14, MultiFilterTypeId: 4 },
];

/** The option keys of each type with their labels; a key is a value of the column. */
export function multifilterTypes(account: Account): Readonly<Record<string, Record<string, string>>> {
  return {
    1: Object.fromEntries(COUNTRIES),
    2: Object.fromEntries(DEVICES),
    3: Object.fromEntries(GENDERS),
    4: Object.fromEntries(account.domains.map(({ domain }) => [domain, domain])),
  };
}

/**
 * The comparison of a multifilter with the given options.
 *
 * @throws HttpError for an unknown id or option key.
 */
export function multifilterComparison(id: string, values: unknown, account: Account): Comparison {
  const multifilter = MULTIFILTERS.find(({ MultiFilterId }) => String(MultiFilterId) === id);
  const column = COLUMNS_V1.find(({ name }) => name === multifilter?.FilterName);
  if (multifilter === undefined || column === undefined) {
    const known = MULTIFILTERS.map(({ MultiFilterId }) => MultiFilterId).join(', ');
    throw new HttpError(400, `there is no multifilter ${id}: the ids are ${known}`);
  }
  if (!Array.isArray(values) || values.length === 0) {
    throw new HttpError(400, `FilterValues of multifilter ${id} must be a non-empty list of option keys`);
  }
  const options = Object.keys(multifilterTypes(account)[multifilter.MultiFilterTypeId] ?? {});
  for (const value of values) {
    if (options.includes(value)) continue;
    const near = typeof value === 'string' ? suggestion(value, options) : '';
    throw new HttpError(400, `'${String(value)}' is not an option key of multifilter ${id}${near}`);
  }
  return { column, operator: 'in', values };
}
