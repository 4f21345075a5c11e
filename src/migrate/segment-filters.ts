import { columnCalled, quoted } from '../apis/bda/catalogue.ts';
import { anyFieldOf, idOf, isFilledStructure, listOf, recordWithId, scalarText } from '../apis/bda/fields.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import type { FilterV2, Scalar } from '../wire/bda-v2.ts';
import { type ColumnSpace, valueKindOf } from './data-set.ts';
import {
  hasColumn,
  isInclude,
  migrateCondition,
  operatorOf,
  readValue,
  shownValue,
  UNFILTERED,
} from './filters.ts';
import type { Definitions } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';
import type { FoundSegment } from './segment-choice.ts';

const FILTER_ID_FIELDS = ['FilterId', 'Id'];
const MULTIFILTER_ID_FIELDS = ['MultiFilterId', 'Id'];
const COLUMN_FIELDS = ['FilterKey', 'ColumnName', 'Column', 'Data'];
const NAME_FIELDS = ['FilterName', 'Name', 'Key'];

/** Turns a segment into filters, all of which must match; a segment without any filter gives none. */
export function migrateSegmentFilters(
  segment: FoundSegment,
  definitions: Definitions,
  space: ColumnSpace,
  findings: MigrationNotes,
): FilterV2[] {
  const plain = entriesOf(segment, 'SegmentFilters', findings).flatMap(
    ([id, entry]) => migratePlain(id, entry, segment, definitions.filters, space, findings) ?? [],
  );
  const multi = entriesOf(segment, 'SegmentMultiFilters', findings).flatMap(
    ([id, entry]) => migrateMulti(id, entry, segment, definitions.multifilters, space, findings) ?? [],
  );
  noteUnknownStructures(segment, findings);
  if (!hasFilters(segment.definition)) noteUnfiltered(segment, definitions.segments, findings);
  return [...plain, ...multi];
}

const hasFilters = (definition: JsonRecord) => Object.values(definition).some(isFilledStructure);
const showsFilters = (definition: JsonRecord) =>
  hasFilters(definition) || anyFieldOf(definition, 'SegmentFilters', 'SegmentMultiFilters') !== undefined;

/** A listing that shows the filters of no segment at all is one that leaves them out. */
function noteUnfiltered(segment: FoundSegment, listing: unknown, findings: MigrationNotes): void {
  const listed = listOf(listing).filter(isRecord);
  const text = `${quoted(segment.name)} has no filters, so its query counts everyone`;
  if (showsFilters(segment.definition) || listed.some(showsFilters)) findings.lossless(segment.path, text);
  else if (listed.length < 2)
    findings.changed(segment.path, `${text}, unless the listing leaves filters out`);
  else {
    const reason = 'the listing shows the filters of no segment, so those of this one are not known';
    findings.leaveOut(segment.path, reason, UNFILTERED);
  }
}

/** The filters under their ids. */
function entriesOf(
  segment: FoundSegment,
  name: 'SegmentFilters' | 'SegmentMultiFilters',
  findings: MigrationNotes,
): [string, JsonRecord][] {
  const value = anyFieldOf(segment.definition, name);
  if (!isFilledStructure(value)) return [];
  const entries = isRecord(value) ? Object.entries(value) : [];
  if (entries.length > 0 && entries.every((entry): entry is [string, JsonRecord] => isRecord(entry[1])))
    return entries;
  findings.leaveOut(`${segment.path}.${name}`, 'the filters are objects under their ids', UNFILTERED);
  return [];
}

