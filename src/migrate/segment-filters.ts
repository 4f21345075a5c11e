import { findColumn, quoted } from '../apis/bda/catalogue.ts';
import { anyFieldOf, idOf, isFilledStructure, listOf, recordWithId, scalarText } from '../apis/bda/fields.ts';
import { SAVED_SEGMENT } from '../documents/bda-v1.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import type { FilterV2, Scalar } from '../wire/bda-v2.ts';
import { type ColumnSpace, valueKindOf } from './data-set.ts';
import {
  formatValue,
  hasColumn,
  isInclude,
  migrateCondition,
  operatorOf,
  readValue,
  UNFILTERED,
} from './filters.ts';
import type { Definitions } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';
import type { FoundSegment } from './segment-choice.ts';
import { noteUndeclared } from './undeclared.ts';

const FILTER_ID_FIELDS = ['FilterId', 'Id'];
const MULTIFILTER_ID_FIELDS = ['MultiFilterId', 'Id'];
const COLUMN_FIELDS = ['FilterKey', 'ColumnName', 'Column', 'Data'];
const NAME_FIELDS = ['FilterName', 'Name', 'Key'];

/** Maps a segment to filters, all of which must match; a segment without filters maps to none. */
export function migrateSegmentFilters(
  segment: FoundSegment,
  definitions: Definitions,
  space: ColumnSpace,
  allowUnknown: readonly string[] | undefined,
  notes: MigrationNotes,
): FilterV2[] {
  const plain = entriesOf(segment, 'SegmentFilters', notes).flatMap(
    ([id, entry]) => migratePlain(id, entry, segment, definitions.filters, space, notes) ?? [],
  );
  const multi = entriesOf(segment, 'SegmentMultiFilters', notes).flatMap(
    ([id, entry]) => migrateMulti(id, entry, segment, definitions.multifilters, space, notes) ?? [],
  );
  const shape = { document: segment.definition, shape: SAVED_SEGMENT, path: `${segment.path}.` };
  noteUndeclared({ ...shape, allowUnknown, isSaved: true }, notes);
  if (!hasFilters(segment.definition)) noteUnfiltered(segment, definitions.segments, notes);
  return [...plain, ...multi];
}

const hasFilters = (definition: JsonRecord) => Object.values(definition).some(isFilledStructure);
const showsFilters = (definition: JsonRecord) =>
  hasFilters(definition) || anyFieldOf(definition, 'SegmentFilters', 'SegmentMultiFilters') !== undefined;

/** If a listing shows no filters for any segment, it probably omits them. */
function noteUnfiltered(segment: FoundSegment, listing: unknown, notes: MigrationNotes): void {
  const listed = listOf(listing).filter(isRecord);
  const text = `${quoted(segment.name)} has no filters, so its query covers all users`;
  if (showsFilters(segment.definition) || listed.some(showsFilters)) notes.lossless(segment.path, text);
  else if (listed.length < 2) notes.changed(segment.path, `${text}, unless the listing omits filters`);
  else {
    const reason = 'the listing shows no filters for any segment, so those of this one are unknown';
    notes.unsupported(segment.path, reason, UNFILTERED);
  }
}

/** The filters, keyed by id. */
function entriesOf(
  segment: FoundSegment,
  name: 'SegmentFilters' | 'SegmentMultiFilters',
  notes: MigrationNotes,
): [string, JsonRecord][] {
  const value = anyFieldOf(segment.definition, name);
  if (!isFilledStructure(value)) return [];
  const entries = isRecord(value) ? Object.entries(value) : [];
  if (entries.length > 0 && entries.every((entry): entry is [string, JsonRecord] => isRecord(entry[1])))
    return entries;
  notes.unsupported(`${segment.path}.${name}`, 'filters must be objects keyed by id', UNFILTERED);
  return [];
}

function migratePlain(
  id: string,
  entry: JsonRecord,
  segment: FoundSegment,
  filters: unknown,
  space: ColumnSpace,
  notes: MigrationNotes,
): FilterV2 | undefined {
  const field = `${segment.path}.SegmentFilters[${id}]`;
  const definition = recordWithId(filters, id, FILTER_ID_FIELDS);
  const column =
    columnOf(definition ?? entry, field, space, notes) ?? (isKnownColumn(id, space) ? id : undefined);
  if (column === undefined) {
    missing('filter', id, field, filters, notes);
    return undefined;
  }
  const operation = anyFieldOf(entry, 'FilterIntOperationId', 'OperationId');
  const condition = {
    field,
    column,
    columnField: field,
    type: anyFieldOf(entry, 'Type'),
    operation: namedOperation(operation, definition) ?? operation,
    operationField: `${field}.FilterIntOperationId`,
    value: anyFieldOf(entry, 'FilterValue'),
    valueField: `${field}.FilterValue`,
  };
  return migrateCondition(condition, space, notes);
}

