import { isRecord, type JsonRecord } from '../../../json/index.ts';
import { closeNamesHint, quoted } from './catalogue.ts';
import type { Findings } from './findings.ts';
import type { MigrationInput } from './migration.ts';
import { anyFieldOf, isPresent, listOf, recordWithId, scalarText } from './reading.ts';

/** The id of a default range, and the path of the field that names it. */
export interface DateBase {
  readonly field: string;
  readonly id: string;
}

const REPORT_NAME_FIELDS = ['ReportName', 'Name', 'ReportTitle', 'Title'];
const CUSTOM_REPORT_ID_FIELDS = ['CustomReportId', 'ReportId', 'Id'];

/** The definition of the report that the input names, without its envelope; refused when it is not there. */
export function findDefinition(input: MigrationInput, findings: Findings): JsonRecord | undefined {
  const { reportName, customReportId, customReport, definitions } = input;
  if (isPresent(customReport)) {
    if (isRecord(customReport)) return unwrapped(customReport);
    findings.refuse('customReport', 'the definition of a custom report is a JSON object');
    return undefined;
  }
  const wanted = reportName ?? String(customReportId);
  const found =
    reportName === undefined
      ? findCustomReport(definitions.customReports, wanted)
      : findReport(definitions.reports, wanted);
  if (found !== undefined) return unwrapped(found);
  const field = reportName === undefined ? 'customReportId' : 'reportName';
  const names = listOf(reportName === undefined ? definitions.customReports : definitions.reports).flatMap(
    item => (isRecord(item) ? (scalarText(anyFieldOf(item, ...REPORT_NAME_FIELDS)) ?? []) : []),
  );
  findings.need(reportName === undefined ? 'custom report' : 'report', wanted);
  findings.refuse(
    field,
    `the definition of the report ${quoted(wanted)} is not there${closeNamesHint(names, wanted)}`,
  );
  return undefined;
}

function findReport(reports: unknown, name: string): JsonRecord | undefined {
  if (isRecord(reports)) {
    const keyed = Object.hasOwn(reports, name) ? reports[name] : undefined;
    if (isRecord(keyed)) return keyed;
    if (isReport(unwrapped(reports))) {
      const own = scalarText(anyFieldOf(unwrapped(reports), ...REPORT_NAME_FIELDS));
      return own === undefined || own === name ? reports : undefined;
    }
  }
  return reportCalled(reports, name);
}

function findCustomReport(reports: unknown, id: string): JsonRecord | undefined {
  return recordWithId(reports, id, CUSTOM_REPORT_ID_FIELDS) ?? reportCalled(reports, id);
}

function reportCalled(reports: unknown, name: string): JsonRecord | undefined {
  const found = listOf(reports).find(
    item => isRecord(item) && scalarText(anyFieldOf(item, ...REPORT_NAME_FIELDS)) === name,
  );
  return isRecord(found) ? found : undefined;
}

/** Whether a report or chart says which columns it shows. */
export function hasColumns(record: JsonRecord): boolean {
  return ['Charts', 'DimensionColumns', 'MetricColumns'].some(name =>
    Array.isArray(anyFieldOf(record, name)),
  );
}

/** What a report is called. */
export function reportTitle(definition: JsonRecord): string | undefined {
  return scalarText(anyFieldOf(definition, ...REPORT_NAME_FIELDS));
}

function isReport(record: JsonRecord): boolean {
  return hasColumns(record) || readDateBase(record) !== undefined;
}

/** The definition without an envelope around it: `{"Report": {…}}` reads as what is inside. */
function unwrapped(definition: JsonRecord): JsonRecord {
  if (hasColumns(definition)) return definition;
  for (const [name, inner] of Object.entries(definition)) {
    if (!isRecord(inner) || !isReport(inner) || name === 'ReportDateRange') continue;
    const { [name]: _, ...outer } = definition;
    return { ...outer, ...inner };
  }
  return definition;
}

/** The default range that the report names. */
export function readDateBase(definition: JsonRecord): DateBase | undefined {
  const range = anyFieldOf(definition, 'ReportDateRange');
  const inRange = isRecord(range)
    ? scalarText(anyFieldOf(range, 'BaseSelectId', 'DateBaseSelectId'))
    : undefined;
  if (inRange !== undefined) return { field: 'ReportDateRange.BaseSelectId', id: inRange };
  const plain = scalarText(anyFieldOf(definition, 'DateBaseSelectId', 'BaseSelectId'));
  return plain === undefined ? undefined : { field: 'DateBaseSelectId', id: plain };
}