function migratePlain(
  id: string,
  entry: JsonRecord,
  segment: FoundSegment,
  filters: unknown,
  space: ColumnSpace,
  findings: MigrationNotes,
): FilterV2 | undefined {
  const field = `${segment.path}.SegmentFilters[${id}]`;
  const definition = recordWithId(filters, id, FILTER_ID_FIELDS);
  const column =
    columnOf(definition ?? entry, field, space, findings) ?? (isKnownColumn(id, space) ? id : undefined);
  if (column === undefined) {
    missing('filter', id, field, filters, findings);
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
  return migrateCondition(condition, space, findings);
}

function migrateMulti(
  id: string,
  entry: JsonRecord,
  segment: FoundSegment,
  multifilters: unknown,
  space: ColumnSpace,
  findings: MigrationNotes,
): FilterV2 | undefined {
  const field = `${segment.path}.SegmentMultiFilters[${id}]`;
  const definition = recordWithId(multifilters, id, MULTIFILTER_ID_FIELDS);
  const column = columnOf(definition ?? entry, field, space, findings);
  if (column === undefined) {
    missing('multifilter', id, field, multifilters, findings);
    return undefined;
  }
  const includes = isInclude(anyFieldOf(entry, 'Type'), field, findings);
  const known = hasColumn(column, field, space, findings);
  const values = readValues(
    anyFieldOf(entry, 'FilterValues'),
    `${field}.FilterValues`,
    column,
    space,
    findings,
  );
  if (!includes || !known || values === undefined) return undefined;
  findings.lossless(field, `${column} in ${values.map(shownValue).join(', ')}, as filter`);
  return { column, operator: 'in', values };
}

/** All values or none: a list with a hole would match other rows. */
function readValues(
  list: unknown,
  field: string,
  column: string,
  space: ColumnSpace,
  findings: MigrationNotes,
): Scalar[] | undefined {
  if (!Array.isArray(list) || list.length === 0) {
    findings.leaveOut(field, 'there are no values to match', UNFILTERED);
    return undefined;
  }
  const kind = valueKindOf(space, column) ?? 'text';
  const values = list.map((value, index) => readValue(value, `${field}[${index}]`, kind, findings));
  return values.includes(undefined) ? undefined : [...new Set(values)].filter(value => value !== undefined);
}

/** A definition that was never given may be looked up; one that the listing lacks is a dead end. */
function missing(
  what: 'filter' | 'multifilter',
  id: string,
  field: string,
  listing: unknown,
  findings: MigrationNotes,
) {
  findings.need(what, id);
  const reason = `the column of the ${what} ${id} is not known: its definition is not there`;
  if (listing === undefined) findings.refuse(field, reason);
  else findings.leaveOut(field, reason, UNFILTERED);
}

/** The column that a filter definition stands for: by its column, else by its name (`Country` is `country`). */
function columnOf(
  definition: JsonRecord,
  field: string,
  { catalogue }: ColumnSpace,
  findings: MigrationNotes,
): string | undefined {
  const column = scalarText(anyFieldOf(definition, ...COLUMN_FIELDS));
  const name = scalarText(anyFieldOf(definition, ...NAME_FIELDS));
  if (catalogue !== undefined) {
    const own = column === undefined ? undefined : columnCalled(catalogue, column);
    const byName = name === undefined ? undefined : columnCalled(catalogue, name);
    if (column !== undefined && own === undefined && byName !== undefined)
      findings.changed(field, `taken for ${byName}, by its name: v2 has no column ${quoted(column)}`);
    return own ?? byName ?? column ?? name;
  }
  if (column !== undefined || name === undefined) return column;
  const guess = asColumnName(name);
  findings.changed(
    field,
    `taken for the column ${guess}, by the name ${quoted(name)}: there is no listing to check it`,
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

/** The operation's documented word, where the id is a number and the filter's definition names its operations. */
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

/** Lists and objects in a segment may select rows: one that is not understood is never passed over. */
function noteUnknownStructures(segment: FoundSegment, findings: MigrationNotes): void {
  for (const [name, value] of Object.entries(segment.definition)) {
    const known = ['segmentfilters', 'segmentmultifilters'].includes(name.toLowerCase().replaceAll('_', ''));
    if (!known && isFilledStructure(value))
      findings.leaveOut(`${segment.path}.${name}`, 'this part of the segment is not documented', UNFILTERED);
  }
}
