import { isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { anyFieldOf, idOf, isFilledStructure, listOf, scalarText, wholeNumberOf } from '../bda/fields.ts';
import {
  definitionIn,
  hasColumns,
  readDateBase,
  reportTitle,
  unwrapReport,
} from '../bda/report-definition.ts';

/** What a report's definition says, as far as it can be read: the shape is not documented. */
export interface ReportFacts {
  /** The id of its default range, such as `BASE_NOT_SELECTED`. */
  readonly dateBase: string | undefined;
  /** Columns of the first chart, dimensions first, in the order that `Order` counts; undefined where they are not shown. */
  readonly columns: readonly string[] | undefined;
  /** How many of the columns are dimensions. */
  readonly dimensions: number;
  /** Its order as it is sent; undefined where there is none. */
  readonly order: Json | undefined;
  /** How many charts it has. */
  readonly charts: number;
  /** Ids of the segments that the first chart embeds. */
  readonly segments: readonly string[];
}

const NO_FACTS: ReportFacts = {
  dateBase: undefined,
  columns: undefined,
  dimensions: 0,
  order: undefined,
  charts: 0,
  segments: [],
};

/** Reads a definition in any shape that names its parts as the documented ones are named. */
export function reportFacts(definition: Json | undefined): ReportFacts {
  const only = definitionIn(definition);
  if (only === undefined) return NO_FACTS;
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

/** One line of a listing of reports or segments. */
export interface Named {
  readonly id: string | undefined;
  readonly name: string;
}

/** An id as answers show it: a number where it is one. */
export function shownId({ id }: Named): Json {
  return wholeNumberOf(id) ?? id ?? null;
}

/** Whether a listing could be read: something was found in it, or there is nothing in it. */
export function isReadable(listing: unknown, found: readonly unknown[]): boolean {
  if (found.length > 0) return true;
  return (
    !isFilledStructure(listing) || (isRecord(listing) && !Object.values(listing).some(isFilledStructure))
  );
}

/** Reports in a listing: names alone, or objects with a name and perhaps an id. */
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
