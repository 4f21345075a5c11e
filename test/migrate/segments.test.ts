import { describe, expect, test } from 'vitest';
import { migrateSegment } from '../../src/migrate/index.ts';
import {
  DEFINITIONS,
  MULTIFILTERS,
  migrateRequest,
  onlyQuery,
  queriesByLabel,
  SEGMENTS,
  shownChanges,
  shownNotes,
  shownRefusals,
} from './fixtures.ts';

const withSegment = (segment: object, definitions: object = {}) =>
  migrateRequest(
    { SegmentIds: [5] },
    { definitions: { ...DEFINITIONS, segments: [{ id: 5, SegmentName: 'S', ...segment }], ...definitions } },
  );

const country = (entry: object) => ({ SegmentMultiFilters: { '7': entry } });

describe('several segments', () => {
  test('each is a query of its own under its name', () => {
    const migration = migrateRequest({ SegmentIds: [11, 1, 12] });
    const filters = Object.entries(queriesByLabel(migration)).map(([label, query]) => [label, query.filters]);
    expect(filters).toEqual([
      ['North America', [{ column: 'country', operator: 'in', values: ['US', 'CA'] }]],
      ['All users', undefined],
      [
        'Busy phones',
        [
          { column: 'pageviews', operator: 'greater_than', value: 5 },
          { column: 'device', operator: 'in', values: ['mobile'] },
        ],
      ],
    ]);
    expect(shownNotes(migration, 'changed')).toEqual([
      'changed: SegmentIds: v1 splits rows by segment, v2 does not: one query for each of "North America", "All users", "Busy phones"',
      'changed: MaxItems: up to 50 rows of all segments together',
      'changed: Order: the request has none, and v1 may mix the rows of its segments, so a page may have other rows, in another order',
    ]);
  });

  test('everything but the segment is the same in each, filters of the request included', () => {
    const Filters = [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '2' }];
    const { 'North America': one, 'All users': all } = queriesByLabel(
      migrateRequest({ SegmentIds: [11, 1], Filters, StartItem: 5 }),
    );
    const own = { column: 'visits', operator: 'greater_than', value: 2 };
    expect(all?.filters).toEqual([own]);
    expect(one).toEqual({
      ...all,
      filters: [own, { column: 'country', operator: 'in', values: ['US', 'CA'] }],
    });
  });

  test('rows that are skipped are those of all segments together, which is reported', () => {
    const notes = (StartItem: number) =>
      shownNotes(migrateRequest({ SegmentIds: [1, 11], StartItem })).filter(note =>
        note.includes('StartItem'),
      );
    expect(notes(20)).toEqual(['changed: StartItem: 20 rows of all segments together skipped']);
    expect(notes(0)).toEqual(['lossless: StartItem: 0 rows skipped, as offset']);
  });

  test('one that is listed twice is requested once', () => {
    const migration = migrateRequest({ SegmentIds: [11, 11] });
    expect(onlyQuery(migration).filters).toHaveLength(1);
    expect(shownChanges(migration)).toEqual([
      'changed: SegmentIds: a segment is listed twice; the second is ignored',
    ]);
  });

  test('two of the same name are distinguished', () => {
    const segments = [
      { id: 1, SegmentName: 'Same' },
      { id: 2, SegmentName: 'Same' },
      { id: 3, SegmentFilters: {} },
    ];
    const migration = migrateRequest({ SegmentIds: [1, 2, 3] }, { definitions: { segments } });
    expect(Object.keys(queriesByLabel(migration))).toEqual(['Same', 'Same (2)', 'segment 3']);
  });
});

