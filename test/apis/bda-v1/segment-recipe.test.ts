import { describe, expect, test } from 'vitest';
import { segmentOf } from '../../../src/apis/bda-v1/segment-recipe.ts';

const MULTIFILTERS = { Items: [{ FilterName: 'country', MultiFilterId: '11', MultiFilterTypeId: 1 }] };

describe('the shapes in which option keys may be listed', () => {
  test.each<[string, unknown]>([
    ['labels by key, by type', { 1: { US: 'United States', CA: 'Canada' } }],
    ['keys, by type', { 1: ['US', 'CA'] }],
    ['records, by type', { 1: [{ Key: 'US', Label: 'United States' }, { Key: 'CA' }] }],
    ['below one wrapper', { Types: { 1: { US: 'United States', CA: 'Canada' } } }],
    [
      'a record with one list of any name',
      [{ MultiFilterTypeId: 1, TypeName: 'country', Items: ['US', 'CA'] }],
    ],
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

  test('the fields of a record that names its type are not options', () => {
    expect(() =>
      segmentOf('N', [{ filter: 'country', options: ['TypeName'] }], [], {
        multifilters: MULTIFILTERS,
        types: [{ MultiFilterTypeId: 1, TypeName: 'country' }],
        filters: [],
      }),
    ).toThrow('are not listed');
  });

  test('an operation with a number of its own is sent by that', () => {
    const filters = [{ FilterId: 5, FilterKey: 'visits', Operations: [{ Id: 3, Name: 'Greater' }] }];
    const plain = [{ column: 'visits', operator: 'greater_than', values: [{ text: '7', quoted: false }] }];
    const made = segmentOf('N', [], plain, { multifilters: [], types: [], filters });
    expect(made.SegmentFilters).toEqual({ 5: { FilterIntOperationId: '3', FilterValue: '7' } });
  });

  test('types that are not listed are reported as missing, and names are never sent in their place', () => {
    expect(() =>
      segmentOf('N', [{ filter: 'country', options: ['US'] }], [], {
        multifilters: MULTIFILTERS,
        types: { 2: ['mobile'] },
        filters: [],
      }),
    ).toThrow('the options of the multifilter country (type 1) are not listed');
  });
});
