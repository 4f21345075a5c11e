import { quoted } from '../apis/bda/catalogue.ts';
import { anyFieldOf, isFilledStructure, isPresent, scalarText } from '../apis/bda/fields.ts';
import { type DateBase, hasColumns, readDateBase, reportTitle } from '../apis/bda/report-definition.ts';
import { isList, isRecord, type Json, type JsonRecord } from '../json/index.ts';
import { findDefinition } from './find-definition.ts';
import type { MigrationInput } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** One table of rows that v1 would answer with: a chart of a report, or the request itself. */
export interface ChartSource {
  readonly name: string | undefined;
  /** Whether these are all the rows of a saved report, so that running it gives them. */
  readonly isWholeReport: boolean;
  /** What the field paths of columns and order start with: empty, or `Charts[0].`. */
  readonly path: string;
  readonly dimensions: Json | undefined;
  readonly metrics: Json | undefined;
  readonly order: Json | undefined;
  readonly filters: Json | undefined;
  /** Segments that the report embeds, as it writes them. */
  readonly segments: Json | undefined;
  /** The data request, with what the report itself sets where the request is silent. */
  readonly request: JsonRecord;
}

export interface Source {
  /** What the report is called, to label a query that has no better name. */
  readonly title: string | undefined;
  /** The default range of the report, as its definition names it. */
  readonly dateBase: DateBase | undefined;
  readonly charts: readonly ChartSource[];
}

const COLUMN_FIELDS = ['DimensionColumns', 'MetricColumns', 'Order', 'Filters'] as const;
const SEGMENT_FIELDS = ['Segments', 'SegmentIds'] as const;

/** Fields of a data request that a report may set for requests that leave them out. */
const INHERITED_FIELDS = [
  'StartDate',
  'EndDate',
  'DateGrouping',
  'Platform',
  'DomainId',
  'UrlParams',
  'UrlFragments',
  'RevenueDecimalPlaces',
] as const;

const UNDERSTOOD_STRUCTURES = new Set([
  'charts',
  'dimensioncolumns',
  'metriccolumns',
  'segments',
  'segmentids',
  'order',
  'filters',
  'reportdaterange',
]);

/** Finds what the request runs: the columns it names inline, or the charts of a saved report. */
export function readSource(
  input: MigrationInput,
  request: JsonRecord,
  findings: MigrationNotes,
): Source | undefined {
  const named = [input.reportName, input.customReportId, input.customReport].filter(isPresent);
  if (named.length > 1) {
    findings.refuse('reportName', 'a request runs one report: name one of them only');
    return undefined;
  }
  if (named.length === 0) return { title: undefined, dateBase: undefined, charts: [inlineChart(request)] };
  const definition = findDefinition(input, findings);
  if (definition === undefined) return undefined;
  const title = reportTitle(definition) ?? input.reportName;
  const charts = reportCharts(definition, title, request, findings);
  return { title, dateBase: readDateBase(definition), charts };
}

function inlineChart(request: JsonRecord): ChartSource {
  return {
    name: undefined,
    isWholeReport: false,
    path: '',
    dimensions: request.DimensionColumns,
    metrics: request.MetricColumns,
    order: request.Order,
    filters: request.Filters,
    segments: undefined,
    request,
  };
}

function reportCharts(
  definition: JsonRecord,
  title: string | undefined,
  request: JsonRecord,
  findings: MigrationNotes,
): ChartSource[] {
  const report = title === undefined ? 'the report' : `the report ${quoted(title)}`;
  noteUnknownStructures(definition, '', findings);
  const inherited = inherit(definition, request, findings);
  if (!hasColumns(definition)) {
    const own = inlineChart(inherited);
    if (isPresent(own.dimensions) || isPresent(own.metrics)) {
      const text = `the definition of ${report} does not show its columns, so the request's own are used`;
      findings.changed('DimensionColumns', text);
      return [{ ...own, segments: segmentsOf(definition) }];
    }
    const reason = `the definition of ${report} does not show its columns: add DimensionColumns and MetricColumns to the request`;
    findings.refuse('DimensionColumns', reason);
    return [];
  }
  for (const field of COLUMN_FIELDS) {
    if (isFilledStructure(request[field])) {
      const reason = `${report} has its own columns, and getdata is not documented to take ${field} besides them`;
      findings.leaveOut(field, reason, "the report's own count");
    }
  }
  const charts = anyFieldOf(definition, 'Charts');
  if (!isList(charts)) return [definedChart(definition, '', undefined, inherited, true)];
  for (const field of [...COLUMN_FIELDS, ...SEGMENT_FIELDS]) {
    if (!isFilledStructure(anyFieldOf(definition, field))) continue;
    const reason = `${report} has charts, and what ${field} means besides them is not documented`;
    findings.leaveOut(field, reason, 'the charts count as they are');
  }
  if (charts.length === 0) findings.refuse('Charts', `${report} has no charts`);
  if (charts.length > 1)
    findings.changed(
      'Charts',
      `${report} has ${charts.length} charts; v2 answers one question at a time, so there is one query for each`,
    );
  return charts.flatMap((chart, index) => {
    const path = `Charts[${index}].`;
    if (!isRecord(chart)) {
      findings.refuse(`Charts[${index}]`, 'a chart is a JSON object');
      return [];
    }
    noteUnknownStructures(chart, path, findings);
    const name = scalarText(anyFieldOf(chart, 'Name', 'Title'));
    return [definedChart(chart, path, name, inherit(chart, inherited, findings), charts.length === 1)];
  });
}

function definedChart(
  chart: JsonRecord,
  path: string,
  name: string | undefined,
  request: JsonRecord,
  isWholeReport: boolean,
): ChartSource {
  return {
    name,
    isWholeReport,
    path,
    dimensions: anyFieldOf(chart, 'DimensionColumns'),
    metrics: anyFieldOf(chart, 'MetricColumns'),
    order: anyFieldOf(chart, 'Order'),
    filters: anyFieldOf(chart, 'Filters'),
    segments: segmentsOf(chart),
    request,
  };
}

const segmentsOf = (holder: JsonRecord) => anyFieldOf(holder, ...SEGMENT_FIELDS);

/** The request with the fields that the report sets for it. */
function inherit(definition: JsonRecord, request: JsonRecord, findings: MigrationNotes): JsonRecord {
  const merged: Record<string, Json | undefined> = { ...request };
  for (const field of INHERITED_FIELDS) {
    const value = definition[field];
    if (isPresent(request[field]) || !isPresent(value)) continue;
    merged[field] = value;
    findings.lossless(field, 'comes from the report, as the request leaves it out');
  }
  return merged;
}

/** Lists and objects may select rows: one that is not understood is said, never passed over. */
function noteUnknownStructures(definition: JsonRecord, path: string, findings: MigrationNotes): void {
  for (const [name, value] of Object.entries(definition)) {
    const known = UNDERSTOOD_STRUCTURES.has(name.toLowerCase().replaceAll('_', ''));
    if (!known && isFilledStructure(value))
      findings.lost(`${path}${name}`, 'this part of the report is not documented and is left out');
  }
}
