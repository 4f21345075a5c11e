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
  /** Absent for a segment that a report carries whole. */
  readonly id: string | undefined;
  readonly name: string;
  /** What field paths inside it start with. */
  readonly path: string;
  readonly definition: JsonRecord;
}

const SEGMENT_ID_FIELDS = ['id', 'SegmentId'];

/** Reads one segment definition, as the listing or a report gives it. */
export function readSegment(definition: JsonRecord): FoundSegment {
  const id = idOf(anyFieldOf(definition, ...SEGMENT_ID_FIELDS));
  const name =
    scalarText(anyFieldOf(definition, 'SegmentName', 'Name')) || `segment ${id ?? 'without a name'}`;
  return { id, name, path: `Segment[${id ?? name}]`, definition };
}

/**
 * The segments that split a chart's rows: the request's, else those that the report embeds. Empty when there are none,
 * undefined when one of them can't be found.
 */
export function chooseSegments(
  chart: ChartSource,
  segments: unknown,
  findings: MigrationNotes,
): FoundSegment[] | undefined {
  const asked = chart.request.SegmentIds;
  if (isPresent(asked) && !Array.isArray(asked)) {
    findings.refuse('SegmentIds', 'the segments are a list of ids');
    return undefined;
  }
  const own: readonly unknown[] | undefined = Array.isArray(asked) && asked.length > 0 ? asked : undefined;
  const field = own === undefined ? `${chart.path}Segments` : 'SegmentIds';
  const embedded = chart.segments;
  const isEmpty = embedded === '' || (typeof embedded === 'object' && !isFilledStructure(embedded));
  if (own === undefined && embedded !== undefined && !isEmpty && !isList(embedded)) {
    findings.refuse(field, 'the segments are a list of ids');
    return undefined;
  }
  const listed = own ?? (isList(embedded) ? embedded : []);
  if (own !== undefined && embedded !== undefined && !isEmpty)
    findings.lossless('SegmentIds', "go before the report's own segments, as they do in v1");
  const found = listed.map((item, index) => findSegment(item, `${field}[${index}]`, segments, findings));
  const known = found.filter(segment => segment !== undefined);
  if (known.length < found.length) return undefined;
  return withoutRepeats(known, field, findings);
}

function findSegment(
  item: unknown,
  field: string,
  segments: unknown,
  findings: MigrationNotes,
): FoundSegment | undefined {
  const embedded = isRecord(item) ? item : undefined;
  if (embedded !== undefined && isWhole(embedded)) return readSegment(embedded);
  const id = idOf(embedded === undefined ? item : anyFieldOf(embedded, ...SEGMENT_ID_FIELDS));
  if (id === undefined) {
    findings.refuse(field, 'a segment is named by its id');
    return undefined;
  }
  const definition = recordWithId(segments, id, SEGMENT_ID_FIELDS);
  if (definition !== undefined) return { ...readSegment(definition), id, path: `Segment[${id}]` };
  findings.need('segment', id);
  findings.refuse(field, `the definition of segment ${id} is not there`);
  return undefined;
}

const isWhole = (segment: JsonRecord) =>
  isRecord(anyFieldOf(segment, 'SegmentFilters')) || isRecord(anyFieldOf(segment, 'SegmentMultiFilters'));

function withoutRepeats(
  segments: readonly FoundSegment[],
  field: string,
  findings: MigrationNotes,
): FoundSegment[] {
  const once = segments.filter(
    ({ id }, index) => id === undefined || segments.findIndex(other => other.id === id) === index,
  );
  if (once.length < segments.length) findings.changed(field, 'a segment is listed twice; it is asked once');
  const names = once.map(({ name }) => quoted(name)).join(', ');
  if (once.length === 1) findings.lossless(field, `the segment ${names} becomes filters of the query`);
  if (once.length > 1)
    findings.changed(
      field,
      `v1 splits each row by segment, v2 does not: there is one query for each of ${names}`,
    );
  return once;
}
