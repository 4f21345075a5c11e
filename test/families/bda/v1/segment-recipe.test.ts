import { describe, expect, test } from 'vitest';
import { segmentOf } from '../../../../src/families/bda/v1/segment-recipe.ts';

const MULTIFILTERS = { Items: [{ FilterName: 'country', MultiFilterId: '11', MultiFilterTypeId: 1 }] };

describe('the shapes in which option keys may be listed', () => {
  test.each<[string, unknown]>([
    ['labels by key, by type', { 1: { US: 'United States', CA: 'Canada' } }],
    ['keys, by type', { 1: ['US', 'CA'] }],
    ['records, by type', { 1: [{ Key: 'US', Label: 'United States' }, { Key: 'CA' }] }],
    ['below one wrapper', { Types: { 1: { US: 'United States', CA: 'Canada' } } }],
    ['a list of types with their options', [{ MultiFilterTypeId: 1, Options: ['US', 'CA'] }]],
    ['a wrapped list of types', { Types: [{ TypeId: '1', Keys: { US: 'United States', CA: 'x' } }] }],
  ])('%s', (_, types) => {
    const made = segmentOf('N', [{ filter: 'Country', options: ['us', 'CA'] }], [], {
      multifilters: MULTIFILTERS,
      types,
      filters: [],
    });
    expect(made).toEqual({ SegmentName: 'N', SegmentMultiFilters: { 11: { FilterValues: ['US', 'CA'] } } });
  });

  test('types that are not listed are said to be missing, and names are never sent in their place', () => {
    expect(() =>
      segmentOf('N', [{ filter: 'country', options: ['US'] }], [], {
        multifilters: MULTIFILTERS,
        types: { 2: ['mobile'] },
        filters: [],
      }),
    ).toThrow('the options of the multifilter country (type 1) are not listed');
  });
});
