import { isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { anyFieldOf, idOf, isFilledStructure, listOf, scalarText, wholeNumberOf } from '../bda/fields.ts';
import {
  definitionIn,
  hasColumns,
  readDateBase,
  reportTitle,
  unwrapReport,
} from '../bda/report-definition.ts';

/** The readable parts of a report definition, whose shape is not documented. */
export interface ReportInfo {
  /** The id of its default range, such as `BASE_NOT_SELECTED`. */
  readonly dateBase: string | undefined;
  /** Columns of the first chart, dimensions first, in the order that `Order` counts; undefined if missing. */
  readonly columns: readonly string[] | undefined;
  /** Number of dimensions in `columns`. */
  readonly dimensions: number;
  /** Its order, unparsed. */
  readonly order: Json | undefined;
  /** Number of charts. */
  readonly charts: number;
  /** Ids of the segments that the first chart embeds. */
  readonly segments: readonly string[];
}

const NO_INFO: ReportInfo = {
  dateBase: undefined,
  columns: undefined,
  dimensions: 0,
  order: undefined,
  charts: 0,
  segments: [],
};

/** Reads a definition of any shape, by the documented field names. */
export function reportInfo(definition: Json | undefined): ReportInfo {
  const only = definitionIn(definition);
  if (only === undefined) return NO_INFO;
  const report = unwrapReport(only);
  const chart = chartOf(report);
  const dimensions = namesIn(chart, 'DimensionColumns');
  return {
    dateBase: readDateBase(report)?.id,
    columns: hasColumns(chart) ? [...dimensions, ...namesIn(chart, 'MetricColumns')] : undefined,
    dimensions: dimensions.length,
    order: anyFieldOf(chart, 'Order'),
    charts: chartsOf(report).length,
    segments: listOf(anyFieldOf(chart, 'Segments', 'SegmentIds') ?? []).flatMap(
      item => idOf(isRecord(item) ? anyFieldOf(item, 'Id', 'SegmentId') : item) ?? [],
    ),
  };
}

function chartOf(report: JsonRecord): JsonRecord {
  const [first] = chartsOf(report);
  return isRecord(first) ? first : report;
}

function chartsOf(report: JsonRecord): readonly Json[] {
  const charts = anyFieldOf(report, 'Charts');
  return isList(charts) ? charts : [];
}

function namesIn(chart: JsonRecord, field: string): string[] {
  return listOf(anyFieldOf(chart, field) ?? []).flatMap(
    item => scalarText(isRecord(item) ? anyFieldOf(item, 'Data', 'Name', 'Column') : item) ?? [],
  );
}

/** A listed report or segment. */
export interface Named {
  readonly id: string | undefined;
  readonly name: string;
}

/** An id in JSON: a number if it is one. */
export function shownId({ id }: Named): Json {
  return wholeNumberOf(id) ?? id ?? null;
}

/** Whether a listing is readable: items were found in it, or it is empty. */
export function isReadable(listing: unknown, found: readonly unknown[]): boolean {
  if (found.length > 0) return true;
  return (
    !isFilledStructure(listing) || (isRecord(listing) && !Object.values(listing).some(isFilledStructure))
  );
}

/** Reports in a listing: names, or objects with a name and an optional id. */
export function namedReports(listing: Json): Named[] {
  return listOf(listing).flatMap(item => {
    const name = isRecord(item) ? reportTitle(item) : scalarText(item);
    const id = isRecord(item) ? idOf(anyFieldOf(item, 'CustomReportId', 'ReportId', 'Id')) : undefined;
    return name === undefined ? [] : [{ id, name }];
  });
}

/** Segments in a listing. */
export function namedSegments(listing: unknown): Named[] {
  return listOf(listing).flatMap(item => {
    if (!isRecord(item)) return [];
    const name = scalarText(anyFieldOf(item, 'SegmentName', 'Name', 'Title'));
    return name === undefined ? [] : [{ id: idOf(anyFieldOf(item, 'Id', 'SegmentId')), name }];
  });
}