function migrateMulti(
  id: string,
  entry: JsonRecord,
  segment: FoundSegment,
  multifilters: unknown,
  space: ColumnSpace,
  notes: MigrationNotes,
): FilterV2 | undefined {
  const field = `${segment.path}.SegmentMultiFilters[${id}]`;
  const definition = recordWithId(multifilters, id, MULTIFILTER_ID_FIELDS);
  const column = columnOf(definition ?? entry, field, space, notes);
  if (column === undefined) {
    missing('multifilter', id, field, multifilters, notes);
    return undefined;
  }
  const includes = isInclude(anyFieldOf(entry, 'Type'), field, notes);
  const known = hasColumn(column, field, space, notes);
  const values = readValues(anyFieldOf(entry, 'FilterValues'), `${field}.FilterValues`, column, space, notes);
  if (!includes || !known || values === undefined) return undefined;
  notes.lossless(field, `${column} in ${values.map(formatValue).join(', ')}, as filter`);
  return { column, operator: 'in', values };
}

/** All values or none: an incomplete list would match other rows. */
function readValues(
  list: unknown,
  field: string,
  column: string,
  space: ColumnSpace,
  notes: MigrationNotes,
): Scalar[] | undefined {
  if (!Array.isArray(list) || list.length === 0) {
    notes.unsupported(field, 'the list of values is empty or missing', UNFILTERED);
    return undefined;
  }
  const kind = valueKindOf(space, column) ?? 'text';
  const values = list.map((value, index) => readValue(value, `${field}[${index}]`, kind, notes));
  return values.includes(undefined) ? undefined : [...new Set(values)].filter(value => value !== undefined);
}

/** Without a listing, the definition can still be looked up; a definition that the listing lacks is unsupported. */
function missing(
  what: 'filter' | 'multifilter',
  id: string,
  field: string,
  listing: unknown,
  notes: MigrationNotes,
) {
  notes.requireDefinition(what, id);
  const reason = `the column of the ${what} ${id} is unknown: its definition is missing`;
  if (listing === undefined) notes.block(field, reason);
  else notes.unsupported(field, reason, UNFILTERED);
}

/** The column of a filter definition: by its column field, else by its name (`Country` is `country`). */
function columnOf(
  definition: JsonRecord,
  field: string,
  { catalogue }: ColumnSpace,
  notes: MigrationNotes,
): string | undefined {
  const column = scalarText(anyFieldOf(definition, ...COLUMN_FIELDS));
  const name = scalarText(anyFieldOf(definition, ...NAME_FIELDS));
  if (catalogue !== undefined) {
    const own = column === undefined ? undefined : findColumn(catalogue, column);
    const byName = name === undefined ? undefined : findColumn(catalogue, name);
    if (column !== undefined && own === undefined && byName !== undefined)
      notes.changed(field, `mapped to ${byName} by name: v2 has no column ${quoted(column)}`);
    return own ?? byName ?? column ?? name;
  }
  if (column !== undefined || name === undefined) return column;
  const guess = asColumnName(name);
  notes.changed(
    field,
    `mapped to the column ${guess} by the name ${quoted(name)}, unchecked: there is no listing`,
  );
  return guess;
}

const asColumnName = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

const isKnownColumn = (name: string, space: ColumnSpace) =>
  space.catalogue?.has(name) === true || space.typesV1.has(name);

/** The documented name of a numeric operation id, if the filter's definition lists its operations. */
function namedOperation(operation: unknown, definition: JsonRecord | undefined): unknown {
  const id = idOf(operation);
  if (id === undefined || operatorOf(operation) !== undefined || definition === undefined) return undefined;
  for (const value of Object.values(definition)) {
    if (isRecord(value) && Object.hasOwn(value, id) && operatorOf(value[id]) !== undefined) return value[id];
    for (const item of Array.isArray(value) ? value : []) {
      if (!isRecord(item) || !Object.values(item).some(part => idOf(part) === id)) continue;
      const word = Object.values(item).find(part => operatorOf(part) !== undefined);
      if (word !== undefined) return word;
    }
  }
  return undefined;
}
