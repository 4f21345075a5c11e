import { quoted } from '../apis/bda/catalogue.ts';
import {
  anyFieldOf,
  idOf,
  isFilledStructure,
  isPresent,
  recordWithId,
  scalarText,
} from '../apis/bda/fields.ts';
import { isList, isRecord, type JsonRecord } from '../json/index.ts';
import type { MigrationNotes } from './migration-notes.ts';
import type { ChartSource } from './source.ts';

/** A segment with its definition. */
export interface FoundSegment {
  /** Absent for a segment that a report defines inline. */
  readonly id: string | undefined;
  readonly name: string;
  /** Prefix of field paths inside it. */
  readonly path: string;
  readonly definition: JsonRecord;
}

const SEGMENT_ID_FIELDS = ['id', 'SegmentId'];

/** Reads one segment definition, as listed or as embedded in a report. */
export function readSegment(definition: JsonRecord): FoundSegment {
  const id = idOf(anyFieldOf(definition, ...SEGMENT_ID_FIELDS));
  const name =
    scalarText(anyFieldOf(definition, 'SegmentName', 'Name')) || `segment ${id ?? 'without a name'}`;
  return { id, name, path: `Segment[${id ?? name}]`, definition };
}

/**
 * The segments that split a chart's rows: those of the request, else those that the report embeds. Undefined when the
 * definition of one is missing.
 */
export function chooseSegments(
  chart: ChartSource,
  segments: unknown,
  notes: MigrationNotes,
): FoundSegment[] | undefined {
  const requested = chart.request.SegmentIds;
  if (isPresent(requested) && !Array.isArray(requested)) {
    notes.block('SegmentIds', 'segments must be a list of ids');
    return undefined;
  }
  const own: readonly unknown[] | undefined =
    Array.isArray(requested) && requested.length > 0 ? requested : undefined;
  const field = own === undefined ? `${chart.path}Segments` : 'SegmentIds';
  const embedded = chart.segments;
  const isEmpty = embedded === '' || (typeof embedded === 'object' && !isFilledStructure(embedded));
  if (own === undefined && embedded !== undefined && !isEmpty && !isList(embedded)) {
    notes.block(field, 'segments must be a list of ids');
    return undefined;
  }
  const listed = own ?? (isList(embedded) ? embedded : []);
  if (own !== undefined && embedded !== undefined && !isEmpty)
    notes.lossless('SegmentIds', 'override the segments of the report, as in v1');
  const found = listed.map((item, index) => findSegment(item, `${field}[${index}]`, segments, notes));
  const known = found.filter(segment => segment !== undefined);
  if (known.length < found.length) return undefined;
  return withoutRepeats(known, field, notes);
}

function findSegment(
  item: unknown,
  field: string,
  segments: unknown,
  notes: MigrationNotes,
): FoundSegment | undefined {
  const embedded = isRecord(item) ? item : undefined;
  if (embedded !== undefined && isWhole(embedded)) return readSegment(embedded);
  const id = idOf(embedded === undefined ? item : anyFieldOf(embedded, ...SEGMENT_ID_FIELDS));
  if (id === undefined) {
    notes.block(field, 'a segment requires an id');
    return undefined;
  }
  const definition = recordWithId(segments, id, SEGMENT_ID_FIELDS);
  if (definition !== undefined) return { ...readSegment(definition), id, path: `Segment[${id}]` };
  notes.requireDefinition('segment', id);
  notes.block(field, `the definition of segment ${id} is missing`);
  return undefined;
}

const isWhole = (segment: JsonRecord) =>
  isRecord(anyFieldOf(segment, 'SegmentFilters')) || isRecord(anyFieldOf(segment, 'SegmentMultiFilters'));

function withoutRepeats(
  segments: readonly FoundSegment[],
  field: string,
  notes: MigrationNotes,
): FoundSegment[] {
  const once = segments.filter(
    ({ id }, index) => id === undefined || segments.findIndex(other => other.id === id) === index,
  );
  if (once.length < segments.length) notes.changed(field, 'a segment is listed twice; the second is ignored');
  const names = once.map(({ name }) => quoted(name)).join(', ');
  if (once.length === 1)
    notes.changed(field, `the segment ${names} becomes filters of the query; the rows of v2 do not name it`);
  if (once.length > 1)
    notes.changed(field, `v1 splits rows by segment, v2 does not: one query for each of ${names}`);
  return once;
}