describe('definitions of segments', () => {
  test.each<[string, unknown]>([
    ['a list', SEGMENTS],
    ['an object with a list', { Segments: SEGMENTS }],
    ['an object with two lists', { Custom: SEGMENTS.slice(1), Premade: SEGMENTS.slice(0, 1) }],
    ['an object by id', Object.fromEntries(SEGMENTS.map(({ id, ...rest }) => [id, rest]))],
  ])('may be %s', (_, segments) => {
    const migration = migrateRequest({ SegmentIds: [1, 11] }, { definitions: { ...DEFINITIONS, segments } });
    expect(Object.keys(queriesByLabel(migration))).toEqual(['All users', 'North America']);
  });

  test('a missing segment is rejected and required, whether losses are allowed or not', () => {
    for (const lossy of [false, true]) {
      const migration = migrateRequest({ SegmentIds: [99, 11, 98] }, { lossy });
      expect(shownRefusals(migration)).toEqual([
        'SegmentIds[0]: the definition of segment 99 is missing',
        'SegmentIds[2]: the definition of segment 98 is missing',
      ]);
      expect(migration).toMatchObject({
        missing: [
          { what: 'segment', id: '99' },
          { what: 'segment', id: '98' },
        ],
      });
    }
  });

  test('the multifilters and filters that a segment points at are requested', () => {
    const { columnsV2, segments } = DEFINITIONS;
    const migration = migrateRequest(
      { SegmentIds: [12] },
      { definitions: { columnsV2, segments }, lossy: true },
    );
    expect(shownRefusals(migration)).toEqual([
      'Segment[12].SegmentFilters[3]: the column of the filter 3 is unknown: its definition is missing',
      'Segment[12].SegmentMultiFilters[8]: the column of the multifilter 8 is unknown: its definition is missing',
    ]);
    expect(migration).toMatchObject({
      missing: [
        { what: 'filter', id: '3' },
        { what: 'multifilter', id: '8' },
      ],
    });
  });

  test('a multifilter that the listing lacks is rejected, or omitted when losses are allowed', () => {
    const segments = [{ id: 5, SegmentMultiFilters: { '70': { FilterValues: ['US'] } } }];
    const definitions = { ...DEFINITIONS, segments };
    const refusal =
      'Segment[5].SegmentMultiFilters[70]: the column of the multifilter 70 is unknown: its definition is missing';
    expect(shownRefusals(migrateRequest({ SegmentIds: [5] }, { definitions }))).toEqual([refusal]);
    const lossy = migrateRequest({ SegmentIds: [5] }, { definitions, lossy: true });
    expect(onlyQuery(lossy).filters).toBeUndefined();
    expect(shownNotes(lossy, 'lost')).toEqual([
      `lost: ${refusal}; omitted, so the query also counts rows that the filter excluded`,
    ]);
  });

  test('a multifilter whose column v2 lacks is rejected', () => {
    expect(shownRefusals(migrateRequest({ SegmentIds: [13] }))).toEqual([
      'Segment[13].SegmentMultiFilters[9]: v2 has no column "gender"',
    ]);
  });

  test('without a column listing, the name of the multifilter is its column, with a note', () => {
    const definitions = {
      columnsV2: undefined,
      multifilters: [{ FilterName: 'Traffic Source', MultiFilterId: '7' }],
    };
    const migration = withSegment(country({ FilterValues: ['search'] }), definitions);
    expect(onlyQuery(migration).filters).toEqual([
      { column: 'traffic_source', operator: 'in', values: ['search'] },
    ]);
    expect(shownChanges(migration)).toEqual([
      'changed: Segment[5].SegmentMultiFilters[7]: mapped to the column traffic_source by the name "Traffic Source", unchecked: there is no listing',
    ]);
  });

  test('a multifilter whose column has another name in v2 is found by its name, with a note', () => {
    const multifilters = [{ FilterKey: 'geo', FilterName: 'Country', MultiFilterId: 7 }];
    const migration = withSegment(country({ FilterValues: ['US'] }), { multifilters });
    expect(onlyQuery(migration).filters).toEqual([{ column: 'country', operator: 'in', values: ['US'] }]);
    expect(shownChanges(migration)).toEqual([
      'changed: Segment[5].SegmentMultiFilters[7]: mapped to country by name: v2 has no column "geo"',
    ]);
  });

  test('values of a number column are numbers, each once', () => {
    const multifilters = [{ FilterName: 'Engaged time', MultiFilterId: 7 }];
    const migration = withSegment(country({ FilterValues: ['10', '20', '10'] }), { multifilters });
    expect(onlyQuery(migration).filters).toEqual([
      { column: 'engaged_time', operator: 'in', values: [10, 20] },
    ]);
  });

  test.each<[string, object, string]>([
    [
      'without values',
      country({ FilterValues: [] }),
      'Segment[5].SegmentMultiFilters[7].FilterValues: the list of values is empty or missing',
    ],
    [
      'that excludes',
      country({ FilterValues: ['US'], Type: 'EXCLUDE' }),
      'Segment[5].SegmentMultiFilters[7].Type: v2 documents no way to exclude what a filter matches',
    ],
    [
      'of another shape',
      { SegmentMultiFilters: ['US'] },
      'Segment[5].SegmentMultiFilters: filters must be objects keyed by id',
    ],
    [
      'with an unknown operation',
      { SegmentFilters: { '3': { FilterIntOperationId: '4', FilterValue: '5' } } },
      'Segment[5].SegmentFilters[3].FilterIntOperationId: no v2 operator is documented for the operation 4; supported: GREATER, GREATER_OR_EQUAL',
    ],
    [
      'in a part that is not documented',
      { SegmentRules: [{ country: 'US' }] },
      'Segment[5].SegmentRules: is not a member of a segment; did you mean "SegmentName"?',
    ],
  ])('a filter %s is rejected', (_, segment, refusal) => {
    expect(shownRefusals(withSegment(segment))).toEqual([refusal]);
  });

  test.each<[string, unknown]>([
    ['a list', [{ FilterId: 3, FilterKey: 'pageviews', Operations: [{ Id: 4, Name: 'GREATER' }] }]],
    ['an object', { '3': { FilterKey: 'pageviews', Operations: { '4': 'greater' } } }],
  ])('operations that are numbers are read from the filter definitions: %s', (_, filters) => {
    const segment = { SegmentFilters: { '3': { FilterIntOperationId: '4', FilterValue: '5' } } };
    expect(onlyQuery(withSegment(segment, { filters })).filters).toEqual([
      { column: 'pageviews', operator: 'greater_than', value: 5 },
    ]);
  });

  test('a filter id that is the name of a column is that column', () => {
    const segment = { SegmentFilters: { visits: { FilterIntOperationId: 'GREATER', FilterValue: '5' } } };
    expect(onlyQuery(withSegment(segment, { filters: undefined })).filters).toEqual([
      { column: 'visits', operator: 'greater_than', value: 5 },
    ]);
  });

  test('a listing without filters is not read as segments without filters', () => {
    const segments = [
      { id: 1, SegmentName: 'All users' },
      { id: 2, SegmentName: 'Desktop' },
    ];
    const definitions = { ...DEFINITIONS, segments };
    const reason =
      'Segment[2]: the listing shows no filters for any segment, so those of this one are unknown';
    expect(shownRefusals(migrateRequest({ SegmentIds: [2] }, { definitions }))).toEqual([reason]);
    const alone = { ...DEFINITIONS, segments: segments.slice(0, 1) };
    const migration = migrateRequest({ SegmentIds: [1] }, { definitions: alone });
    expect(onlyQuery(migration)).not.toHaveProperty('filters');
    expect(shownChanges(migration)).toEqual([
      'changed: Segment[1]: "All users" has no filters, so its query covers all users, unless the listing omits filters',
    ]);
  });

  test('empty filter maps are not filters', () => {
    const migration = withSegment({ SegmentFilters: {}, SegmentMultiFilters: null });
    expect(onlyQuery(migration).filters).toBeUndefined();
    expect(shownNotes(migration)).toContain(
      'lossless: Segment[5]: "S" has no filters, so its query covers all users',
    );
  });
});

describe('a single segment', () => {
  test('gives its filters', () => {
    expect(migrateSegment(SEGMENTS[2], DEFINITIONS, { lossy: false })).toMatchObject({
      ok: true,
      filters: [
        { column: 'pageviews', operator: 'greater_than', value: 5 },
        { column: 'device', operator: 'in', values: ['mobile'] },
      ],
    });
  });

  test('explains why it cannot be migrated', () => {
    const migration = migrateSegment(
      SEGMENTS[3],
      { columnsV2: ['country'], multifilters: MULTIFILTERS },
      { lossy: false },
    );
    expect(migration).toMatchObject({
      ok: false,
      blockers: [{ field: 'Segment[13].SegmentMultiFilters[9]', reason: 'v2 has no column "gender"' }],
    });
  });

  test('is an object', () => {
    expect(migrateSegment(['x'], {}, { lossy: true })).toMatchObject({
      ok: false,
      blockers: [{ field: 'segment' }],
    });
  });
});
