import { closeNamesHint, quoted } from '../apis/bda/catalogue.ts';
import { anyFieldOf, isFilledStructure, isPresent, scalarText } from '../apis/bda/fields.ts';
import {
  type DateBase,
  findCustomReport,
  findReport,
  hasColumns,
  readDateBase,
  reportNames,
  reportTitle,
  sameTitleIds,
  unwrapReport,
} from '../apis/bda/report-definition.ts';
import { INHERITED_FIELDS, SAVED_REPORT } from '../documents/bda-v1.ts';
import { isList, isRecord, type Json, type JsonRecord } from '../json/index.ts';
import type { MigrationInput } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';
import { noteUndeclared } from './undeclared.ts';

/** One set of rows that v1 returns: a chart of a report, or an inline request. */
export interface ChartSource {
  readonly name: string | undefined;
  /** Prefix of the field paths of columns and order: empty, or `Charts[0].`. */
  readonly path: string;
  readonly dimensions: Json | undefined;
  readonly metrics: Json | undefined;
  readonly order: Json | undefined;
  readonly filters: Json | undefined;
  /** Segments that the report embeds, unparsed. */
  readonly segments: Json | undefined;
  /** The data request, with fields that it omits and the report sets. */
  readonly request: JsonRecord;
}

export interface Source {
  /** Title of the report: the label of a query that has no better name. */
  readonly title: string | undefined;
  /** The default date range of the report. */
  readonly dateBase: DateBase | undefined;
  readonly charts: readonly ChartSource[];
}

const COLUMN_FIELDS = ['DimensionColumns', 'MetricColumns', 'Order', 'Filters'] as const;
const SEGMENT_FIELDS = ['Segments', 'SegmentIds'] as const;

/** Finds what the request runs: the columns that it names inline, or the charts of a saved report. */
export function readSource(
  input: MigrationInput,
  request: JsonRecord,
  notes: MigrationNotes,
): Source | undefined {
  const named = [input.reportName, input.customReportId, input.customReport].filter(isPresent);
  if (named.length > 1) {
    notes.block('reportName', 'a request runs one report, and several are named');
    return undefined;
  }
  if (named.length === 0) return { title: undefined, dateBase: undefined, charts: [inlineChart(request)] };
  const definition = findDefinition(input, notes);
  if (definition === undefined) return undefined;
  const { allowUnknown } = input;
  noteUndeclared({ document: definition, shape: SAVED_REPORT, path: '', allowUnknown, isSaved: true }, notes);
  const title = reportTitle(definition) ?? input.reportName;
  const charts = reportCharts(definition, title, request, notes);
  return { title, dateBase: readDateBase(definition), charts };
}

function inlineChart(request: JsonRecord): ChartSource {
  return {
    name: undefined,
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
  notes: MigrationNotes,
): ChartSource[] {
  const report = title === undefined ? 'the report' : `the report ${quoted(title)}`;
  const inherited = inherit(definition, request, notes);
  if (!hasColumns(definition)) {
    const own = inlineChart(inherited);
    if (isPresent(own.dimensions) || isPresent(own.metrics)) {
      const text = `the definition of ${report} has no columns, so those of the request are used`;
      notes.changed('DimensionColumns', text);
      return [{ ...own, segments: segmentsOf(definition) }];
    }
    const reason = `the definition of ${report} has no columns: add DimensionColumns and MetricColumns to the request`;
    notes.block('DimensionColumns', reason);
    return [];
  }
  for (const field of COLUMN_FIELDS) {
    if (isPresent(request[field])) {
      const reason = `${report} has its own columns, and getdata does not document ${field}`;
      notes.unsupported(field, reason, 'those of the report apply');
    }
  }
  const charts = anyFieldOf(definition, 'Charts');
  if (!isList(charts)) return [reportChart(definition, '', undefined, inherited)];
  for (const field of [...COLUMN_FIELDS, ...SEGMENT_FIELDS]) {
    if (!isFilledStructure(anyFieldOf(definition, field))) continue;
    const reason = `${report} has charts, and ${field} outside of them is not documented`;
    notes.unsupported(field, reason, 'only those of the charts apply');
  }
  if (charts.length === 0) notes.block('Charts', `${report} has no charts`);
  if (charts.length > 1)
    notes.changed(
      'Charts',
      `${report} has ${charts.length} charts: one query for each; v1 does not document whether it returns the rows of all`,
    );
  return charts.flatMap((chart, index) => {
    const path = `Charts[${index}].`;
    if (!isRecord(chart)) {
      notes.block(`Charts[${index}]`, 'a chart must be a JSON object');
      return [];
    }
    const name = scalarText(anyFieldOf(chart, 'Name', 'Title'));
    return [reportChart(chart, path, name, inherit(chart, inherited, notes))];
  });
}

function reportChart(
  chart: JsonRecord,
  path: string,
  name: string | undefined,
  request: JsonRecord,
): ChartSource {
  return {
    name,
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

/** Adds the fields to a request that it omits and the report sets. */
function inherit(definition: JsonRecord, request: JsonRecord, notes: MigrationNotes): JsonRecord {
  const merged: Record<string, Json | undefined> = { ...request };
  for (const field of INHERITED_FIELDS) {
    const value = definition[field];
    if (isPresent(request[field]) || !isPresent(value)) continue;
    merged[field] = value;
    notes.lossless(field, 'taken from the report: the request omits it');
  }
  return merged;
}

/** The definition of the report that the input names, without its envelope; blocks the migration if it is missing. */
function findDefinition(input: MigrationInput, notes: MigrationNotes): JsonRecord | undefined {
  const { reportName, customReportId, customReport, definitions } = input;
  if (isPresent(customReport)) {
    if (isRecord(customReport)) return unwrapReport(customReport);
    notes.block('customReport', 'the definition of a custom report must be a JSON object');
    return undefined;
  }
  const name = reportName ?? String(customReportId);
  const isCustom = reportName === undefined;
  const found = isCustom
    ? findCustomReport(definitions.customReports, name)
    : findReport(definitions.reports, name);
  const ids = isCustom ? sameTitleIds(definitions.customReports, name) : [];
  if (ids.length > 1) {
    notes.block(
      'customReportId',
      `several reports have the title ${quoted(name)}: name one by its id, ${ids.join(' or ')}`,
    );
    return undefined;
  }
  if (found !== undefined) return unwrapReport(found);
  const field = reportName === undefined ? 'customReportId' : 'reportName';
  const names = reportNames(reportName === undefined ? definitions.customReports : definitions.reports);
  notes.requireDefinition(reportName === undefined ? 'custom report' : 'report', name);
  notes.block(field, `the definition of the report ${quoted(name)} is missing${closeNamesHint(names, name)}`);
  return undefined;
}
